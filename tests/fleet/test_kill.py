"""Workers and commands that are killed or stopped: nothing is lost, and at most the calls in flight are paid twice."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import closing
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.fleet.program import INPUT, OUTPUT
from tests.fleet.scenes import CountingServer, FleetScene, with_signal
from tests.waiting import wait_until

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.concurrency,
    pytest.mark.skipif(sys.platform == "win32", reason="signals are sent"),
]
AT_ONCE = 4
RANDOM_SEED = int(os.environ.get("FLEET_SEED", "3"))
EXPECTED = [{"key": str(one), "status": "verified", "value": {"name": f"n{one}"}} for one in range(60)]
SETTINGS = {"shard_size": 10, "workers": 2, "concurrency": AT_ONCE, "grace_s": 60.0}


@pytest.mark.slow
def test_workers_that_are_killed_lose_nothing_and_pay_at_most_their_calls_in_flight_again(tmp_path: Path) -> None:
    random, kills = Random(RANDOM_SEED), 2
    with (
        CountingServer(answers=0) as server,
        closing(FleetScene(directory=tmp_path, server=server, settings=SETTINGS)) as scene,
    ):
        process = scene.start()
        for number in range(kills):
            scene.hold_after(8 + 20 * number + random.randrange(10))
            with_signal(random.choice(scene.workers()), signal.SIGKILL)
        scene.let_go()
        found = scene.finish(process)
        assert ("verified", 6, 60) == (found["status"], found["shards"]["done"], found["records"]["verified"])
        assert EXPECTED == scene.exported()
        assert 60 == len({*server.calls})
        assert len(server.calls) <= 60 + kills * AT_ONCE
        calls = len(server.calls)
        assert "verified" == scene.finish()["status"]
        assert calls == len(server.calls)


@pytest.mark.slow
def test_a_worker_that_is_stopped_past_its_lease_is_replaced_and_ends_before_its_next_call(tmp_path: Path) -> None:
    random = Random(RANDOM_SEED)
    with (
        CountingServer(answers=0) as server,
        closing(FleetScene(directory=tmp_path, server=server, settings=SETTINGS)) as scene,
    ):
        process = scene.start(lease_s=2.0)
        scene.hold_after(8 + random.randrange(10))
        stopped = random.choice(scene.workers())
        with_signal(stopped, signal.SIGSTOP)
        scene.let_go()
        wait_until(lambda: any((scene.fleet / "claims").glob("*/e2")))
        with_signal(stopped, signal.SIGCONT)  # it wakes after another has taken over
        found = scene.finish(process)
        assert ("verified", 60) == (found["status"], found["records"]["verified"])
        assert 60 == len({*server.calls})
        assert 1 <= scene.takeovers()  # on a busy machine, a lease of two seconds may also end by itself
        assert len(server.calls) <= 60 + AT_ONCE * scene.takeovers()
        assert EXPECTED == scene.exported()


@pytest.mark.slow
def test_a_command_that_is_killed_leaves_workers_that_end_and_the_next_one_continues(tmp_path: Path) -> None:
    with (
        CountingServer(answers=0) as server,
        closing(FleetScene(directory=tmp_path, server=server, settings=SETTINGS)) as scene,
    ):
        process = scene.start()
        scene.hold_after(15)
        process.kill()
        process.wait()
        scene.let_go()
        found = scene.finish()
        assert ("verified", 60) == (found["status"], found["records"]["verified"])
        assert 60 == len(server.calls)


@pytest.mark.slow
def test_the_cost_limit_holds_over_a_kill_and_three_commands(tmp_path: Path) -> None:
    random, most = Random(RANDOM_SEED), 3.0
    with (
        CountingServer(0.02, answers=0) as server,
        closing(FleetScene(directory=tmp_path, server=server, settings=SETTINGS)) as scene,
    ):
        limit = {"max_cost_usd": most, "max_output_tokens": 50}
        statuses: list[str] = []
        for number in range(3):
            process = scene.start(**limit)
            if number == 0:
                scene.hold_after(3 + random.randrange(3))
                with_signal(random.choice(scene.workers()), signal.SIGKILL)
                scene.let_go()
            found = scene.finish(process)
            statuses.append(found["status"])
            paid = len(server.calls) * (INPUT + OUTPUT) * 1000e-6
            assert paid <= found["usage"]["limit"]["used"] + 1e-9
            assert found["usage"]["limit"]["used"] <= most + 1e-9
        assert ["exhausted"] * 3 == statuses
        assert 0 < len(server.calls) < 60
        raised = scene.finish(max_cost_usd=1000.0)
        assert ("verified", 60) == (raised["status"], raised["records"]["verified"])
