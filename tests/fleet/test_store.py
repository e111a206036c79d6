"""The store of a fleet: one creator of each name, whole files, and answers that get lost."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import secrets
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.options import RunOptions
from retouch.errors import BadInput, ModelError
from retouch.fleet import run
from retouch.fleet.job import fleet_place
from retouch.fleet.running import read_out
from retouch.fleet.statuses import fleet_status
from retouch.fleet.store import (
    FsspecStore,
    LocalStore,
    SteadyStore,
    StoreBusy,
    StoreFailed,
    disk_kind,
    expect_local_disk,
    open_store,
)
from retouch.fleet.upkeep import committed, validate_fleet
from retouch.testing import scripted
from tests.fleet.program import SHARED, rows
from tests.fleet.recipes import RECORDS, together, translated
from tests.fleet.stores import FaultyStore

if TYPE_CHECKING:
    from retouch.fleet.store import Store

fsspec_missing = importlib.util.find_spec("fsspec") is None


@pytest.fixture(params=["local", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "local":
        return LocalStore(directory=tmp_path)
    if fsspec_missing:
        pytest.skip("fsspec is not installed: pip install 'retouch[fleet]'")
    return open_store(f"memory://{secrets.token_hex(4)}")


def test_a_new_name_is_created_once_and_keeps_its_first_content(store: Store) -> None:
    assert store.put_new("claims/00001/e1", b"one") is True
    assert store.put_new("claims/00001/e1", b"two") is False
    assert b"one" == store.get("claims/00001/e1")


def test_put_replaces_and_what_is_not_there_is_none(store: Store) -> None:
    assert store.get("status/a.json") is None
    store.put("status/a.json", b"1")
    store.put("status/a.json", b"2")
    assert b"2" == store.get("status/a.json")


def test_a_listing_names_all_files_below_a_directory_and_no_others(store: Store) -> None:
    for name in ("claims/00001/e1", "claims/00000/e2", "claims/00000/e1", "commits/00000.json"):
        store.put(name, b"")
    assert ["claims/00000/e1", "claims/00000/e2", "claims/00001/e1"] == store.list("claims")
    assert ["claims/00001/e1"] == store.list("claims/00001")
    assert [] == store.list("log")


RACES = int(os.environ.get("RACES", "200"))
"""`make races` lets more claims race."""


def winners(store: Store, races: int, at_once: int) -> list[int]:
    """Return how many of `at_once` threads won each of the races."""
    gate = threading.Barrier(at_once)

    def race(who: int) -> list[bool]:
        found: list[bool] = []
        for number in range(races):
            gate.wait()
            found.append(store.put_new(f"claims/{number:05}/e1", f"{who}".encode()))
        return found

    with ThreadPoolExecutor(at_once) as pool:
        results = list(pool.map(race, range(at_once)))
    return [sum(one[number] for one in results) for number in range(races)]


@pytest.mark.concurrency
def test_two_claims_that_race_have_one_winner_each_time(tmp_path: Path) -> None:
    assert [1] * RACES == winners(LocalStore(directory=tmp_path), RACES, 2)


def test_every_operation_survives_busy_and_lost_answers(tmp_path: Path) -> None:
    local = LocalStore(directory=tmp_path)
    for number in range(20):
        busy = FaultyStore(store=local, random=Random(number), rate=0.6)
        steady = SteadyStore(store=busy, tries=60, sleep=lambda _wait_s: None)
        place = f"claims/{number:05}"
        assert steady.put_new(f"{place}/e1", b"new")
        steady.put(f"{place}/e2", b"one")
        steady.put(f"{place}/e2", b"two")
        assert b"two" == steady.get(f"{place}/e2")
        assert steady.get(f"{place}/e3") is None
        assert [f"{place}/e1", f"{place}/e2"] == steady.list(place)


def test_a_lost_answer_is_told_from_a_name_that_another_has_taken(tmp_path: Path) -> None:
    local = LocalStore(directory=tmp_path)
    for number in range(40):
        steady = SteadyStore(
            store=FaultyStore(store=local, random=Random(number), rate=0.5), tries=50, sleep=lambda _wait_s: None
        )
        assert steady.put_new(f"one/{number}", b"first") is True
        assert steady.put_new(f"one/{number}", b"second") is False
        assert b"first" == steady.get(f"one/{number}")


def test_a_store_that_stays_busy_is_reported_once_with_the_next_step(tmp_path: Path) -> None:
    waits: list[float] = []
    steady = SteadyStore(
        store=FaultyStore(store=LocalStore(directory=tmp_path), random=Random(1), rate=2.0), sleep=waits.append
    )
    with pytest.raises(StoreFailed, match="503") as caught:
        steady.put("a", b"")
    assert [0.1, 0.2, 0.4, 0.8, 1.6] == waits
    assert "same command again" in caught.value.hint


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "claims").write_text("a file is in the way")
    with pytest.raises(OSError, match="claims"):
        LocalStore(directory=tmp_path).put_new("claims/00000/e1", b"")
    assert ["claims"] == [one.name for one in tmp_path.iterdir()]


class TwiceStore:
    """An fsspec file system that ignores exclusive create."""

    protocol = "memory"

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def makedirs(self, path: str, *, exist_ok: bool) -> None: ...

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite") -> None:
        del mode
        self.files[path] = value

    def cat_file(self, path: str) -> bytes:
        return self.files[path]


def test_a_store_that_creates_a_file_twice_is_refused() -> None:
    from retouch.fleet import store as module

    expect: Any = vars(module)["_expect_exclusive"]
    with pytest.raises(BadInput, match="creates the same file twice"):
        expect(FsspecStore(system=TwiceStore(), root="/x"), "memory://x")


def test_a_protocol_without_exclusive_create_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match="'ftp' has no exclusive create") as caught:
        open_store("ftp://host/x")
    assert "s3" in caught.value.hint


MOUNTS = """/dev/sda1 / ext4 rw 0 0
server:/export /mnt/team\\040share nfs4 rw 0 0
tmpfs /mnt/team\\040share/local tmpfs rw 0 0
"""


@pytest.mark.parametrize(
    ("place", "kind"),
    [("/home/x", "ext4"), ("/mnt/team share/a/b", "nfs4"), ("/mnt/team share/local/a", "tmpfs")],
)
def test_the_kind_of_a_disk_is_that_of_the_innermost_mount(place: str, kind: str) -> None:
    assert kind == disk_kind(Path(place), MOUNTS)


def test_a_network_disk_is_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def network(_place: Path) -> str:
        return "nfs4"

    monkeypatch.setattr("retouch.fleet.store.disk_kind", network)
    with pytest.raises(BadInput, match=r"network disk \(nfs4\): SQLite's write-ahead log does not work") as caught:
        expect_local_disk(Path("/mnt/team"))
    assert "s3://" in caught.value.hint


def test_a_local_disk_is_accepted(tmp_path: Path) -> None:
    place = tmp_path / "not" / "there"
    expect_local_disk(place)
    assert not place.exists()


@pytest.mark.filterwarnings("default")  # botocore's and flask's own
def test_s3_has_one_winner_of_a_race_and_whole_files(s3: str) -> None:
    store = open_store(s3)
    assert [1] * 10 == winners(store, 10, 2)
    store.put("status/a.json", b"x" * 100_000)
    assert 100_000 == len(store.get("status/a.json") or b"")
    assert 10 == len(store.list("claims"))
    assert store.get("status/b.json") is None


def test_busy_is_no_result(tmp_path: Path) -> None:
    store = FaultyStore(store=LocalStore(directory=tmp_path), random=Random(0), rate=2.0)
    with pytest.raises(StoreBusy):
        store.list("claims")


def test_a_directory_that_another_worker_makes_during_a_listing_is_no_file() -> None:
    class System:
        """s3fs finds nothing, looks at the name itself, and then it is there."""

        def find(self, place: str) -> list[str]:
            return [place]

        def invalidate_cache(self) -> None:
            return

    assert [] == FsspecStore(system=System(), root="bucket").list("claims/00000")


@pytest.mark.parametrize(("name", "tries"), [("NoCredentialsError", 1), ("DefaultCredentialsError", 1), ("Slow", 3)])
def test_an_error_of_a_stores_package_is_one_of_retouch_and_without_access_there_is_one_try(
    name: str, tries: int
) -> None:
    class Refusing:
        protocol = "s3"
        calls = 0

        def pipe_file(self, _place: str, _data: bytes) -> None:
            self.calls += 1
            raise type(name, (Exception,), {"__module__": "google.auth.exceptions"})("no access")

    system = Refusing()
    store = SteadyStore(store=FsspecStore(system=system, root="bucket"), tries=3, sleep=lambda _wait_s: None)
    with pytest.raises(StoreFailed, match="no access"):
        store.put("a", b"1")
    assert tries == system.calls


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # botocore's and flask's own
def test_a_fleet_in_s3_is_continued_on_a_second_machine_and_checked_on_a_third(s3: str, tmp_path: Path) -> None:
    first = scripted(["<fr: word0>", "<fr: word1>", "<fr: word2>", ModelError("no such key", hint="Set it.")])
    settings: dict[str, Any] = {"shard_size": 4, "concurrency": 1}
    with pytest.raises(ModelError, match="no such key"):
        run(together, RECORDS, s3, model=first, work_directory=tmp_path / "one", **settings)
    assert "incomplete" == fleet_status(fleet_place(s3, tmp_path / "other")).status
    second = scripted(translated)
    found = run(together, RECORDS, s3, model=second, work_directory=tmp_path / "two", **settings)
    assert ("verified", 2, 6) == (found.status.status, found.status.shards["done"], found.status.records["verified"])
    assert 3 == len(second.requests), "what the first machine has paid for is not requested again"
    third = fleet_place(s3, tmp_path / "three")
    assert "verified" == validate_fleet(third, together, RunOptions()).status
    assert 6 == sum(len(read_out(third, one.commit["files"])) for one in committed(third))


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # botocore's and flask's own
def test_several_worker_processes_share_a_fleet_in_s3(s3: str, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in rows(6)))
    (tmp_path / "shared.json").write_text(json.dumps({"schema": SHARED["schema"]}))
    words = ["extract", "rows.jsonl", "--shared", "shared.json", "--shard-size", "2", "--work-dir", "runs", "--json"]
    for command in (["fleet", "run", *words, "--workers", "2", "-o", s3], ["show", s3, "--json"]):
        given = [sys.executable, "-m", "retouch", *command]
        done = subprocess.run(given, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
        assert 0 == done.returncode, done.stderr
        assert 6 == json.loads(done.stdout)["records"]["verified"]
