"""A limit on what a run may cost: a request goes out only when it cannot take the sum beyond the limit."""

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
"""The most US dollars of a call, from its input and output tokens: all of the input written into the cache."""

FREE = frozenset({"offline", "replay"})
ESTIMATE_MARGIN = 1.15  # input is estimated before it is sent; 95 % of estimates are within this


@dataclass(kw_only=True)
class CostLimit:
    """What may be spent, what has been, and what requests under way may yet cost, in US dollars."""

    limit_usd: float
    spent_usd: float = 0.0
    held_usd: float = 0.0

    @property
    def left_usd(self) -> float:
        """What a further request may cost at most."""
        return self.limit_usd - self.spent_usd - self.held_usd

    def reached(self, what: str) -> LimitReached:
        """Return the error of a call that might cost more than is left."""
        spent = f"{self.spent_usd:.4f} of {self.limit_usd:.4f} dollars are spent"
        hint = "Give the same command with a higher --max-cost, or a lower --max-output-tokens: it goes on."
        return LimitReached(f"{spent}, and {what}", hint=hint)


def price_of(spec: str) -> Price:
    """Return what calls of the model that `spec` names cost by list price; wrappers such as `faulty:` are looked into.

    Raises:
        BadInput: the model is not on the price list, so no limit can be kept.
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
        hint = "Name its price, as in 'NAME?price_in=0.5&price_out=1.5' (dollars per million tokens)."
        raise BadInput(f"the price of {spec!r} is unknown: no limit can be kept", hint=hint)
    for_an_hour = "cache=hour" in limits.split("&")

    def dearest(given: int, taken: int) -> float:
        plain = Tokens(input_tokens=given, output_tokens=taken)
        written = replace(plain, written_tokens=given, hour_tokens=given if for_an_hour else 0)
        return max(price(scheme, model, one) or 0.0 for one in (plain, written))

    return dearest


def _most(request: Request, price: Price) -> float:
    """Return the most a request can cost: its input, estimated with a margin, and its output cap."""
    return price(_input(request), request.max_output_tokens)


def _input(request: Request) -> int:
    return round(request_tokens(request) * ESTIMATE_MARGIN)


def _cost(request: Request, reply: Reply, price: Price) -> float:
    """Return what a reply cost, at the most where the provider did not count."""
    if reply.cost is not None:
        return reply.cost
    if not reply.input_tokens:
        return price(_input(request), max(reply.output_tokens, round(estimate_tokens(reply.text) * ESTIMATE_MARGIN)))
    return price(reply.input_tokens, reply.output_tokens)


class _Attempts:
    """What is heard of one request: an answer that broke off is paid for as far as it came."""

    def __init__(self, on_event: OnEvent | None) -> None:
        self._on_event = on_event
        self._texts: list[list[str]] = []

    def __call__(self, event: Event) -> None:
        """Note `event` and hand it on."""
        if event.kind == "first_byte":
            self._texts.append([])
        elif self._texts:
            self._texts[-1].append(event.text)
        if self._on_event is not None:
            self._on_event(event)

    def cost(self, request: Request, price: Price, *, answered: bool) -> float:
        """Return about what the attempts cost that broke off, the last one too unless it was `answered`."""
        broken = self._texts[:-1] if answered else self._texts
        return sum(price(request_tokens(request), estimate_tokens("".join(texts))) for texts in broken)


def capped(model: Model, purse: CostLimit, price: Price) -> Model:
    """Return `model` that asks only while the most a request can cost fits into what is left of `purse`.

    What it did cost is then taken instead: nothing for an attempt that got no answer, and for one that broke off what
    had come. Several models may share one purse.

    Raises:
        LimitReached: on a call that might exceed the limit.
    """

    async def answer(request: Request, on_event: OnEvent | None) -> Reply:
        most = _most(request, price)
        if most > purse.left_usd:
            raise purse.reached(f"this request may cost {most:.4f}")
        purse.held_usd += most
        attempts, answered = _Attempts(on_event), False
        try:
            reply = await model(request, on_event=attempts)
            answered = True
        finally:
            purse.held_usd -= most
            purse.spent_usd += attempts.cost(request, price, answered=answered)
        purse.spent_usd += _cost(request, reply, price)
        return reply

    return NamedModel(name=model_name(model), answer=answer)


class CappedBatches:
    """A `BatchModel` that sends a batch only when the most it can cost fits into what is left of a purse."""

    def __init__(self, batches: Batches, purse: CostLimit, price: Price) -> None:
        self.name = batches.name
        self._batches = batches
        self._purse = purse
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
        """Yield what the batches yield; what an earlier process sent was its own spending.

        Raises:
            LimitReached: what is to be sent might exceed the limit; nothing was sent.
        """
        purse, sent = self._purse, prepared_attempts(earlier)
        most = sum(_most(one, self._price) for seq, one in requests.items() if seq not in sent)
        if most > purse.left_usd:
            raise purse.reached(f"this batch may cost {most:.4f}")
        purse.held_usd += most
        try:
            async with aclosing(
                self._batches.answers(requests, journal, earlier, wait_s=wait_s, on_status=on_status)
            ) as answers:
                async for seq, answer in answers:
                    if isinstance(answer, Reply) and seq not in sent:
                        purse.spent_usd += _cost(requests[seq], answer, self._price)
                    yield seq, answer
        finally:
            purse.held_usd -= most
