"""How a scrubbed run takes the place of the old one: all of its files, or none, whenever the process is killed.

The new files lie next to the old ones when the journal is renamed into place. From then on the run is the new one, and
whoever opens it next finishes the renames.
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
    """Let each of `files` (temporary name -> name, both relative to `directory`) replace the old one.

    The temporary files must be on disk, and the directory locked for writing.
    """
    write_files(directory, {JOURNAL: json.dumps({"files": dict(files)}) + "\n"})
    finish_scrub(directory)


def finish_scrub(directory: Path) -> None:
    """Finish a scrub that was killed after its decision. The directory must be locked for writing.

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
            for beside in ("-wal", "-shm"):  # of the old ledger: what they hold is in the new one
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
    """Finish a scrub that was killed after its decision, if the directory is writable and no process holds it."""
    if not (directory / JOURNAL).exists():
        return
    from filelock import FileLock, Timeout

    with suppress(Timeout, OSError), FileLock(directory / LOCK, blocking=False):
        finish_scrub(directory)
