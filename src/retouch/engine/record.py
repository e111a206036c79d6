"""A ledger that is being written and what it means so far: each row is folded in the moment it is appended."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from retouch._lib.clock import now
from retouch._lib.disk import sweep
from retouch._lib.hashing import text_hash
from retouch._lib.redaction import redactor
from retouch._lib.relaxed_gc import relaxed_gc
from retouch.engine.history import NOTE, History, read_history
from retouch.engine.ledger import LEDGER, Entry, Ledger, one_writer
from retouch.engine.scrub_journal import finish_scrub

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Mapping
    from pathlib import Path

    from retouch._lib.json_text import JSON

_GATHER_SHARE = 0.1  # of the time that a reply takes: what a commit may wait for further rows
_MOST_GATHER_S = 0.01


class Record:
    """The writing end of a run: appends rows and keeps their meaning; it is the `Journal` of wrappers."""

    def __init__(self, ledger: Ledger | NoLedger, history: History) -> None:
        self._ledger = ledger
        self._redacted: set[tuple[str, str]] = set()
        self.history = history

    def append(
        self, kind: str, data: Mapping[str, JSON], *, attempt: int | None = None, unit: str | None = None
    ) -> Entry:
        """Append one row without secrets; it is on disk before any later `synced` returns."""
        clean = redactor()
        entry = self._ledger.append(kind, clean.value(data), attempt=attempt, unit=unit)
        self.history.apply(entry)
        self._note_redacted(kind, clean.replaced)
        return entry

    def _note_redacted(self, kind: str, names: Iterable[str]) -> None:
        """Note once which secrets were replaced in rows of one kind; their values are nowhere."""
        new: list[JSON] = [name for name in sorted(names) if (kind, name) not in self._redacted]
        if new:
            self._redacted.update((kind, str(name)) for name in new)
            self.note("redacted", {"kind": kind, "names": new})

    async def synced(self) -> None:
        """Wait until all rows that were appended so far are on disk; a cancelled run still commits them."""
        await self._ledger.synced()

    def commit_now(self, kind: str, data: Mapping[str, JSON]) -> None:
        """Append one row and return when it is on disk; for what must be known before a file changes."""
        self.append(kind, data)
        self._ledger.synced_now()

    def unhurried(self, seconds: float) -> None:
        """Learn how long a reply took: the longer, the longer a commit may gather rows."""
        self._ledger.gather_s = min(_MOST_GATHER_S, seconds * _GATHER_SHARE)

    def text(self, text: str) -> str:
        """Return the name under which `text` is kept, without secrets: the hash is that of the text as it is kept."""
        clean = redactor()
        text = clean.text(text)
        name = self._ledger.text(text, self.history.texts)
        self.history.texts.setdefault(name, text)
        self._note_redacted("text", clean.replaced)
        return name

    def note(self, kind: str, data: Mapping[str, JSON]) -> None:
        """Append a note of a wrapper."""
        self.append(NOTE + kind, data)


class NoLedger:
    """Takes rows and forgets them: what is tried without writing."""

    def __init__(self, *, next_seq: int) -> None:
        self.gather_s = 0.0
        self._next = next_seq

    def append(
        self, kind: str, data: Mapping[str, JSON], *, attempt: int | None = None, unit: str | None = None
    ) -> Entry:
        """Return the row that would have been written."""
        entry = Entry(seq=self._next, kind=kind, attempt=attempt, unit=unit, at=now(), data=dict(data))
        self._next += 1
        return entry

    async def synced(self) -> None:
        """Return: there is nothing to wait for."""

    def synced_now(self) -> None:
        """Return: there is nothing to wait for."""

    def text(self, text: str, known: Mapping[str, str]) -> str:  # noqa: ARG002 - the ledger's signature
        """Return the hash of `text`."""
        return text_hash(text)


def scratch(folder: Path) -> Record:
    """Return a record that starts from the folder's ledger and writes nothing; no lock is taken."""
    history = read_history(folder / LEDGER)
    return Record(NoLedger(next_seq=history.last_seq + 1), history)


@asynccontextmanager
async def recording(folder: Path, *, wait: bool = False) -> AsyncGenerator[Record]:
    """Open the run folder for writing, as its only writer, and yield its record.

    Raises:
        FolderBusy: another process writes there and `wait` is False.
        BrokenFile: the ledger cannot be read; it is left as it is.
    """
    async with one_writer(folder, wait=wait):
        finish_scrub(folder)
        sweep(folder)
        path = folder / LEDGER
        history = read_history(path)
        ledger = Ledger(path, next_seq=history.last_seq + 1)
        try:
            with relaxed_gc():
                yield Record(ledger, history)
        finally:
            ledger.close()
