"""Limits of the call rate: a limit that adapts to the server, and rates per minute."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.engine.types import Message, Prompt, Reply, Request
from retouch.errors import ModelError, Throttled, TransportError
from retouch.models.limits import WINDOW_S, Pace, adaptive, paced
from retouch.models.named import NamedModel
from retouch.models.tokens import request_tokens
from retouch.models.tuning import tuning_of
from retouch.models.wrappers import retrying
from retouch.testing import scripted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retouch.engine.types import Model, OnEvent
    from tests.models.conftest import MakeRequest

pytestmark = pytest.mark.concurrency


class Server:
    """Accepts `most` concurrent calls and refuses the others. `peak` is the largest number so far."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.now = self.peak = self.refused = self.answered = 0
        self.model = NamedModel(name="server", answer=self.answer)

    async def answer(self, _request: Request, _on_event: OnEvent | None) -> Reply:
        self.now += 1
        self.peak = max(self.peak, self.now)
        refused = self.now > self.most
        await asyncio.sleep(0 if refused else 0.002)
        self.now -= 1
        self.refused += refused
        self.answered += not refused
        if refused:
            raise Throttled("429")
        return Reply(text="yes", model="server")


async def all_of(model: Model, requests: Sequence[Request]) -> list[Reply | BaseException]:
    return await asyncio.gather(*(model(request) for request in requests), return_exceptions=True)


def test_no_more_calls_are_under_way_than_allowed(make_request: MakeRequest):
    server = Server(99)
    asyncio.run(all_of(adaptive(server.model, most=5), [make_request() for _ in range(40)]))
    assert (5, 40) == (server.peak, server.answered)


def test_a_burst_of_refusals_halves_once(make_request: MakeRequest):
    server = Server(0)
    model = adaptive(server.model, most=16)
    asyncio.run(all_of(model, [make_request() for _ in range(16)]))
    assert 8 == model.allowed


def test_refusals_one_after_another_halve_down_to_one(make_request: MakeRequest):
    async def one_by_one() -> list[int]:
        seen: list[int] = []
        for _ in range(6):
            with pytest.raises(Throttled):
                await model(make_request())
            seen.append(model.allowed)
        return seen

    model = adaptive(Server(0).model, most=16)
    assert [8, 4, 2, 1, 1, 1] == asyncio.run(one_by_one())


def test_successes_let_the_limit_grow_back_to_the_most_and_no_further(make_request: MakeRequest):
    async def halved_then_well() -> list[int]:
        with pytest.raises(Throttled):
            await model(make_request())
        server.most = 99
        seen = [model.allowed]
        for _ in range(40):
            await model(make_request())
            seen.append(model.allowed)
        return seen

    server = Server(0)
    model = adaptive(server.model, most=6)
    seen = asyncio.run(halved_then_well())
    assert (3, 6) == (seen[0], seen[-1])
    assert [3, 4, 5, 6] == sorted(set(seen))
    assert 12 == seen.index(6)  # 3, 4 and 5 successes in a row


@pytest.mark.parametrize("error", [TransportError("reset"), ModelError("no such model"), ValueError("bug")])
def test_other_failures_leave_the_limit_and_give_the_place_back(make_request: MakeRequest, error: Exception):
    model = adaptive(scripted(lambda _: error), most=2)
    found = asyncio.run(all_of(model, [make_request() for _ in range(6)]))
    assert ([error] * 6, 2, 0) == (found, model.allowed, model.in_flight)


def test_a_burst_settles_at_the_capacity_of_the_server(make_request: MakeRequest):
    server = Server(6)
    model = retrying(adaptive(server.model, most=64), tries=50, first_wait_s=0.002, max_wait_s=0.02)
    replies = asyncio.run(all_of(model, [make_request() for _ in range(300)]))
    assert 300 == sum(isinstance(reply, Reply) for reply in replies)
    assert server.refused < 150


def test_a_wait_that_the_server_asks_for_holds_back_all_calls(make_request: MakeRequest):
    async def scene() -> tuple[float, int]:
        with pytest.raises(Throttled):
            await model(make_request())
        began = time.monotonic()
        await all_of(model, [make_request() for _ in range(3)])
        return time.monotonic() - began, len(script.requests)

    script = scripted([Throttled("429", retry_after_s=0.15), "a", "b", "c"])
    model = adaptive(script, most=8)
    waited_s, calls = asyncio.run(scene())
    assert (True, 4) == (0.14 <= waited_s < 60.0, calls)


def test_while_a_server_wants_no_calls_for_very_long_they_fail_at_once_and_none_is_sent(make_request: MakeRequest):
    async def scene() -> tuple[list[Reply | BaseException], float]:
        began = time.monotonic()
        first = await all_of(model, [make_request() for _ in range(9)])
        again = await all_of(model, [make_request() for _ in range(9)])
        return first + again, time.monotonic() - began

    behind = scripted([Throttled("429", retry_after_s=9_999.0), "a"])
    model = adaptive(behind, most=1, longest_pause_s=0.05)
    ended, waited_s = asyncio.run(scene())
    assert ([Throttled] * 18, 1) == ([type(one) for one in ended], len(behind.requests))
    assert {True} == {isinstance(one, Throttled) and (one.retry_after_s or 0.0) > 9_000.0 for one in ended}
    assert (True, 1) == (waited_s < 60.0, len({str(one) for one in ended[1:]}))


def test_once_a_very_long_wait_is_over_calls_are_sent_again(make_request: MakeRequest):
    async def scene() -> tuple[list[Reply | BaseException], Reply]:
        refused = await all_of(model, [make_request(), make_request()])
        await asyncio.sleep(1.6)
        return refused, await model(make_request())

    model = adaptive(scripted([Throttled("429", retry_after_s=1.5), "a"]), most=1, longest_pause_s=0.05)
    refused, answered = asyncio.run(scene())
    assert ([Throttled] * 2, "a") == ([type(one) for one in refused], answered.text)


def test_a_cancelled_call_gives_its_place_and_its_turn_to_the_next(make_request: MakeRequest):
    async def scene() -> int:
        calls = [asyncio.ensure_future(model(make_request())) for _ in range(9)]
        await asyncio.sleep(0.001)
        for call in calls[1:6]:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        return model.in_flight

    server = Server(9)
    model = adaptive(server.model, most=1)
    assert 0 == asyncio.run(scene())
    assert 4 == server.answered


def test_one_limit_serves_one_event_loop_after_another(make_request: MakeRequest):
    server = Server(99)
    model = adaptive(server.model, most=2)
    for _ in range(2):
        asyncio.run(all_of(model, [make_request() for _ in range(5)]))
    assert (10, 2) == (server.answered, server.peak)


def test_a_limit_below_one_is_refused():
    with pytest.raises(ValueError, match="most is 0"):
        adaptive(scripted([]), most=0)


class Time:
    """Seconds that pass only during a sleep."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def started(pace: Pace, sizes: Sequence[int], make: Callable[[int], Request], *, cached: int = 0) -> list[float]:
    """Return when each of the calls went, one after another."""
    clock, times = Time(), list[float]()

    def answer(request: Request) -> Reply:
        times.append(clock() - 1_000.0)
        return Reply(text="", model="m", input_tokens=request_tokens(request) + cached, cached_tokens=cached)

    model = paced(scripted(answer), pace, clock=clock, sleep=clock.sleep)

    async def all_in_turn() -> None:
        for size in sizes:
            await model(make(size))

    asyncio.run(all_in_turn())
    return times


def test_no_minute_sees_more_calls_than_allowed(make_request: MakeRequest):
    times = started(Pace(requests_per_minute=3), [1] * 8, lambda _: make_request())
    assert [0, 0, 0, 60, 60, 60, 120, 120] == times


def test_no_minute_sees_more_tokens_than_allowed(make_request: MakeRequest):
    one = request_tokens(make_request(user="word " * 100))
    times = started(Pace(tokens_per_minute=one * 2.5), [1] * 5, lambda _: make_request(user="word " * 100))
    assert [0, 0, 60, 60, 120] == times


def test_a_call_larger_than_the_whole_limit_goes_when_the_minute_is_empty(make_request: MakeRequest):
    sizes = {1: "word", 9: "word " * 500}
    times = started(Pace(tokens_per_minute=60), [1, 9, 1], lambda size: make_request(user=sizes[size]))
    assert [0, 60, 120] == times


def test_cached_tokens_do_not_count(make_request: MakeRequest):
    one = request_tokens(make_request())
    times = started(Pace(tokens_per_minute=one * 2), [1] * 4, lambda _: make_request(), cached=9_999)
    assert [0, 0, 60, 60] == times


def sized(words: int) -> Request:
    prompt = Prompt(unit="Pet", system="", user="word " * words)
    return Request(prompt=prompt, system="", messages=(Message(role="user", text=prompt.user),), max_output_tokens=9)


@settings(max_examples=40)
@given(st.integers(1, 5), st.lists(st.integers(1, 60), min_size=1, max_size=12), st.integers(60, 200))
def test_every_window_keeps_to_the_pace(calls: int, sizes: list[int], tokens: int):
    pace = Pace(requests_per_minute=calls, tokens_per_minute=tokens)
    times = started(pace, sizes, sized)
    used = [request_tokens(sized(size)) for size in sizes]
    assert times == sorted(times)
    for begin in times:
        inside = [n for n, at in enumerate(times) if begin <= at < begin + WINDOW_S]
        assert len(inside) <= calls
        assert len(inside) == 1 or sum(used[n] for n in inside) <= tokens


def test_a_call_that_is_cancelled_while_it_waits_is_not_counted(make_request: MakeRequest):
    async def scene() -> int:
        model = paced(script, Pace(requests_per_minute=1))
        await model(make_request())
        waiting = asyncio.ensure_future(model(make_request()))
        await asyncio.sleep(0.01)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return len(script.requests)

    script = scripted(lambda _: "yes")
    assert 1 == asyncio.run(scene())


def test_the_limit_rises_with_successes_until_the_server_refuses_a_call(make_request: MakeRequest):
    server = Server(99)
    model = adaptive(server.model, most=16, first=2)
    asyncio.run(all_of(model, [make_request() for _ in range(200)]))
    assert (16, 16) == (model.allowed, server.peak)
    few = adaptive(Server(99).model, most=16, first=2)
    asyncio.run(all_of(few, [make_request() for _ in range(2)]))
    assert 2 == few.allowed  # no call had to wait


def test_while_enough_calls_wait_a_wave_of_successes_doubles_the_limit(make_request: MakeRequest):
    async def answer(_request: Request, _on_event: OnEvent | None) -> Reply:
        await gates[-1].wait()
        return Reply(text="yes", model="server")

    async def waves() -> list[int]:
        seen: list[int] = []
        calls = asyncio.gather(*(model(make_request()) for _ in range(8 + 16 + 32)))
        while not calls.done():
            for _ in range(99):  # turns of the event loop
                await asyncio.sleep(0)
            seen.append(model.in_flight)
            gates.append(asyncio.Event())
            gates[-2].set()
        await calls
        return seen

    gates = [asyncio.Event()]
    model = adaptive(NamedModel(name="server", answer=answer), most=64, first=8)
    assert [8, 16, 32] == asyncio.run(waves())[:3]


@pytest.mark.parametrize(
    ("query", "first", "most"), [("", 64, 256), ("concurrency=100", 100, 100), ("tries=3", 64, 256)]
)
def test_a_number_of_calls_that_the_user_names_holds_from_the_start(query: str, first: int, most: int):
    tuning = tuning_of(query)
    assert (first, most) == (tuning.first_calls, tuning.most_calls)
