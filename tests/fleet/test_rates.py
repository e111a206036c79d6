"""One set of rate limits for all processes of a machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.types import Message, Prompt, Reply, Request, caches_prefixes
from retouch.fleet.job import FleetCommand, FleetJob, FleetPlace
from retouch.fleet.rates import FleetRates
from retouch.fleet.store import LocalStore
from retouch.fleet.worker import RATES, OwnRuns, WorkerInput, run_worker
from retouch.models.limits import CALL_LIMITS, Pace, pace_of
from retouch.models.named import NamedModel
from tests.fleet.recipes import together

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from retouch.engine.types import OnEvent
    from retouch.fleet.worker import ShardCall


@dataclass
class Clock:
    """A clock that a test moves."""

    at: float = 1_000.0

    def __call__(self) -> float:
        return self.at


def sent(rates: list[FleetRates], clock: Clock, seconds: float, tokens: int = 0) -> int:
    """Return how many permits processes take together in some seconds, each as many as it gets."""
    end, number = clock.at + seconds, 0
    while clock.at < end:
        waits: list[float] = []
        for one in rates:
            found, _, _, wait_s = one.take(tokens)
            number += found
            waits.append(wait_s)
        clock.at += max(min(waits), 0.01)
    return number


@pytest.mark.parametrize("processes", [1, 4])
def test_calls_per_minute_are_those_of_all_processes_together(processes: int, tmp_path: Path) -> None:
    clock = Clock()
    rates = [FleetRates(place=tmp_path / "rates", requests_per_minute=300, clock=clock) for _ in range(processes)]
    assert 290 <= sent(rates, clock, 60.0) <= 300


@pytest.mark.parametrize("processes", [1, 4])
def test_tokens_per_minute_are_those_of_all_processes_together(processes: int, tmp_path: Path) -> None:
    clock = Clock()
    rates = [FleetRates(place=tmp_path / "rates", tokens_per_minute=60_000, clock=clock) for _ in range(processes)]
    assert 55_000 <= 100 * sent(rates, clock, 60.0, tokens=100) <= 60_000


def test_most_calls_need_no_message(tmp_path: Path) -> None:
    clock = Clock()
    rates = FleetRates(place=tmp_path / "rates", clock=clock)
    number = sent([rates], clock, 6.0)
    state = rates.read()
    assert number == state.requests
    assert number > 500


def test_a_burst_of_refusals_lowers_the_rate_of_all_once(tmp_path: Path) -> None:
    clock = Clock()
    one, two = (FleetRates(place=tmp_path / "rates", clock=clock) for _ in range(2))
    _, _, cuts, _ = one.take(0)
    before = one.read().rate
    for _ in range(20):
        two.refused(cuts, 0.0)
    assert 0.6 * before == pytest.approx(one.read().rate)


def test_a_requested_wait_holds_for_all_processes(tmp_path: Path) -> None:
    clock = Clock()
    one, two = (FleetRates(place=tmp_path / "rates", clock=clock) for _ in range(2))
    _, _, cuts, _ = one.take(0)
    one.refused(cuts, 30.0)
    assert (0, 30.0) == (two.take(0)[0], pytest.approx(two.take(0)[3]))
    clock.at += 31.0
    assert 1 <= two.take(0)[0]


def test_a_state_that_cannot_be_read_begins_anew(tmp_path: Path) -> None:
    (tmp_path / "rates").write_bytes(b"half")
    assert 1 <= FleetRates(place=tmp_path / "rates", clock=Clock()).take(0)[0]


def a_request() -> Request:
    prompt = Prompt(unit="r1", page=1, total_pages=1, system="", user="Hello")
    return Request(prompt=prompt, system="", messages=(Message(role="user", text="Hello"),), max_output_tokens=10)


PACED = "openai:gpt-5-mini?requests_per_minute=60000&tokens_per_minute=6000000"


def test_the_limits_in_the_spec_of_a_model_are_shared_by_all_processes(tmp_path: Path) -> None:
    seen: list[Any] = []

    async def answer(_request: Request, _on_event: OnEvent | None) -> Reply:
        return Reply(text="", model=PACED)

    def opened(spec: str) -> Any:
        model, shared = NamedModel(name=spec, answer=answer, caches_prefixes=True), CALL_LIMITS.get()
        assert shared is not None
        return shared(model)

    async def run_shard(call: ShardCall) -> Mapping[str, Any]:
        seen.append(call.model)
        for _ in range(3):
            await call.model(a_request())
        return {"usage": call.number}

    place = FleetPlace(address=str(tmp_path), store=LocalStore(directory=tmp_path), runs=tmp_path)
    given = WorkerInput(
        place=place,
        job=FleetJob(recipe="words", digest="", shards=8, records=0),
        command=FleetCommand(model=PACED),
        recipe=together,
        open_model=opened,
        own=OwnRuns(run_shard=run_shard, directory=lambda number: tmp_path / str(number)),
        numbers=(2, 5),
    )
    assert 2 == run_worker(given).committed
    assert [2, 5] == sorted(int(one.stem) for one in (tmp_path / "commits").iterdir())
    for name in (RATES, f"{RATES}-0"):
        assert FleetRates(place=tmp_path / name).read().requests >= 6
    assert [True, True] == [caches_prefixes(one) for one in seen]  # corrections depend on it


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (PACED, Pace(requests_per_minute=60_000, tokens_per_minute=6_000_000)),
        (f"faulty:{PACED}?rate=0.2", Pace(requests_per_minute=60_000, tokens_per_minute=6_000_000)),
        ("openai:gpt-5-mini", Pace()),
        ("faulty:offline?rate=0.5", Pace()),
    ],
)
def test_the_limits_of_a_spec_are_known_before_it_is_opened(spec: str, expected: Pace) -> None:
    assert expected == pace_of(spec)
