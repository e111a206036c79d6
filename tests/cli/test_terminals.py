"""What a person sees in a terminal, and what a pipe gets instead."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from retouch.cli.progress import Bar

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import RetouchProcess

RETOUCH = [sys.executable, "-m", "retouch.cli"]


def in_a_terminal(words: list[str], cwd: Path, *, typed: bytes = b"", columns: int = 100) -> tuple[int, str]:
    """Run a command in a terminal; return its exit status and all that the terminal showed."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.environ.update(COLUMNS=str(columns), LINES="40", TERM="xterm-256color")
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
    headings = ("Options", "Runs", "Edits and search", "What is installed", "Recipes")
    assert [] == [heading for heading in headings if f" {heading} " not in shown]
    assert "╭" not in retouch_process("--help").stdout


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
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert 0 == status
    assert 1 == plain.count(f"model: {model}")
    assert 80 >= max(len(line) for line in plain.splitlines()[1:] if not line.startswith("info ["))  # rows of tables
    assert re.search(r"^ *\d+ +PetDataObject +1 +answer +end ", plain, re.MULTILINE)


def test_a_narrow_terminal_still_says_what_is_done_now() -> None:
    assert {"words": "checking · 5 asked, …"} == fitted("checking · 5 asked, 8 answered", room=24)
    assert {"words": "checking"} == fitted("checking", room=24)


def fitted(words: str, *, room: int) -> dict[str, str]:
    shown: dict[str, str] = {}

    class Rich:
        def update(self, _task: int, *, description: str, **_: object) -> None:
            shown["words"] = description

    Bar(Rich(), 0, room=room).show(5, 5, words)
    return shown


def test_a_run_goes_on_when_nobody_reads_its_progress(spec: str, tmp_path: Path) -> None:
    words = f"'{sys.executable}' -m retouch.cli generate csharp '{spec}' 'GET /pets' -o run --compiler none 2>&1 | true"
    subprocess.run(["sh", "-c", words], cwd=tmp_path, check=True, timeout=60)
    assert (tmp_path / "run" / "PetDataObject.cs").exists()


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&-"])
def test_a_stream_that_the_shell_has_closed_ends_no_command(closed: str, spec: str, tmp_path: Path) -> None:
    words = f"'{sys.executable}' -m retouch.cli generate csharp '{spec}' 'GET /pets' -o run --compiler none {closed}"
    done = subprocess.run(["sh", "-c", words], cwd=tmp_path, check=False, timeout=60, capture_output=True, text=True)
    assert (0, False) == (done.returncode, "error" in done.stdout + done.stderr)
    assert (tmp_path / "run" / "PetDataObject.cs").exists()
