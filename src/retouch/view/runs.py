"""The runs that a viewer shows, read again when their ledger has changed."""

from __future__ import annotations

import gc
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from retouch._lib.relaxed_gc import no_gc
from retouch._lib.run_sync import run_sync
from retouch.engine.directory import open_run
from retouch.engine.files import users_files
from retouch.engine.ledger import LEDGER
from retouch.engine.stored_files import IR, PAGES, PROMPTS
from retouch.errors import RetouchError
from retouch.report.run_pages import RunPages
from retouch.report.tree import is_tree, run_directories, run_of_tree, tree_of, unreadable_run

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from retouch.engine.recipe import Recipe, Section
    from retouch.report.tree import ReadOverall, RunOfTree, RunTree

RECENT_S = 10.0  # a run that changed within this time is at work
_SHARE = 4  # a large run is read again at most for a fourth of the time
_MOST_KEPT = 8  # runs in memory
_OF_CALLS = (LEDGER, f"{LEDGER}-wal", PAGES)  # what each call of a run changes


@dataclass(kw_only=True)
class _LoadedRun:
    pages: RunPages
    stamp: str
    loaded: float
    took: float
    sections: tuple[Sequence[Section], str] | None = None


class RunStore:
    """The runs below one directory, by their path below it, and one `other`. Safe to use from several threads."""

    def __init__(
        self,
        folder: Path,
        *,
        other: Path | None = None,
        recipe: Recipe[Any, Any] | None = None,
        overall: ReadOverall | None = None,
    ) -> None:
        self.folder = folder
        self.other = other
        self._recipe = recipe
        self._overall = overall
        self._written: dict[str, Sequence[str]] = {}
        self._loaded: dict[str, _LoadedRun] = {}
        self._lines: dict[str, tuple[str, RunOfTree]] = {}
        self._lock = threading.Lock()

    @property
    def is_tree(self) -> bool:
        """Whether there are several runs."""
        return is_tree(self.folder)

    def tree(self) -> RunTree:
        """Return the table of all runs."""
        return tree_of(self.folder, self._line, self._overall)

    def _line(self, name: str, directory: Path) -> RunOfTree:
        """Return the line of a run in the tree. It is read again if the run has changed."""
        head = stamp = _stamp(directory)
        known = self._lines.get(name)
        if known is not None and known[0] == _with_files(head, directory, known[1].files):
            return known[1]
        try:
            view = open_run(directory)
            stamp = _with_files(head, directory, view.history.written)  # before they are read
            found = run_of_tree(name, view)
        except RetouchError as error:
            found = unreadable_run(name, directory, error)
        self._lines[name] = (stamp, found)
        return found

    def directories(self) -> Mapping[str, Path]:
        """Return the runs by name."""
        found = run_directories(self.folder)
        return found if self.other is None else {**found, str(self.other): self.other}

    def stamp(self, name: str) -> str:
        """Return a text that changes when the run does.

        Raises:
            KeyError: there is no such run. Only names of known runs are ever opened.
        """
        return self._stamp(name, self.directories()[name])

    def _stamp(self, name: str, directory: Path) -> str:
        return _with_files(_stamp(directory), directory, self._written.get(name, ()))

    def is_recent(self, name: str) -> bool:
        """Return whether the run changed within the last seconds."""
        directory = self.directories()[name]
        return any(time.time() - _changed_at(directory / one) < RECENT_S for one in _OF_CALLS)

    def run(self, name: str) -> tuple[RunPages, str]:
        """Return the pages of a run as it is now, and its stamp. A large run may be a few seconds old.

        Raises:
            KeyError: there is no such run.
            RetouchError: it cannot be read.
        """
        directory = self.directories()[name]
        with self._lock:
            one = self._loaded.get(name)
            stamp = self._stamp(name, directory)
            if one is not None and (one.stamp == stamp or (_is_young(one) and _is_at_work(one.stamp, stamp))):
                return one.pages, one.stamp
            one = self._load(name, directory)
            return one.pages, one.stamp

    def sections(self, name: str) -> tuple[Sequence[Section], str]:
        """Return the recipe's own sections about a run, and the reason if there are none."""
        pages, _ = self.run(name)
        with self._lock:
            one = self._loaded.get(name)
            if one is None or one.pages is not pages:
                return run_sync(pages.sections())
            if one.sections is None:
                one.sections = run_sync(pages.sections())
            return one.sections

    def _load(self, name: str, directory: Path) -> _LoadedRun:
        start, head = time.monotonic(), _stamp(directory)
        with no_gc():  # a large run has millions of values, none of which is garbage
            view = open_run(directory)
            stamp = _with_files(head, directory, view.history.written)  # before they are read
            pages = RunPages(view, recipe=self._recipe, shown=name)
            _ = pages.rows, pages.bill, pages.timeline  # they are on its first page
        gc.freeze()  # else each full collection scans them all: half a second for 10,000 units
        self._written[name] = pages.files
        now = time.monotonic()
        self._loaded.pop(name, None)
        while len(self._loaded) >= _MOST_KEPT:
            del self._loaded[next(iter(self._loaded))]
        found = self._loaded[name] = _LoadedRun(pages=pages, stamp=stamp, loaded=now, took=now - start)
        return found


def _changed_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _is_young(one: _LoadedRun) -> bool:
    return time.monotonic() - one.loaded < one.took * _SHARE


def _facts(directory: Path, names: Iterable[str]) -> str:
    """Return what changes when one of the files does, even if the edit keeps its size and sets its time back."""
    found: list[str] = []
    for name in names:
        try:
            one = (directory / name).stat()
        except (OSError, ValueError):
            found.append("-")
            continue
        found.append(f"{one.st_size:x}.{one.st_mtime_ns:x}.{one.st_ctime_ns:x}.{one.st_ino:x}")
    return "-".join(found)


def _stamp(directory: Path) -> str:
    """Return a text that changes when the run does. Take it before you read the run."""
    return f"{_facts(directory, _OF_CALLS)}_{_facts(directory, (IR, PROMPTS))}"


def _with_files(stamp: str, directory: Path, written: Collection[str]) -> str:
    """Return a stamp that also changes when a written file or a file of the user does: a status is about these too.

    Take it before you read these files.
    """
    with suppress(OSError):
        names = [*sorted(written), *sorted(users_files(directory, written))]
        return f"{stamp}_{sha256(repr((names, _facts(directory, names))).encode()).hexdigest()[:16]}"
    return stamp


def _is_at_work(before: str, now: str) -> bool:
    """Return whether only the ledger changed, as it does for each call of a run at work."""
    return before.partition("_")[2] == now.partition("_")[2]
