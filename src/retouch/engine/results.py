"""Results of checks that cost much, kept in the run's ledger: a later verb over the same answers runs nothing again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.engine.history import History
    from retouch.engine.options import RunOptions
    from retouch.engine.record import Record

RESULT = "result"


def kept_result(history: History, key: str) -> JSON:
    """Return what was last kept under `key`, None when nothing was."""
    found = (note.data["value"] for note in reversed(history.notes) if note.kind == RESULT and note.data["key"] == key)
    return next(found, None)


def remembering(options: RunOptions, record: Record) -> RunOptions:
    """Return `options` with which checks recall what they kept in this run, and keep more."""

    def recall(key: str) -> JSON:
        return kept_result(record.history, key)

    def keep(key: str, value: JSON) -> None:
        record.note(RESULT, {"key": key, "value": value})

    return replace(options, recall=recall, keep=keep)
