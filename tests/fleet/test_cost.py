"""One cost limit for a fleet: whatever dies and whenever, it is not exceeded."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch import Reply
from retouch.errors import LimitReached
from retouch.fleet.api import command_of, planned_job
from retouch.fleet.engines import run_local
from retouch.fleet.job import fleet_place
from retouch.fleet.limits import AccountState, CostAccount, EpochCost, FleetCostLimit, cost_within
from retouch.fleet.statuses import fleet_status
from retouch.fleet.store import LocalStore, SteadyStore
from retouch.fleet.worker import WorkerInput
from retouch.models.named import NamedModel
from tests.fleet.program import MODEL
from tests.fleet.recipes import RECORDS, together, translated
from tests.fleet.stores import FaultyStore

if TYPE_CHECKING:
    from pathlib import Path

    from retouch import Request
    from retouch.engine.types import OnEvent


class Memory:
    """A store in memory, with the exclusive create of a real one."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.lock = threading.Lock()

    def put_new(self, name: str, data: bytes) -> bool:
        with self.lock:
            return self.files.setdefault(name, data) is data

    def put(self, name: str, data: bytes) -> None:
        self.files[name] = data

    def get(self, name: str) -> bytes | None:
        return self.files.get(name)

    def list(self, prefix: str) -> list[str]:
        with self.lock:
            return sorted(name for name in self.files if name.startswith(f"{prefix}/"))


def limit(account: CostAccount, claim: str, usd: float = 1.0, workers: int = 1) -> FleetCostLimit:
    return FleetCostLimit(account=account, claim=claim, limit_usd=usd, workers=workers)


def test_requests_lease_in_parts_and_most_need_no_change_of_the_account() -> None:
    store = Memory()
    one = limit(CostAccount(store=store), "00000.e1", 10.0)
    for _ in range(100):
        one.reserve(0.01, "a request")
        one.settle(0.01, 0.005)
    assert 1 == one.leases
    assert 1 == len(store.files)


def test_what_is_left_of_a_lease_is_given_back_at_the_end() -> None:
    account = CostAccount(store=Memory())
    one = limit(account, "00000.e1")
    one.reserve(0.1, "a request")
    one.settle(0.1, 0.04)
    one.close()
    state = account.state()
    assert state is not None
    assert {} == state.open_usd
    assert 0.04 == pytest.approx(state.used_usd)


def test_the_lease_of_a_dead_worker_counts_as_spent_until_its_ledger_is_read() -> None:
    account = CostAccount(store=Memory())
    limit(account, "00000.e1").reserve(0.9, "a request")
    other = limit(account, "00001.e1")
    with pytest.raises(LimitReached, match="whole fleet"):
        other.reserve(0.2, "this request")
    assert other.reached_limit is True
    account.settle({"00000.e1": 0.3})
    other.reserve(0.2, "this request")


def test_a_lease_is_settled_once() -> None:
    account = CostAccount(store=Memory())
    limit(account, "00000.e1").reserve(0.5, "a request")
    account.settle({"00000.e1": 0.25})
    state = account.settle({"00000.e1": 0.25})
    assert 0.25 == pytest.approx(state.used_usd)


def test_an_account_begins_with_what_the_ledgers_show_and_only_once() -> None:
    account = CostAccount(store=Memory())
    assert 3.0 == account.open(lambda: AccountState(settled_usd=3.0)).used_usd
    assert 3.0 == account.open(lambda: AccountState(settled_usd=9.0)).used_usd


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 10**9), usd=st.floats(0.5, 20.0))
def test_three_commands_with_workers_that_die_never_spend_more_than_the_limit(seed: int, usd: float) -> None:
    random, store, paid = Random(seed), Memory(), 0.0
    for command in range(3):
        account = CostAccount(store=store)
        workers = [limit(account, f"{number:05}.e{command + 1}", usd, 8) for number in range(8)]
        alive = dict(enumerate(workers))
        for _ in range(150):
            if not alive:
                break
            number = random.choice(sorted(alive))
            most = random.uniform(0.0, usd / 10)
            try:
                alive[number].reserve(most, "a request")
            except LimitReached:
                alive.pop(number).close()
                continue
            cost = random.uniform(0.0, most)
            paid += cost
            if random.random() < 0.03:
                del alive[number]  # killed before it knew what the request has cost
            else:
                alive[number].settle(most, cost)
        for one in alive.values():
            one.close()
        assert paid <= usd + 1e-9
    state = CostAccount(store=store).state()
    assert paid <= (state.used_usd if state is not None else 0.0) + 1e-9


@pytest.mark.concurrency
def test_workers_that_lease_at_the_same_time_in_a_busy_store_never_get_more_than_the_limit(tmp_path: Path) -> None:
    usd, workers = 2.0, 4

    def spend(number: int) -> float:
        faulty = FaultyStore(store=LocalStore(directory=tmp_path), random=Random(number))
        account = CostAccount(store=SteadyStore(store=faulty, tries=60, sleep=lambda _wait_s: None))
        one = limit(account, f"{number:05}.e1", usd, workers)
        try:
            while True:
                one.reserve(0.05, "a request")
                one.settle(0.05, 0.05)
        except LimitReached:
            return one.spent_usd

    with ThreadPoolExecutor(workers) as pool:
        spent = sum(pool.map(spend, range(workers)))
    assert spent <= usd + 1e-9
    assert spent >= 0.8 * usd


@dataclass
class SimulatedEpoch:
    """One epoch of a shard: its limit, and its ledger: the known costs, and the most of calls without a reply."""

    limit: FleetCostLimit
    known: list[float] = field(default_factory=list[float])
    lost: list[float] = field(default_factory=list[float])
    paid: float = 0.0

    def cost(self) -> EpochCost:
        return EpochCost(known_usd=sum(self.known), most_usd=sum(self.known) + sum(self.lost))

    def call(self, random: Random, most: float) -> bool:
        """Make one call as a model without `slot` does. Return whether the worker is alive after it."""
        self.lost.append(most)  # the request is written down first; the engine leases it before, which is simpler
        if random.random() < 0.05:
            return False
        try:
            self.limit.reserve(most, "a request")
        except LimitReached:
            self.lost.pop()  # so is the refusal
            raise
        cost = random.uniform(0.0, most)
        if random.random() < 0.05:
            return False
        self.paid += cost
        if random.random() < 0.05:
            return False
        self.limit.settle(most, cost)
        self.lost.pop()
        self.known.append(cost)
        return True


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 10**9), usd=st.floats(0.5, 5.0))
def test_the_account_is_between_what_was_paid_and_the_limit_wherever_workers_are_killed(seed: int, usd: float) -> None:
    random, account = Random(seed), CostAccount(store=Memory())
    epochs: list[SimulatedEpoch] = []
    for _ in range(4):  # commands, each of which begins with what the ledgers of the dead show
        state = account.open(AccountState)
        for one in epochs:
            if one.limit.claim in state.open_usd:
                account.settle_stopped(one.limit.claim, one.cost())
        shown = sum(cost_within(account.store, one.limit.claim, one.cost()) for one in epochs)
        state = account.open(AccountState)
        account.add(max(0.0, shown - state.settled_usd))
        own = [SimulatedEpoch(limit(account, f"{len(epochs) + one:05}.e1", usd, 4)) for one in range(4)]
        for one in own:
            one.limit.begin()
        alive = list(own)
        while alive:
            one = random.choice(alive)
            try:
                if not one.call(random, random.uniform(usd / 40, usd / 10)):
                    alive.remove(one)
            except LimitReached:
                one.limit.close(one.cost().most_usd)
                alive.remove(one)
        epochs += own
        used = account.open(AccountState).used_usd
        assert sum(one.paid for one in epochs) <= used + 1e-9
        assert used <= usd + 1e-9


def test_a_worker_that_others_have_replaced_leases_nothing_and_counts_nothing_twice() -> None:
    account = CostAccount(store=Memory())
    stopped = limit(account, "00000.e1")
    stopped.begin()
    stopped.reserve(0.1, "a request")
    account.settle_stopped("00000.e1", EpochCost(known_usd=0.0, most_usd=0.1))
    with pytest.raises(asyncio.CancelledError, match="it was not sent"):
        stopped.reserve(0.5, "this request")
    stopped.close(0.1)
    assert 0.1 == pytest.approx(account.open(AccountState).used_usd)


@dataclass(frozen=True, kw_only=True)
class DeadlyStore(LocalStore):
    """A store in which the first worker that leases anything dies: its request is written down, and not yet sent."""

    parent: int
    mark: Path

    def put_new(self, name: str, data: bytes) -> bool:
        if name.startswith("limits/") and os.getpid() != self.parent and b'.e1": 0.0}' not in data:
            try:
                self.mark.touch(exist_ok=False)
            except FileExistsError:
                pass
            else:
                os._exit(9)
        return super().put_new(name, data)


@pytest.mark.concurrency
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_request_that_a_killed_worker_has_written_down_and_not_leased_does_not_exceed_the_limit(
    tmp_path: Path,
) -> None:
    async def answer(request: Request, _on_event: OnEvent | None) -> Reply:
        return Reply(text=translated(request), model=MODEL, input_tokens=20, output_tokens=30)

    most = 0.16  # three calls, and less than the most of a further one
    store = DeadlyStore(directory=tmp_path, parent=os.getpid(), mark=tmp_path.with_suffix(".mark"))
    place = replace(fleet_place(str(tmp_path)), store=store)
    job = planned_job(place, together, RECORDS, key="id", shared={})
    command = command_of(MODEL, {"max_cost_usd": most, "max_output_tokens": 50, "concurrency": 1})
    place.save_command(command)
    model = NamedModel(name=MODEL, answer=answer)
    given = WorkerInput(place=place, job=job, command=command, recipe=together, open_model=lambda _spec: model)
    for _ in range(2):
        run_local(given, workers=2)
        found = fleet_status(place)
        assert "exhausted" == found.status
        assert found.used_usd is not None
        assert 0.05 <= found.used_usd <= most + 1e-9
    assert store.mark.exists()
