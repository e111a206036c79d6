"""Replaces a run with its scrubbed version atomically, even if the process is killed.

The new files are next to the old ones when the journal is renamed into place. This commits the scrub: the next process
that opens the run finishes the renames.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from retouch._lib.disk import sync_directory, write_files
from retouch.engine.ledger import LOCK
from retouch.errors import BrokenFile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

JOURNAL = ".scrub.json"


def commit_scrub(directory: Path, files: Mapping[str, str]) -> None:
    """Replace the old files by `files` (temporary name -> name, both relative to `directory`).

    The temporary files must be on disk, and the directory locked for writing.
    """
    write_files(directory, {JOURNAL: json.dumps({"files": dict(files)}) + "\n"})
    finish_scrub(directory)


def finish_scrub(directory: Path) -> None:
    """Finish a committed scrub whose process was killed. The directory must be locked for writing.

    Raises:
        BrokenFile: the journal cannot be read.
    """
    journal = directory / JOURNAL
    try:
        files: dict[str, str] = _files(json.loads(journal.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BrokenFile(
            f"{str(journal)!r} is damaged: {error}", hint="Move it away and scrub the run again."
        ) from error
    for temporary, name in files.items():
        place = directory / name
        if (directory / temporary).exists():
            for beside in ("-wal", "-shm"):  # of the old ledger: the new one contains their rows
                place.with_name(place.name + beside).unlink(missing_ok=True)
            (directory / temporary).replace(place)
    for parent in {(directory / name).parent for name in files.values()}:
        sync_directory(parent)
    journal.unlink()
    sync_directory(directory)


def _files(stored: Any) -> dict[str, str]:
    files = {str(temporary): str(name) for temporary, name in stored["files"].items()}
    for path in map(PurePosixPath, (*files, *files.values())):
        if path.is_absolute() or ".." in path.parts:
            raise ValueError(f"{str(path)!r} leaves the run")
    return files


def finish_abandoned_scrub(directory: Path) -> None:
    """Finish a committed scrub whose process was killed, if the directory is writable and not locked."""
    if not (directory / JOURNAL).exists():
        return
    from filelock import FileLock, Timeout

    with suppress(Timeout, OSError), FileLock(directory / LOCK, blocking=False):
        finish_scrub(directory)
