"""One call for one page: intent on disk, then the request, then the reply on disk, before anyone looks at it."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from retouch.engine.core import Request
from retouch.engine.errors import TransportError
from retouch.engine.hashing import prompt_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence

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


class WarmUp:
    """Lets the first request of a shared system text go alone, so that the rest read the provider's cache.

    The rest follow at the first sign of life; when the first one fails, the next goes first; a time limit frees all.
    After `COOL_AFTER_S` without a request the provider has forgotten the text, and the next one goes alone again.
    """

    COOL_AFTER_S = 240.0  # of the five minutes that most caches keep a text after its last use

    def __init__(self, limit_s: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit_s = limit_s
        self._clock = clock
        self._warm: dict[tuple[str, str], float] = {}  # when each text was last sent
        self._leaders: dict[tuple[str, str], asyncio.Event] = {}

    async def turn(self, key: tuple[str, str]) -> bool:
        """Wait until this request may go; return whether it goes first."""
        while self._clock() - self._warm.get(key, -inf) > self.COOL_AFTER_S:
            leader = self._leaders.get(key)
            if leader is None:
                self._leaders[key] = asyncio.Event()
                return True
            try:
                async with asyncio.timeout(self._limit_s):  # wait_for may lose a cancel that comes as the leader ends
                    await leader.wait()
            except TimeoutError:
                self._warm[key] = self._clock()
        self._warm[key] = self._clock()
        return False

    def begun(self, key: tuple[str, str]) -> None:
        """The first request shows life: the rest may go."""
        if key in self._leaders:
            self._warm[key] = self._clock()
            self._release(key)

    def over(self, key: tuple[str, str]) -> None:
        """The first request has ended without a sign of life: the next may go first."""
        self._release(key)

    def _release(self, key: tuple[str, str]) -> None:
        leader = self._leaders.pop(key, None)
        if leader is not None:
            leader.set()


_WARM_UPS: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[float, WarmUp]] = WeakKeyDictionary()


def shared_warm_up(limit_s: float) -> WarmUp:
    """Return the one of all runs in this event loop: they share the caches of their providers."""
    return _WARM_UPS.setdefault(asyncio.get_running_loop(), {}).setdefault(limit_s, WarmUp(limit_s))


async def ask_all(
    asks: Iterable[Ask], one: Callable[[Ask], Coroutine[None, None, Sequence[Ask]]], *, concurrency: int
) -> None:
    """Work through `asks`, and those that `one` gives in return, at most `concurrency` at a time.

    The first failure ends the rest, after what is being paid for has had a little time to land.
    """
    await _Crew(asks, one, concurrency).work_through()


class _Crew:
    """Workers that pull from one queue; one that finds it empty leaves, and others are hired when it fills again."""

    def __init__(
        self, asks: Iterable[Ask], one: Callable[[Ask], Coroutine[None, None, Sequence[Ask]]], most: int
    ) -> None:
        self._queue, self._one, self._most = deque(asks), one, most
        self._workers: set[asyncio.Task[None]] = set()
        self._at_work = 0
        self._failures: list[BaseException] = []
        self._over = asyncio.Event()

    async def work_through(self) -> None:
        """Return when the queue is empty and all have left; raise the first failure."""
        try:
            self._hire(len(self._queue))
            if self._workers:
                await self._over.wait()
        finally:
            self._queue.clear()
            for worker in self._workers:
                worker.cancel()
            await asyncio.gather(*self._workers, return_exceptions=True)
        if self._failures:
            raise self._failures[0]

    async def _work(self) -> None:
        while self._queue:
            self._queue.extend(await self._one(self._queue.popleft()))
            self._hire(len(self._queue) - 1)
        self._at_work -= 1

    def _hire(self, wanted: int) -> None:
        for _ in range(min(wanted, self._most - self._at_work)):
            self._at_work += 1
            worker = asyncio.create_task(self._work())
            self._workers.add(worker)
            worker.add_done_callback(self._left)

    def _left(self, worker: asyncio.Task[None]) -> None:
        self._workers.discard(worker)
        if not worker.cancelled() and (failure := worker.exception()) is not None:
            self._failures.append(failure)
        if self._failures or not self._workers:
            self._over.set()


def taken_up(ask: Ask, history: History) -> Ask:
    """Return `ask` with the reply that an interrupted run paid for, of whatever model, when there is one."""
    return replace(ask, paid=history.arrived(ask.prompt.key, ask.system, ask.messages))


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
        except (asyncio.CancelledError, Exception) as error:
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
        call = asyncio.ensure_future(model(request, on_event=on_event))
        try:
            return await asyncio.shield(call), False
        except asyncio.CancelledError:
            if call.cancelled():
                raise
            try:
                await asyncio.wait([call], timeout=self._options.grace_s)
            finally:
                call.cancel()  # nothing happens to one that is done
            if not call.done():
                raise
            return call.result(), True
