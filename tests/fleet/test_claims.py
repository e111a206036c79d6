"""Claims, leases and commits: one worker at a time, and the result of exactly one counts."""

from __future__ import annotations

import math
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.fleet.shards import (
    COMMITS,
    MOST_DEATHS,
    Claim,
    Lease,
    LeaseWatch,
    WorkerId,
    claim,
    claims_of,
    commit,
    dumped,
    numbers_in,
    parsed,
    release,
)
from retouch.fleet.store import LocalStore

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(directory=tmp_path)


def elsewhere(name: str) -> WorkerId:
    """Return a worker of another machine, whose process nobody here can look at."""
    return WorkerId(name=name, host="another-machine", boot="b", pid=1, started="1")


def status_file(store: LocalStore, worker: WorkerId, beat: int, state: str = "running") -> None:
    store.put(f"status/{worker.name}.json", dumped({**vars(worker), "beat": beat, "state": state}))


def valid_lease(store: LocalStore, worker: WorkerId) -> Lease:
    lease = Lease(store=store, worker=worker, lease_s=1_000)
    lease.start()
    return lease


def watch(store: LocalStore, times: list[float]) -> LeaseWatch:
    return LeaseWatch(store=store, lease_s=60.0, clock=lambda: times[0])


def test_a_shard_is_claimed_by_one_worker_in_epoch_one(store: LocalStore) -> None:
    found = claim(store, 7, WorkerId.own(), LeaseWatch(store=store))
    assert found is not None
    assert "00007.e1" == found.name
    assert claim(store, 7, WorkerId.own(), LeaseWatch(store=store)) is None


def test_of_two_workers_that_take_over_at_the_same_time_one_wins(store: LocalStore) -> None:
    for shard in range(100):
        gate = threading.Barrier(2)

        def take(name: str, shard: int = shard, gate: threading.Barrier = gate) -> Claim | None:
            gate.wait()
            return claim(store, shard, elsewhere(name), LeaseWatch(store=store))

        with ThreadPoolExecutor(2) as pool:
            found = [one for one in pool.map(take, ["a", "b"]) if one is not None]
        assert 1 == len(found)
        assert 1 == claims_of(store, shard).epochs


def test_a_worker_of_another_machine_keeps_its_shard_as_long_as_it_renews_its_lease(store: LocalStore) -> None:
    times, other = [0.0], elsewhere("far")
    assert claim(store, 0, other, LeaseWatch(store=store)) is not None
    mine = watch(store, times)
    for beat in range(1, 4):
        status_file(store, other, beat)
        times[0] += 59.0
        assert claim(store, 0, WorkerId.own(), mine) is None
    times[0] += 60.5
    taken = claim(store, 0, WorkerId.own(), mine)
    assert taken is not None
    assert 2 == taken.epoch


def test_the_first_look_at_a_lease_waits_a_whole_lease(store: LocalStore) -> None:
    times, other = [1e9], elsewhere("far")
    claim(store, 0, other, LeaseWatch(store=store))
    assert claim(store, 0, WorkerId.own(), watch(store, times)) is None


def test_a_process_of_this_machine_that_has_ended_loses_its_shard_at_once(store: LocalStore) -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    dead = replace(WorkerId.own(), pid=pid)
    os.waitpid(pid, 0)
    claim(store, 0, dead, LeaseWatch(store=store))
    assert claim(store, 0, WorkerId.own(), LeaseWatch(store=store)) is not None


def test_another_process_with_the_number_of_a_dead_one_is_not_taken_for_it(store: LocalStore) -> None:
    assert replace(WorkerId.own(), started="0").has_died() is True
    assert WorkerId.own().has_died() is False
    assert elsewhere("far").has_died() is False
    del store


def test_a_released_shard_is_free_at_once_and_counts_no_death(store: LocalStore) -> None:
    first = claim(store, 0, WorkerId.own(), LeaseWatch(store=store))
    assert first is not None
    release(store, first, "interrupted")
    assert 0 == claims_of(store, 0).deaths
    assert claim(store, 0, WorkerId.own(), LeaseWatch(store=store)) is not None


def test_a_shard_that_several_workers_have_died_with_is_set_aside(store: LocalStore) -> None:
    for number in range(MOST_DEATHS):
        worker = elsewhere(f"dead-{number}")
        status_file(store, worker, 1, state="ended")
        assert claim(store, 0, worker, LeaseWatch(store=store)) is not None
    assert claim(store, 0, WorkerId.own(), LeaseWatch(store=store)) is None
    assert {0} == numbers_in(store, "aside")
    assert claim(store, 0, WorkerId.own(), LeaseWatch(store=store), most_deaths=math.inf) is not None
    assert "40 workers have died with it" == parsed(store.get("aside/00000.json"))["why"]


def test_the_commit_of_a_stale_epoch_is_refused(store: LocalStore) -> None:
    first = claim(store, 0, elsewhere("slow"), LeaseWatch(store=store))
    assert first is not None
    status_file(store, first.worker, 1, state="ended")
    second = claim(store, 0, elsewhere("fast"), LeaseWatch(store=store))
    assert second is not None
    assert commit(store, first, valid_lease(store, first.worker), {"status": "verified"}) is False
    assert set() == numbers_in(store, COMMITS)
    assert commit(store, second, valid_lease(store, second.worker), {"status": "verified"}) is True
    assert 2 == parsed(store.get("commits/00000.json"))["epoch"]


def test_the_first_of_two_commits_counts(store: LocalStore) -> None:
    own = claim(store, 0, WorkerId.own(), LeaseWatch(store=store))
    assert own is not None
    lease = valid_lease(store, own.worker)
    assert commit(store, own, lease, {"status": "verified"}) is True
    assert commit(store, own, lease, {"status": "issues"}) is False
    assert "verified" == parsed(store.get("commits/00000.json"))["status"]


def test_a_worker_whose_lease_is_over_commits_nothing_and_cannot_renew_it(store: LocalStore) -> None:
    worker = WorkerId.own()
    own = claim(store, 0, worker, LeaseWatch(store=store))
    assert own is not None
    lease = Lease(store=store, worker=worker, lease_s=0.0)
    lease.renew()
    assert lease.is_valid is False
    lease.lease_s = 1_000
    lease.renew()
    assert lease.is_valid is False
    assert commit(store, own, lease, {"status": "verified"}) is False


class Turns:
    """Stands for the event of a lease's end: each wait moves the clock by the next of `waits`, the last one is over."""

    def __init__(self, *waits: float) -> None:
        self.now, self._waits = 100.0, list(waits)

    def wait(self, _most_s: float) -> bool:
        self.now += self._waits.pop(0)
        return not self._waits


@pytest.mark.parametrize(
    ("waits", "state"), [((4.0, 0.0), "hung"), ((30.0, 0.0), "running"), ((30.0, 4.0, 0.0), "hung")]
)
def test_a_process_that_stood_still_as_a_whole_is_asked_once_more_whether_its_code_hangs(
    store: LocalStore, waits: tuple[float, ...], state: str
) -> None:
    turns, worker = Turns(*waits), WorkerId.own()
    lease = Lease(store=store, worker=worker, lease_s=16.0, clock=lambda: turns.now, hangs=lambda: True)
    lease.renew()
    vars(lease)["_over"] = turns
    keep: Any = vars(Lease)["_keep"]
    keep(lease)
    assert state == parsed(store.get(f"status/{worker.name}.json"))["state"]


def test_a_lease_that_cannot_be_stored_is_reported_and_ends(tmp_path: Path) -> None:
    (tmp_path / "status").write_text("a file is in the way")
    lease = Lease(store=LocalStore(directory=tmp_path), worker=WorkerId.own())
    with pytest.raises(Exception, match="the lease cannot be renewed"):
        lease.start()
    assert lease.is_valid is False
