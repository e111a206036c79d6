"""Reads the files below a directory of this machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from retouch.locate.errors import LocateError
from retouch.locate.sources.paths import fits, inside_root, is_below
from retouch.locate.values import FileSource

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


class LocalFiles(FileSource):
    """The files below a local directory. Links to directories are not followed."""

    def __init__(self, root: str | Path) -> None:
        self._root = Path(root).absolute()
        if not self._root.is_dir():
            raise LocateError(f"There is no directory {str(root)!r}.", hint="Pass the directory of the sources.")

    @property
    def root(self) -> str:
        """The absolute path of the directory."""
        return str(self._root)

    def list(self, pattern: str, skip: Collection[str] = ()) -> Sequence[str]:
        """Return the files that match `pattern`, sorted, without those in directories of `skip`."""
        found: list[str] = []
        for folder, below, names in os.walk(self._root):
            inside = os.path.relpath(folder, self._root)
            start = "" if inside == "." else f"{PurePosixPath(Path(inside))}/"
            below[:] = [name for name in below if not is_below(f"{start}{name}/", skip)]
            found += [start + name for name in names if fits(start + name, pattern)]
        return sorted(found)

    def read(self, ref: str) -> bytes:
        """Return the bytes of one file.

        Raises:
            LocateError: the file cannot be read, or is not below the directory.
        """
        try:
            return (self._root / inside_root(ref)).read_bytes()
        except OSError as error:
            raise LocateError(
                f"{ref!r} cannot be read: {error.strerror}.", hint=f"Check the file in {self.root!r}."
            ) from None

    def stat(self, ref: str) -> tuple[int, int] | None:
        """Return size in bytes and modification time in ns. None if the file does not exist."""
        try:
            seen = os.stat(f"{self._root}/{inside_root(ref)}")  # noqa: PTH116 - a quarter of the time of Path.stat
        except OSError:
            return None
        return seen.st_size, seen.st_mtime_ns

    def commit(self) -> str | None:
        """Return the commit that is checked out. None outside of a git repository or without git."""
        command = ["git", "-C", self.root, "rev-parse", "HEAD"]
        try:
            ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=10)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return ended.stdout.strip() or None if ended.returncode == 0 else None
