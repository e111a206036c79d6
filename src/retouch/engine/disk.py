"""Files that are whole or not there."""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
from typing import TYPE_CHECKING

from retouch.engine.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

TEMPORARY = ".tmp"
_LONE = re.compile("[\ud800-\udfff]")
_OURS = re.compile(r"\..*\.[0-9a-f]{8}\.tmp(-wal|-shm|-journal)?", re.DOTALL)


def json_text(value: object) -> str:
    """Return `value` as JSON that a person can read, one line per item; half characters (lone surrogates) escaped."""
    text = json.dumps(value, indent=1, ensure_ascii=False) + "\n"
    return _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write each file whole: into a temporary file beside it, flushed and synced, then renamed; then sync the folder.

    Names are relative to `folder`. Line endings are written as they are in the text.

    Raises:
        BadInput: a name would leave the folder.
        OSError: a file cannot be written; those not yet renamed are as they were.
    """
    places = {name: _inside(folder, name) for name in files}
    for name, text in files.items():
        _write_whole(places[name], text)
    for parent in {place.parent for place in places.values()}:
        sync_folder(parent)


def _inside(folder: Path, name: str) -> Path:
    place = folder / name
    if not name or "\0" in name or not place.resolve().is_relative_to(folder.resolve()):
        raise BadInput(f"the file name {name!r} leaves the run folder {str(folder)!r}", hint="Name a file inside it.")
    return place


def temporary_beside(place: Path) -> Path:
    """Return a name beside `place` that no one has, and that `sweep` knows; names near the length limit are cut."""
    return place.with_name(f".{place.name[:100]}.{secrets.token_hex(4)}{TEMPORARY}")


def _write_whole(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_beside(place)
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            temporary.chmod(place.stat().st_mode & 0o777)
        temporary.replace(place)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def sweep(folder: Path) -> None:
    """Remove the temporary files that a killed process left in `folder`."""
    for left in folder.rglob(f".*{TEMPORARY}*"):
        if _OURS.fullmatch(left.name) and left.is_file():
            left.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Put the names in `folder` on disk: what was renamed stays renamed."""
    if sys.platform == "win32":
        return  # a folder cannot be opened there; the rename is already journalled
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_text(path: Path) -> str:
    """Return the text of `path` with its line endings as they are; bytes that are not UTF-8 stay recoverable."""
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()
