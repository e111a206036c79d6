"""Retries, a concurrency limit, a meter."""

from __future__ import annotations

import asyncio
from random import Random
from typing import TYPE_CHECKING

import pytest

from retouch.cli.plan import showing_requests
from retouch.engine.types import Reply, caches_prefixes, model_name
from retouch.errors import ModelError, TransportError
from retouch.models.limits import Pace, adaptive, paced
from retouch.models.named import NamedModel
from retouch.models.recordings import recording
from retouch.models.spending import CostLimit, capped
from retouch.models.wrappers import Spent, limited, metered, retrying
from retouch.testing import Scripted, faulty, scripted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.types import OnEvent, Request
    from tests.models.conftest import MakeRequest


class Notes:
    """A journal that keeps its notes in memory."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, Mapping[str, JSON]]] = []

    def note(self, kind: str, data: Mapping[str, JSON]) -> None:
        self.kept.append((kind, data))

    async def synced(self) -> None:
        """There is no disk."""


class Clock:
    """A sleep that only records its duration."""

    def __init__(self) -> None:
        self.waits_s: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.waits_s.append(seconds)


def busy(retry_after_s: float | None = None) -> TransportError:
    return TransportError("429 too many requests", retry_after_s=retry_after_s)


def test_a_temporary_failure_is_retried_with_an_identical_request(make_request: MakeRequest):
    script = scripted([busy(), "right"])
    model = retrying(script, first_wait_s=0.0)
    assert "right" == asyncio.run(model(make_request())).text
    assert [make_request(), make_request()] == script.requests


def test_waits_double_up_to_the_longest_and_lie_between_half_and_whole(make_request: MakeRequest):
    clock = Clock()
    script = scripted([*(busy() for _ in range(5)), "right"])
    model = retrying(script, tries=6, first_wait_s=1.0, max_wait_s=6.0, sleep=clock.sleep, random=Random(3))
    asyncio.run(model(make_request()))
    assert 5 == len(clock.waits_s)
    assert all(whole / 2 <= wait <= whole for wait, whole in zip(clock.waits_s, (1, 2, 4, 6, 6), strict=True))
    assert 5 == len(set(clock.waits_s))


def test_a_server_with_a_retry_time_is_not_called_earlier(make_request: MakeRequest):
    clock = Clock()
    model = retrying(scripted([busy(7.0), "right"]), first_wait_s=1.0, max_wait_s=10.0, sleep=clock.sleep)
    asyncio.run(model(make_request()))
    assert [7.0] == clock.waits_s


def test_a_server_that_names_too_long_a_time_is_not_waited_for(make_request: MakeRequest):
    clock = Clock()
    script = scripted([busy(90.0), "right"])
    with pytest.raises(TransportError):
        asyncio.run(retrying(script, max_wait_s=60.0, sleep=clock.sleep)(make_request()))
    assert ([], 1) == (clock.waits_s, len(script.requests))


def test_when_the_tries_are_spent_the_last_failure_comes_through(make_request: MakeRequest):
    script = scripted([busy(), TransportError("timed out"), "never asked"])
    with pytest.raises(TransportError, match="timed out"):
        asyncio.run(retrying(script, tries=2, first_wait_s=0.0)(make_request()))
    assert 2 == len(script.requests)


def test_a_permanent_failure_is_not_retried(make_request: MakeRequest):
    script = scripted([ModelError("no such model"), "never asked"])
    with pytest.raises(ModelError, match="no such model"):
        asyncio.run(retrying(script, first_wait_s=0.0)(make_request()))
    assert 1 == len(script.requests)


def test_every_wait_and_the_surrender_are_noted(make_request: MakeRequest):
    notes, clock = Notes(), Clock()
    model = retrying(scripted([busy(4.0), busy()]), tries=2, max_wait_s=9.0, journal=notes, sleep=clock.sleep)
    with pytest.raises(TransportError):
        asyncio.run(model(make_request("Pet", 2)))
    first = {"unit": "Pet", "page": 2, "try": 1, "error": "429 too many requests", "wait_s": 4.0}
    last = {"unit": "Pet", "page": 2, "try": 2, "error": "429 too many requests", "wait_s": None}
    assert [("transport_retry", first), ("transport_surrender", last)] == notes.kept


def test_a_budget_of_no_tries_is_refused():
    with pytest.raises(ValueError, match="tries is 0"):
        retrying(scripted([]), tries=0)


class Counting:
    """A model that records the number of concurrent calls."""

    def __init__(self) -> None:
        self.now = 0
        self.most = 0

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        del request, on_event
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        self.now -= 1
        return Reply(text="", model="counting")


async def ask_together(model: Scripted | Counting, limit: int, requests: list[Request]) -> None:
    held = limited(model, limit)
    await asyncio.gather(*(held(request) for request in requests))


def test_no_more_calls_than_the_limit_are_under_way(make_request: MakeRequest):
    counting = Counting()
    asyncio.run(ask_together(counting, 3, [make_request(page=page) for page in range(1, 11)]))
    assert 3 == counting.most


def test_calls_wait_in_their_order(make_request: MakeRequest):
    script = scripted(lambda request: str(request.prompt.page))
    requests = [make_request(page=page) for page in range(1, 8)]
    asyncio.run(ask_together(script, 1, requests))
    assert requests == script.requests


def test_a_limit_of_no_calls_is_refused():
    with pytest.raises(ValueError, match="concurrency is 0"):
        limited(scripted([]), 0)


def test_a_meter_adds_up_calls_tokens_and_cost(make_request: MakeRequest):
    priced = Reply(text="a", model="m", input_tokens=10, output_tokens=2, cached_tokens=4, written_tokens=1, cost=0.5)
    free = Reply(text="b", model="m", input_tokens=5, output_tokens=3)
    meter = metered(scripted([priced, free]))
    for _ in range(2):
        asyncio.run(meter(make_request()))
    assert meter.spent == Spent(
        calls=2, input_tokens=15, output_tokens=5, cached_tokens=4, written_tokens=1, cost=0.5, unpriced_calls=1
    )


def test_a_call_that_fails_is_counted_and_comes_through(make_request: MakeRequest):
    meter = metered(scripted([busy()]))
    with pytest.raises(TransportError):
        asyncio.run(meter(make_request()))
    assert Spent(calls=1, failed_calls=1) == meter.spent


def test_a_wrapped_model_keeps_its_name_in_the_ledger(tmp_path: Path):
    script = scripted([])
    wrapped = [retrying(script), limited(script, 1), metered(script), recording(script, tmp_path / "replies.jsonl")]
    assert ["scripted"] * 4 == [model_name(model) for model in wrapped]
    assert "faulty:scripted" == model_name(faulty(metered(script)))


@pytest.mark.parametrize("caches", [True, False])
def test_a_wrapped_model_still_says_whether_its_provider_caches_prefixes(tmp_path: Path, caches: bool):
    script = NamedModel(name="x", answer=always_yes, caches_prefixes=caches)
    limit = CostLimit(limit_usd=1)
    wrapped = [retrying(script), limited(script, 1), metered(script), recording(script, tmp_path / "replies.jsonl")]
    wrapped += [
        faulty(metered(script)),
        adaptive(script, most=1, longest_pause_s=1),
        paced(script, Pace(requests_per_minute=9)),
    ]
    wrapped += [capped(script, limit, lambda _given, _taken: 0.0), showing_requests(script)]
    assert [caches] * 9 == [caches_prefixes(model) for model in wrapped]


async def always_yes(_request: Request, _on_event: OnEvent | None) -> Reply:
    return Reply(text="yes", model="x")
