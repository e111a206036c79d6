"""What changes whenever a file of a committed shard does: its names, sizes and times."""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from retouch.engine.ledger import LEDGER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.fleet.job import FleetPlace

REPORT = "report.html"


def disk_state(directory: Path) -> str:
    """Return what changes whenever a file of the runs of a shard does: a hash of their names, sizes and times."""
    found = sha256()
    for name, stat in sorted(_files_in(str(directory), "")):
        found.update(f"{name}:{stat}\n".encode("utf-8", "surrogateescape"))
    return found.hexdigest()[:16]


def _files_in(directory: str, prefix: str) -> Iterator[tuple[str, str]]:
    """Yield the name, and the size and time, of each file that belongs to the runs."""
    try:
        with os.scandir(directory) as entries:
            for one in entries:
                if one.name.startswith((".", f"{LEDGER}-")) or one.name == REPORT:
                    continue
                if one.is_dir(follow_symlinks=False):
                    yield from _files_in(one.path, f"{prefix}{one.name}/")
                else:
                    stat = one.stat()
                    yield f"{prefix}{one.name}", f"{stat.st_size}:{stat.st_mtime_ns}"
    except FileNotFoundError:
        return


def file_state(place: FleetPlace, name: str) -> str:
    """Return the size and time of a file of the fleet on this disk, "" for a file in an object store."""
    if place.ships:
        return ""
    with suppress(FileNotFoundError):
        stat = (Path(place.address) / name).stat()
        return f"{stat.st_size}:{stat.st_mtime_ns}"
    return "missing"
