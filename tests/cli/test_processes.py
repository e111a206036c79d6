"""The command line as a process: Ctrl-C, kill, locks, models of other packages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from tests.waiting import MOST_S, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.cli.conftest import RetouchProcess

RETOUCH = [sys.executable, "-m", "retouch"]


@pytest.fixture
def start(tmp_path: Path, slow_model: dict[str, str]) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start the command line in a process group of its own; whatever is left at the end of the test is killed."""
    started: list[subprocess.Popen[str]] = []

    def begin(*words: str, slow_s: float = 0) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*RETOUCH, *words],
            cwd=tmp_path,
            env={**os.environ, **slow_model, "SLOW_S": str(slow_s)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def answers(folder: Path) -> int:
    """Return how many replies are in the ledger of a run that may be being written."""
    from retouch.engine.directory import PROMPTS, open_run
    from retouch.engine.ledger import LEDGER

    if not ((folder / LEDGER).exists() and (folder / PROMPTS).exists() and (folder / "ir.json").exists()):
        return 0
    return sum(1 for one in open_run(folder).history.attempts.values() if one.reply is not None)


def group_of(leader: int) -> list[int]:
    """Return the processes of a group that still run. One that has ended may still be listed."""
    found: list[int] = []
    for one in psutil.process_iter():
        with suppress(ProcessLookupError, psutil.Error):
            if os.getpgid(one.pid) == leader and one.status() != psutil.STATUS_ZOMBIE:
                found.append(one.pid)
    return found


SLOW = ("--compiler", "none", "--model", "slow", "--concurrency", "2")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_says_what_is_kept_and_goes_on_from_there(
    number: signal.Signals, start: Callable[..., subprocess.Popen[str]], spec: str, tmp_path: Path
) -> None:
    process = start("generate", "csharp", spec, "GET /pets", "-o", "run", *SLOW, slow_s=900)
    wait_until(lambda: answers(tmp_path / "run") == 1)
    process.send_signal(number)
    out, err = process.communicate(timeout=MOST_S)
    assert (130, "") == (process.returncode, out)
    assert "Every answer that arrived is kept in 'run'" in err
    assert "Give the same command again" in err
    assert "Traceback" not in err
    again = start("generate", "csharp", spec, "GET /pets", "-o", "run", *SLOW, "--json")
    assert 3 == json.loads(again.communicate(timeout=MOST_S)[0])["calls"]


@pytest.mark.slow
def test_a_killed_run_goes_on_from_there(
    start: Callable[..., subprocess.Popen[str]], spec: str, tmp_path: Path
) -> None:
    process = start("generate", "csharp", spec, "GET /pets", "-o", "run", *SLOW, slow_s=900)
    wait_until(lambda: answers(tmp_path / "run") == 1)
    process.kill()
    process.communicate()
    again = start("generate", "csharp", spec, "GET /pets", "-o", "run", *SLOW, "--json")
    assert 3 == json.loads(again.communicate(timeout=MOST_S)[0])["calls"]


@pytest.mark.slow
def test_many_stopped_runs_leave_no_process_and_go_on_from_there(
    start: Callable[..., subprocess.Popen[str]], spec: str, tmp_path: Path
) -> None:
    process = start("generate", "csharp", spec, "--all", "-o", "runs", *SLOW, slow_s=900)
    wait_until(lambda: 1 == sum(answers(run) for run in (tmp_path / "runs").glob("*")))
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: the whole group hears it
    _, err = process.communicate(timeout=MOST_S)
    assert 130 == process.returncode
    assert "Every answer that arrived is kept in 'runs'" in err
    assert "Traceback" not in err
    wait_until(lambda: not group_of(process.pid))  # whoever had its output has closed it by now
    again = start("generate", "csharp", spec, "--all", "-o", "runs", *SLOW, "--json")
    done: dict[str, Any] = json.loads(again.communicate(timeout=MOST_S)[0])
    assert ("unverified", 14) == (done["status"], done["calls"])


@pytest.mark.slow
def test_ctrl_c_ends_worker_processes_too(start: Callable[..., subprocess.Popen[str]], tmp_path: Path) -> None:
    big = many_endpoints(tmp_path, 2_000)
    process = start("generate", "csharp", str(big), "--all", "-o", "runs", "--compiler", "none")
    wait_until(lambda: len(list((tmp_path / "runs").glob("*/pages.json"))) > 3)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=MOST_S)
    assert 130 == process.returncode
    assert "Every answer that arrived is kept in 'runs'" in err
    assert "Traceback" not in err
    wait_until(lambda: not group_of(process.pid))  # whoever had its output has closed it by now


def many_endpoints(folder: Path, count: int) -> Path:
    answer = {
        "200": {
            "content": {"application/json": {"schema": {"type": "object", "properties": {"id": {"type": "string"}}}}}
        }
    }
    paths = {f"/things{number}": {"get": {"responses": answer}} for number in range(count)}
    place = folder / "many.json"
    place.write_text(json.dumps({"openapi": "3.0.0", "paths": paths}))
    return place


@pytest.mark.slow
def test_a_second_writer_learns_who_holds_the_folder_or_waits(
    start: Callable[..., subprocess.Popen[str]], spec: str, tmp_path: Path
) -> None:
    first = start(
        "generate", "csharp", spec, "GET /pets", "-o", "run", "--compiler", "none", "--model", "slow", slow_s=900
    )
    wait_until(lambda: answers(tmp_path / "run") == 1)
    second = start("generate", "csharp", spec, "GET /pets", "-o", "run", "--compiler", "none")
    _, err = second.communicate(timeout=MOST_S)
    assert 2 == second.returncode
    assert f"process {first.pid}" in err
    assert "--wait" in err
    shown = start("show", "run", "--json")
    assert "incomplete" == json.loads(shown.communicate(timeout=MOST_S)[0])["status"]
    third = start("generate", "csharp", spec, "GET /pets", "-o", "run", "--compiler", "none", "--json", "--wait")
    (tmp_path / "go").touch()
    assert 0 == json.loads(third.communicate(timeout=MOST_S)[0])["calls"]
    assert 0 == first.wait(timeout=MOST_S)


@pytest.mark.slow
def test_a_model_of_another_package_can_be_named_and_is_listed(
    retouch_process: RetouchProcess, slow_model: dict[str, str], spec: str
) -> None:
    listed = json.loads(retouch_process("models", "--json", **slow_model).stdout)["models"]
    assert "slow" in [one["scheme"] for one in listed]
    done = retouch_process(
        "generate", "csharp", spec, "--all", "--compiler", "none", "--model", "slow", "--json", **slow_model
    )
    assert (0, "unverified", 15) == (done.returncode, *(json.loads(done.stdout)[key] for key in ("status", "calls")))


ENDING = """
import sys, threading, time
from retouch.cli import main

def linger():
    while threading.main_thread().is_alive():
        time.sleep(0.01)
    print("the interpreter waits for this thread", flush=True)
    time.sleep(600)

threading.Thread(target=linger).start()
sys.argv = ["retouch", "--version"]
main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_after_the_command_has_ended_leaves_no_traceback(number: signal.Signals) -> None:
    words = [sys.executable, "-c", ENDING]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    while "waits" not in process.stdout.readline():
        pass
    process.send_signal(number)
    out, err = process.communicate(timeout=MOST_S)
    assert (-number, "", "") == (process.returncode, out, err)
