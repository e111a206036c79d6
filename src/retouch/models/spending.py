"""A limit on what a run may cost: a request goes out only when it cannot take the sum beyond the limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from retouch.engine.calls import model_name
from retouch.engine.errors import BadInput, LimitReached
from retouch.models.named import NamedModel
from retouch.models.tokens import request_tokens

if TYPE_CHECKING:
    from retouch.engine.core import Model, OnEvent, Reply, Request

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


def capped(model: Model, purse: Purse, price: Price) -> Model:
    """Return `model` that asks only while the most a request can cost fits into what is left of `purse`.

    The most is its input, estimated with a margin, and its output cap, both uncached. What it did cost is then taken
    instead; a request that failed costs nothing. Several models may share one purse.

    Raises:
        LimitReached: on a call that might exceed the limit.
    """

    async def answer(request: Request, on_event: OnEvent | None) -> Reply:
        most = price(round(request_tokens(request) * ESTIMATE_MARGIN), request.max_output_tokens)
        if most > purse.left_usd:
            spent = f"{purse.spent_usd:.4f} of {purse.limit_usd:.4f} dollars are spent"
            message = f"{spent}, and this request may cost {most:.4f}"
            hint = "Give the same command with a higher --max-cost, or a lower --max-output-tokens: it goes on."
            raise LimitReached(message, hint=hint)
        purse.held_usd += most
        try:
            reply = await model(request, on_event=on_event)
        finally:
            purse.held_usd -= most
        purse.spent_usd += reply.cost if reply.cost is not None else price(reply.input_tokens, reply.output_tokens)
        return reply

    return NamedModel(name=model_name(model), answer=answer)
