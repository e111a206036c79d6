"""Atomic file writes: a file is complete or absent."""

from __future__ import annotations

import os
import re
import secrets
import sys
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from glob import escape
from hashlib import sha256
from typing import TYPE_CHECKING, TypeAlias

from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path


Text: TypeAlias = str | Callable[[], Iterable[str]]
"""The content of a file: a text, or a function that yields a long text in pieces."""

TEMPORARY = ".tmp"
_OURS = re.compile(r"\..*\.[0-9a-f]{8}\.tmp(-wal|-shm|-journal)?", re.DOTALL)


def write_changed(directory: Path, files: Mapping[str, Text]) -> None:
    """Write the files whose content differs from their text, as `write_files` does."""
    write_files(directory, {name: text for name, text in files.items() if not holds(directory / name, text)})


def holds(path: Path, text: Text) -> bool:
    """Return whether the file exists and contains exactly `text`."""
    if not path.exists():
        return False
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        return all(file.read(len(piece)) == piece for piece in pieces_of(text)) and not file.read(1)


def pieces_of(text: Text) -> Iterable[str]:
    """Return the pieces of a text."""
    return (text,) if isinstance(text, str) else text()


def write_files(directory: Path, files: Mapping[str, Text], *, sync_directories: bool = True) -> None:
    """Write each file atomically: write and sync a temporary file next to it, then rename it. Then sync the directory.

    Names are relative to `directory`. Line endings are written as they are in the text. Without `sync_directories`, a
    crash of the machine may bring back the earlier file, complete, until something else syncs the directory.

    Raises:
        BadInput: a name leads out of the directory.
        OSError: a file cannot be written. Files that were not renamed yet are unchanged.
    """
    places = {name: _inside(directory, name) for name in files}
    for name, text in files.items():
        _write_whole(places[name], text)
    for parent in {place.parent for place in places.values()} if sync_directories else ():
        sync_directory(parent)


def write_output(place: Path, text: Text) -> None:
    """Write a file that the user names: as `write_files` does, or straight into it if it is a device or a pipe.

    A link is followed. `/dev/null`, `/dev/stdout` and named pipes stay what they are.

    Raises:
        OSError: the file cannot be written.
    """
    if _is_stream(place):
        with place.open("w", encoding="utf-8", errors="surrogateescape", newline="") as stream:
            stream.writelines(pieces_of(text))
        return
    target = place.resolve()
    write_files(target.parent, {target.name: text})


def _inside(directory: Path, name: str) -> Path:
    place = directory / name
    if not name or "\0" in name or not place.resolve().is_relative_to(directory.resolve()):
        raise BadInput(
            f"the file name {name!r} leaves the run directory {str(directory)!r}", hint="Name a file inside it."
        )
    return place


def temporary_beside(place: Path) -> Path:
    """Return an unused name next to `place` that `sweep` recognises. Long names are cut."""
    return place.with_name(f".{place.name[:100]}.{secrets.token_hex(4)}{TEMPORARY}")


@contextmanager
def replacing(place: Path) -> Generator[Path]:
    """Give a temporary path to write. It replaces `place` if no exception was raised, otherwise it is removed.

    If `place` is a device or a pipe, it is given itself. If it is a link, the file that it leads to is replaced.
    """
    if _is_stream(place):
        yield place
        return
    target = place.resolve()
    temporary = temporary_beside(target)
    try:
        yield temporary
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _is_stream(place: Path) -> bool:
    """Return whether a path is a device, a pipe, a socket, or an open file of this process such as `/dev/stdout`."""
    kept = not place.is_file() and not place.is_dir()
    return place.exists() and (kept or place.absolute().as_posix().startswith(("/dev/std", "/dev/fd/", "/proc/")))


def _write_whole(place: Path, text: Text) -> None:
    with staged(place, text) as file:
        file.commit()


@dataclass(frozen=True, kw_only=True)
class StagedFile:
    """A complete file on disk under a temporary name, and the hash of its bytes (64 hexadecimal digits)."""

    place: Path
    temporary: Path
    sha256: str

    def commit(self) -> None:
        """Give the file its name. Sync the directory afterwards."""
        if self.place.exists():
            self.temporary.chmod(self.place.stat().st_mode & 0o777)
        self.temporary.replace(self.place)


@contextmanager
def staged(place: Path, text: Text) -> Generator[StagedFile]:
    """Write and sync a temporary file next to `place`, and remove it at the end if it was not committed.

    The text is made once, however long it is, and hashed on its way.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_beside(place)
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    digest = sha256()
    try:
        with os.fdopen(handle, "wb") as file:
            for piece in pieces_of(text):
                data = piece.encode("utf-8", "surrogateescape")
                digest.update(data)
                file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield StagedFile(place=place, temporary=temporary, sha256=digest.hexdigest())
    finally:
        temporary.unlink(missing_ok=True)


def is_temporary(name: str) -> bool:
    """Return whether a file name is one that `temporary_beside` gives, or a file that SQLite keeps next to it."""
    return _OURS.fullmatch(name) is not None


def sweep(directory: Path) -> None:
    """Remove the temporary files that a killed process left in `directory`."""
    for left in directory.rglob(f".*{TEMPORARY}*"):
        if is_temporary(left.name) and left.is_file():
            left.unlink(missing_ok=True)


def sweep_beside(place: Path) -> None:
    """Remove the temporary files that killed writers of the file `place` left, in one of the user's directories."""
    for left in place.parent.glob(f".{escape(place.name[:100])}.*{TEMPORARY}"):
        if is_temporary(left.name):
            left.unlink(missing_ok=True)


def sync_directory(directory: Path) -> None:
    """Sync `directory` to disk, so that renames survive a crash."""
    if sys.platform == "win32":
        return  # directories cannot be opened there, but the file system journals renames
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_text(path: Path) -> str:
    """Return the text of `path` with unchanged line endings. Bytes that are not UTF-8 stay recoverable."""
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()
