"""Cleans a copy after commands: build products stay, other leftovers go. A changed source makes the copy unusable."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch._lib.process.trees import BUILT, INSTALLED, is_ignored, rules_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pathspec import GitIgnoreSpec

    from retouch._lib.process.trees import Tree

_OPAQUE = ("trusted.overlay.opaque", "user.overlay.opaque")


@dataclass
class Sweep:
    """One cleanup of `target`. `put` are the files that were put there: (size, mtime, hash) by path."""

    target: Path
    workspace: Path
    put: Mapping[str, Sequence[Any]]
    tree: Tree
    seen: set[str] = field(default_factory=set[str])

    def is_clean(self) -> bool:
        """Remove files that are neither build products nor were put there. Return whether the latter are unchanged."""
        return self._visit("", [], kept=False) and self.seen == set(self.put)

    def _visit(self, folder: str, rules: Sequence[tuple[str, GitIgnoreSpec]], *, kept: bool) -> bool:
        """Clean a directory. If `kept`, it contains build products, and only files of the workspace are compared."""
        rules = rules if kept else [*rules, *rules_of(self.workspace, folder)]
        for entry in list(os.scandir(self.target / folder)):
            name = f"{folder}{entry.name}"
            is_folder = entry.is_dir(follow_symlinks=False)
            product = kept or entry.name in BUILT | INSTALLED or is_ignored(f"{name}/" if is_folder else name, rules)
            if is_folder:
                if self._hides_files(name, entry.path) or not self._visit(f"{name}/", rules, kept=product):
                    return False
            elif not self._is_as_put(name, entry, kept=product):
                return False
        return True

    def _hides_files(self, name: str, path: str) -> bool:
        """Return whether a directory of an overlay hides files of the workspace."""
        for attribute in _OPAQUE:
            with suppress(OSError):
                if os.getxattr(path, attribute, follow_symlinks=False) == b"y":
                    return self._has_files(name)
        return False

    def _is_as_put(self, name: str, entry: os.DirEntry[str], *, kept: bool) -> bool:
        status = entry.stat(follow_symlinks=False)
        if name in self.put:
            self.seen.add(name)
            return [status.st_size, status.st_mtime_ns] == list(self.put[name][:2])
        if name in self.tree.files or (stat.S_ISCHR(status.st_mode) and self._has_files(name)):
            return False
        if not kept:
            Path(entry.path).unlink()
        return True

    def _has_files(self, folder: str) -> bool:
        return any(path.startswith(f"{folder}/") for path in self.tree.files)
