"""The help of every command has two examples, and the command line understands each of them."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import click
import pytest

from retouch.cli.root import command as root
from retouch.cli.verb import LazyGroup
from tests.installed import recipes_of_others

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILES = (
    *(
        "prompt.md",
        "task.md",
        "paths.txt",
        "data/a.csv",
        "checks.py",
        "extract.json",
        "reply.md",
        "fix.diff",
        "failure.txt",
    ),
    *("output/ir.json", "policy/policy.json", "rule.yaml", "expected.jsonl"),
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
