"""The command line as a process: Ctrl-C, kill, terminals, pipes, locks, disks, models of other packages."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from conftest import RetouchProcess

RETOUCH = [sys.executable, "-m", "retouch.cli"]
SLOW_MODEL = """
import asyncio
import os
from retouch.engine.plugins import open_model

def open_slow(spec):
    inner = open_model("offline", recipe=spec.recipe)
    asked = []

    async def slow(request, *, on_event=None):
        asked.append(request)
        await asyncio.sleep(0 if len(asked) == 1 else float(os.environ["SLOW_S"]))
        return await inner(request, on_event=on_event)

    return slow
"""


@pytest.fixture
def slow_model(tmp_path: Path) -> dict[str, str]:
    """Let a package of someone else offer the model `slow`: every call after the first takes SLOW_S seconds."""
    package = tmp_path / "package"
    (package / "slow_model-1.0.dist-info").mkdir(parents=True)
    (package / "slow_model.py").write_text(SLOW_MODEL)
    (package / "slow_model-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: slow-model\nVersion: 1.0\n"
    )
    (package / "slow_model-1.0.dist-info" / "entry_points.txt").write_text(
        "[retouch.models]\nslow = slow_model:open_slow\n"
    )
    return {"PYTHONPATH": str(package), "SLOW_S": "0"}


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


def wait_until(true: Callable[[], bool], limit_s: float = 30) -> None:
    end = time.monotonic() + limit_s
    while not true():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


def answers(folder: Path) -> int:
    """Return how many replies are in the ledger of a run that may be being written."""
    from retouch.engine.run import LEDGER, PROMPTS, open_run

    if not ((folder / LEDGER).exists() and (folder / PROMPTS).exists() and (folder / "ir.json").exists()):
        return 0
    return sum(1 for one in open_run(folder).history.attempts.values() if one.reply is not None)


SLOW = ("--compiler", "none", "--model", "slow", "--concurrency", "2")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_says_what_is_kept_and_goes_on_from_there(
    number: signal.Signals, start: Callable[..., subprocess.Popen[str]], spec: str, tmp_path: Path
) -> None:
    process = start("generate", "csharp", spec, "GET /pets", "-o", "run", *SLOW, slow_s=60)
    wait_until(lambda: answers(tmp_path / "run") == 1)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (130, "") == (process.returncode, out)
    assert "Every answer that arrived is kept in 'run'" in err
    assert "Give the same command again" in err
    assert "Traceback" not in err
    again = start("generate", "csharp", spec, "GET /pets", "-o", "run", *SLOW, "--json")
    assert 3 == json.loads(again.communicate(timeout=60)[0])["calls"]


def test_a_killed_run_goes_on_from_there(
    start: Callable[..., subprocess.Popen[str]], spec: str, tmp_path: Path
) -> None:
    process = start("generate", "csharp", spec, "GET /pets", "-o", "run", *SLOW, slow_s=60)
    wait_until(lambda: answers(tmp_path / "run") == 1)
    process.kill()
    process.communicate()
    again = start("generate", "csharp", spec, "GET /pets", "-o", "run", *SLOW, "--json")
    assert 3 == json.loads(again.communicate(timeout=60)[0])["calls"]


def test_many_stopped_runs_leave_no_process_and_go_on_from_there(
    start: Callable[..., subprocess.Popen[str]], spec: str, tmp_path: Path
) -> None:
    process = start("generate", "csharp", spec, "--all", "-o", "runs", *SLOW, slow_s=60)
    wait_until(lambda: 1 == sum(answers(run) for run in (tmp_path / "runs").glob("*")))
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: the whole group hears it
    _, err = process.communicate(timeout=30)
    assert 130 == process.returncode
    assert "Every answer that arrived is kept in 'runs'" in err
    assert "Traceback" not in err
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    again = start("generate", "csharp", spec, "--all", "-o", "runs", *SLOW, "--json")
    done: dict[str, Any] = json.loads(again.communicate(timeout=60)[0])
    assert ("clean", 14) == (done["status"], done["calls"])


def test_ctrl_c_ends_worker_processes_too(start: Callable[..., subprocess.Popen[str]], tmp_path: Path) -> None:
    big = many_endpoints(tmp_path, 2_000)
    process = start("generate", "csharp", str(big), "--all", "-o", "runs", "--compiler", "none")
    wait_until(lambda: len(list((tmp_path / "runs").glob("*/pages.json"))) > 3)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert 130 == process.returncode
    assert "Every answer that arrived is kept in 'runs'" in err
    assert "Traceback" not in err
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


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


def test_a_second_writer_learns_who_holds_the_folder_or_waits(
    start: Callable[..., subprocess.Popen[str]], spec: str, tmp_path: Path
) -> None:
    first = start(
        "generate", "csharp", spec, "GET /pets", "-o", "run", "--compiler", "none", "--model", "slow", slow_s=2
    )
    wait_until(lambda: answers(tmp_path / "run") == 1)
    second = start("generate", "csharp", spec, "GET /pets", "-o", "run", "--compiler", "none")
    _, err = second.communicate(timeout=30)
    assert 2 == second.returncode
    assert f"process {first.pid}" in err
    assert "--wait" in err
    shown = start("show", "run", "--json")
    assert "incomplete" == json.loads(shown.communicate(timeout=30)[0])["status"]
    third = start("generate", "csharp", spec, "GET /pets", "-o", "run", "--compiler", "none", "--json", "--wait")
    assert 0 == json.loads(third.communicate(timeout=60)[0])["calls"]
    assert 0 == first.wait(timeout=30)


def test_a_model_of_another_package_can_be_named_and_is_listed(
    retouch_process: RetouchProcess, slow_model: dict[str, str], spec: str
) -> None:
    listed = json.loads(retouch_process("models", "--json", **slow_model).stdout)["models"]
    assert "slow" in [one["scheme"] for one in listed]
    done = retouch_process(
        "generate", "csharp", spec, "--all", "--compiler", "none", "--model", "slow", "--json", **slow_model
    )
    assert (0, "clean", 15) == (done.returncode, *(json.loads(done.stdout)[key] for key in ("status", "calls")))


def in_a_terminal(words: list[str], cwd: Path, *, typed: bytes = b"") -> tuple[int, str]:
    """Run a command in a terminal of 100 columns; return its exit status and all that the terminal showed."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.environ.update(COLUMNS="100", LINES="40", TERM="xterm-256color")
        os.execv(words[0], words)
    shown = b""
    if typed:
        os.write(terminal, typed)
    with suppress(OSError):  # Linux says EIO when the other side has closed
        while piece := os.read(terminal, 65_536):
            shown += piece
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode()


def test_a_terminal_gets_colours_a_live_line_and_the_summary(spec: str, tmp_path: Path) -> None:
    status, shown = in_a_terminal([*RETOUCH, "generate", "csharp", spec, "GET /pets", "--compiler", "none"], tmp_path)
    assert 0 == status
    assert "\x1b[" in shown
    assert "pages" in shown
    assert "settled PetDataObject" not in shown
    assert "PetDataObject.cs" in shown


def test_a_terminal_gets_framed_help_and_a_pipe_plain_text(tmp_path: Path, retouch_process: RetouchProcess) -> None:
    status, shown = in_a_terminal([*RETOUCH, "--help"], tmp_path)
    assert (0, True) == (status, "╭" in shown)
    assert "╭" not in retouch_process("--help").stdout


def test_stale_prompts_are_asked_about_in_a_terminal(
    retouch_process: RetouchProcess, make_stale: Callable[[Path], None], spec: str, tmp_path: Path
) -> None:
    assert 0 == retouch_process("generate", "csharp", spec, "GET /pets", "-o", "run", "--compiler", "none").returncode
    make_stale(tmp_path / "run")
    words = [*RETOUCH, "regenerate", "run", "--compiler", "none"]
    status, shown = in_a_terminal(words, tmp_path, typed=b"n\n")
    assert 130 == status
    assert "Go on with the stored prompts?" in shown
    assert 4 == answers(tmp_path / "run")
    status, shown = in_a_terminal(words, tmp_path, typed=b"y\n")
    assert 0 == status
    assert 8 == answers(tmp_path / "run")


def test_no_prompt_is_shown_when_output_is_piped_and_nothing_waits(retouch_process: RetouchProcess, spec: str) -> None:
    done = retouch_process("generate", "csharp", spec, "GET /pets", "--compiler", "none")
    assert 0 == done.returncode
    assert "\x1b" not in done.stdout + done.stderr
    assert "settled PetDataObject: clean" in done.stderr


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("needs a small file system, which may not be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("which", [("GET /pets",), ("--all",)])
def test_a_full_disk_is_a_sentence_and_the_run_goes_on_when_there_is_space(
    which: tuple[str, ...], small_disk: Path, retouch_process: RetouchProcess, spec: str
) -> None:
    (small_disk / "ballast").write_bytes(b"x" * 40_000)
    words = ("generate", "csharp", spec, *which, "-o", str(small_disk / "run"), "--compiler", "none")
    full = retouch_process(*words)
    assert 2 == full.returncode
    assert "Free some space" in full.stderr
    assert "Traceback" not in full.stderr
    assert "unexpected" not in full.stderr
    (small_disk / "ballast").unlink()
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    assert 0 == retouch_process(*words).returncode


@pytest.mark.parametrize("place", ["/dev/null/run", "/proc/run", "a-file", "a-file/run", "x" * 300])
@pytest.mark.parametrize("which", [("GET /pets",), ("--all",)])
def test_a_place_that_cannot_be_written_is_2_with_a_next_step(
    place: str, which: tuple[str, ...], retouch_process: RetouchProcess, spec: str, tmp_path: Path
) -> None:
    (tmp_path / "a-file").write_text("")
    done = retouch_process("generate", "csharp", spec, *which, "-o", place, "--compiler", "none")
    assert 2 == done.returncode
    assert "next: " in done.stderr
    assert "Traceback" not in done.stderr
    assert "unexpected" not in done.stderr


def test_a_reader_that_goes_away_gives_no_traceback(spec: str) -> None:
    line = f"{' '.join(RETOUCH)} endpoints {spec} --json | true"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert "" == done.stderr
