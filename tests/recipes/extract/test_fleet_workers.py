"""The workers of a job are those of a fleet: kills, hangs and one cost limit, counted by the server that is called."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from random import Random
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from tests.fleet.program import INPUT, OUTPUT
from tests.fleet.scenes import PROJECT, CountingServer, with_signal
from tests.recipes.extract.program import AT_ONCE, RECORDS
from tests.waiting import MOST_S, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.concurrency,
    pytest.mark.skipif(sys.platform == "win32", reason="signals are sent"),
]
RANDOM_SEED = int(os.environ.get("FLEET_SEED", "3"))
COST_USD = (INPUT + OUTPUT) / 1000  # of a call, at the price of the program's model


class Scene:
    """A job in a directory, and the programs that work on it."""

    def __init__(self, directory: Path, server: CountingServer) -> None:
        self.directory, self.server = directory, server
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, limit_usd: float | None = None, lease_s: float = 60.0) -> None:
        words = [str(self.server.port), str(self.directory), json.dumps(limit_usd), str(lease_s)]
        command = [sys.executable, "-m", "tests.recipes.extract.program", *words]
        self.process = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self) -> dict[str, Any]:
        assert self.process is not None
        out, error = self.process.communicate(timeout=MOST_S)
        assert out, error.decode()
        return json.loads(out)

    def hold_after(self, answers: int) -> None:
        """Let the server give so many answers in all, and wait until a further call is in flight."""
        self.server.answers = answers
        wait_until(lambda: len(self.server.calls) > answers)

    def workers(self) -> list[int]:
        assert self.process is not None
        return sorted(one.pid for one in psutil.Process(self.process.pid).children())

    def statuses(self) -> list[str]:
        lines = (self.directory / "records.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line)["status"] for line in lines]


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with CountingServer(answers=0) as server:
        found = Scene(tmp_path / "job", server)
        yield found
        if found.process is not None and found.process.poll() is None:
            found.process.kill()
            found.process.communicate()


@pytest.mark.slow
def test_workers_that_are_killed_or_stopped_lose_nothing_and_pay_at_most_their_calls_in_flight_again(
    scene: Scene,
) -> None:
    random = Random(RANDOM_SEED)
    scene.start(lease_s=20.0)  # as long as a stopped process is waited for, and longer than a busy machine stands still
    for number, kind in enumerate((signal.SIGKILL, signal.SIGSTOP, signal.SIGKILL)):
        scene.hold_after(5 + 9 * number + random.randrange(5))
        with_signal(random.choice(scene.workers()), kind)
    scene.server.answers = math.inf
    assert ("verified", RECORDS) == ((found := scene.finish())["status"], found["records"]["verified"])
    assert RECORDS == len({*scene.server.calls})
    assert len(scene.server.calls) <= RECORDS + 3 * AT_ONCE // 2
    assert [] == [*scene.directory.glob(".fleet*")]
    calls = len(scene.server.calls)
    scene.start()
    assert ("verified", 0) == ((found := scene.finish())["status"], found["usage"]["calls"])
    assert calls == len(scene.server.calls)


@pytest.mark.slow
def test_a_command_that_is_killed_with_its_workers_goes_on_and_nothing_is_lost(scene: Scene) -> None:
    scene.start()
    scene.hold_after(10 + Random(RANDOM_SEED).randrange(10))
    assert scene.process is not None
    for one in (scene.process.pid, *scene.workers()):
        with_signal(one, signal.SIGKILL)
    scene.process.communicate()
    scene.server.answers = math.inf
    scene.start()
    assert "verified" == scene.finish()["status"]
    assert len(scene.server.calls) <= RECORDS + AT_ONCE


@pytest.mark.slow
def test_commands_with_workers_that_die_never_spend_more_than_the_one_limit(scene: Scene) -> None:
    limit_usd, random = 15 * COST_USD, Random(RANDOM_SEED)
    scene.start(limit_usd)
    scene.hold_after(1 + random.randrange(5))
    with_signal(random.choice(scene.workers()), signal.SIGKILL)
    scene.server.answers = math.inf
    assert "exhausted" == scene.finish()["status"]
    scene.start(limit_usd)
    assert "exhausted" == scene.finish()["status"]
    assert 8 <= len(scene.server.calls) <= 15
    assert scene.statuses().count("missing") >= RECORDS - 15
