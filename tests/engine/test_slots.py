"""A call that waits for a slot is not recorded as sent, and its wait is not the call's time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from retouch.engine.directory import open_run
from retouch.engine.options import RunOptions
from retouch.engine.planned_calls import CallSlots
from retouch.errors import Throttled
from retouch.models.cache_facts import CacheFacts
from retouch.models.cache_marks import planned
from retouch.models.cache_plan import CachePlan
from retouch.models.limits import Pace, adaptive, paced
from retouch.models.spending import CostLimit, capped
from retouch.models.wrappers import limited, metered, retrying
from retouch.testing import scripted
from tests.engine.conftest import honest
from tests.engine.glossary import answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.engine.types import Model, Reply, Request
    from tests.engine.conftest import Scene


pytestmark = pytest.mark.concurrency
ALL_AT_ONCE = RunOptions(concurrency=8, warm_up_s=0.0)


def test_a_call_that_waits_for_a_slot_is_not_recorded_as_sent(scene: Scene) -> None:
    sent: list[int] = []

    async def look(request: Request) -> str:
        await asyncio.sleep(0.01)
        attempts = open_run(scene.folder).history.attempts.values()
        sent.append(sum(one.reply is None for one in attempts))
        return answer(request.prompt)

    assert "verified" == scene.generate(limited(scripted(look), 1), options=ALL_AT_ONCE).status
    assert [1, 1, 1] == sent


def test_the_time_of_a_call_begins_when_the_one_before_has_ended(scene: Scene) -> None:
    scene.generate(limited(honest(), 1), options=ALL_AT_ONCE)
    assert ["intent", "reply"] * 3 == [row.kind for row in scene.rows("intent", "reply")]


def test_models_can_share_slots_and_a_slot_is_held_once_per_call() -> None:
    slots, at_work, most = CallSlots(2), 0, 0

    async def count(request: Request) -> str:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await asyncio.sleep(0)
        at_work -= 1
        return answer(request.prompt)

    async def call(number: int, request: Request) -> Reply:
        model = models[number % 2]
        if number % 3:
            return await model(request)
        async with slots.slot():
            return await model(request)

    async def together(request: Request) -> None:
        await asyncio.gather(*(call(number, request) for number in range(12)))

    models = [slots.limit(scripted(count)), slots.limit(scripted(count))]
    asyncio.run(together(_a_request()))
    assert 2 == most


def test_the_calls_of_the_lowest_turn_get_the_next_slot_and_a_cancelled_one_gives_it_on() -> None:
    slots, order = CallSlots(1), list[str]()

    async def together(request: Request) -> None:
        def named(name: str) -> Model:
            return scripted(lambda _: order.append(name) or "yes")

        calls = [
            asyncio.ensure_future(slots.limit(named(name), turn=turn)(request))
            for name, turn in (("held", 9), ("later", 2), ("cancelled", 1), ("first", 1), ("second", 1))
        ]
        async with slots.slot():
            await asyncio.sleep(0)
            calls[2].cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        async with slots.slot():  # none was lost
            pass

    asyncio.run(together(_a_request()))
    assert ["first", "second", "later", "held"] == order


def test_a_closed_queue_cancels_the_calls_that_wait(scene: Scene) -> None:
    model = honest()
    result = scene.generate(limited(model, 1, is_closed=lambda: len(model.requests) > 0), options=ALL_AT_ONCE)
    assert ("incomplete", 1, 1) == (result.status, len(model.requests), len(scene.history.attempts))
    assert "verified" == scene.generate().status


def _a_request() -> Request:
    from tests.engine.conftest import request_for
    from tests.engine.glossary import SOURCE, plan

    return request_for(next(iter(plan(SOURCE))))


def calls_on_disk_of(scene: Scene, limited_model: Callable[[Model], Model]) -> list[int]:
    """Return how many calls were recorded as sent and not answered, seen from within each call of a run."""
    seen: list[int] = []

    async def look(request: Request) -> str:
        await asyncio.sleep(0.01)
        seen.append(sum(one.reply is None for one in open_run(scene.folder).history.attempts.values()))
        return answer(request.prompt)

    assert "verified" == scene.generate(limited_model(scripted(look)), options=ALL_AT_ONCE).status
    return seen


def planned_one(model: Model) -> Model:
    return planned(retrying(adaptive(model, most=1)), CachePlan(facts=CacheFacts()))


def capped_one(model: Model) -> Model:
    return limited(capped(retrying(adaptive(model, most=1)), CostLimit(limit_usd=1), lambda _given, _taken: 0.1), 8)


def metered_one(model: Model) -> Model:
    return metered(adaptive(paced(model, Pace(requests_per_minute=99)), most=1))


@pytest.mark.parametrize("limit", [planned_one, capped_one, metered_one])
def test_a_call_that_waits_for_the_limit_of_its_model_is_not_recorded_as_sent(
    scene: Scene, limit: Callable[[Model], Model]
) -> None:
    assert [1, 1, 1] == calls_on_disk_of(scene, limit)


def test_a_call_that_waits_for_the_limit_per_minute_is_not_recorded_as_sent(scene: Scene) -> None:
    free, most_recorded = 1, list[bool]()

    async def sleep(_: float) -> None:
        nonlocal free
        await asyncio.sleep(0.01)
        most_recorded.append(len(open_run(scene.folder).history.attempts) <= free)
        free += 1

    slow = adaptive(paced(honest(), Pace(requests_per_minute=1), sleep=sleep), most=8)
    assert "verified" == scene.generate(slow, options=ALL_AT_ONCE).status
    assert [True, True] == most_recorded


def test_a_retry_waits_for_a_place_of_its_own_and_an_unused_place_is_given_back() -> None:
    model = adaptive(scripted([Throttled("429"), "a", "b"]), most=1)
    request = _a_request()

    async def twice() -> tuple[int, str]:
        async with model.slot(request):
            with pytest.raises(Throttled):
                await model(request)
            assert 0 == model.in_flight  # a wait before a retry occupies no place
            reply = await model(request)
        async with model.slot(request):
            assert 1 == model.in_flight
        return model.in_flight, reply.text

    assert (0, "a") == asyncio.run(twice())
