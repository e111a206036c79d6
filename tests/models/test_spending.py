"""A cost limit is never exceeded, includes requests in progress, and loses nothing."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch.engine.options import RunOptions
from retouch.engine.types import Event, Message, Prompt, Reply, Request
from retouch.engine.verbs import generate
from retouch.errors import BadInput, LimitReached, TransportError
from retouch.models.named import NamedModel
from retouch.models.pricing import Tokens, price
from retouch.models.spending import CostLimit, capped, price_of
from retouch.models.tokens import estimate_tokens
from retouch.models.wrappers import retrying
from retouch.testing import scripted
from tests.engine.conftest import SOURCE
from tests.engine.glossary import RECIPE, answer

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.types import OnEvent


def request(output_cap: int = 1_000) -> Request:
    prompt = Prompt(unit="a", system="s", user="u")
    return Request(prompt=prompt, system="s", messages=(Message(role="user", text="u"),), max_output_tokens=output_cap)


def a_dollar_a_token(_given: int, taken: int) -> float:
    return float(taken)


def priced(tokens: int) -> Reply:
    return Reply(text="x", model="m", output_tokens=tokens, cost=float(tokens))


def test_a_request_that_might_exceed_the_limit_is_not_sent() -> None:
    model = scripted([priced(600), priced(600)])
    wrapped = capped(model, CostLimit(limit_usd=1_500), a_dollar_a_token)
    asyncio.run(wrapped(request()))
    with pytest.raises(LimitReached, match=r"600\.0000 of 1500\.0000 dollars are spent"):
        asyncio.run(wrapped(request()))
    assert 1 == len(model.requests)


def test_requests_under_way_count_at_their_most() -> None:
    async def at_once() -> list[object]:
        async def slowly(_request: Request) -> Reply:
            await asyncio.sleep(0.01)
            return priced(10)

        wrapped = capped(scripted(slowly), CostLimit(limit_usd=2_500), a_dollar_a_token)
        return await asyncio.gather(*(wrapped(request()) for _ in range(4)), return_exceptions=True)

    assert 2 == sum(isinstance(one, LimitReached) for one in asyncio.run(at_once()))


def test_a_request_that_failed_costs_nothing() -> None:
    wrapped = capped(scripted([TransportError("gone"), priced(900)]), CostLimit(limit_usd=1_000), a_dollar_a_token)
    with pytest.raises(TransportError, match="gone"):
        asyncio.run(wrapped(request()))
    assert 900 == asyncio.run(wrapped(request())).output_tokens


def test_an_answer_that_breaks_off_is_paid_for_as_far_as_it_came() -> None:
    heard: list[Event] = []

    async def broken(_request: Request, on_event: OnEvent | None) -> Reply:
        for event in (Event(kind="first_byte"), Event(kind="text", text="one two ")):
            (on_event or heard.append)(event)
        if len(heard) < 4:
            raise TransportError("cut")
        return priced(100)

    purse = CostLimit(limit_usd=10_000)
    wrapped = capped(retrying(NamedModel(name="m", answer=broken), tries=3, first_wait_s=0.0), purse, a_dollar_a_token)
    assert 100 == asyncio.run(wrapped(request(), on_event=heard.append)).output_tokens
    assert (100 + estimate_tokens("one two "), 0) == (purse.spent_usd, purse.held_usd)
    assert 4 == len(heard)


@pytest.mark.parametrize("spec", ["anthropic:claude-sonnet-4-5", "openai:gpt-5.6", "openai:gpt-5-mini"])
def test_the_most_that_a_call_can_cost_has_all_of_its_input_written_into_the_cache(spec: str) -> None:
    scheme, _, model = spec.partition(":")
    for given_tokens in (1_000, 300_000):
        written = Tokens(input_tokens=given_tokens, output_tokens=9, written_tokens=given_tokens)
        assert price(scheme, model, written) == price_of(spec)(given_tokens, 9)
    hour = Tokens(input_tokens=1_000, output_tokens=9, written_tokens=1_000, hour_tokens=1_000)
    assert price(scheme, model, hour) == price_of(f"{spec}?tries=3&cache=hour")(1_000, 9)


def test_what_nobody_counted_is_taken_at_its_most() -> None:
    purse = CostLimit(limit_usd=1_000)
    asyncio.run(capped(scripted([Reply(text="word " * 99, model="m")]), purse, a_dollar_a_token)(request()))
    assert 99 <= purse.spent_usd <= 130


@given(st.lists(st.integers(0, 1_000), max_size=20), st.integers(0, 5_000))
def test_no_sequence_of_replies_exceeds_the_limit(costs: list[int], limit: int) -> None:
    purse = CostLimit(limit_usd=limit)
    wrapped = capped(scripted([priced(cost) for cost in costs]), purse, a_dollar_a_token)
    for _ in costs:
        try:
            asyncio.run(wrapped(request()))
        except LimitReached:
            break
    assert purse.spent_usd <= limit


def test_a_run_that_meets_its_limit_is_exhausted_and_goes_on_with_a_higher_one(tmp_path: Path) -> None:
    way = RunOptions(concurrency=1, max_output_tokens=1_000)
    script = scripted(lambda asked: Reply(text=answer(asked.prompt), model="m", cost=600.0))
    stingy = capped(script, CostLimit(limit_usd=2_000), a_dollar_a_token)
    first = asyncio.run(generate(RECIPE, SOURCE, tmp_path / "run", stingy, way))
    assert ("exhausted", 2, 3) == (first.status, first.calls, first.exit_status)
    assert "dollars are spent" in first.issues[0].message
    second = asyncio.run(generate(RECIPE, SOURCE, tmp_path / "run", script, way))
    assert ("verified", 1) == (second.status, second.calls)


def test_prices_come_from_the_list_and_local_answerers_are_free() -> None:
    assert 0 < price_of("anthropic:claude-haiku-4-5?tries=3")(1_000, 1_000) < 0.1
    assert 0.0 == price_of("faulty:offline?rate=0.2")(1_000, 1_000)


def test_a_limit_with_an_unknown_price_is_refused() -> None:
    with pytest.raises(BadInput, match=r"price of 'ollama:llama3\.2' is unknown"):
        price_of("ollama:llama3.2")
