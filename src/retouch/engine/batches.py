"""First answers through a model's batch API: asked together, waited for, and recorded like any other."""

from __future__ import annotations

import time
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retouch.engine.calls import Caller, note_failure, note_reply
from retouch.engine.types import BATCH_PREPARED, Reply
from retouch.errors import TransportError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from retouch.engine.calls import PlannedCall
    from retouch.engine.history import History
    from retouch.engine.options import RunOptions
    from retouch.engine.record import Record
    from retouch.engine.types import BatchModel, Note, Request


@dataclass(frozen=True, kw_only=True)
class Batching:
    """How first answers are asked together.

    `submit` set to False sends nothing new and only collects what an earlier process sent. After `wait_s` seconds
    (None: as long as it takes) the verb ends, and what has not come stays on its way.
    """

    model: BatchModel
    submit: bool = True
    wait_s: float | None = None


def prepared(notes: Sequence[Note]) -> set[int]:
    """Return the attempts that the batches in `notes` were made for."""
    found: set[int] = set()
    for note in notes:
        if note.kind == BATCH_PREPARED:
            entries: Any = note.data["entries"]
            found.update(entries.values())
    return found


def on_its_way(history: History) -> dict[int, str]:
    """Return the attempts that are asked through a batch and have had no answer yet, each with its model's name."""
    attempts = (history.attempts[seq] for seq in sorted(prepared(history.notes)))
    return {one.seq: one.model for one in attempts if one.reply is None and one.error is None}


async def first_answers(
    record: Record, options: RunOptions, asks: Sequence[PlannedCall], batching: Batching, told: Callable[[str], None]
) -> list[int]:
    """Ask together what of `asks` has no reply yet, collect what comes, and return the attempts still on their way.

    An entry that the batch does not answer is a transport failure of its attempt.

    Raises:
        ModelError: nothing could be sent.
    """
    history, model = record.history, batching.model
    mine = [seq for seq, name in on_its_way(history).items() if same_model(name, model.name)]
    requests = {seq: history.attempts[seq].request for seq in mine}
    if not batching.submit and not mine:
        return []
    if batching.submit:
        requests |= _written_down(record, options, asks, set(requests.values()))
    began = time.monotonic()
    answers = model.answers(requests, record, tuple(history.notes), wait_s=batching.wait_s, told=told)
    try:
        async with aclosing(answers):
            async for seq, answer in answers:
                seconds = time.monotonic() - began
                if isinstance(answer, Reply):
                    note_reply(record, seq, answer, seconds=seconds)
                else:
                    note_failure(record, seq, answer, seconds=seconds)
    finally:
        _forget(record, requests)
    await record.synced()
    return [seq for seq in requests if seq in on_its_way(history)]


def same_model(name: str, other: str) -> bool:
    """Return whether two specs name one model, whatever limits stand behind the question mark."""
    return name.partition("?")[0] == other.partition("?")[0]


def _written_down(
    record: Record, options: RunOptions, asks: Iterable[PlannedCall], sent: set[Request]
) -> dict[int, Request]:
    """Return the requests of `asks` by attempt, all appended; none for those that have a reply or were `sent`."""
    caller = Caller(record, options, lambda _ask, _event: None)
    known = {(request.prompt.key, request.system, request.messages) for request in sent}
    new = (ask for ask in asks if ask.paid is None and (ask.prompt.key, ask.system, ask.messages) not in known)
    return dict(caller.write_down(ask) for ask in new)


def _forget(record: Record, requests: Iterable[int]) -> None:
    """Note of each attempt that no batch holds that it was not sent."""
    held = on_its_way(record.history)
    for seq in requests:
        attempt = record.history.attempts[seq]
        if attempt.reply is None and attempt.error is None and seq not in held:
            note_failure(record, seq, TransportError("it was not sent"), seconds=0.0)
