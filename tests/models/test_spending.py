"""A cost limit is never exceeded, includes requests in progress, and loses nothing."""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.engine.history import read_history
from retouch.engine.options import RunOptions
from retouch.engine.planned_calls import CallSlots
from retouch.engine.types import Event, Message, Prompt, Reply, Request
from retouch.engine.verbs import generate, regenerate
from retouch.errors import BadInput, LimitReached, TransportError
from retouch.models import spending
from retouch.models.named import NamedModel
from retouch.models.pricing import Tokens, price
from retouch.models.spending import CostLimit, capped, price_of, spent_in
from retouch.models.tokens import estimate_tokens
from retouch.models.wrappers import retrying
from retouch.testing import scripted
from tests.engine.conftest import SOURCE
from tests.engine.glossary import RECIPE, answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.engine.types import OnEvent
    from retouch.models.spending import Price


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


def test_a_run_records_no_request_that_the_limit_does_not_allow(tmp_path: Path) -> None:
    recorded: list[int] = []

    async def look(request: Request) -> str:
        await asyncio.sleep(0.01)  # the others would be recorded by now
        attempts = read_history(tmp_path / "ledger.db").attempts.values()
        recorded.append(sum(one.reply is None and one.error is None for one in attempts))
        return answer(request.prompt)

    most = RunOptions().max_output_tokens
    wrapped = CallSlots(8).limit(capped(scripted(look), CostLimit(limit_usd=1.5 * most), a_dollar_a_token))
    options = RunOptions(concurrency=8, warm_up_s=0.0)
    assert "exhausted" == asyncio.run(generate(RECIPE, SOURCE, tmp_path, wrapped, options)).status
    assert [1] == recorded


def test_what_was_reserved_for_a_request_that_was_never_sent_is_given_back() -> None:
    limit = CostLimit(limit_usd=1_500)
    wrapped = capped(scripted([priced(600)]), limit, a_dollar_a_token)

    async def reserve() -> None:
        assert wrapped.slot is not None
        async with wrapped.slot(request()):
            assert 1_000 == limit.held_usd

    asyncio.run(reserve())
    assert (0.0, 0.0) == (limit.held_usd, limit.spent_usd)
    assert "x" == asyncio.run(wrapped(request())).text


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


def a_cent_a_token(given: int, taken: int) -> float:
    return 0.01 * (given + taken)


def at_a_cent(_spec: str) -> Price:
    return a_cent_a_token


class Account:
    """A provider that charges for what it answers; it counts for itself."""

    def __init__(self, lengths: Sequence[int], *, prices: bool) -> None:
        self.charged, self._lengths, self._prices = 0.0, list(lengths), prices

    async def answered(self, request: Request, _on_event: OnEvent | None) -> Reply:
        await asyncio.sleep(0)
        taken = min(self._lengths.pop(0) if self._lengths else 5, request.max_output_tokens)
        cost = a_cent_a_token(10, taken)
        self.charged += cost
        if taken % 7 == 0:
            raise KeyboardInterrupt  # paid for, and the reply is lost
        known = cost if self._prices else None
        return Reply(text=answer(request.prompt), model="m", input_tokens=10, output_tokens=taken, cost=known)


@pytest.mark.slow
@given(
    commands=st.lists(
        st.tuples(st.floats(0, 8), st.lists(st.integers(1, 60), max_size=6), st.sampled_from(["go", "again"])),
        min_size=1,
        max_size=5,
    ),
    prices=st.booleans(),
    concurrency=st.integers(1, 3),
)
@settings(max_examples=20, deadline=None)
def test_all_commands_together_never_exceed_the_limit_of_the_run(
    commands: list[tuple[float, list[int], str]], prices: bool, concurrency: int
) -> None:
    charged, highest = 0.0, 0.0
    with (
        pytest.MonkeyPatch.context() as patch,
        tempfile.TemporaryDirectory() as place,
    ):
        patch.setattr(spending, "price_of", at_a_cent)
        spending.price_in_run.cache_clear()
        folder = Path(place) / "run"
        for limit, lengths, verb in commands:
            purse = CostLimit(limit_usd=limit, whole_runs=True)
            purse.count_earlier(read_history(folder / "ledger.db"))
            assert purse.spent_usd >= charged - 1e-9
            account = Account(lengths, prices=prices)
            model = capped(NamedModel(name="x:m", answer=account.answered), purse, a_cent_a_token)
            options = RunOptions(concurrency=concurrency, max_output_tokens=50, max_output_limit=50, grace_s=0.1)
            with suppress(KeyboardInterrupt):
                if verb == "go" or not (folder / "ir.json").exists():
                    asyncio.run(generate(RECIPE, SOURCE, folder, model, options))
                else:
                    asyncio.run(regenerate(RECIPE, folder, model, options=options))
            charged, highest = charged + account.charged, max(highest, limit)
            assert charged <= highest + 1e-9
    spending.price_in_run.cache_clear()


def test_what_earlier_commands_spent_counts_and_more_is_counted_from_here(tmp_path: Path) -> None:
    model = scripted(lambda one: Reply(text=answer(one.prompt), model="m", output_tokens=1, cost=2.0))
    asyncio.run(generate(RECIPE, SOURCE, tmp_path / "run", model))
    history = read_history(tmp_path / "run" / "ledger.db")
    assert 2.0 * len(history.attempts) == spent_in(history)
    whole, more = CostLimit(limit_usd=1.0, whole_runs=True), CostLimit(limit_usd=1.0)
    for purse in (whole, more):
        purse.count_earlier(history)
    assert (1.0 - 2.0 * len(history.attempts), 1.0) == (whole.left_usd, more.left_usd)


def test_what_a_run_spent_is_unknown_if_a_price_is(tmp_path: Path) -> None:
    model = scripted(lambda one: Reply(text=answer(one.prompt), model="m", output_tokens=1))
    asyncio.run(generate(RECIPE, SOURCE, tmp_path / "run", model))
    with pytest.raises(BadInput, match="whose price is unknown") as refusal:
        spent_in(read_history(tmp_path / "run" / "ledger.db"))
    assert "--max-cost-more" in refusal.value.hint


def test_a_free_request_is_within_a_limit_that_is_used_up() -> None:
    purse = CostLimit(limit_usd=1.0, spent_usd=2.0)
    assert "x" == asyncio.run(capped(scripted([priced(0)]), purse, lambda _given, _taken: 0.0)(request())).text


def test_what_is_reserved_for_requests_in_progress_is_in_the_message() -> None:
    limit = CostLimit(limit_usd=0.05)
    limit.reserve(0.04, "this request")
    with pytest.raises(LimitReached, match=r"0\.0000 of 0\.0500 dollars are spent, 0\.0400 are reserved for requests"):
        limit.reserve(0.02, "this request")
