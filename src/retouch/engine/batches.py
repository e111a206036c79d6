"""First answers that are not requested one by one, and recorded like other replies.

Those of a model's batch API are requested together. Those of worker processes are left below the run, in ledgers of
their own: `RUN/ledger.db-workers/1f03a2c4-00007/ledger.db`. The next `generate` of the run takes them with their usage
instead of requesting them again, whoever starts it.
"""

from __future__ import annotations

import logging
import time
from contextlib import aclosing, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from retouch._lib.hashing import canonical_hash
from retouch._lib.logs import redact_record
from retouch.engine.calls import record_failure, record_reply
from retouch.engine.history import read_history
from retouch.engine.ledger import LEDGER
from retouch.engine.planned_calls import first_call, intent_of, request_for, slot_of
from retouch.engine.types import BATCH_PREPARED, Reply, caches_prefixes, may_cache, model_name, prompt_hash
from retouch.errors import TransportError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from retouch.engine.history import History
    from retouch.engine.options import Batching, RunOptions
    from retouch.engine.planned_calls import PlannedCall
    from retouch.engine.record import Record
    from retouch.engine.types import Attempt, Model, Note, OnEvent, Prompt, Request

WORKERS = f"{LEDGER}-workers"  # by its prefix one of the run's own files
_LOG = logging.getLogger(__name__)
_LOG.addFilter(redact_record)


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
                _LOG.debug("attempt %d: a result of a batch, %s", seq, type(answer).__name__)
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


def with_left_replies(
    model: Model, options: RunOptions, history: History, directory: Path, prompts: Iterable[Prompt]
) -> tuple[Model, RunOptions]:
    """Return `model`, which gets the replies that workers have left instead of requesting them again, and the options.

    Replies of another model are not used: the run would record them as replies of this one, with its price. The reply
    to a packed request is left as those to its pages, so the run packs no page then, and sends no new batch. Replies to
    other prompts than `prompts` can never be taken, so they change nothing.
    """
    planned = {(one.key, prompt_hash(one)) for one in prompts}
    found = replies_left(history, part_directories(directory), model_name(model))
    left = [one for one in found if (one.request.prompt.key, prompt_hash(one.request.prompt)) in planned]
    if not left:
        return model, options
    replies = {reply_key(one.request): one.reply for one in left if one.reply is not None}
    batching = replace(options.batching, submit=False) if options.batching is not None else None

    class WithLeftReplies:
        """A model that returns each of some stored replies once, and requests the rest."""

        name = model_name(model)
        caches_prefixes = caches_prefixes(model)
        may_cache = staticmethod(partial(may_cache, model))

        def slot(self, request: Request) -> AbstractAsyncContextManager[None]:
            """Return the slot of the model, for example of a cost limit. A reply that is left needs none."""
            return nullcontext() if reply_key(request) in replies else slot_of(model, request)

        async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
            """Return the reply that is left, else that of the model."""
            found = replies.pop(reply_key(request), None)
            return found if found is not None else await model(request, on_event=on_event)

    return WithLeftReplies(), replace(options, pack=1, batching=batching)


def part_directories(directory: Path) -> tuple[Path, ...]:
    """Return the directories in which workers have left replies for a run, () without any."""
    return tuple(sorted(one.parent for one in (directory / WORKERS).glob(f"*/{LEDGER}")))


def replies_left(own: History, parts: Sequence[Path], name: str = "") -> Sequence[Attempt]:
    """Return the calls in `parts` whose reply the run has not taken; with `name`, those of this model.

    `own` is the history of the run.
    """
    if not parts:
        return []
    taken = replies_in(own)
    calls = [one for part in parts for one in answered(read_history(part / LEDGER))]
    return [one for one in calls if not is_taken(taken, one) and name in ("", one.model)]


def replies_in(history: History) -> Mapping[str, Sequence[Attempt]]:
    """Return the calls with a reply by the key of their request."""
    found: dict[str, list[Attempt]] = {}
    for one in answered(history):
        found.setdefault(reply_key(one.request), []).append(one)
    return found


def is_taken(own: Mapping[str, Sequence[Attempt]], call: Attempt) -> bool:
    """Return whether a run has taken the reply of this call: not merely one to the same request, which it paid for.

    The run may have noticed that a truncated reply repeats itself.
    """
    known = own.get(reply_key(call.request), ())
    return any((one.model, _without_finish(one)) == (call.model, _without_finish(call)) for one in known)


def _without_finish(call: Attempt) -> Reply | None:
    return None if call.reply is None else replace(call.reply, finish="end")


def answered(history: History) -> Iterator[Attempt]:
    """Yield the calls with a reply."""
    return (one for one in history.attempts.values() if one.has_answer)


def reply_key(request: Request) -> str:
    """Return what identifies the request of a page, whatever output cap it was sent with."""
    return _key_of(request)


def prompt_key(prompt: Prompt) -> str:
    """Return the key of the first request of a page."""
    return _key_of(first_call(prompt, no_model))


def _key_of(call: Request | PlannedCall) -> str:
    return canonical_hash([*call.prompt.key, call.system, [vars(one) for one in call.messages], call.answer_schema])


async def no_model(request: Request, *, on_event: OnEvent | None = None) -> Reply:
    """Placeholder for a model where none is called."""
    raise NotImplementedError
