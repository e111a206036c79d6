"""One cost limit for a fleet: whatever dies and whenever, it is not exceeded."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.errors import LimitReached
from retouch.fleet.limits import AccountState, CostAccount, FleetCostLimit
from retouch.fleet.store import LocalStore, SteadyStore
from tests.fleet.stores import FaultyStore

if TYPE_CHECKING:
    from pathlib import Path


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
