"""What a person sees in a terminal, and what a pipe gets instead."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from retouch.cli.progress import Bar
from tests.cli.test_processes import answers
from tests.fleet.scenes import PROJECT
from tests.waiting import MOST_S, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import RetouchProcess

RETOUCH = [sys.executable, "-m", "retouch"]


class Terminal:
    """A command in a terminal of its own; what it shows is read by `until` and `end`."""

    def __init__(self, words: list[str], cwd: Path, *, columns: int = 100, **environment: str) -> None:
        self._shown = b""
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            os.chdir(cwd)
            os.environ.update(COLUMNS=str(columns), LINES="40", TERM="xterm-256color")
            os.environ.update(environment)
            os.execv(words[0], words)

    def type(self, typed: bytes) -> None:
        """Press keys."""
        os.write(self._terminal, typed)

    def until(self, pattern: str, limit_s: float = MOST_S) -> str:
        """Return all that was shown once `pattern` is found in it."""
        end = time.monotonic() + limit_s
        while not re.search(pattern, self.shown, re.DOTALL):
            assert time.monotonic() < end, f"{pattern!r} was not shown: {self.shown}"
            if select.select([self._terminal], [], [], 1.0)[0]:
                piece = os.read(self._terminal, 65_536)
                assert piece, f"{pattern!r} was not shown: {self.shown}"
                self._shown += piece
        return self.shown

    @property
    def shown(self) -> str:
        """All that was shown so far, without colours and other commands to the terminal."""
        return plain(self._shown.decode(errors="replace"))

    def until_it_ends(self) -> None:
        """Wait until the command ends."""
        wait_until(lambda: os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOWAIT | os.WNOHANG))

    def end(self) -> tuple[int, str]:
        """Return the exit status and all that was shown, as the terminal received it."""
        with suppress(OSError):  # Linux says EIO when the other side has closed
            while piece := os.read(self._terminal, 65_536):
                self._shown += piece
        os.close(self._terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1]), self._shown.decode()


def plain(shown: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)


def in_a_terminal(
    words: list[str], cwd: Path, *, typed: bytes = b"", columns: int = 100, **environment: str
) -> tuple[int, str]:
    """Run a command in a terminal; return its exit status and all that the terminal showed."""
    terminal = Terminal(words, cwd, columns=columns, **environment)
    if typed:
        terminal.type(typed)
    return terminal.end()


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
    headings = ("Options", "Runs", "Edits and search", "What is installed", "Recipes")
    assert [] == [heading for heading in headings if f" {heading} " not in shown]
    assert "╭" not in retouch_process("--help").stdout


@pytest.mark.slow
def test_stale_prompts_are_asked_about_in_a_terminal(
    retouch_process: RetouchProcess, make_stale: Callable[[Path], None], spec: str, tmp_path: Path
) -> None:
    assert 0 == retouch_process("generate", "csharp", spec, "GET /pets", "-o", "run", "--compiler", "none").returncode
    make_stale(tmp_path / "run")

    def calls() -> int:
        found: int = json.loads(retouch_process("show", "run", "--json").stdout)["calls"]
        return found

    words = [*RETOUCH, "regenerate", "run", "--compiler", "none"]
    status, shown = in_a_terminal(words, tmp_path, typed=b"n\n")
    assert 130 == status
    assert "Continue with the stored prompts?" in shown
    assert 4 == calls()
    status, shown = in_a_terminal(words, tmp_path, typed=b"y\n")
    assert 0 == status
    assert 8 == calls()


def test_no_prompt_is_shown_when_output_is_piped_and_nothing_waits(retouch_process: RetouchProcess, spec: str) -> None:
    done = retouch_process("generate", "csharp", spec, "GET /pets", "--compiler", "none")
    assert 0 == done.returncode
    assert "\x1b" not in done.stdout + done.stderr
    assert "settled PetDataObject: passed" in done.stderr


def test_a_narrow_terminal_says_once_what_is_the_same_in_every_row(
    retouch_process: RetouchProcess, spec: str, tmp_path: Path
) -> None:
    model = "faulty:offline?rate=1&kinds=prose&seed=1"
    retouch_process("generate", "csharp", spec, "GET /pets", "-o", "run", "--compiler", "none", "--model", model)
    status, shown = in_a_terminal([*RETOUCH, "show", "run", "--attempts"], tmp_path, columns=80)
    text = plain(shown)
    assert 0 == status
    assert 2 == text.count(f"model: {model}")  # above the pages, and above the attempts
    rows = [line for line in text.splitlines() if re.match(r"(seq|unit|\d+ |PetDataObject|Kind|Owner) ", line)]
    assert 4 < len(rows)
    assert max(map(len, rows)) <= 80
    assert re.search(r"^ *\d+ +PetDataObject +1 +answer +end ", text, re.MULTILINE)


def test_a_narrow_terminal_still_says_what_is_done_now() -> None:
    assert {"words": "$0.0100 · checking ·…"} == fitted("$0.0100 · checking · 5 calls", room=24)
    assert {"words": "checking"} == fitted("checking", room=24)


def fitted(words: str, *, room: int) -> dict[str, str]:
    shown: dict[str, str] = {}

    class Rich:
        def update(self, _task: int, *, description: str, **_: object) -> None:
            shown["words"] = description

    Bar(Rich(), 0, room=lambda: room).show(5, 5, words)
    return shown


def test_a_run_goes_on_when_nobody_reads_its_progress(spec: str, tmp_path: Path) -> None:
    words = f"'{sys.executable}' -m retouch generate csharp '{spec}' 'GET /pets' -o run --compiler none 2>&1 | true"
    subprocess.run(["sh", "-c", words], cwd=tmp_path, check=True, timeout=MOST_S)
    assert (tmp_path / "run" / "PetDataObject.cs").exists()


@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&-"])
def test_a_stream_that_the_shell_has_closed_ends_no_command(closed: str, spec: str, tmp_path: Path) -> None:
    words = f"'{sys.executable}' -m retouch generate csharp '{spec}' 'GET /pets' -o run --compiler none {closed}"
    done = subprocess.run(
        ["sh", "-c", words], cwd=tmp_path, check=False, timeout=MOST_S, capture_output=True, text=True
    )
    assert (0, False) == (done.returncode, "error" in done.stdout + done.stderr)
    assert (tmp_path / "run" / "PetDataObject.cs").exists()


SLOW = ("--compiler", "none", "--model", "slow", "--concurrency", "2")


@pytest.fixture
def slow_model(slow_model: dict[str, str]) -> dict[str, str]:
    """Let every call after the first take a quarter of an hour, or until a file `go` is there."""
    return {**slow_model, "SLOW_S": "900"}


@pytest.mark.slow
@pytest.mark.parametrize("columns", [60, 80])
def test_the_clock_runs_while_a_model_thinks_and_a_narrow_line_shows_the_cost(
    columns: int, spec: str, tmp_path: Path, slow_model: dict[str, str]
) -> None:
    words = [*RETOUCH, "generate", "csharp", spec, "GET /pets", *SLOW]
    terminal = Terminal(words, tmp_path, columns=columns, **slow_model)
    terminal.until(r"(0:\d\d:\d\d) \$0\.0000 · waiting for 2 repl.*(?!\1)0:\d\d:\d\d \$0\.0000 · waiting for 2 repl")
    (tmp_path / "go").touch()
    status, shown = terminal.end()
    assert 0 == status
    assert "cost    $0.0000" in plain(shown)


def test_many_runs_show_cost_and_pending_replies_before_the_first_one_ends(
    spec: str, tmp_path: Path, slow_model: dict[str, str]
) -> None:
    words = [*RETOUCH, "generate", "csharp", spec, "--match", "GET /p*", *SLOW]
    terminal = Terminal(words, tmp_path, columns=80, **slow_model)
    terminal.until(r"0/\d+ runs 0:\d\d:\d\d \$0\.0000 · waiting for 2 replies")
    (tmp_path / "go").touch()
    status, shown = terminal.end()
    assert 0 == status
    assert re.search(r"runs: .* calls, [\d,]+ tokens, \$0\.0000", plain(shown))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("which", "quiet"),
    [(("GET /pets",), ()), (("GET /pets",), ("--quiet",)), (("--all",), ()), (("--all",), ("--json",))],
)
def test_ctrl_c_is_answered_at_once_and_the_second_one_ends_the_wait(
    which: tuple[str, ...], quiet: tuple[str, ...], spec: str, tmp_path: Path, slow_model: dict[str, str]
) -> None:
    words = [sys.executable, "-m", "tests.patient", "900", "generate", "csharp", spec, *which, *SLOW, *quiet]
    slow_model["PYTHONPATH"] += f":{PROJECT}"
    terminal = Terminal(words, tmp_path, columns=80, **slow_model)
    wait_until(lambda: 1 == sum(answers(run) for run in (tmp_path / "output").glob("*")))
    wait_until((tmp_path / "held").exists)  # a call is in flight
    terminal.type(b"\x03")
    terminal.until("waiting up to 900 s for [12] repl(y|ies); press again to stop now")
    terminal.type(b"\x03")
    terminal.until_it_ends()
    status, shown = terminal.end()
    assert 130 == status
    assert 1 == sum(answers(run) for run in (tmp_path / "output").glob("*"))
    assert 1 == plain(shown).count("press again to stop now")
    assert "Every answer that arrived is kept" in plain(shown)


def test_a_dumb_terminal_gets_plain_lines_without_colours(spec: str, tmp_path: Path) -> None:
    words = [*RETOUCH, "generate", "csharp", spec, "GET /pets", "--compiler", "none"]
    status, shown = in_a_terminal(words, tmp_path, TERM="dumb")
    assert (0, False) == (status, "\x1b" in shown)
    assert "settled PetDataObject: passed" in shown
    assert "╭" not in in_a_terminal([*RETOUCH, "--help"], tmp_path, TERM="dumb")[1]


@pytest.mark.slow
@pytest.mark.parametrize("words", [("show", "run"), ("show", "nowhere"), ("--help",), ("generate", "--help")])
def test_no_color_leaves_a_terminal_without_colours(
    words: tuple[str, ...], retouch_process: RetouchProcess, spec: str, tmp_path: Path
) -> None:
    retouch_process("generate", "csharp", spec, "GET /pets", "-o", "run", "--compiler", "none")
    coloured = re.compile(r"\x1b\[[0-9;]*[34]\d")
    assert coloured.search(in_a_terminal([*RETOUCH, *words], tmp_path)[1])
    for forced in ("", "1"):
        shown = in_a_terminal([*RETOUCH, *words], tmp_path, NO_COLOR="1", FORCE_COLOR=forced)[1]
        assert not coloured.search(shown)


@pytest.mark.slow
def test_force_color_colours_a_pipe_and_moves_no_line(retouch_process: RetouchProcess, spec: str) -> None:
    done = retouch_process("generate", "csharp", spec, "GET /pets", "--compiler", "none", FORCE_COLOR="1")
    assert "\x1b[33m" in done.stdout
    assert "\x1b[2K" not in done.stderr
    assert "\x1b[31m" in retouch_process("show", "nowhere", FORCE_COLOR="1").stderr
    assert "\x1b" not in retouch_process("show", "nowhere", FORCE_COLOR="").stderr
