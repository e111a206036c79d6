"""Makes calls. The intent is on disk before the request is sent, and the reply before anything reads it.

`CallQueue` makes the calls of one verb with a bounded number of workers. Its `on_arrival` callback evaluates each reply
and returns the calls that follow.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from retouch._lib.counting import counted
from retouch._lib.frozen import with_fields
from retouch._lib.hashing import schema_text
from retouch._lib.logs import redact_record
from retouch._lib.warm_up import shared_warm_up
from retouch.engine.events import CallFailed, ReplyReceived
from retouch.engine.history import OUTPUT_LIMIT
from retouch.engine.planned_calls import WorkerPool, intent_of, request_for, slot_of
from retouch.engine.types import (
    CURRENT_RUN,
    OFFLINE,
    AnswerRepeats,
    CurrentRun,
    Reply,
    Request,
    may_cache,
    model_name,
)
from retouch.engine.usage import RETRY
from retouch.errors import BadInput, OutputCapTooLarge, TransportError
from retouch.text import LoopDetector, well_formed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.events import CallIntended, PackIntended
    from retouch.engine.options import RunOptions, Tell
    from retouch.engine.packs import PackedCall
    from retouch.engine.planned_calls import CallPacker, PlannedCall
    from retouch.engine.record import Record
    from retouch.engine.types import Attempt, Event, Prompt

_LEAST_CAP = 64  # a server that allows fewer output tokens cannot answer
_STOPPING_S = 1.0  # how long a cancelled call may take to end: it must not hold up the run

_LOG = logging.getLogger(__name__)
_LOG.addFilter(redact_record)


def record_reply(record: Record, seq: int, reply: Reply, options: RunOptions, *, seconds: float) -> None:
    """Append the reply to an attempt, before anything reads it.

    If an answer repeated itself until the output cap, it does not count as truncated: a larger cap would not help.
    """
    if options.loop_guard and reply.finish == "length":
        sent = record.history.packs.get(seq) or record.history.attempts[seq]
        known = _texts_of(sent.request)
        is_loop = LoopDetector(known, text=reply.text).is_loop()
        reply = replace(reply, finish="repeated") if is_loop else reply
    record.append(ReplyReceived(attempt=seq, reply=_storable(reply), seconds=round(seconds, 6)))


def _texts_of(request: Request) -> tuple[str, ...]:
    return request.system, *(message.text for message in request.messages)


def record_failure(record: Record, seq: int, error: BaseException, *, seconds: float, more: str = "") -> None:
    """Append why an attempt got no reply."""
    received = error.received if isinstance(error, TransportError) else None
    received = _storable(received) if isinstance(received, Reply) else None
    message = f"{type(error).__name__}: {error}{more}"
    record.append(CallFailed(attempt=seq, error=message, seconds=seconds, received=received))


def _storable(reply: Reply) -> Reply:
    parts = tuple(map(well_formed, reply.parts))
    return with_fields(reply, text=well_formed(reply.text), parts=parts, reasoning=well_formed(reply.reasoning))


class CallQueue:
    """Makes the calls of one verb, reports progress, and records which replies arrived during this verb."""

    def __init__(
        self,
        record: Record,
        options: RunOptions,
        prompts: Sequence[Prompt],
        tell: Tell,
        *,
        session: Callable[[Prompt], bool],
        pack: int = 1,
    ) -> None:
        self._record, self._options, self._prompts, self._tell = record, options, prompts, tell
        self._pack = pack
        self._session = session
        self._last_before = record.history.last_seq
        attempts = record.history.attempts.values()
        self._in_flight = 0
        self._pending_before = frozenset(one.seq for one in attempts if one.reply is None and one.error is None)

    @contextmanager
    def as_current_run(self) -> Generator[None]:
        """Make this the current run for retries, cache plans and batches."""
        attempts = self._record.history.attempts
        run = CurrentRun(journal=self, prompts=self._prompts, attempts=attempts, session=self._session)
        before = CURRENT_RUN.set(run)
        try:
            yield
        finally:
            with suppress(ValueError):  # the garbage collector closes an abandoned task in another context
                CURRENT_RUN.reset(before)

    def note(self, kind: str, data: Mapping[str, JSON]) -> None:
        """Append a note of a wrapper. Waits are also reported as progress."""
        self._record.note(kind, data)
        if kind == RETRY:
            raw: Any = data
            text = f"{raw['error']} (try {raw['try']} failed, the next one in {raw['wait_s']:.0f} s)"
            self._tell("waiting", raw["unit"], raw["page"], text=text)

    async def synced(self) -> None:
        """Return when all notes so far are on disk."""
        await self._record.synced()

    def run(
        self, calls: Iterable[PlannedCall], on_arrival: Callable[[PlannedCall, Attempt], Sequence[PlannedCall]]
    ) -> Awaitable[None]:
        """Return an awaitable that makes `calls`, and the calls that `on_arrival` returns for each attempt.

        The first error ends the other calls, after a short grace period for replies in flight.

        Raises:
            ModelError: a model cannot answer at all. Earlier replies are kept.
            BadInput: the concurrency is less than 1.
        """
        concurrency = self._options.concurrency
        if concurrency < 1:
            raise BadInput(f"concurrency is {concurrency!r}", hint="At least 1 call at once is needed.")
        self._warm_up = shared_warm_up(self._options.warm_up_s)
        take = self._packer().take if self._pack > 1 else None
        pool = WorkerPool(
            queue=deque(calls),
            take=take,
            send=self._send,
            on_arrival=on_arrival,
            most=concurrency,
            on_cancel=self._tell_of_stop,
        )
        return pool.work()

    def _packer(self) -> CallPacker:
        from retouch.engine.planned_calls import CallPacker

        return CallPacker(self._pack, self._record.history, self._options)

    def _tell_of_stop(self) -> None:
        """Report that the run was cancelled and waits for the pending replies."""
        if self._in_flight:
            text = f"waiting up to {self._options.grace_s:g} s for {counted(self._in_flight, 'reply')}"
            self._tell("stopping", text=text)

    async def _send(self, calls: Sequence[PlannedCall]) -> list[Attempt | None]:
        """Send `calls` in one request, and return the attempt of each, with its reply or its transport failure.

        None means that a call is to be made again: alone if the packed reply has no part for it, or with a smaller
        output cap. An unchecked reply of an interrupted run is read from the ledger.

        Raises:
            ModelError: the model cannot answer, and another request would not help.
        """
        call, history = calls[0], self._record.history
        name, request = model_name(call.model), request_for(call, history, self._options)
        if len(calls) == 1:
            paid = call.paid if call.paid is not None else history.unchecked.get((request, name))
            if paid is not None:
                self._tell_of_request(call, request)
                return [self._finished_attempt(call, paid)]
        intent = intent_of(call, request) if len(calls) == 1 else _intent_of_pack(calls, request)
        shared = intent.request.system  # with others in a provider's cache, as is the schema of the answer
        if intent.request.answer_schema is not None:
            shared += f"\n{schema_text(intent.request.answer_schema)}"
        key = (name, shared)
        is_first = may_cache(call.model, key[1]) and await self._warm_up.turn(key)
        try:
            async with slot_of(call.model, intent.request):
                seq = await self._send_request(calls, intent, key)
        except TransportError as error:  # of the slot, for example if a cost limit does not allow the request
            seq = await self._refused(calls, intent, error)
        finally:
            if is_first:
                self._warm_up.over(key)
        if seq is None:
            return [None for _ in calls]
        pack = history.packs.get(seq)
        return [self._finished_attempt(call, seq)] if pack is None else self._finished_parts(calls, pack)

    async def _refused(
        self, calls: Sequence[PlannedCall], intent: CallIntended | PackIntended, error: TransportError
    ) -> int:
        """Return the number of an intent that was not sent because of `error`. Both are recorded together."""
        for call in calls:
            self._tell_of_request(call, intent.request)
        seq = self._record.append(intent)
        record_failure(self._record, seq, error, seconds=0.0)
        if intent.request.parts:
            self._record.add_missing_parts(seq)
        await self._record.synced()
        return seq

    async def _send_request(
        self, calls: Sequence[PlannedCall], intent: CallIntended | PackIntended, key: tuple[str, str]
    ) -> int | None:
        """Return the number of the intent, or None if the server allows a smaller output cap only. It is recorded."""
        for call in calls:
            self._tell_of_request(call, intent.request)
        request = intent.request
        seq = self._record.append(intent)
        try:
            await self._record.synced()
        except asyncio.CancelledError as error:
            record_failure(self._record, seq, error, seconds=0.0, more="it was not sent")
            raise
        guard = LoopDetector(_texts_of(request)) if self._options_for(key[0]).loop_guard else None
        on_event = _Listener(calls[0], guard, self._tell, partial(self._warm_up.begun, key))
        self._in_flight += 1
        try:
            await self._receive(asyncio.ensure_future(_reply_of(request, on_event)), seq, key)
        except OutputCapTooLarge as error:
            limit = error.below(request.max_output_tokens)
            if limit < _LEAST_CAP:
                raise
            self._record.note(OUTPUT_LIMIT, {"model": key[0], "limit": limit})
            return None
        finally:
            self._in_flight -= 1
            if request.parts:
                self._record.add_missing_parts(seq)
        return seq

    def _options_for(self, model: str) -> RunOptions:
        """Return the options of a call. The rules of a recipe repeat a value as often as they must, and end."""
        return replace(self._options, loop_guard=False) if model == OFFLINE else self._options

    def _tell_of_request(self, call: PlannedCall, request: Request) -> None:
        kind, model = "asked" if call.repair is None else "repairing", model_name(call.model)
        _LOG.debug("%s page %d: %s, to %s", *call.prompt.key, call.why, model)
        self._tell(kind, *call.prompt.key, text=call.why, request=request, model=model)

    async def _receive(self, reply: asyncio.Task[Reply | BaseException], seq: int, key: tuple[str, str]) -> None:
        """Write the reply, or the error instead of it, to disk."""
        began = time.monotonic()
        try:
            received, cancelled = await _patiently(reply, self._options.grace_s)
        except BaseException as error:
            record_failure(self._record, seq, error, seconds=time.monotonic() - began)
            _LOG.debug("attempt %d: no reply, %s", seq, type(error).__name__)
            if isinstance(error, TransportError):
                return
            raise
        self._warm_up.begun(key)
        seconds = time.monotonic() - began
        self._record.learn_latency(seconds)
        record_reply(self._record, seq, received, self._options_for(key[0]), seconds=seconds)
        _LOG.debug("attempt %d: a reply after %.3f s, %s", seq, seconds, received.finish)
        await self._record.synced()
        if cancelled:
            raise asyncio.CancelledError

    def _finished_parts(self, calls: Sequence[PlannedCall], pack: PackedCall) -> list[Attempt | None]:
        """Return the attempt of each call of a packed request, None for a page without a part in the reply."""
        found = zip(calls, (pack.attempts[key] for key, _ in pack.request.parts), strict=True)
        attempts = self._record.history.attempts
        return [
            self._finished_attempt(call, part) if attempts[part].has_answer or attempts[part].error else None
            for call, part in found
        ]

    def _finished_attempt(self, call: PlannedCall, seq: int) -> Attempt:
        attempt = self._record.history.attempts[seq]
        reply = attempt.reply if self._is_of_this_verb(attempt) else None
        kind = "failed" if attempt.reply is None else "answered"
        _LOG.debug("%s page %d: %s", *call.prompt.key, kind)
        self._tell(kind, *call.prompt.key, text=attempt.error or "", reply=reply)
        return attempt

    def new_attempts(self) -> list[Attempt]:
        """Return the attempts whose reply or failure arrived during this verb. A batch may have sent them earlier."""
        return [attempt for attempt in self._record.history.attempts.values() if self._is_of_this_verb(attempt)]

    def _is_of_this_verb(self, attempt: Attempt) -> bool:
        return attempt.seq > self._last_before or attempt.seq in self._pending_before


def _intent_of_pack(calls: Sequence[PlannedCall], first: Request) -> PackIntended:
    from retouch.engine.planned_calls import intent_of_pack

    return intent_of_pack(calls, first)


@dataclass(frozen=True)
class _Listener:
    """Receives the events of one call, and stops an answer that repeats itself endlessly.

    `on_event` is called for each of them. Texts are reported as progress.

    Raises:
        AnswerRepeats: the answer repeats itself.
    """

    call: PlannedCall
    guard: LoopDetector | None
    tell: Tell
    on_event: Callable[[], None]

    def __call__(self, event: Event) -> None:
        self.on_event()
        if event.text:
            self.tell("text", *self.call.prompt.key, text=event.text)
        if self.guard is not None and event.text and self.guard.feed(event.text):
            raise AnswerRepeats

    def stopped_reply(self) -> Reply:
        """Return the received part of an answer if the model did not return it. Its usage is unknown."""
        text = self.guard.text if self.guard is not None else ""
        return Reply(text=text, finish="repeated", model=model_name(self.call.model))


async def _reply_of(request: Request, listener: _Listener) -> Reply | BaseException:
    """Return the reply, or the raised error as a value.

    If a task ends with KeyboardInterrupt or SystemExit, asyncio aborts its loop. As values, they reach the caller.
    """
    try:
        return await listener.call.model(request, on_event=listener)
    except AnswerRepeats:
        return listener.stopped_reply()
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # noqa: BLE001 - `_value_of` raises it
        return error


def _value_of(outcome: Reply | BaseException) -> Reply:
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


async def _patiently(call: asyncio.Task[Reply | BaseException], grace_s: float) -> tuple[Reply, bool]:
    """Return the reply, and whether the run was cancelled. A reply in flight is paid for, so it gets a grace period.

    Raises:
        CancelledError: the run was cancelled and the reply did not arrive in time.
    """
    try:
        return _value_of(await asyncio.shield(call)), False
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if call.cancelled() and task is not None and not task.cancelling():
            raise TransportError("the model's client cancelled its own call") from None
        try:
            await asyncio.wait([call], timeout=grace_s)
        finally:
            call.cancel()  # no effect if it is done
            await asyncio.wait([call], timeout=_STOPPING_S)
        if call.cancelled() or not call.done():
            raise
        return _value_of(call.result()), True
