"""Inputs that nobody wants: each is named in one clear error with the next step, and ends with exit status 2."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from retouch.cli.root import command
from retouch.cli.verb import LazyGroup

if TYPE_CHECKING:
    from collections.abc import Iterator

    import click

    from tests.cli.conftest import Retouch, RetouchProcess

CONTENTS = {
    "empty": b"",
    "latin1": b"caf\xe9: \xff\xfe\n",
    "nul": b"\0\0\0\0",
    "deep": b"[" * 100_000,
    "text": b"hello world\n",
    "list": b"[]",
    "number": b"1e999",
}
COMMANDS = {
    "document": ("generate", "csharp", "FILE", "GET /pets"),
    "many": ("generate", "csharp", "FILE", "--all"),
    "endpoints": ("csharp", "endpoints", "FILE"),
    "run": ("show", "FILE"),
    "resumed": ("resume", "FILE"),
    "checked": ("validate", "FILE"),
    "policy": ("policy", "check", "FILE", "call.json"),
    "tools": ("generate", "policy", "constitution.md", "--tools", "FILE"),
    "lists": ("generate", "policy", "constitution.md", "--tools", "tools.json", "--lists", "FILE"),
    "call": ("policy", "check", "policy.json", "FILE"),
    "scenarios": ("policy", "test", "policy.json", "FILE"),
    "rule": ("rule", "apply", "FILE", "a/b"),
    "index": ("locate", "index", "FILE"),
}
POLICY_FIXTURES = Path(__file__).parents[1] / "recipes" / "policy" / "fixtures"


@pytest.fixture
def hostile(work_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with broken files of many kinds, and sound ones."""
    monkeypatch.setenv("XDG_DATA_HOME", str(work_folder / "data"))
    for name, content in CONTENTS.items():
        (work_folder / name).write_bytes(content)
    (work_folder / "dir").mkdir()
    (work_folder / "loop").symlink_to("loop")
    (work_folder / "call.json").write_text('{"serverName": "a", "toolName": "b"}')
    (work_folder / "constitution.md").write_text("Allow reading files inside ~/Documents.\n")
    (work_folder / "tools.json").write_text('{"servers": {"filesystem": {"tools": []}}}')
    for place in POLICY_FIXTURES.glob("*.json"):
        (work_folder / place.name).write_bytes(place.read_bytes())
    return work_folder


@pytest.mark.parametrize("name", [*CONTENTS, "dir", "loop", "missing"])
@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_file_that_cannot_be_used_is_named_with_the_next_step(
    words: tuple[str, ...], name: str, hostile: Path, retouch: Retouch
) -> None:
    if (words[1], name) == ("index", "dir"):
        pytest.skip("a directory is what this command wants")
    result = retouch(*(name if word == "FILE" else word for word in words))
    assert (2, "") == (result.exit_code, result.stdout), result.stderr
    assert repr(name) in result.stderr
    assert "next: " in result.stderr
    assert "unexpected" not in result.stderr
    assert "Traceback" not in result.stderr
    assert not (hostile / "output").exists()


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("generate", "csharp", "pets.yaml", "GET /pets", "-o", ""), "the path is empty"),
        (("show", ""), "the path is empty"),
        (("generate", "csharp", "pets.yaml", "GET /pets", "--max-cost", "nan"), "'nan' is not a number"),
        (("generate", "csharp", "pets.yaml", "GET /pets", "--max-cost-more", "nan"), "'nan' is not a number"),
        (("generate", "csharp", "pets.yaml", "GET /pets", "--batch", "--batch-wait", "nan"), "'nan' is not a number"),
        (("generate", "edit", "loop", "--request", "x"), "Symlink loop"),
        (("generate", "rule", "@deep"), "has 100,000 characters"),
        (("rule", "wizard", "@deep", "--no-tui"), "has 100,000 characters"),
        (("chisel", "trials", "text"), "'text' is not a ledger of trials"),
        (("policy", "test", "policy.json", "list"), "'list' contains no scenarios"),
        (("regenerate", "dir", "--correction", "@latin1"), "'latin1' is not text"),
        (("generate", "csharp", "pets.yaml", "GET /pets", "--model", ""), "it is empty"),
        (("generate", "csharp", "pets.yaml", "GET /pets", "--fallback", " "), "it is empty"),
        (("generate", "rule", "a/b", "--min-coverage", "nan"), "'nan' is not a number"),
        (("generate", "edit", "text", "--request", "x", "--check-timeout", "nan"), "'nan' is not a number"),
        (("generate", "edit", "text", "--request", "x", "--check-timeout", "0"), "0.0 is not in the range x>0"),
        (("policy", "analyse", "policy.json", "--text", "latin1"), "'latin1' is not UTF-8: byte 3"),
        (("policy", "test", "policy.json", "--common", "missing"), "'missing' does not exist"),
    ],
)
def test_an_input_that_means_nothing_is_refused(
    words: tuple[str, ...], part: str, hostile: Path, retouch: Retouch, spec: str
) -> None:
    (hostile / "pets.yaml").write_bytes(Path(spec).read_bytes())
    result = retouch(*words)
    assert (2, "") == (result.exit_code, result.stdout), result.stderr
    assert part in result.stderr
    assert "unexpected" not in result.stderr


@pytest.mark.parametrize("verb", ["show", "validate", "regenerate", "assemble", "resume", "report"])
def test_a_run_whose_prompts_are_gone_is_not_verified(verb: str, pets: Path, retouch: Retouch) -> None:
    (pets / "prompts.json").write_text("[]")
    result = retouch(verb, str(pets))
    assert (2, "") == (result.exit_code, result.stdout)
    assert "prompts.json' is broken: it contains no prompts, but the ledger has answers" in result.stderr


def test_a_diff_without_a_comparison_pays_for_nothing(pets: Path, retouch: Retouch) -> None:
    result = retouch("regenerate", str(pets), "--diff")
    assert (2, "") == (result.exit_code, result.stdout)
    assert "Add --compare" in result.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_file_that_may_not_be_read_is_named(words: tuple[str, ...], hostile: Path, retouch: Retouch) -> None:
    (hostile / "closed").write_text("{}")
    (hostile / "closed").chmod(0)
    result = retouch(*("closed" if word == "FILE" else word for word in words))
    assert 2 == result.exit_code
    assert "'closed'" in result.stderr


@pytest.mark.parametrize("words", [("csharp", "compiler"), ("generate",), ("policy",), ("rule", "drafts")])
def test_a_group_without_a_command_shows_its_help(words: tuple[str, ...], retouch: Retouch) -> None:
    result = retouch(*words)
    assert 2 == result.exit_code
    assert result.stderr.startswith("Usage: ")


def every_command(group: click.Command, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield words
    if isinstance(group, LazyGroup):
        for name in group.table:
            yield from every_command(group.load(name), (*words, name))


@pytest.mark.parametrize("words", [*every_command(command)], ids=" ".join)
def test_no_help_shows_what_was_meant_for_the_formatter(words: tuple[str, ...], retouch: Retouch) -> None:
    text = retouch(*words, "--help").stdout
    assert "Usage: " in text
    assert [] == [mark for mark in ("\\b", "\x08", "``") if mark in text]


def test_ctrl_c_before_anything_began_is_no_traceback(retouch_process: RetouchProcess, tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt\n")
    done = retouch_process("--help", PYTHONPATH=str(tmp_path))
    assert (130, "", "error: Stopped.\n") == (done.returncode, done.stdout, done.stderr)
