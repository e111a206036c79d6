"""The help of every command has two examples. The command line understands each of them, and they run."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest

from retouch.cli.root import command as root
from retouch.cli.verb import LazyGroup
from tests.cli.help_workspace import TYPED, prepare, ready, retouch
from tests.installed import recipes_of_others
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILES = (
    *(
        "prompt.md",
        "task.md",
        "constitution.md",
        "paths.txt",
        "data/a.csv",
        "checks.py",
        "extract.json",
        "reply.md",
        "fix.diff",
        "failure.txt",
    ),
    *("output/ir.json", "policy/policy.json", "rule.yaml", "expected.jsonl"),
    *("bugs.jsonl", "diffs/a.diff"),
    *("rules/mission.yaml", "rules/a.yaml", "rules/b.yaml", "r.yaml", "src/main/scala/a.scala", "tickets.jsonl"),
)
"""What the examples name and the command line reads: anything else is opened by the commands themselves."""
_EXAMPLE = re.compile(r"^ +((?:[A-Z_]+=\S+ )?retouch .+)$", re.MULTILINE)


def commands(group: LazyGroup, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command that is no group, with its words."""
    for name in group.list_commands(click.Context(group)):
        if not path and name in recipes_of_others():
            continue
        found = group.load(name)
        if isinstance(found, LazyGroup):
            yield from commands(found, (*path, name))
        else:
            yield (*path, name), found


EVERY = {" ".join(path): one for path, one in commands(root)}


def examples_of(name: str) -> list[str]:
    """Return the examples in the help of a command, without pipes and comments."""
    text = (EVERY[name].help or "").replace("\\\n", " ")
    found = [line.partition(" | ")[0].partition(" > ")[0] for line in _EXAMPLE.findall(text)]
    return [line for line in found if "..." not in line]


def understood(words: list[str]) -> None:
    """Let the command line parse a command, without running it."""
    context = click.Context(root)
    found: click.Command | None = root
    while isinstance(found, LazyGroup):
        _, found, words = found.resolve_command(context, words)
    assert found is not None
    if words != ["--help"]:
        found.make_context("retouch", list(words), parent=context).close()


@pytest.mark.parametrize("name", EVERY)
def test_a_command_has_two_examples_and_each_is_understood(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for place in FILES:
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("data/a.csv\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    examples = examples_of(name)
    assert 2 <= len(examples), examples
    for example in examples:
        words = shlex.split(example, comments=True)
        assert words.pop(0) == "retouch"
        understood(words)


ELSEWHERE = {
    "csharp compiler install": ".ci",
    "policy lists": "tests/recipes/policy",
    "policy rewrite": "tests/recipes/policy/commands/test_rewrite.py",
}
"""Commands that need a network, a model or a sentence of their own, and where tests run them."""
SERVING = "view"
ONLY_PARSED = {
    "retouch regenerate output/GET_pets --type Pet:2,3 --model replay:old.jsonl": "needs a unit of several pages",
    "retouch rule edit r.yaml @paths.txt --merge year+number=id --split code=-:site,part": "needs another rule",
    "retouch rule edit r.yaml @paths.txt --example data/s7_v2/a.csv site=7 version=2": "needs another rule",
    "retouch policy annotate http://localhost:8000/mcp -o annotations.json": "needs a server at this address",
    "retouch demo": "tests/cli/test_demo.py makes every example",
}


def contents(place: Path) -> dict[Path, tuple[int, int]]:
    """Return the size and time of each file, to see whether a command has changed any."""
    return {one: (one.stat().st_size, one.stat().st_mtime_ns) for one in place.rglob("*") if one.is_file()}


@pytest.mark.slow
def test_the_examples_run_where_their_files_are(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """None is refused: 1 and 3 are results, for example that something was not compiled. Each command has its copy."""
    base, work = tmp_path / "base", tmp_path / "work"
    base.mkdir()
    monkeypatch.setenv("RETOUCH_COMPILER", "none")
    monkeypatch.setenv("PATH", str(work / "bin"), prepend=os.pathsep)
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(work / "home"))
    work.mkdir()
    prepare(work, project)
    shutil.copytree(work, base, dirs_exist_ok=True)
    refused: dict[str, str] = {}
    untouched = contents(work)
    for name in EVERY:
        for number, example in enumerate(() if name in ELSEWHERE or name == SERVING else examples_of(name)):
            is_used = number == 0 or name.startswith("rule drafts")  # an approved draft is not approved again
            if is_used and contents(work) != untouched:
                monkeypatch.chdir(tmp_path)
                shutil.rmtree(work)
                shutil.copytree(base, work)
                untouched = contents(work)
            monkeypatch.chdir(work)
            if example in ONLY_PARSED:
                continue
            done = retouch(ready(shlex.split(example, comments=True)[1:]), TYPED.get(name, ""))
            if done.exit_code not in (0, 1, 3):
                refused[example] = done.output[-300:]
    monkeypatch.chdir(tmp_path)
    assert {} == refused


@pytest.mark.slow
def test_the_examples_of_the_viewer_serve_until_they_are_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("starlette", reason="the extra 'view' is not installed")
    monkeypatch.chdir(tmp_path)
    for run in ("output/GET_pets", "first", "second"):
        retouch(["generate", "rule", "a/1.csv", "a/2.csv", "-o", run])
    started: dict[str, subprocess.Popen[str]] = {}
    for example in examples_of(SERVING):
        words = [sys.executable, "-m", "retouch", *shlex.split(example)[1:]]
        words = ["0" if word == "8400" else word for word in words]  # another program may have the port
        own = {**os.environ, "BROWSER": "true", "PYTHONUNBUFFERED": "1"}
        started[example] = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=own)
    for example, process in started.items():
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=MOST_S)
        assert first.startswith("The pages are at http://127.0.0.1:"), example + first + rest
        assert "Traceback" not in rest, example + rest


def test_commands_whose_examples_do_not_run_here_are_run_by_other_tests(project: Path):
    for name, where in ELSEWHERE.items():
        assert name in EVERY
        place = project / where
        files = (
            [place] if place.is_file() else [one for one in place.rglob("*") if one.is_file() and one.suffix != ".pyc"]
        )
        text = "\n".join(one.read_text(encoding="utf-8", errors="replace") for one in files)
        assert name.split()[-1] in text, name
    every = {example for name in EVERY for example in examples_of(name)}
    assert ONLY_PARSED.keys() <= every
