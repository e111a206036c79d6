"""A cost limit for a run: a request is sent only if its maximum cost fits into the limit."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from retouch.engine.batches import prepared_attempts
from retouch.engine.calls import model_name
from retouch.engine.types import Reply
from retouch.errors import BadInput, LimitReached
from retouch.models.named import NamedModel
from retouch.models.tokens import estimate_tokens, request_tokens

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from retouch.engine.types import Event, Journal, Model, Note, OnEvent, Request
    from retouch.errors import ModelError
    from retouch.models.batch.batches import Batches

Price: TypeAlias = Callable[[int, int], float]
"""The maximum cost of a call in US dollars, from its input and output tokens, if all input is written to the cache."""

FREE = frozenset({"offline", "replay"})
ESTIMATE_MARGIN = 1.15  # input is estimated before it is sent, and 95 % of estimates are within this margin


@dataclass(kw_only=True)
class CostLimit:
    """The limit, the cost so far, and the reserved cost of requests in progress, in US dollars."""

    limit_usd: float
    spent_usd: float = 0.0
    held_usd: float = 0.0

    @property
    def left_usd(self) -> float:
        """The maximum cost of a further request."""
        return self.limit_usd - self.spent_usd - self.held_usd

    def reached(self, reason: str) -> LimitReached:
        """Return the error of a call that could exceed the limit."""
        spent = f"{self.spent_usd:.4f} of {self.limit_usd:.4f} dollars are spent"
        hint = "Run the same command with a higher --max-cost, or a lower --max-output-tokens, to continue."
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
    if not reply.input_tokens:
        return price(_input(request), max(reply.output_tokens, round(estimate_tokens(reply.text) * ESTIMATE_MARGIN)))
    return price(reply.input_tokens, reply.output_tokens)


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


def capped(model: Model, cost_limit: CostLimit, price: Price) -> Model:
    """Return `model` that sends a request only if its maximum cost fits into the rest of `cost_limit`.

    The actual cost then replaces the maximum: nothing for an attempt without a response, and the received part of an
    aborted one. Several models can share one limit.

    Raises:
        LimitReached: on a call that could exceed the limit.
    """

    async def answer(request: Request, on_event: OnEvent | None) -> Reply:
        most = _maximum_cost(request, price)
        if most > cost_limit.left_usd:
            raise cost_limit.reached(f"this request may cost {most:.4f}")
        cost_limit.held_usd += most
        attempts, answered = _Attempts(on_event), False
        try:
            reply = await model(request, on_event=attempts)
            answered = True
        finally:
            cost_limit.held_usd -= most
            cost_limit.spent_usd += attempts.cost(request, price, answered=answered)
        cost_limit.spent_usd += _cost(request, reply, price)
        return reply

    return NamedModel(name=model_name(model), answer=answer)


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
        """Yield the results of the batches. Batches of earlier processes are not counted.

        Raises:
            LimitReached: the new requests could exceed the limit; nothing was sent.
        """
        cost_limit, sent = self._cost_limit, prepared_attempts(earlier)
        most = sum(_maximum_cost(one, self._price) for seq, one in requests.items() if seq not in sent)
        if most > cost_limit.left_usd:
            raise cost_limit.reached(f"this batch may cost {most:.4f}")
        cost_limit.held_usd += most
        try:
            async with aclosing(
                self._batches.answers(requests, journal, earlier, wait_s=wait_s, on_status=on_status)
            ) as answers:
                async for seq, answer in answers:
                    if isinstance(answer, Reply) and seq not in sent:
                        cost_limit.spent_usd += _cost(requests[seq], answer, self._price)
                    yield seq, answer
        finally:
            cost_limit.held_usd -= most
