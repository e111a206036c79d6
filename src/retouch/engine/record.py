"""A ledger that is being written and what it means so far: each row is folded in the moment it is appended."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

from retouch.engine.disk import one_writer, sweep
from retouch.engine.history import History, replayed
from retouch.engine.ledger import Ledger, read_entries
from retouch.engine.run import LEDGER

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

    from retouch.engine.core import JSON
    from retouch.engine.ledger import Entry


class Record:
    """The writing end of a run: appends rows and keeps their meaning; it is the `Journal` of wrappers."""

    def __init__(self, ledger: Ledger, history: History) -> None:
        self._ledger = ledger
        self.history = history

    def append(
        self, kind: str, data: Mapping[str, JSON], *, attempt: int | None = None, unit: str | None = None
    ) -> Entry:
        """Append one row; it is on disk before any later `commit` returns."""
        entry, _ = self._ledger.append(kind, data, attempt=attempt, unit=unit)
        self.history.apply(entry)
        return entry

    async def commit(
        self, kind: str, data: Mapping[str, JSON], *, attempt: int | None = None, unit: str | None = None
    ) -> Entry:
        """Append one row and wait until it is on disk."""
        entry, done = self._ledger.append(kind, data, attempt=attempt, unit=unit)
        await asyncio.shield(asyncio.wrap_future(done))  # a cancelled run still commits the row
        self.history.apply(entry)
        return entry

    def text(self, text: str) -> str:
        """Return the name under which `text` is kept."""
        name = self._ledger.text(text, self.history.texts)
        self.history.texts.setdefault(name, text)
        return name

    def note(self, kind: str, data: Mapping[str, JSON]) -> None:
        """Append a note of a wrapper."""
        self.append(f"note:{kind}", data)


@contextmanager
def recording(folder: Path, *, wait: bool = False) -> Generator[Record]:
    """Open the run folder for writing, as its only writer, and yield its record.

    Raises:
        FolderBusy: another process writes there and `wait` is False.
        BrokenFile: the ledger cannot be read; it is left as it is.
    """
    with one_writer(folder, wait=wait):
        sweep(folder)
        path = folder / LEDGER
        history = replayed(read_entries(path))
        ledger = Ledger(path, next_seq=history.last_seq + 1)
        try:
            yield Record(ledger, history)
        finally:
            ledger.close()
