"""One batch: its entries, and how it is recognised at the provider."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from retouch.engine.types import BATCH_PREPARED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.types import Note, Request
    from retouch.models.batch.facts import BatchFacts

CREATED, ENDED = "batch_created", "batch_ended"
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_-]+")
_UNIT_CHARS, _HASH_CHARS = 32, 12
_ENTRY_BYTES = 2_000  # an upper bound of a body's size without its messages
SKEW_S = 600.0  # the allowed difference between the clocks of this machine and of a provider


@dataclass(kw_only=True)
class Job:
    """One batch: the attempts in it by entry id, and the provider's id of the batch ("" if unknown).

    `doubtful` is True if it may have been created although no id arrived. `since` and `until` limit the time of its
    creation, in seconds since 1970. `strangers` are batches that turned out to be others. `seen` are the attempts in
    the results of the last reading, `given` those whose results were passed on.
    """

    key: str
    entries: Mapping[str, int]
    id: str = ""
    doubtful: bool = False
    since: float = 0.0
    until: float = 0.0
    over: bool = False
    troubles: int = 0
    seen: set[int] = field(default_factory=set[int])
    given: set[int] = field(default_factory=set[int])
    strangers: set[str] = field(default_factory=set[str])

    def note(self) -> dict[str, JSON]:
        """Return the journal entry that is written before the batch is created."""
        return {"key": self.key, "entries": dict(self.entries)}


def entry_id(key: str, seq: int, request: Request) -> str:
    """Return the id of an entry: unit, page and attempt in allowed characters, at most 64 of them.

    The hash at its end makes it unique across units with similar names, and across runs.
    """
    unit, page = request.prompt.key
    digest = sha256(f"{key}\n{seq}\n{page}\n{unit}".encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_CHARS]
    return f"{_NOT_IN_IDS.sub('-', unit)[:_UNIT_CHARS]}-{page % 10_000}-{seq % 10**9}-{digest}"


def new_jobs(requests: Mapping[int, Request], facts: BatchFacts) -> Iterator[Job]:
    """Yield the batches for `requests`, within the provider's size limits."""
    part: dict[int, Request] = {}
    size = 0
    for seq, request in requests.items():
        more = _bytes_of(request)
        if part and (len(part) >= facts.max_requests or size + more > facts.max_bytes):
            yield _new(part)
            part, size = {}, 0
        part[seq] = request
        size += more
    if part:
        yield _new(part)


def _new(part: Mapping[int, Request]) -> Job:
    key = token_hex(8)
    return Job(key=key, entries={entry_id(key, seq, request): seq for seq, request in part.items()})


def known_jobs(notes: Sequence[Note], open_attempts: Mapping[int, object], create_s: float) -> Iterator[Job]:
    """Yield the batches that earlier processes prepared and that contain any of `open_attempts`.

    `create_s` is the time limit for creating one.
    """
    ids = created(notes)
    for note in notes:
        if note.kind != BATCH_PREPARED:
            continue
        raw: Any = note.data
        entries: dict[str, int] = dict(raw["entries"])
        if open_attempts.keys().isdisjoint(entries.values()):
            continue
        id_, at = ids.get(raw["key"], ""), datetime.fromisoformat(note.at).timestamp()
        since, until = at - SKEW_S, at + create_s + SKEW_S
        yield Job(key=raw["key"], entries=entries, id=id_, doubtful=not id_, since=since, until=until)


def created(notes: Sequence[Note]) -> dict[str, str]:
    """Return the ids of the batches that were created, by key."""
    return {str(note.data["key"]): str(note.data["batch"]) for note in notes if note.kind == CREATED}


def _bytes_of(request: Request) -> int:
    """Return an upper bound of the request's size as JSON."""
    return _ENTRY_BYTES + _json_bytes(request.system) + sum(len(json.dumps(m.text)) for m in request.messages)


@lru_cache(maxsize=16)
def _json_bytes(text: str) -> int:
    return len(json.dumps(text))
