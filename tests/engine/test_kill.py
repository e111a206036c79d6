"""A process that is killed at any moment loses no reply that it had, and the next one asks only for the rest."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from retouch._lib.run_sync import run_sync
from retouch.engine.planned_calls import WorkerPool
from retouch.testing import scripted
from tests.engine import working
from tests.engine.conftest import Scene
from tests.engine.glossary import answer
from tests.waiting import MOST_S, wait_until

if TYPE_CHECKING:
    from retouch.engine.types import Request

pytestmark = pytest.mark.concurrency

SCRIPT = Path(working.__file__)


ALL = 1_000  # more replies than there are pages


def started(
    scene: Scene, side: Path, concurrency: int, *, wait_s: float = 0.004, replies: int = ALL
) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(SCRIPT), str(scene.folder), str(side), str(concurrency), str(wait_s), str(replies)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def until_replies(process: subprocess.Popen[bytes], side: Path, count: int) -> None:
    """Wait until the process has noted so many replies, or has ended."""
    wait_until(lambda: process.poll() is not None or (side.exists() and side.read_bytes().count(b"\n") >= count))


def final_files(scene: Scene) -> dict[str, bytes]:
    return {name: data for name, data in scene.tree().items() if name in {"glossary.txt", "prompts.json", "ir.json"}}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a run that nobody disturbed."""
    scene = Scene(tmp_path_factory.mktemp("undisturbed") / "run")
    scene.source = working.source()
    scene.generate(scripted(lambda request: answer(request.prompt)))
    return final_files(scene)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "concurrency"), [(n, (1, 8, 64)[n % 3]) for n in range(9)])
def test_no_reply_that_arrived_is_asked_for_again_after_a_kill(
    tmp_path: Path, undisturbed: dict[str, bytes], seed: int, concurrency: int
) -> None:
    scene = Scene(tmp_path / "run")
    scene.source = working.source()
    chance = Random(seed)
    side = tmp_path / "side"
    process = started(scene, side, concurrency)
    until_replies(process, side, chance.randrange(45))
    time.sleep(chance.random() * 0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    had = {attempt.request for attempt in scene.history.attempts.values() if attempt.reply is not None}
    noted = set(side.read_text().split()) if side.exists() else set[str]()
    assert noted <= {request.prompt.unit for request in had}
    requests: list[Request] = []

    def answered(request: Request) -> str:
        requests.append(request)
        return answer(request.prompt)

    model = scripted(answered)
    model.name = "slow"
    result = scene.generate(model)
    assert [] == [request.prompt.key for request in requests if request in had]
    assert ("verified", undisturbed) == (result.status, final_files(scene))


def test_intents_of_a_killed_process_show_as_requests_without_a_reply(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "run")
    side = tmp_path / "side"
    process = started(scene, side, 8, replies=20)
    wait_until(side.with_suffix(".held").exists)
    process.kill()
    process.communicate()
    open_ones = [a for a in scene.history.attempts.values() if a.reply is None and a.error is None]
    assert 1 <= len(open_ones) <= 8


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "run")
    scene.source = working.source()
    side = tmp_path / "side"
    process = started(scene, side, 1, wait_s=0.05)
    until_replies(process, side, 2)
    process.kill()
    process.communicate()
    assert "verified" == scene.generate().status


def test_looking_at_the_folder_of_a_killed_process_changes_no_byte(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "run")
    side = tmp_path / "side"
    process = started(scene, side, 8, replies=50)
    until_replies(process, side, 10)
    process.kill()
    process.communicate()
    before = scene.tree()
    replies = len(scene.rows("reply"))
    assert "incomplete" == scene.validate(write=False).status
    assert before == scene.tree()
    assert replies >= 10


def test_a_run_resumed_with_another_model_does_not_pay_again_for_what_arrived(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "run")
    scene.source = working.source()
    side = tmp_path / "side"
    process = started(scene, side, 64)
    until_replies(process, side, 5)
    process.kill()
    process.communicate()
    had = {a.request.prompt.key for a in scene.history.attempts.values() if a.reply is not None and a.why == "answer"}
    model = scripted(lambda request: answer(request.prompt))
    model.name = "another"
    scene.generate(model)
    assert set() == had & {r.prompt.key for r in model.requests if "CORRECTION" not in r.messages[0].text}


@pytest.mark.slow
def test_an_interrupt_keeps_what_was_in_flight_and_ends_soon(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "run")
    scene.source = working.source()
    side = tmp_path / "side"
    process = started(scene, side, 8, replies=20)
    wait_until(side.with_suffix(".held").exists)
    process.send_signal(signal.SIGINT)
    wait_until(side.with_suffix(".stopping").exists)
    side.with_suffix(".go").touch()
    out, err = process.communicate(timeout=MOST_S)
    assert (130, b"", b"") == (process.returncode, out, err)
    attempts = scene.history.attempts.values()
    unsent = [a for a in attempts if a.reply is None and "it was not sent" in (a.error or "")]
    assert len(attempts) == len(unsent) + len([a for a in attempts if a.reply is not None])
    had = {attempt.request for attempt in attempts if attempt.reply is not None}
    model = scripted(lambda request: answer(request.prompt))
    model.name = "slow"
    assert "verified" == scene.generate(model).status
    assert set() == had & set(model.requests)


@pytest.mark.parametrize("where", ["in a worker", "while the first one is answered"])
def test_a_second_interrupt_in_the_middle_of_a_step_ends_the_wait_for_replies_too(where: str) -> None:
    """Python raises it wherever the main thread is. A worker that keeps it as a value tells nobody else of it."""
    calls: Any = deque(range(3))
    waiting = set[int]()
    ended = set[int]()

    async def send(given: Any) -> Any:
        waiting.add(given[0])
        if len(waiting) == 3:
            signal.raise_signal(signal.SIGINT)
        try:
            await asyncio.sleep(MOST_S)
        except asyncio.CancelledError:
            if given[0] == 1 and where == "in a worker":
                signal.raise_signal(signal.SIGINT)
            await asyncio.sleep(MOST_S)  # the reply is paid for
        finally:
            ended.add(given[0])

    def answer() -> None:
        if where != "in a worker":
            signal.raise_signal(signal.SIGINT)

    def unused(*_: Any) -> Any:
        raise AssertionError

    pool = WorkerPool(queue=calls, take=None, send=send, on_arrival=unused, most=3, on_cancel=answer)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_sync(pool.work())
    assert MOST_S / 2 > time.monotonic() - began
    assert {0, 1, 2} == ended


@pytest.mark.slow
def test_a_second_interrupt_ends_at_once(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "run")
    side = tmp_path / "side"
    process = started(scene, side, 8, replies=8)
    wait_until(side.with_suffix(".held").exists)
    process.send_signal(signal.SIGINT)
    wait_until(side.with_suffix(".stopping").exists)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=MOST_S)
    assert (130, b"") == (process.returncode, err)
    assert [one for one in scene.history.attempts.values() if one.reply is None]  # calls in flight were not waited for
    assert "incomplete" == scene.validate(write=False).status
