"""One set of rate limits for all processes of a machine."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.directory import open_run
from retouch.engine.types import Message, Prompt, Reply, Request, caches_prefixes
from retouch.errors import Throttled
from retouch.fleet.api import planned_job
from retouch.fleet.job import FleetCommand, FleetJob, FleetPlace
from retouch.fleet.rates import FleetRates
from retouch.fleet.store import LocalStore
from retouch.fleet.worker import RATES, FleetWorker, OwnRuns, WorkerInput, run_worker
from retouch.models.limits import CALL_LIMITS, Pace, pace_of
from retouch.models.named import NamedModel
from retouch.models.spending import lost_in
from tests.fleet.recipes import RECORDS, together

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from retouch.engine.types import OnEvent
    from retouch.fleet.worker import ShardCall


@dataclass
class Clock:
    """A clock that a test moves."""

    at: float = 1_000.0

    def __call__(self) -> float:
        return self.at


def used(rates: list[FleetRates], clock: Clock, seconds: float, tokens: int = 0) -> list[float]:
    """Return when processes use permits in some seconds: each as many as it gets, as late as it may."""
    end, found = clock.at + seconds, list[float]()
    while clock.at < end:
        waits: list[float] = []
        for one in rates:
            number, _, _, wait_s, every_s = one.take(tokens, 1_000)
            found += [clock.at + wait_s + each * every_s for each in range(number)]
            waits.append(wait_s + number * every_s)
        clock.at += max(min(waits), 0.1)
    return sorted(at for at in found if at < end)


def most_in_a_minute(times: list[float]) -> int:
    """Return the most uses in any 60 s. One of the first half second may be half a second late."""
    return max(len([one for one in times if start - 0.5 < one < start + 60.0]) for start in times[:: len(times) // 100])


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 4])
def test_calls_per_minute_are_those_of_all_processes_together(processes: int, tmp_path: Path) -> None:
    clock = Clock()
    rates = [FleetRates(place=tmp_path / "rates", requests_per_minute=300, clock=clock) for _ in range(processes)]
    times = used(rates, clock, 180.0)
    assert 840 <= len(times)
    assert most_in_a_minute(times) <= 300


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 4])
def test_tokens_per_minute_are_those_of_all_processes_together(processes: int, tmp_path: Path) -> None:
    clock = Clock()
    rates = [FleetRates(place=tmp_path / "rates", tokens_per_minute=60_000, clock=clock) for _ in range(processes)]
    times = used(rates, clock, 180.0, tokens=100)
    assert 1_650 <= len(times)
    assert 100 * most_in_a_minute(times) <= 60_000


def test_most_calls_need_no_message(tmp_path: Path) -> None:
    clock = Clock()
    rates = FleetRates(place=tmp_path / "rates", clock=clock)
    number = len(used([rates], clock, 6.0))
    state = rates.read()
    assert number > 500
    assert number <= state.requests
    assert state.messages <= 0.1 * number


def test_a_burst_of_refusals_lowers_the_rate_of_all_once(tmp_path: Path) -> None:
    clock = Clock()
    one, two = (FleetRates(place=tmp_path / "rates", clock=clock) for _ in range(2))
    cuts = one.take(0)[2]
    before = one.read().rate
    for _ in range(20):
        two.refused(cuts, 0.0)
    assert 0.6 * before == pytest.approx(one.read().rate)


def test_a_requested_wait_holds_for_all_processes(tmp_path: Path) -> None:
    clock = Clock()
    one, two = (FleetRates(place=tmp_path / "rates", clock=clock) for _ in range(2))
    cuts = one.take(0)[2]
    one.refused(cuts, 30.0)
    assert (0, 30.0) == (two.take(0)[0], pytest.approx(two.take(0)[3]))
    clock.at += 31.0
    assert 1 <= two.take(0)[0]


def test_a_state_that_cannot_be_read_begins_anew(tmp_path: Path) -> None:
    (tmp_path / "rates").write_bytes(b"half")
    assert 1 <= FleetRates(place=tmp_path / "rates", clock=Clock()).take(0)[0]


def test_permits_from_before_a_refusal_are_not_used_by_another_process(tmp_path: Path) -> None:
    clock = Clock()
    waits: list[float] = []

    async def sleep(wait_s: float) -> None:
        waits.append(wait_s)
        clock.at += wait_s

    async def answer(_request: Request, _on_event: OnEvent | None) -> Reply:
        return Reply(text="", model="test")

    one, two = (FleetRates(place=tmp_path / "rates", clock=clock, sleep=sleep) for _ in range(2))
    model = one.limit(NamedModel(name="test", answer=answer))

    async def call_around_a_refusal() -> None:
        await asyncio.gather(*(model(a_request()) for _ in range(8)))
        await model(a_request())
        assert 9 < one.read().requests, "it has permits for more calls"
        del waits[:]
        two.refused(0, 0.2)
        await model(a_request())

    asyncio.run(call_around_a_refusal())
    assert 0.2 == pytest.approx(waits[0])
    assert 1 == int(one.read().cuts)


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next timer when nothing else is to do, after `patience_s` real seconds.

    Threads, such as that of a ledger, need real time.
    """

    patience_s = 0.0

    def __init__(self) -> None:
        super().__init__()
        self.now = 1_000.0
        selector: Any = vars(self)["_selector"]
        select = selector.select

        def jump(timeout: float | None) -> Any:
            found = select(min(timeout or 0.0, self.patience_s))
            self.now += 0.0 if found else timeout or 0.0
            return found

        selector.select = jump

    def time(self) -> float:
        return self.now


@dataclass(kw_only=True)
class SlowServer:
    """A provider that bears 60 calls a second with a burst of one second, and does not say when to come again."""

    time: Callable[[], float]
    left: float = 60.0
    at: float = 1_000.0
    answered: int = 0
    refused: int = 0

    async def answer(self, _request: Request, _on_event: OnEvent | None) -> Reply:
        now = self.time()
        self.left, self.at = min(60.0, self.left + 60.0 * (now - self.at)), now
        if self.left < 1:
            self.refused += 1
            raise Throttled("too many requests")
        self.left -= 1
        self.answered += 1
        await asyncio.sleep(0.5)
        return Reply(text="", model="test")


@pytest.mark.parametrize("processes", [1, 4])
def test_refusals_and_messages_are_as_few_with_four_processes_as_with_one(processes: int, tmp_path: Path) -> None:
    """Without a declared rate, which they find together. The goals are 0.15 and 0.1 per call."""
    loop = VirtualLoop()
    server = SlowServer(time=loop.time)

    async def process() -> None:
        rates = FleetRates(place=tmp_path / "rates", clock=loop.time)
        model = rates.limit(NamedModel(name="test", answer=server.answer))
        left = iter(range(800 // processes))

        async def calls() -> None:
            for _ in left:
                while True:
                    with suppress(Throttled):
                        await model(a_request())
                        break
                    await asyncio.sleep(0.5)

        await asyncio.gather(*(calls() for _ in range(100)))

    async def all_processes() -> None:
        await asyncio.gather(*(process() for _ in range(processes)))

    try:
        loop.run_until_complete(all_processes())
        took = loop.time() - 1_000.0
    finally:
        loop.close()
    assert 800 == server.answered
    assert server.refused <= 0.01 * 800
    assert FleetRates(place=tmp_path / "rates", clock=loop.time).read().messages <= 0.1 * 800
    assert took <= 1.25 * 800 / 60


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


def test_a_call_that_waits_for_a_permit_of_the_fleet_is_not_recorded_as_sent(tmp_path: Path) -> None:
    """Its wait is not its time either, and a worker that stops meanwhile has sent and paid nothing for it."""
    loop, sent = VirtualLoop(), list[float]()

    async def answer(request: Request, _on_event: OnEvent | None) -> Reply:
        sent.append(loop.time())
        loop.patience_s = 5.0 * (len(sent) > 1)  # the ledger is to be faster than the wait for the third permit
        return Reply(text=f"<{request.prompt.unit}>", model="test", cost=0.01)

    def opened(spec: str) -> Any:
        shared = CALL_LIMITS.get()
        assert shared is not None
        return shared(NamedModel(name=spec, answer=answer))

    virtual: Any = partial(FleetRates, clock=loop.time)
    place = FleetPlace(address=str(tmp_path), store=LocalStore(directory=tmp_path), runs=tmp_path / "runs")
    job = planned_job(place, together, RECORDS, key="id", shared={}, shard_size=6)
    given = WorkerInput(
        place=place,
        job=job,
        command=FleetCommand(model="test", requests_per_minute=1),
        recipe=together,
        open_model=opened,
        rates=virtual,
    )
    try:
        end = loop.run_until_complete(FleetWorker(given=given, is_stopping=lambda: len(sent) > 1).run())
    finally:
        loop.close()
    (history,) = [open_run(one.parent).history for one in (tmp_path / "runs").rglob("ledger.db")]
    assert ("interrupted", 2) == (end.why, len(sent))
    assert 60 <= sent[1] - sent[0]
    assert [True, True] == [one.reply is not None for one in history.attempts.values()]
    assert all((one.seconds or 0) < 1 for one in history.attempts.values())
    assert 0.0 == lost_in(history)


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
