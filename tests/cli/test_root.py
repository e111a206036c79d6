"""The top of the command line: help, versions, unknown words, errors without tracebacks."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from retouch.cli.failure import failure_of, printable
from retouch.cli.root import asks_for_json, command
from retouch.cli.verb import LazyGroup
from retouch.errors import FolderBusy

if TYPE_CHECKING:
    from tests.cli.conftest import Retouch


def every_command(group: click.Command, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], click.Command]]:
    found = [(path, group)]
    if isinstance(group, LazyGroup):
        for name in group.table:
            found += every_command(group.load(name), (*path, name))
    return found


COMMANDS = every_command(command)


@pytest.mark.parametrize(("path", "one"), COMMANDS, ids=[" ".join(path) or "retouch" for path, _ in COMMANDS])
def test_every_command_has_help_for_itself_and_each_of_its_options(path: tuple[str, ...], one: click.Command) -> None:
    assert one.help, path
    assert [] == [option.name for option in one.params if isinstance(option, click.Option) and not option.help]


def test_the_tables_say_the_same_as_the_commands() -> None:
    groups = [group for _, group in COMMANDS if isinstance(group, LazyGroup)]
    said = [(group.load(name).help or "", line) for group in groups for name, (_, line) in group.table.items()]
    assert [] == [line for words, line in said if not words.startswith(line.rstrip("."))]


def test_help_lists_every_verb(retouch: Retouch) -> None:
    said = retouch("--help").output
    for verb in ("generate", "regenerate", "validate", "assemble", "adopt", "show", "recipes", "apply", "csharp"):
        assert f"\n  {verb} " in said


def test_help_shows_the_commands_under_headings_and_no_alias(retouch: Retouch) -> None:
    said = retouch("--help").output
    headings = [line.rstrip(":") for line in said.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert ["Options", "Runs", "Edits and search", "Agents", "What is installed", "Recipes"] == headings
    assert [] == [name for name in ALIASES if f"\n  {name} " in said]


ALIASES = {
    "endpoints": "csharp endpoints",
    "compiler": "csharp compiler",
    "wizard": "rule wizard",
    "trials": "chisel trials",
}


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_an_older_name_at_the_top_is_the_same_command(alias: str, name: str, retouch: Retouch) -> None:
    old, new = retouch(alias, "--help").output, retouch(*name.split(), "--help").output
    assert new.partition("\n")[2] == old.partition("\n")[2]
    assert new.startswith(f"Usage: retouch {name} ")


def test_help_imports_no_verb_and_nothing_heavy() -> None:
    code = """
import sys
from retouch.cli.root import command
try:
    command.main(["--help"])
except SystemExit:
    print(*sys.modules, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    ours = {name for name in loaded if name.startswith("retouch.")}
    redaction = {"retouch._lib", "retouch._lib.redaction"}  # where the environment may hold a secret
    top = {"retouch._lib.lazy", "retouch.cli"}
    top |= {f"retouch.cli.{name}" for name in ("colour", "contributions", "root", "verb")}
    recipes = {f"retouch.recipes.{name}" for name in ("chisel", "csharp", "edit", "extract", "policy", "rule")}
    contributions = {f"{name}.commands" for name in recipes}
    assert ours - redaction == {*top, "retouch.commands", "retouch.recipes", *recipes, *contributions}
    assert not loaded & {"pydantic", "yaml", "jinja2", "tree_sitter", "asyncio", "sqlite3", "rich.console"}


def test_the_version_is_printed(retouch: Retouch) -> None:
    from importlib.metadata import version

    assert retouch("--version").output == f"retouch {version('retouch')}\n"


def test_python_runs_the_command_as_a_module() -> None:
    from importlib.metadata import version

    done = subprocess.run([sys.executable, "-m", "retouch", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"retouch {version('retouch')}\n"


def test_an_unknown_command_is_misuse_and_the_nearest_is_named(retouch: Retouch) -> None:
    said = retouch("generat")
    assert said.exit_code == 2
    assert "did you mean 'generate'?" in said.stderr


@pytest.mark.parametrize(
    "words", [("generate", "csharp"), ("show",), ("validate", "--nonsense"), ("regenerate", "x", "--page", "0")]
)
def test_misuse_ends_with_2_and_says_where_help_is(words: tuple[str, ...], retouch: Retouch) -> None:
    said = retouch(*words)
    assert said.exit_code == 2
    assert "--help" in said.stderr
    assert said.stdout == ""


def test_with_json_an_error_is_also_json_on_stdout_even_for_an_option_that_is_not_there(retouch: Retouch) -> None:
    said = retouch("show", "--json", "--nonsense")
    assert said.exit_code == 2
    assert set(json.loads(said.stdout)["error"]) == {"message", "hint"}
    assert said.stderr.startswith("error: ")


def test_json_behind_two_dashes_is_a_word_and_not_the_option() -> None:
    assert asks_for_json(["show", "--json"])
    assert not asks_for_json(["show", "--", "--json"])


def test_a_broken_settings_file_stops_a_command_but_not_its_help(retouch: Retouch) -> None:
    Path("retouch.toml").write_text("modle = 1")
    assert retouch("recipes").exit_code == 2
    assert retouch("recipes", "--help").exit_code == 0


def test_what_nobody_expected_is_one_sentence_with_the_way_to_the_traceback() -> None:
    code = "import retouch.cli.installed as r\nfrom retouch.cli.root import command\n"
    code += "def broken(**_): raise KeyError('x')\nr.recipes.callback = broken\ncommand.main(['recipes'])"
    quiet = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (2, "") == (quiet.returncode, quiet.stdout)
    assert "Traceback" not in quiet.stderr
    assert "RETOUCH_DEBUG=1" in quiet.stderr
    loud = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "RETOUCH_DEBUG": "1"},
    )
    assert "Traceback" in loud.stderr


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.ENOTDIR, errno.ENAMETOOLONG])
def test_an_error_of_the_system_names_the_file_and_a_next_step(number: int) -> None:
    failure = failure_of(OSError(number, "it went wrong", "/some/file"))
    assert failure.message == "'/some/file': it went wrong"
    assert failure.hint
    assert failure.status == 2


@pytest.mark.parametrize("said", ["database or disk is full", "disk I/O error"])
def test_a_full_disk_is_known_however_it_is_told(said: str) -> None:
    assert "Free some space" in failure_of(OSError(f"the ledger 'x' cannot be written: {said}")).hint


def test_an_error_of_ours_keeps_its_hint_and_status() -> None:
    failure = failure_of(FolderBusy("it is busy", hint="Wait."))
    assert ("it is busy", "Wait.", 2) == (failure.message, failure.hint, failure.status)


def test_too_deep_and_too_large_are_bad_input() -> None:
    assert "nested too deeply" in failure_of(RecursionError("maximum recursion depth exceeded")).message
    assert "too large" in failure_of(MemoryError()).message


def test_what_a_terminal_would_obey_is_made_visible() -> None:
    assert printable("a\x1b[31mb\x07\u202e") == "a\\x1b[31mb\\x07\\u202e"
    assert printable("line\n\ttab, ä €") == "line\n\ttab, ä €"


def test_a_full_stdout_is_an_error_and_not_a_traceback() -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "retouch", "--help"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "No space left" in done.stderr


def test_a_reader_that_goes_away_gives_no_traceback() -> None:
    line = f"{sys.executable} -m retouch --help | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
