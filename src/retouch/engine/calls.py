"""One call for one page: intent on disk, then the request, then the reply on disk, before anyone looks at it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from retouch.engine.core import Request
from retouch.engine.errors import TransportError
from retouch.engine.hashing import prompt_hash
from retouch.engine.warm_up import shared_warm_up

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from retouch.engine.core import JSON, Attempt, Event, Message, Model, Prompt, Reply, RunOptions
    from retouch.engine.history import History
    from retouch.engine.record import Record
    from retouch.engine.repair import Repair


@dataclass(frozen=True, kw_only=True)
class Ask:
    """One page to be asked: of which prompt, with which words and model, and why.

    `repair` folds the reply in; None lets it stand as it is. `paid` is the attempt of an interrupted run whose reply
    has come already.
    """

    prompt: Prompt
    system: str
    messages: tuple[Message, ...]
    model: Model
    why: str = "answer"
    repair: Repair | None = None
    paid: int | None = None


def model_name(model: Model) -> str:
    """Return what the ledger calls a model before it has replied."""
    name = getattr(model, "name", None)
    return name if isinstance(name, str) else type(model).__name__


def taken_up(ask: Ask, history: History) -> Ask:
    """Return `ask` with the reply that an interrupted run paid for, of whatever model, when there is one."""
    paid = history.arrived(ask.prompt.key, ask.system, ask.messages)
    return ask if paid is None else replace(ask, paid=paid)


def note_reply(record: Record, seq: int, reply: Reply, *, seconds: float) -> None:
    """Append the reply to an attempt, before anyone looks at it."""
    raw = {**vars(reply), "text": record.text(well_formed(reply.text))}
    record.append("reply", {"reply": raw, "seconds": round(seconds, 6)}, attempt=seq)


def note_failure(record: Record, seq: int, error: BaseException, *, seconds: float, more: str = "") -> None:
    """Append why an attempt got no reply."""
    data: dict[str, JSON] = {"error": f"{type(error).__name__}: {error}{more}", "seconds": seconds}
    record.append("failure", data, attempt=seq)


def well_formed(text: str) -> str:
    """Return `text` with halves of characters (lone surrogates) joined or replaced: a file cannot hold them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class Caller:
    """Asks models and records what comes back."""

    def __init__(self, record: Record, options: RunOptions, told: Callable[[Ask, Event], None]) -> None:
        self._record = record
        self._options = options
        self._warm_up = shared_warm_up(options.warm_up_s)
        self._told = told

    async def call(self, ask: Ask) -> Attempt:
        """Return the attempt with its reply, or with the transport failure that came instead.

        A reply that an interrupted run paid for and never judged is taken from the ledger instead of asked again.

        Raises:
            ModelError: the model cannot answer, and asking again would not help.
        """
        request = self._request(ask)
        history, name = self._record.history, model_name(ask.model)
        if ask.paid is not None:
            return history.attempts[ask.paid]
        paid = history.unjudged.get((request, name))
        if paid is not None:
            return history.attempts[paid]
        key = (name, request.system)
        first = await self._warm_up.turn(key)
        try:
            seq = await self._intend(ask, request, name)
            return await self._land(ask, request, seq, key)
        finally:
            if first:
                self._warm_up.over(key)

    def _request(self, ask: Ask) -> Request:
        cut = self._record.history.cut_at(ask.prompt.key, prompt_hash(ask.prompt), model_name(ask.model))
        cap = self._options.max_output_tokens if not cut else min(cut * 2, self._options.max_output_limit)
        return Request(
            prompt=ask.prompt,
            system=ask.system,
            messages=ask.messages,
            max_output_tokens=max(cap, self._options.max_output_tokens),
            temperature=self._options.temperature,
        )

    def write_down(self, ask: Ask) -> tuple[int, Request]:
        """Return the attempt that `ask` becomes and its request; it is appended, and not on disk yet."""
        request = self._request(ask)
        return self._append(ask, request, model_name(ask.model)), request

    def _append(self, ask: Ask, request: Request, name: str) -> int:
        text = self._record.text
        prompt: Mapping[str, JSON] = vars(request.prompt)
        messages: list[JSON] = [[message.role, text(message.text)] for message in request.messages]
        data: dict[str, JSON] = {
            "why": ask.why,
            "model": name,
            "prompt": {**prompt, "system": text(request.prompt.system), "user": text(request.prompt.user)},
            "system": text(request.system),
            "messages": messages,
            "max_output_tokens": request.max_output_tokens,
            "temperature": request.temperature,
            "breakpoints": list(request.breakpoints),
        }
        return self._record.append("intent", data, unit=ask.prompt.type_name).seq

    async def _intend(self, ask: Ask, request: Request, name: str) -> int:
        seq = self._append(ask, request, name)
        try:
            await self._record.synced()
        except asyncio.CancelledError as error:
            note_failure(self._record, seq, error, seconds=0.0, more="it was not sent")
            raise
        return seq

    async def _land(self, ask: Ask, request: Request, seq: int, key: tuple[str, str]) -> Attempt:
        began = time.monotonic()

        def on_event(event: Event) -> None:
            self._warm_up.begun(key)
            self._told(ask, event)

        try:
            reply, cancelled = await self._patiently(ask.model, request, on_event)
        except BaseException as error:
            note_failure(self._record, seq, error, seconds=time.monotonic() - began)
            if isinstance(error, TransportError):
                return self._record.history.attempts[seq]
            raise
        self._warm_up.begun(key)
        seconds = time.monotonic() - began
        self._record.unhurried(seconds)
        note_reply(self._record, seq, reply, seconds=seconds)
        await self._record.synced()
        if cancelled:
            raise asyncio.CancelledError
        return self._record.history.attempts[seq]

    async def _patiently(self, model: Model, request: Request, on_event: Callable[[Event], None]) -> tuple[Reply, bool]:
        """Return the reply, and whether the run was cancelled meanwhile: what is being paid for is waited for a little.

        Raises:
            CancelledError: the run was cancelled and the reply did not come in time.
        """
        call = asyncio.ensure_future(_captured(model(request, on_event=on_event)))
        try:
            return _reply_of(await asyncio.shield(call)), False
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if call.cancelled() and task is not None and not task.cancelling():
                raise TransportError("the model's client cancelled its own call") from None
            try:
                await asyncio.wait([call], timeout=self._options.grace_s)
            finally:
                await _stopped(call)
            if call.cancelled() or not call.done():
                raise
            return _reply_of(call.result()), True


_STOPPING_S = 1.0
"""How long a cancelled call may take to end: one that ignores its cancellation must not hold up the run."""


async def _captured(call: Awaitable[Reply]) -> Reply | BaseException:
    """Return the reply, or the error that was raised instead, as a value.

    If a task ends with KeyboardInterrupt or SystemExit, asyncio breaks its loop off; as a value they reach the caller.
    """
    try:
        return await call
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # noqa: BLE001 - `_reply_of` raises it
        return error


def _reply_of(outcome: Reply | BaseException) -> Reply:
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


async def _stopped(call: asyncio.Task[Any]) -> None:
    """Cancel a call and wait for its end, so that no pending task is left behind."""
    call.cancel()  # nothing happens to one that is done
    await asyncio.wait([call], timeout=_STOPPING_S)
