"""The calls that a verb makes: which ones, which of them share a request, and the workers that make them."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from contextlib import asynccontextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from heapq import heappop, heappush
from itertools import count, islice
from typing import TYPE_CHECKING, Any, cast

from retouch._lib.hashing import schema_text
from retouch._lib.redaction import redactor
from retouch.engine.call_events import CallIntended, PackIntended, packed_request
from retouch.engine.history import History
from retouch.engine.packs import KEYS, can_be_packed, schema_of_pack, segments_of
from retouch.engine.repair import SAMPLED
from retouch.engine.types import COMPARE, Message, Request, caches_prefixes, may_cache, model_name, prompt_hash
from retouch.engine.usage import FIRST

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from retouch.engine.options import RunOptions
    from retouch.engine.packs import PackedCall
    from retouch.engine.repair import Repair
    from retouch.engine.types import Attempt, Model, OnEvent, Prompt, Reply


@dataclass(frozen=True, kw_only=True)
class PlannedCall:
    """A planned call for one page: its text, its model, and its reason.

    `repair` merges the reply into the current answer. None takes the reply unchanged. `answer_schema` is the JSON
    Schema of the reply. `temperature` replaces that of the run. `stage` is 0 for the run's own model, else that of a
    fallback (see `repairs`). `paid` is an attempt of an interrupted run that has a reply already.
    """

    prompt: Prompt
    system: str
    messages: tuple[Message, ...]
    model: Model
    why: str = "answer"
    repair: Repair | None = None
    answer_schema: Mapping[str, Any] | None = field(default=None, hash=False)
    temperature: float | None = None
    stage: int = 0
    paid: int | None = None

    @property
    def first_part(self) -> Attempt | None:
        """The attempt at the first part of a page in two parts, if this call is for the second one."""
        return getattr(self.repair, "first", None)

    def __post_init__(self) -> None:
        """Remove secrets of this environment from the request."""
        clean = redactor()
        if not clean.secrets:
            return
        object.__setattr__(self, "system", clean.text(self.system))
        messages = tuple(replace(message, text=clean.text(message.text)) for message in self.messages)
        object.__setattr__(self, "messages", messages)


def first_call(prompt: Prompt, model: Model, *, why: str = "answer") -> PlannedCall:
    """Return the call for a page's clean prompt."""
    messages = (Message(role="user", text=prompt.user),)
    schema = prompt.answer_schema
    return PlannedCall(
        prompt=prompt, system=prompt.system, messages=messages, model=model, why=why, answer_schema=schema
    )


def with_unchecked_reply(call: PlannedCall, history: History) -> PlannedCall:
    """Return `call` with the latest unchecked reply of an interrupted run to exactly its text, if there is one.

    The reply may be of any model.
    """
    for seq in reversed(history.by_page.get(call.prompt.key, ())):
        attempt = history.attempts[seq]
        used = attempt.is_checked or not attempt.has_answer or attempt.why == COMPARE
        if not used and (attempt.request.system, attempt.request.messages) == (call.system, call.messages):
            return replace(call, paid=seq)
    return call


def request_for(call: PlannedCall, history: History, options: RunOptions) -> Request:
    """Return the request of `call`. Its output cap never exceeds the server's known limit.

    A page that was truncated before gets double the output cap. A page whose answer repeated itself gets another
    temperature.
    """
    name, key = model_name(call.model), call.prompt.key
    cap = options.max_output_tokens
    temperature = options.temperature if call.temperature is None else call.temperature
    if key in history.by_page:
        hashed = prompt_hash(call.prompt)
        cut = history.cut_at(key, hashed, name)
        cap = max(cap, min(cut * 2, options.max_output_limit))
        temperature = SAMPLED if history.repeats(key, hashed, name) else temperature
    return Request(
        prompt=call.prompt,
        system=call.system,
        messages=call.messages,
        max_output_tokens=min(cap, history.output_limits.get(name, cap)),
        temperature=temperature,
        answer_schema=call.answer_schema,
    )


def intent_of(call: PlannedCall, request: Request) -> CallIntended:
    """Return the row that records the intent to send `request` for one call."""
    return CallIntended(why=call.why, model=model_name(call.model), request=request, stage=call.stage)


def slot_of(model: Model, request: Request) -> AbstractAsyncContextManager[None]:
    """Return the model's `slot(request)`, which waits until it may be called. Most models have none and never wait.

    The request is recorded as sent only then, and the wait is not part of the call's time.
    """
    slot: Callable[[Request], AbstractAsyncContextManager[None]] | None = getattr(model, "slot", None)
    return nullcontext() if slot is None else slot(request)


class CallSlots:
    """A number of slots for concurrent calls, which several models share, in the order of their `turn`.

    The engine takes the slot before it records a request as sent (`LimitedModel.slot`). Other callers wait inside of
    the call.

    Raises:
        ValueError: `concurrency` is below 1.
    """

    def __init__(self, concurrency: int, *, is_closed: Callable[[], bool] = lambda: False) -> None:
        if concurrency < 1:
            raise ValueError(f"concurrency is {concurrency!r}; it must be 1 or more")
        self._free = concurrency
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._numbers = count()
        self._is_closed = is_closed
        self._is_held: ContextVar[bool] = ContextVar("is_held", default=False)

    def limit(self, model: Model, *, turn: int = 0) -> Model:
        """Return `model` with these slots. While calls wait, those of the lowest `turn` get the next free slot."""
        return LimitedModel(model, self, turn)

    @asynccontextmanager
    async def slot(self, _request: Request | None = None, *, turn: int = 0) -> AsyncGenerator[None]:
        """Wait for a slot and hold it, for any request. Inside of it, calls do not wait for another one."""
        if self._is_held.get():
            yield
            return
        await self._take(turn)
        held = self._is_held.set(True)
        try:
            if self._is_closed():
                raise asyncio.CancelledError
            yield
        finally:
            self._give_back()
            with suppress(ValueError):  # the garbage collector closes an abandoned task in another context
                self._is_held.reset(held)

    async def _take(self, turn: int) -> None:
        if self._free:
            self._free -= 1
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (turn, next(self._numbers), place))
        try:
            await place
        except (asyncio.CancelledError, GeneratorExit):
            if place.done() and not place.cancelled():
                self._give_back()  # it was handed over, but is not used
            raise

    def _give_back(self) -> None:
        """Hand a slot over to the next call that waits, or keep it free."""
        while self._waiting:
            *_, place = heappop(self._waiting)
            if not place.done() and not place.get_loop().is_closed():
                place.set_result(None)
                return
        self._free += 1


class LimitedModel:
    """A model that waits for a slot before each call."""

    def __init__(self, model: Model, slots: CallSlots, turn: int = 0) -> None:
        self.name, self.caches_prefixes = model_name(model), caches_prefixes(model)
        self.may_cache = partial(may_cache, model)
        self._model = model
        self._own_slot = partial(slots.slot, turn=turn)
        self.slot = self._slot_and_models_own if getattr(model, "slot", None) else self._own_slot

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        """Return the model's reply, once there is a slot."""
        async with self._own_slot():
            return await self._model(request, on_event=on_event)

    @asynccontextmanager
    async def _slot_and_models_own(self, request: Request) -> AsyncGenerator[None]:
        async with self._own_slot(), slot_of(self._model, request):
            yield


@dataclass(eq=False, kw_only=True)
class WorkerPool:
    """Up to `most` workers that pull from one queue. Idle workers end, and new ones start when the queue fills again.

    `take` removes the calls of the next request from the queue, None means one. `send` sends it and returns the attempt
    of each call; None means that the call is to be made again. `on_arrival` returns the calls that follow.
    `on_cancel` is called as soon as the work is cancelled, before the workers have a little time to end.
    """

    queue: deque[PlannedCall]
    take: Callable[[deque[PlannedCall]], Sequence[PlannedCall]] | None
    send: Callable[[Sequence[PlannedCall]], Awaitable[Sequence[Attempt | None]]]
    on_arrival: Callable[[PlannedCall, Attempt], Sequence[PlannedCall]]
    most: int
    on_cancel: Callable[[], None]
    _workers: set[asyncio.Task[None]] = field(init=False, default_factory=set["asyncio.Task[None]"])
    _at_work: int = field(init=False, default=0)
    _errors: list[BaseException] = field(init=False, default_factory=list[BaseException])
    _over: asyncio.Event = field(init=False, default_factory=asyncio.Event)

    async def work(self) -> None:
        """Wait until the queue is empty and all workers have ended. Raise the first error."""
        try:
            self._hire(len(self.queue))
            if self._workers:
                await self._over.wait()
        except asyncio.CancelledError:
            self.on_cancel()
            raise
        finally:
            self.queue.clear()
            for worker in self._workers:
                worker.cancel()
            await asyncio.gather(*self._workers, return_exceptions=True)
        if self._errors:
            raise self._errors[0]

    async def _work(self) -> None:
        """Work until the queue is empty. Errors are stored as values.

        A task that ends with KeyboardInterrupt or SystemExit would abort the event loop and all other tasks.
        """
        try:
            while self.queue:
                calls = [self.queue.popleft()] if self.take is None else self.take(self.queue)
                for call, attempt in zip(calls, await self.send(calls), strict=True):
                    self.queue.extend([call] if attempt is None else self.on_arrival(call, attempt))
                self._hire(len(self.queue) - 1)
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - `work` raises it
            self._errors.append(error)
        self._at_work -= 1

    def _hire(self, wanted: int) -> None:
        for _ in range(min(wanted, self.most - self._at_work)):
            self._at_work += 1
            worker = asyncio.create_task(self._work())
            self._workers.add(worker)
            worker.add_done_callback(self._forget_worker)

    def _forget_worker(self, worker: asyncio.Task[None]) -> None:
        self._workers.discard(worker)
        if self._errors or not self._workers:
            self._over.set()


CAP_SHARE = 0.5  # of the output cap: what the answers in one request may need, by estimate
MOST_CHARS = 48_000  # of the pages' prompts in one request, about 12,000 tokens
FAILURES = 2  # packed replies in a row without any part, after which a run packs no more
_KEY_TOKENS = 4
_TEXT_TOKENS, _LONGEST_TEXT = 25, 400
_ITEMS = 3  # of an array without limits
_DEEPEST = 6


def intent_of_pack(calls: Sequence[PlannedCall], first: Request) -> PackIntended:
    """Return the row, with its request, for several calls with the same system text and answer schema.

    `first` is the request of the first one alone.
    """
    named = list(zip(KEYS, calls, strict=False))
    segments = segments_of([(key, call.messages[0].text) for key, call in named])
    assert first.answer_schema is not None  # noqa: S101 - see `can_be_packed`
    request = packed_request(
        [(key, call.prompt) for key, call in named],
        system=first.system,
        text="".join(segments),
        max_output_tokens=first.max_output_tokens,
        temperature=first.temperature,
        answer_schema=schema_of_pack(first.answer_schema, [key for key, _ in named]),
    )
    return PackIntended(why=calls[0].why, model=model_name(calls[0].model), request=request, segments=segments)


def planned_requests(prompts: Sequence[Prompt], size: int, options: RunOptions) -> list[Prompt]:
    """Return a prompt with the messages of each request that would be sent for the `prompts` of a run, with no call
    made.

    The prompt of a packed request has the identity of its first page.
    """
    if size < 2:
        return list(prompts)
    history = History()
    found: list[Prompt] = []
    packer, queue = CallPacker(size, history, options), deque(first_call(one, _nobody) for one in prompts)
    while queue:
        calls = packer.take(queue)
        request = request_for(calls[0], history, options)
        found.append(request.prompt if len(calls) == 1 else intent_of_pack(calls, request).request.prompt)
    return found


async def _nobody(request: Request, *, on_event: OnEvent | None = None) -> Reply:
    raise NotImplementedError


class CallPacker:
    """Takes the calls of the next request from a queue.

    First answers are packed, up to `size`: pages that had no reply in this round, with the same system text, answer
    schema and model. A page whose request returned no part for it is then called alone. If two packed replies in a row
    have no part at all, the rest of the run is not packed.
    """

    def __init__(self, size: int, history: History, options: RunOptions) -> None:
        self._size, self._history, self._options = min(size, len(KEYS)), history, options

    def take(self, queue: deque[PlannedCall]) -> list[PlannedCall]:
        """Remove and return the next call, and those that follow it and can share its request."""
        calls = [queue.popleft()]
        if not queue or not self._may_share(calls[0]) or self._is_hopeless(model_name(calls[0].model)):
            return calls
        request = request_for(calls[0], self._history, self._options)
        most, chars = self._most(request), len(calls[0].prompt.user)
        while queue and len(calls) < most:
            chars += len(queue[0].prompt.user)
            if chars > MOST_CHARS or not self._can_join(queue[0], calls[0], request):
                break
            calls.append(queue.popleft())
        return calls

    def _may_share(self, call: PlannedCall) -> bool:
        is_first = call.why == FIRST and call.repair is None and call.paid is None and not call.stage
        return is_first and can_be_packed(call.prompt) and not self._history.has_reply(call.prompt.key)

    def _can_join(self, call: PlannedCall, first: PlannedCall, request: Request) -> bool:
        if call.model is not first.model or not self._may_share(call):
            return False
        other = request_for(call, self._history, self._options)
        return (
            (other.system, other.max_output_tokens, other.temperature)
            == (request.system, request.max_output_tokens, request.temperature)
        ) and (other.answer_schema is request.answer_schema or other.answer_schema == request.answer_schema)

    def _most(self, request: Request) -> int:
        """Return how many pages fit into one answer, by the estimate of their schema and by the replies so far."""
        assert request.answer_schema is not None  # noqa: S101 - see `can_be_packed`
        tokens = max(_answer_tokens(schema_text(request.answer_schema)), self._mean_output())
        return min(self._size, int(request.max_output_tokens * CAP_SHARE / (tokens + _KEY_TOKENS)))

    def _mean_output(self) -> float:
        """Return the mean number of output tokens of the pages in the latest packed requests."""
        means = (reply.output_tokens / len(pack.request.parts) for pack, reply in self._latest())
        return max(means, default=0.0)

    def _is_hopeless(self, model: str) -> bool:
        """Return whether the latest packed replies of a model have no part at all."""
        latest = [pack for pack, _ in self._latest() if pack.model == model]
        attempts = self._history.attempts
        parts = (attempts[seq].has_answer for pack in latest for seq in pack.attempts.values())
        return len(latest) == FAILURES and not any(parts)

    def _latest(self) -> list[tuple[PackedCall, Reply]]:
        """Return the latest packed requests whose reply was divided into parts."""
        divided = (pack for pack in reversed(self._history.packs.values()) if pack.attempts)
        found = ((pack, pack.reply) for pack in divided)
        return list(islice(((pack, reply) for pack, reply in found if reply is not None), FAILURES))


@lru_cache(maxsize=64)
def _answer_tokens(schema: str) -> float:
    """Return about how many tokens a usual answer with this schema has."""
    root: Any = json.loads(schema)
    return _tokens_of(root, root, 0)


def _tokens_of(node: Any, root: Any, depth: int) -> float:
    if not isinstance(node, dict) or depth > _DEEPEST:
        return _TEXT_TOKENS
    given = cast("Any", node)
    if "$ref" in given:
        return _tokens_of(_definition(root, str(given["$ref"])), root, depth + 1)
    choices: Any = given.get("anyOf") or given.get("oneOf")
    if choices:
        return max(_tokens_of(one, root, depth + 1) for one in choices)
    values: Any = given.get("enum") or ([given["const"]] if "const" in given else [])
    if values:
        return 1 + max(len(json.dumps(one)) / 4 for one in values)
    fields: Any = given.get("properties")
    if fields:
        return 2 + sum(len(name) / 4 + 3 + _tokens_of(one, root, depth + 1) for name, one in fields.items())
    if "items" in given:
        return 2 + min(given.get("maxItems", _ITEMS), _ITEMS) * _tokens_of(given["items"], root, depth + 1)
    if given.get("type") in ("integer", "number", "boolean", "null"):
        return _KEY_TOKENS
    return min(given.get("maxLength", 4 * _TEXT_TOKENS) / 4, _LONGEST_TEXT)


def _definition(root: Any, place: str) -> Any:
    found: Any = root
    for name in place.removeprefix("#/").split("/"):
        found = cast("Any", found).get(name) if isinstance(found, dict) else None
    return found
