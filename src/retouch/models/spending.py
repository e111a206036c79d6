"""A limit on what a run may cost: a request goes out only when it cannot take the sum beyond the limit."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from retouch.engine.batches import prepared
from retouch.engine.calls import model_name
from retouch.engine.core import Reply
from retouch.engine.errors import BadInput, LimitReached
from retouch.models.named import NamedModel
from retouch.models.tokens import request_tokens

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from retouch.engine.core import Journal, Model, Note, OnEvent, Request
    from retouch.engine.errors import ModelError
    from retouch.models.batch.batches import Batches

Price: TypeAlias = Callable[[int, int], float]
"""US dollars of a call, from its input and output tokens, nothing of it cached."""

FREE = frozenset({"offline", "replay"})
ESTIMATE_MARGIN = 1.15  # input is estimated before it is sent; 95 % of estimates are within this


@dataclass(kw_only=True)
class Purse:
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
    from retouch.models.pricing import price_of_a_million

    name = rest.partition("?")[0].partition("@")[0]
    found = price_of_a_million(scheme, name)
    if found is None:
        hint = "Leave --max-cost out, or name a model whose price is known."
        raise BadInput(f"the price of {spec!r} is unknown: no limit can be kept", hint=hint)
    given_price, taken_price = found
    return lambda given, taken: (given * given_price + taken * taken_price) / 1_000_000


def _most(request: Request, price: Price) -> float:
    """Return the most a request can cost: its input, estimated with a margin, and its output cap, both uncached."""
    return price(round(request_tokens(request) * ESTIMATE_MARGIN), request.max_output_tokens)


def _cost(reply: Reply, price: Price) -> float:
    return reply.cost if reply.cost is not None else price(reply.input_tokens, reply.output_tokens)


def capped(model: Model, purse: Purse, price: Price) -> Model:
    """Return `model` that asks only while the most a request can cost fits into what is left of `purse`.

    What it did cost is then taken instead; a request that failed costs nothing. Several models may share one purse.

    Raises:
        LimitReached: on a call that might exceed the limit.
    """

    async def answer(request: Request, on_event: OnEvent | None) -> Reply:
        most = _most(request, price)
        if most > purse.left_usd:
            raise purse.reached(f"this request may cost {most:.4f}")
        purse.held_usd += most
        try:
            reply = await model(request, on_event=on_event)
        finally:
            purse.held_usd -= most
        purse.spent_usd += _cost(reply, price)
        return reply

    return NamedModel(name=model_name(model), answer=answer)


class CappedBatches:
    """A `BatchModel` that sends a batch only when the most it can cost fits into what is left of a purse."""

    def __init__(self, batches: Batches, purse: Purse, price: Price) -> None:
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
        told: Callable[[str], None],
    ) -> AsyncGenerator[tuple[int, Reply | ModelError]]:
        """Yield what the batches yield; what an earlier process sent was its own spending.

        Raises:
            LimitReached: what is to be sent might exceed the limit; nothing was sent.
        """
        purse, sent = self._purse, prepared(earlier)
        most = sum(_most(one, self._price) for seq, one in requests.items() if seq not in sent)
        if most > purse.left_usd:
            raise purse.reached(f"this batch may cost {most:.4f}")
        purse.held_usd += most
        try:
            async with aclosing(self._batches.answers(requests, journal, earlier, wait_s=wait_s, told=told)) as answers:
                async for seq, answer in answers:
                    if isinstance(answer, Reply) and seq not in sent:
                        purse.spent_usd += _cost(answer, self._price)
                    yield seq, answer
        finally:
            purse.held_usd -= most
