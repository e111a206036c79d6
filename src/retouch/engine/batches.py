"""First answers through a model's batch API: requested together, and recorded like other replies."""

from __future__ import annotations

import time
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from retouch.engine.calls import record_failure, record_reply
from retouch.engine.planned_calls import intent_of, request_for
from retouch.engine.types import BATCH_PREPARED, Reply
from retouch.errors import TransportError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from retouch.engine.history import History
    from retouch.engine.options import Batching, RunOptions
    from retouch.engine.planned_calls import PlannedCall
    from retouch.engine.record import Record
    from retouch.engine.types import Note, Request


def prepared_attempts(notes: Sequence[Note]) -> set[int]:
    """Return the attempts of the batches in `notes`."""
    found: set[int] = set()
    for note in notes:
        if note.kind == BATCH_PREPARED:
            entries: Any = note.data["entries"]
            found.update(entries.values())
    return found


def pending_in_batches(history: History) -> dict[int, str]:
    """Return the attempts that are pending in a batch, each with its model's name."""
    attempts = (history.attempts[seq] for seq in sorted(prepared_attempts(history.notes)))
    return {one.seq: one.model for one in attempts if one.reply is None and one.error is None}


def is_same_model(name: str, other: str) -> bool:
    """Return whether two specs name the same model. Options after the question mark are ignored."""
    return name.partition("?")[0] == other.partition("?")[0]


async def request_batch(
    record: Record,
    options: RunOptions,
    calls: Sequence[PlannedCall],
    batching: Batching,
    on_status: Callable[[str], None],
) -> list[int]:
    """Send those of `calls` that have no reply yet as a batch, collect replies, and return the pending attempts.

    An entry without a response is a transport failure of its attempt.

    Raises:
        ModelError: nothing could be sent.
    """
    history, model = record.history, batching.model
    mine = [seq for seq, name in pending_in_batches(history).items() if is_same_model(name, model.name)]
    requests = {seq: history.attempts[seq].request for seq in mine}
    if not batching.submit and not mine:
        return []
    if batching.submit:
        requests |= _intended(record, options, calls, set(requests.values()))
    began = time.monotonic()
    answers = model.answers(requests, record, tuple(history.notes), wait_s=batching.wait_s, on_status=on_status)
    try:
        async with aclosing(answers):
            async for seq, answer in answers:
                seconds = time.monotonic() - began
                if isinstance(answer, Reply):
                    record_reply(record, seq, answer, options, seconds=seconds)
                else:
                    record_failure(record, seq, answer, seconds=seconds)
    finally:
        _give_up_unsent(record, requests)
    await record.synced()
    return [seq for seq in requests if seq in pending_in_batches(history)]


def _intended(
    record: Record, options: RunOptions, calls: Iterable[PlannedCall], sent: set[Request]
) -> dict[int, Request]:
    """Record intents and return the requests by attempt, except calls that have a reply or were sent already."""
    known = {(request.prompt.key, request.system, request.messages) for request in sent}
    requests: dict[int, Request] = {}
    for call in calls:
        if call.paid is None and (call.prompt.key, call.system, call.messages) not in known:
            request = request_for(call, record.history, options)
            requests[record.append(intent_of(call, request))] = request
    return requests


def _give_up_unsent(record: Record, requests: Iterable[int]) -> None:
    """Record each attempt that is in no batch as not sent."""
    held = pending_in_batches(record.history)
    for seq in requests:
        attempt = record.history.attempts[seq]
        if attempt.reply is None and attempt.error is None and seq not in held:
            record_failure(record, seq, TransportError("it was not sent"), seconds=0.0)
