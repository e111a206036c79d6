"""The attempts of a run as plain data, one at a time: prompts, answers and verdicts for other tools."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

from retouch._lib.hashing import text_hash
from retouch._lib.redaction import view_of
from retouch.engine.call_events import PackIntended, PartReceived, alone_row
from retouch.engine.events import CallFailed, CallIntended, ReplyReceived, TextStored, UnitSettled, parse_event
from retouch.engine.ledger import LEDGER, damaged_ledger, folded
from retouch.errors import BrokenFile

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.events import AttemptChecked
    from retouch.engine.ledger import LedgerRow
    from retouch.engine.types import Reply

_TABLES = """
DROP TABLE IF EXISTS texts; DROP TABLE IF EXISTS intents; DROP TABLE IF EXISTS replies; DROP TABLE IF EXISTS verdicts;
DROP TABLE IF EXISTS packs;
CREATE TABLE texts (name TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID;
CREATE TABLE intents (seq INTEGER PRIMARY KEY, at TEXT, unit TEXT, data TEXT, pack INTEGER);
CREATE TABLE packs (seq INTEGER PRIMARY KEY, at TEXT, data TEXT);
CREATE TABLE replies (seq INTEGER PRIMARY KEY, kind TEXT, data TEXT);
CREATE TABLE verdicts (seq INTEGER PRIMARY KEY, data TEXT);
"""


def exported_attempts(run: Path, recipe: str) -> Iterator[dict[str, JSON]]:
    """Yield one object for each attempt of a run, in the order of the calls.

    The keys are "run", "recipe", "seq", "unit", "page", "total_pages", "why", "model", "at", "messages" (objects with
    "role" and "content", the system text first), "max_output_tokens", "temperature", "answer_schema", "reply",
    "error", "seconds" and "verdict", and for a page that shared its request with others "pack", the number of that
    request. Then the messages are those that would have been sent for the page alone. Secrets and text that looks
    like a key are replaced, as in every view. However long the run is, only one attempt is in memory.

    Raises:
        DamagedRun: rows of the ledger were changed.
        BrokenFile: the ledger cannot be read.
    """
    path = run / LEDGER
    with closing(sqlite3.connect("")) as index:  # a temporary database on disk, which SQLite removes
        index.execute("PRAGMA journal_mode=OFF")
        found = folded(path, lambda rows: _fill(index, rows))
        if found.damage is not None:
            raise damaged_ledger(path, found.damage)
        texts = _StoredTexts(index, path)
        for seq, at, unit, data, pack in index.execute("SELECT seq, at, unit, data, pack FROM intents ORDER BY seq"):
            intent = parse_event(CallIntended.kind, json.loads(data), texts, attempt=None, unit=unit)
            if isinstance(intent, CallIntended):
                head: dict[str, JSON] = {"run": str(run), "recipe": recipe, "seq": seq}
                packed: dict[str, JSON] = {} if pack is None else {"pack": pack}
                yield view_of({**head, **_request_json(intent, at), **_outcome_json(index, texts, seq), **packed})


def _fill(index: sqlite3.Connection, rows: Iterable[LedgerRow]) -> None:
    """Copy what attempts consist of into the index. A later verdict on an attempt replaces an earlier one."""
    index.executescript(_TABLES)
    for row in rows:
        if row.kind == CallIntended.kind:
            values = (row.seq, row.at, row.unit, json.dumps(row.data), None)
            index.execute("INSERT INTO intents VALUES (?, ?, ?, ?, ?)", values)
        elif row.kind == PackIntended.kind:
            index.execute("INSERT INTO packs VALUES (?, ?, ?)", (row.seq, row.at, json.dumps(row.data)))
        elif row.kind == PartReceived.kind:
            _fill_part(index, row)
        elif row.kind in (ReplyReceived.kind, CallFailed.kind):
            values = (row.attempt, row.kind, json.dumps(row.data))
            index.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", values)
        elif row.kind in (TextStored.kind, UnitSettled.kind):
            event = parse_event(row.kind, row.data, _AnyText(), attempt=row.attempt, unit=row.unit)
            _fill_event(index, event)


def _fill_part(index: sqlite3.Connection, row: LedgerRow) -> None:
    """Copy the attempt at one page of a packed request into the index."""
    pack: Any = row.data["pack"]
    at, request = index.execute("SELECT at, data FROM packs WHERE seq = ?", (pack,)).fetchone()
    outcome: Any = index.execute("SELECT data FROM replies WHERE seq = ?", (pack,)).fetchone()
    seconds = json.loads(outcome[0])["seconds"] if outcome is not None else 0.0
    intent = json.dumps(alone_row(json.loads(request), str(row.data["key"])))
    index.execute("INSERT INTO intents VALUES (?, ?, ?, ?, ?)", (row.seq, at, row.unit, intent, pack))
    kind = ReplyReceived.kind if "reply" in row.data else CallFailed.kind
    values = (row.seq, kind, json.dumps({**row.data, "seconds": seconds}))
    index.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", values)


def _fill_event(index: sqlite3.Connection, event: object) -> None:
    if isinstance(event, TextStored):
        text = event.text.encode("utf-8", "surrogatepass")
        index.execute("INSERT OR IGNORE INTO texts VALUES (?, ?)", (event.hash, text))
    elif isinstance(event, UnitSettled):
        for checked in event.attempts:
            values = (checked.seq, json.dumps(_verdict_json(checked)))
            index.execute("INSERT OR REPLACE INTO verdicts VALUES (?, ?)", values)


class _AnyText(Mapping[str, str]):
    """Has an empty string under every name, for events whose strings are not needed."""

    def __getitem__(self, name: str) -> str:
        return ""

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


class _StoredTexts(Mapping[str, str]):
    """The long strings of a ledger by their hash, read from the index one at a time."""

    def __init__(self, index: sqlite3.Connection, path: Path) -> None:
        self._index = index
        self._path = path

    def __getitem__(self, name: str) -> str:
        row = self._index.execute("SELECT text FROM texts WHERE name = ?", (name,)).fetchone()
        text = row[0].decode("utf-8", "surrogatepass") if row is not None else ""
        if row is None or text_hash(text) != name:
            raise BrokenFile(
                f"{str(self._path)!r} is damaged: a text is missing or was changed ({name})",
                hint="Restore the ledger from a backup.",
            )
        return text

    def __iter__(self) -> Iterator[str]:
        return (row[0] for row in self._index.execute("SELECT name FROM texts"))

    def __len__(self) -> int:
        return self._index.execute("SELECT COUNT(*) FROM texts").fetchone()[0]


def _request_json(intent: CallIntended, at: str) -> dict[str, JSON]:
    request = intent.request
    messages: list[JSON] = [{"role": one.role, "content": one.text} for one in request.messages]
    return {
        "unit": request.prompt.unit,
        "page": request.prompt.page,
        "total_pages": request.prompt.total_pages,
        "why": intent.why,
        "model": intent.model,
        "at": at,
        "messages": [{"role": "system", "content": request.system}, *messages],
        "max_output_tokens": request.max_output_tokens,
        "temperature": request.temperature,
        "answer_schema": dict(request.answer_schema) if request.answer_schema is not None else None,
    }


def _outcome_json(index: sqlite3.Connection, texts: Mapping[str, str], seq: int) -> dict[str, JSON]:
    """Return the reply, the error, the duration and the verdict of an attempt, null for what there is not."""
    row: Any = index.execute("SELECT kind, data FROM replies WHERE seq = ?", (seq,)).fetchone()
    event = parse_event(row[0], json.loads(row[1]), texts, attempt=seq, unit=None) if row is not None else None
    verdict: Any = index.execute("SELECT data FROM verdicts WHERE seq = ?", (seq,)).fetchone()
    found: dict[str, JSON] = {"reply": None, "error": None, "seconds": None, "verdict": None}
    if isinstance(event, ReplyReceived):
        found |= {"reply": _reply_json(event.reply), "seconds": event.seconds}
    elif isinstance(event, CallFailed):
        found |= {"error": event.error, "seconds": event.seconds}
    return {**found, "verdict": json.loads(verdict[0]) if verdict is not None else None}


def _reply_json(reply: Reply) -> dict[str, JSON]:
    return {
        "text": reply.text,
        "reasoning": reply.reasoning,
        "finish": reply.finish,
        "model": reply.model,
        "input_tokens": reply.input_tokens,
        "output_tokens": reply.output_tokens,
        "cached_tokens": reply.cached_tokens,
        "written_tokens": reply.written_tokens,
        "reasoning_tokens": reply.reasoning_tokens,
        "cost": reply.cost,
    }


def _verdict_json(checked: AttemptChecked) -> dict[str, JSON]:
    issues: list[JSON] = [issue.summary() for issue in checked.issues]
    passed = not any(issue.is_error for issue in checked.issues)
    return {"passed": passed, "readable": checked.readable, "taken": checked.taken, "issues": issues}
