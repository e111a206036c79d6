"""A cost limit for a run: a request is sent only if its maximum cost is within the limit."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from retouch._lib.logs import redact_record
from retouch.engine.batches import pending_in_batches, prepared_attempts
from retouch.engine.planned_calls import slot_of
from retouch.engine.types import Reply
from retouch.engine.usage import RETRY
from retouch.errors import BadInput, LimitReached
from retouch.models.named import wrapping
from retouch.models.tokens import estimate_tokens, request_tokens

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence

    from retouch.engine.history import History
    from retouch.engine.packs import PackedCall
    from retouch.engine.types import Attempt, Event, Journal, Model, Note, OnEvent, Request
    from retouch.errors import ModelError
    from retouch.models.batch.batches import Batches
    from retouch.models.named import NamedModel

_LOG = logging.getLogger(__name__)
_LOG.addFilter(redact_record)

Price: TypeAlias = Callable[[int, int], float]
"""The maximum cost of a call in US dollars, from its input and output tokens, if all input is written to the cache."""

FREE = frozenset({"offline", "replay"})
ESTIMATE_MARGIN = 1.15  # input is estimated before it is sent, and 95 % of estimates are within this margin


@dataclass(kw_only=True)
class CostLimit:
    """The limit, the cost so far, and the reserved cost of requests in progress, in US dollars.

    With `whole_runs`, the limit applies to all that the runs have ever cost. Then `count_earlier` adds what their
    ledgers hold before the first request. Otherwise the limit is for this command alone.
    """

    limit_usd: float
    spent_usd: float = 0.0
    held_usd: float = 0.0
    whole_runs: bool = False

    @property
    def left_usd(self) -> float:
        """The maximum cost of a further request."""
        return self.limit_usd - self.spent_usd - self.held_usd

    def count_earlier(self, history: History) -> None:
        """Add what the earlier commands of a run have spent, if the limit is for whole runs.

        Raises:
            BadInput: the price of one of its calls is unknown.
        """
        if self.whole_runs:
            self.spent_usd += spent_in(history)

    def reserve(self, most_usd: float, what: str) -> None:
        """Reserve the maximum cost of `what`, before it is sent. `settle` replaces it by the actual cost.

        Raises:
            LimitReached: that is more than what is left. Something free is within any limit.
        """
        if most_usd and most_usd > self.left_usd:
            _LOG.info("the cost limit of $%.4f is reached: $%.4f are left", self.limit_usd, self.left_usd)
            raise self.reached(f"{what} may cost {most_usd:.4f}")
        self.held_usd += most_usd

    def settle(self, most_usd: float, cost_usd: float) -> None:
        """Replace a reserved maximum by a cost."""
        self.held_usd -= most_usd
        self.spent_usd += cost_usd

    def reached(self, reason: str) -> LimitReached:
        """Return the error of a call that might cost more than is left."""
        spent = f"{self.spent_usd:.4f} of {self.limit_usd:.4f} dollars are spent"
        if self.held_usd > 0.00005:
            spent += f", {self.held_usd:.4f} are reserved for requests in progress"
        hint = (
            "Run the same command with a higher --max-cost (the whole run), with --max-cost-more (this command alone) "
            "or with a lower --max-output-tokens, to continue."
        )
        return LimitReached(f"{spent}, and {reason}", hint=hint)


def price_of(spec: str) -> Price:
    """Return the list price of the model of `spec`, or of the model that a wrapper such as `faulty:` contains.

    Raises:
        BadInput: the model is not on the price list, so a limit cannot be enforced.
    """
    scheme, _, rest = spec.partition(":")
    if scheme == "faulty":
        return price_of(rest.rpartition("?")[0] or rest)
    if scheme in FREE:
        return lambda _given, _taken: 0.0
    from retouch.models.endpoints import PROVIDERS, endpoint_of, name_and_address
    from retouch.models.pricing import Tokens, price, priced

    name, _, limits = rest.partition("?")
    model, _ = name_and_address(name)
    tuning = endpoint_of(scheme, rest).tuning if scheme in PROVIDERS else None
    if tuning is not None and tuning.price_in is not None:
        return lambda given, taken: priced(tuning, Tokens(input_tokens=given, output_tokens=taken)) or 0.0
    if price(scheme, model, Tokens(input_tokens=1)) is None:
        hint = "Give its price, for example 'NAME?price_in=0.5&price_out=1.5' (dollars per million tokens)."
        raise BadInput(f"the price of {spec!r} is unknown, so a limit cannot be enforced", hint=hint)
    for_an_hour = "cache=hour" in limits.split("&")

    def dearest(given: int, taken: int) -> float:
        plain = Tokens(input_tokens=given, output_tokens=taken)
        written = replace(plain, written_tokens=given, hour_tokens=given if for_an_hour else 0)
        return max(price(scheme, model, one) or 0.0 for one in (plain, written))

    return dearest


def _maximum_cost(request: Request, price: Price) -> float:
    """Return the maximum cost of a request: its input, estimated with a margin, and its output cap."""
    return price(_input(request), request.max_output_tokens)


def _input(request: Request) -> int:
    return round(request_tokens(request) * ESTIMATE_MARGIN)


def _cost(request: Request, reply: Reply, price: Price) -> float:
    """Return the cost of a reply, or its maximum if the provider did not count."""
    if reply.cost is not None:
        return reply.cost
    if reply.input_tokens and reply.output_tokens:
        return price(reply.input_tokens, reply.output_tokens)
    taken = max(reply.output_tokens, round(estimate_tokens(reply.text) * ESTIMATE_MARGIN))
    return price(reply.input_tokens or _input(request), taken)


def spent_in(history: History) -> float:
    """Return what the calls of a run have cost so far, in US dollars.

    A call whose reply was lost (the process was killed, or the run was cancelled) counts at the most that it can have
    cost. So does one that is pending in a batch. An answer that broke off counts as far as it was received.

    Raises:
        BadInput: the price of a call is unknown.
    """
    known = sum(_known_cost(one, one.reply or one.received) for one in _requests_of(history))
    aborted = sum(_lost_cost(note, history) for note in history.notes if note.kind == RETRY)
    return known + lost_in(history) + aborted


def lost_in(history: History) -> float:
    """Return the part of `spent_in` that may not have been spent: the most of the calls whose reply was lost."""
    pending = pending_in_batches(history)
    total = 0.0
    for one in _requests_of(history):
        if one.reply is None and one.received is None and (one.error is None or _was_cancelled(one)):
            share = _batch_share(one.model) if one.seq in pending else 1.0
            total += _maximum_cost(one.request, price_in_run(one.model)) * share
    return total


def attempt_cost(attempt: Attempt) -> float:
    """Return what the reply to one attempt has cost, in US dollars.

    Raises:
        BadInput: the price of its model is unknown.
    """
    return _known_cost(attempt, attempt.reply)


def _requests_of(history: History) -> Iterator[Attempt | PackedCall]:
    alone = (one for one in history.attempts.values() if one.pack is None)
    return chain(alone, history.packs.values())


def _was_cancelled(attempt: Attempt | PackedCall) -> bool:
    error = attempt.error or ""
    return error.startswith(("CancelledError", "KeyboardInterrupt")) and not error.endswith("it was not sent")


def _known_cost(attempt: Attempt | PackedCall, reply: Reply | None) -> float:
    if reply is None or reply.cost is not None:
        return (reply.cost or 0.0) if reply is not None else 0.0
    return _cost(attempt.request, reply, price_in_run(attempt.model))


def _lost_cost(note: Note, history: History) -> float:
    """Return the cost of what had been received of an answer before its request was sent again."""
    raw: Any = note.data
    received: dict[str, Any] = raw.get("received") or {}
    given, taken = received.get("input_tokens", 0), received.get("output_tokens", 0)
    if not (given or taken) or "cost" in received:
        return float(received.get("cost", 0.0))
    key = raw["unit"], raw["page"]
    models = [history.attempts[seq].model for seq in history.by_page.get(key, ())]
    models += [pack.model for pack in history.packs.values() if pack.request.prompt.key == key]
    return price_in_run(models[-1])(given, taken) if models else 0.0


@cache
def price_in_run(spec: str) -> Price:
    """Return the price of a model that a run has used.

    Raises:
        BadInput: it is unknown, so the run's cost is.
    """
    try:
        return price_of(spec)
    except BadInput as error:
        hint = "Limit this command alone: --max-cost-more USD."
        raise BadInput(
            f"the run has used {spec!r}, whose price is unknown: so is its cost so far", hint=hint
        ) from error


def _batch_share(spec: str) -> float:
    """Return the share of the usual price that the model's batch API takes."""
    from retouch.models.batch.facts import batch_facts
    from retouch.models.endpoints import name_and_address

    scheme, _, rest = spec.partition(":")
    return batch_facts(scheme, name_and_address(rest.partition("?")[0])[0]).price


class _Attempts:
    """The events of one request. An aborted response costs as much as arrived."""

    def __init__(self, on_event: OnEvent | None) -> None:
        self._on_event = on_event
        self._texts: list[list[str]] = []

    def __call__(self, event: Event) -> None:
        """Record `event` and pass it on."""
        if event.kind == "first_byte":
            self._texts.append([])
        elif self._texts:
            self._texts[-1].append(event.text)
        if self._on_event is not None:
            self._on_event(event)

    def cost(self, request: Request, price: Price, *, answered: bool) -> float:
        """Return the approximate cost of aborted attempts, including the last one unless it was `answered`."""
        broken = self._texts[:-1] if answered else self._texts
        return sum(price(request_tokens(request), estimate_tokens("".join(texts))) for texts in broken)


def capped(model: Model, cost_limit: CostLimit, price: Price) -> NamedModel:
    """Return `model` that sends a request only if its maximum cost is within the rest of `cost_limit`.

    The actual cost then replaces the maximum: nothing for an attempt without a response, and the received part of an
    aborted one. Several models can share one limit. The engine reserves the maximum with `slot`, before it records a
    request as sent. So a process that is killed has recorded no request that the limit does not allow.

    Raises:
        LimitReached: on a call that could exceed the limit.
    """
    reserved: dict[int, float] = {}

    @asynccontextmanager
    async def slot(request: Request) -> AsyncGenerator[None]:
        async with slot_of(model, request):  # what waits there reserves nothing yet
            most, key = _maximum_cost(request, price), id(request)
            cost_limit.reserve(most, "this request")
            reserved[key] = reserved.get(key, 0.0) + most
            try:
                yield
            finally:
                cost_limit.settle(reserved.pop(key, 0.0), 0.0)

    async def answer(request: Request, on_event: OnEvent | None) -> Reply:
        if (most := reserved.pop(id(request), None)) is None:
            most = _maximum_cost(request, price)
            cost_limit.reserve(most, "this request")
        attempts, answered = _Attempts(on_event), False
        try:
            reply = await model(request, on_event=attempts)
            answered = True
        finally:
            cost_limit.settle(most, attempts.cost(request, price, answered=answered))
        cost_limit.settle(0.0, _cost(request, reply, price))
        return reply

    return replace(wrapping(model, answer), slot=slot)


class CappedBatches:
    """A `BatchModel` that sends a batch only if its maximum cost fits into the rest of a cost limit."""

    def __init__(self, batches: Batches, cost_limit: CostLimit, price: Price) -> None:
        self.name = batches.name
        self._batches = batches
        self._cost_limit = cost_limit
        self._price: Price = lambda given, taken: price(given, taken) * batches.price

    async def answers(
        self,
        requests: Mapping[int, Request],
        journal: Journal,
        earlier: Sequence[Note],
        *,
        wait_s: float | None,
        on_status: Callable[[str], None],
    ) -> AsyncGenerator[tuple[int, Reply | ModelError]]:
        """Yield what the batches yield.

        What an earlier process sent is already in the sum if the limit is for whole runs, at the most that it can cost.
        An answer takes the place of that. Otherwise it does not count.

        Raises:
            LimitReached: the new requests could exceed the limit; nothing was sent.
        """
        cost_limit, sent = self._cost_limit, prepared_attempts(earlier)
        most = sum(_maximum_cost(one, self._price) for seq, one in requests.items() if seq not in sent)
        cost_limit.reserve(most, "this batch")
        try:
            async with aclosing(
                self._batches.answers(requests, journal, earlier, wait_s=wait_s, on_status=on_status)
            ) as answers:
                async for seq, answer in answers:
                    if seq not in sent or cost_limit.whole_runs:
                        cost = _cost(requests[seq], answer, self._price) if isinstance(answer, Reply) else 0.0
                        counted = _maximum_cost(requests[seq], self._price) if seq in sent else 0.0
                        cost_limit.settle(0.0, cost - counted)
                    yield seq, answer
        finally:
            cost_limit.settle(most, 0.0)
