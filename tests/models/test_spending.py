"""A limit on cost is never exceeded, counts what is under way, and keeps everything."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch.engine.core import Message, Prompt, Reply, Request, RunOptions
from retouch.engine.errors import BadInput, LimitReached, TransportError
from retouch.engine.loop import Way, generate
from retouch.models.spending import Purse, capped, price_of
from retouch.testing import scripted
from tests.engine.conftest import SOURCE
from tests.engine.glossary import RECIPE, answer

if TYPE_CHECKING:
    from pathlib import Path


def request(output_cap: int = 1_000) -> Request:
    prompt = Prompt(type_name="a", system="s", user="u")
    return Request(prompt=prompt, system="s", messages=(Message(role="user", text="u"),), max_output_tokens=output_cap)


def a_dollar_a_token(_given: int, taken: int) -> float:
    return float(taken)


def priced(tokens: int) -> Reply:
    return Reply(text="x", model="m", output_tokens=tokens, cost=float(tokens))


def test_a_request_that_might_exceed_the_limit_is_not_sent() -> None:
    model = scripted([priced(600), priced(600)])
    wrapped = capped(model, Purse(limit_usd=1_500), a_dollar_a_token)
    asyncio.run(wrapped(request()))
    with pytest.raises(LimitReached, match=r"600\.0000 of 1500\.0000 dollars are spent"):
        asyncio.run(wrapped(request()))
    assert 1 == len(model.requests)


def test_requests_under_way_count_at_their_most() -> None:
    async def at_once() -> list[object]:
        async def slowly(_request: Request) -> Reply:
            await asyncio.sleep(0.01)
            return priced(10)

        wrapped = capped(scripted(slowly), Purse(limit_usd=2_500), a_dollar_a_token)
        return await asyncio.gather(*(wrapped(request()) for _ in range(4)), return_exceptions=True)

    assert 2 == sum(isinstance(one, LimitReached) for one in asyncio.run(at_once()))


def test_a_request_that_failed_costs_nothing() -> None:
    wrapped = capped(scripted([TransportError("gone"), priced(900)]), Purse(limit_usd=1_000), a_dollar_a_token)
    with pytest.raises(TransportError, match="gone"):
        asyncio.run(wrapped(request()))
    assert 900 == asyncio.run(wrapped(request())).output_tokens


@given(st.lists(st.integers(0, 1_000), max_size=20), st.integers(0, 5_000))
def test_no_sequence_of_replies_exceeds_the_limit(costs: list[int], limit: int) -> None:
    purse = Purse(limit_usd=limit)
    wrapped = capped(scripted([priced(cost) for cost in costs]), purse, a_dollar_a_token)
    for _ in costs:
        try:
            asyncio.run(wrapped(request()))
        except LimitReached:
            break
    assert purse.spent_usd <= limit


def test_a_run_that_meets_its_limit_is_exhausted_and_goes_on_with_a_higher_one(tmp_path: Path) -> None:
    way = Way(options=RunOptions(concurrency=1, max_output_tokens=1_000))
    script = scripted(lambda asked: Reply(text=answer(asked.prompt), model="m", cost=600.0))
    stingy = capped(script, Purse(limit_usd=2_000), a_dollar_a_token)
    first = asyncio.run(generate(RECIPE, SOURCE, tmp_path / "run", stingy, way))
    assert ("exhausted", 2, 3) == (first.status, first.calls, first.exit_status)
    assert "dollars are spent" in first.issues[0].message
    second = asyncio.run(generate(RECIPE, SOURCE, tmp_path / "run", script, way))
    assert ("clean", 1) == (second.status, second.calls)


def test_prices_come_from_the_list_and_local_answerers_are_free() -> None:
    assert 0 < price_of("anthropic:claude-haiku-4-5?tries=3")(1_000, 1_000) < 0.1
    assert 0.0 == price_of("faulty:offline?rate=0.2")(1_000, 1_000)


def test_an_unknown_price_keeps_no_limit_and_says_so() -> None:
    with pytest.raises(BadInput, match=r"price of 'ollama:llama3\.2' is unknown"):
        price_of("ollama:llama3.2")
