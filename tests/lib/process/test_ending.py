"""A command ends with all that it has started, and its output stays within bounds."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from retouch._lib.process.judging import judge
from retouch._lib.process.launch import launch
from retouch._lib.process.views import MachineView
from tests.lib.process.machines import NO_NAMESPACES, ask_there
from tests.lib.process.scenes import PYTHON, Bench, living
from tests.waiting import wait_until

DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp(sys.executable, [sys.executable, "-c", "import time; time.sleep(300)", sys.argv[1]])
    os._exit(0)
os.wait()
time.sleep(float(sys.argv[2]))
"""


def plain(bench: Bench, command: str, limit_s: float = 120.0) -> MachineView:
    return MachineView(command=command, where=str(bench.workspace), limit_s=limit_s)


@pytest.mark.slow
@pytest.mark.parametrize("stay_s", ["0", "60"])
@pytest.mark.parametrize("options", [{}, {"unconfined": True}, {"in_place": True}])
def test_a_daemon_ends_with_the_command_that_started_it(bench: Bench, stay_s: str, options: dict[str, bool]) -> None:
    word = uuid4().hex
    bench.write({"daemon.py": DAEMON})
    bench.judge(f"{PYTHON} daemon.py {word} {stay_s}", texts={}, limit_s=1.5, **options)
    assert [] == living(word)


@pytest.mark.parametrize("stay_s", ["0", "60"])
def test_a_daemon_ends_also_where_there_are_no_namespaces(bench: Bench, stay_s: str) -> None:
    word = uuid4().hex
    bench.write({"daemon.py": DAEMON})
    asyncio.run(launch(plain(bench, f"{PYTHON} daemon.py {word} {stay_s}", limit_s=1.5), os.environ))
    assert [] == living(word)


def begun(word: str) -> None:
    """Wait until a process with `word` in its command line lives."""
    wait_until(lambda: living(word))


def test_cancelling_ends_the_command_at_once(bench: Bench) -> None:
    word = uuid4().hex

    async def cancelled() -> None:
        work = asyncio.ensure_future(judge(bench.question(f"sh -c 'sleep 600; : {word}'"), {}))
        await asyncio.to_thread(begun, word)
        work.cancel()
        await asyncio.wait([work])

    asyncio.run(cancelled())
    assert [] == living(word)


def test_a_command_ends_when_the_process_that_asked_is_killed(bench: Bench) -> None:
    word = uuid4().hex
    code = (
        "import asyncio; from pathlib import Path; from tests.lib.process.scenes import Bench; "
        f"b = Bench(Path({str(bench.root / 'other')!r})); b.judge(\"sh -c 'sleep 600; : {word}'\", limit_s=600)"
    )
    (bench.root / "other").mkdir()
    asker = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[3])
    wait_until(lambda: len(living(word)) > 1 or asker.poll() is not None)
    assert asker.poll() is None
    asker.send_signal(signal.SIGKILL)
    asker.wait()
    wait_until(lambda: not living(word))


def test_the_first_and_the_last_of_a_long_output_are_kept(bench: Bench) -> None:
    code = "import sys; [sys.stdout.write(f'{n:07d}' + chr(10)) for n in range(400_000)]"
    result = asyncio.run(launch(plain(bench, f'{PYTHON} -c "{code}"'), os.environ))
    assert (0, True, True) == (
        result.status,
        result.output.startswith("0000000\n"),
        result.output.endswith("0399999\n"),
    )
    assert "bytes left out" in result.output
    assert len(result.output) < 600_000


def test_standard_error_comes_in_its_order_and_input_is_empty(bench: Bench) -> None:
    result = asyncio.run(launch(plain(bench, "echo one; echo two >&2; cat; echo three"), os.environ))
    assert (0, "one\ntwo\nthree\n") == (result.status, result.output)


@pytest.mark.parametrize(("command", "status"), [("exit 9", 9), ("kill -9 $$", -9), ("exec sleep 60", None)])
def test_an_end_is_told_as_it_was(bench: Bench, command: str, status: int | None) -> None:
    limit_s = 1.5 if status is None else 120.0
    assert status == asyncio.run(launch(plain(bench, command, limit_s=limit_s), os.environ)).status


def test_without_namespaces_a_time_out_leaves_nothing_either(open_place: Path) -> None:
    word = uuid4().hex
    bench = Bench(open_place)
    bench.write({"daemon.py": DAEMON})
    verdict = ask_there(NO_NAMESPACES, open_place, f"{PYTHON} daemon.py {word} 0; cat a.txt")
    assert ("copy", "passed") == (verdict["where"], verdict["outcome"])
    assert [] == living(word)
