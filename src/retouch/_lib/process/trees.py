"""The content of a workspace: each file with its hash, so that results can be cached until something changes."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pathspec import GitIgnoreSpec

NEVER_LOOKED_AT = frozenset({".git", ".hg", ".svn"})
CACHES = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"})
# Directories of build products. They stay between two commands, so that incremental builds are fast.
BUILT = CACHES | {
    "target", "out", "build", "dist", "obj", ".gradle", ".bloop", ".bsp", ".metals", ".mill", ".next", ".nox", ".tox",
    ".turbo", "cmake-build-debug", "cmake-build-release", "test_run_dir",
}  # fmt: skip
INSTALLED = frozenset({".venv", "venv", "node_modules"})
_RUN_FILES = frozenset({"ledger.db", "prompts.json"})  # a run directory of Retouch, which changes constantly
LINK = "link "  # begins the hash of a symbolic link
_UNSURE_NS = 2_000_000_000  # a file may change again within one clock tick


@dataclass(frozen=True)
class TreeEntry:
    """One file of a workspace: its size, mtime and content hash."""

    size: int
    mtime_ns: int
    sha: str


@dataclass(frozen=True, kw_only=True)
class Tree:
    """The content of a workspace.

    `files` are the files that are not ignored, by path with `/`. `others` is a hash of sizes and mtimes of the ignored.
    """

    files: Mapping[str, TreeEntry]
    others: str
    seen_ns: int = 0
    ignored: tuple[str, ...] = ()

    def key(self, changes: Mapping[str, str]) -> str:
        """Return the hash of the content. `changes` are the hashes of changed files by path."""
        content = {path: entry.sha for path, entry in self.files.items()} | dict(changes)
        return sha256(repr((sorted(content.items()), self.others)).encode("utf-8", "surrogateescape")).hexdigest()


EMPTY = Tree(files={}, others="")


@dataclass
class _Walk:
    """One walk through a workspace. `known` has the hashes of an earlier one."""

    root: Path
    known: Tree
    excluded: GitIgnoreSpec
    files: dict[str, TreeEntry] = field(default_factory=dict[str, TreeEntry])
    others: list[tuple[str, int, int]] = field(default_factory=list[tuple[str, int, int]])
    ignored: list[str] = field(default_factory=list[str])

    def visit(self, folder: str, rules: Sequence[tuple[str, GitIgnoreSpec]], *, ignored: bool) -> None:
        rules = rules if ignored else [*rules, *rules_of(self.root, folder)]
        entries = _entries(self.root / folder)
        if {entry.name for entry in entries} >= _RUN_FILES:
            return
        for entry in entries:
            name = f"{folder}{entry.name}"
            is_folder = entry.is_dir(follow_symlinks=False)
            if entry.name in NEVER_LOOKED_AT | CACHES or self.excluded.match_file(f"{name}/" if is_folder else name):
                continue
            hidden = ignored or is_ignored(f"{name}/" if is_folder else name, rules)
            hidden = hidden or (is_folder and entry.name in INSTALLED)
            if hidden and not ignored:
                self.ignored.append(name)
            if is_folder:
                self.visit(f"{name}/", rules, ignored=hidden)
            else:
                self._note(name, entry, ignored=hidden)

    def _note(self, name: str, entry: os.DirEntry[str], *, ignored: bool) -> None:
        status = entry.stat(follow_symlinks=False)
        if ignored:
            self.others.append((name, status.st_size, status.st_mtime_ns))
            return
        before = self.known.files.get(name)
        same = before is not None and (before.size, before.mtime_ns) == (status.st_size, status.st_mtime_ns)
        sure = same and status.st_mtime_ns < self.known.seen_ns - _UNSURE_NS
        sha = before.sha if before is not None and sure else _hash_of(entry)
        self.files[name] = TreeEntry(status.st_size, status.st_mtime_ns, sha)


def scan(root: Path, *, exclude: Sequence[str] = (), known: Tree = EMPTY) -> Tree:
    """Return the content of a workspace.

    Files that .gitignore ignores go to `others`. Files that match `exclude` (same syntax), version control directories
    and caches such as __pycache__ are skipped. A file with the size and mtime of the earlier tree `known` is not read
    again.
    """
    from pathspec import GitIgnoreSpec

    now = time.time_ns()
    walk = _Walk(root, known, GitIgnoreSpec.from_lines(exclude))
    walk.visit("", [], ignored=False)
    head = root / ".git" / "HEAD"
    others = [*sorted(walk.others), head.read_text("utf-8", "replace") if head.is_file() else ""]
    return Tree(
        files=walk.files,
        others=sha256(repr(others).encode("utf-8", "surrogateescape")).hexdigest(),
        seen_ns=now,
        ignored=tuple(walk.ignored),
    )


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except (PermissionError, FileNotFoundError, NotADirectoryError):
        return []  # unreadable for the command too, or just removed


def rules_of(root: Path, folder: str) -> list[tuple[str, GitIgnoreSpec]]:
    """Return the rules of the .gitignore in `folder` ("" or a path that ends with `/`), with this path."""
    from pathspec import GitIgnoreSpec

    place = root / folder / ".gitignore"
    if not place.is_file():
        return []
    return [(folder, GitIgnoreSpec.from_lines(place.read_text("utf-8", "replace").splitlines()))]


def is_ignored(name: str, rules: Sequence[tuple[str, GitIgnoreSpec]]) -> bool:
    """Return whether the innermost rule ignores a path. The path of a directory ends with `/`."""
    for folder, spec in reversed(rules):
        found = spec.check_file(name.removeprefix(folder)).include
        if found is not None:
            return found
    return False


def _hash_of(entry: os.DirEntry[str]) -> str:
    try:
        if entry.is_symlink():
            return LINK + str(Path(entry.path).readlink())
        if not entry.is_file(follow_symlinks=False):
            return "special"
        digest = sha256()
        with Path(entry.path).open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
        return named(digest.hexdigest(), entry.stat(follow_symlinks=False).st_mode)
    except OSError:
        return "unreadable"


def named(digest: str, mode: int) -> str:
    """Return the hash of a file, which covers its content and its executable bit."""
    return digest + ("x" if mode & 0o100 else "")
