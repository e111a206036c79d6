"""Removes unused copies of workspaces. This is safe while other processes use theirs.

A copy is removed if it was not used for 30 days. If all copies together exceed 10 GB, the least recently used ones are
removed too. This runs once a day.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

DAY_S = 86_400.0
_ABANDONED_S = 3_600.0  # a process locks its temporary copy soon after creating it
_MARK = ".pruned"
_GONE = "pruned-"


@dataclass(frozen=True, kw_only=True)
class KeptCopies:
    """The maximum age of copies, their maximum total size, and the interval between prunings."""

    max_age_s: float = 30 * DAY_S
    max_bytes: int = 10_000_000_000
    every_s: float = DAY_S


@dataclass(frozen=True, kw_only=True)
class _Found:
    place: Path
    lock: Path
    used_s: float
    is_temporary: bool


def prune(above: Path, now_s: float, limits: KeptCopies | None = None) -> list[str]:
    """Remove expired and excess copies in `above`, the directory of all copies. Return the removed names.

    A locked copy is never removed. A copy is renamed before it is removed, so that no process sees a partial one.
    """
    limits = limits or KeptCopies()
    mark = above / _MARK
    if mark.exists() and 0 <= now_s - mark.stat().st_mtime < limits.every_s:
        return []
    mark.touch()
    os.utime(mark, (now_s, now_s))
    for leftover in above.glob(f"{_GONE}*"):
        remove_tree(leftover)
    found = sorted(_found(above), key=lambda one: one.used_s)
    sizes = {one.place: _size(one.place) for one in found}
    total, removed = sum(sizes.values()), list[str]()
    for one in found:
        idle_s = now_s - one.used_s
        old = idle_s > (_ABANDONED_S if one.is_temporary else limits.max_age_s)
        too_much = total > limits.max_bytes and not one.is_temporary
        if (old or too_much) and _removed(one, above):
            total -= sizes[one.place]
            removed.append(one.place.name)
    return removed


@contextmanager
def locked(path: Path, flags: int = os.O_RDONLY) -> Generator[bool]:
    """Try to lock a file or directory while the block runs. Yield whether that worked."""
    number = os.open(path, flags, 0o600)
    try:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
    finally:
        os.close(number)


def remove_tree(folder: Path) -> None:
    """Remove a directory and its content, including entries that a command or the kernel made inaccessible."""
    for above, names, _ in os.walk(folder):  # top-down: the mode is changed before the directory is listed
        for name in names:
            if not Path(above, name).is_symlink():
                with suppress(FileNotFoundError):
                    Path(above, name).chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


def _found(above: Path) -> list[_Found]:
    found: list[_Found] = []
    for place in above.iterdir():
        if place.is_dir() and not place.is_symlink() and not place.name.startswith(_GONE):
            lock = above / f"{place.name}.lock"
            is_temporary = not lock.exists()
            with suppress(FileNotFoundError):
                used_s = (place if is_temporary else lock).stat().st_mtime
                lock = place if is_temporary else lock
                found.append(_Found(place=place, lock=lock, used_s=used_s, is_temporary=is_temporary))
    return found


def _removed(one: _Found, above: Path) -> bool:
    """Remove a copy unless a process holds its lock. Return whether it was removed."""
    with suppress(FileNotFoundError), locked(one.lock) as is_mine:
        if is_mine:
            gone = Path(tempfile.mkdtemp(prefix=_GONE, dir=above))
            one.place.rename(gone / "copy")
            remove_tree(gone)
            return True
    return False


def _size(folder: Path) -> int:
    """Return the disk usage of a directory in bytes."""
    total = 0
    for above, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += Path(above, name).lstat().st_blocks * 512
    return total
