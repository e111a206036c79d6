"""Where the value of an option comes from: the command line, a variable, a file, or its default."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Retouch

from retouch.cli.root import command
from retouch.cli.settings import Setting, defaults, find_settings
from retouch.cli.verb import LazyGroup, Verb
from retouch.errors import BadInput

SEEN: dict[str, object] = {}


@click.command(cls=Verb)
@click.option("--model", cls=Setting, default="offline")
@click.option("--page-size", cls=Setting, type=click.IntRange(1, 9), default=4)
@click.option("--force", is_flag=True)
def paint(**given: object) -> None:
    """Take the options."""
    SEEN.clear()
    SEEN.update(given)


@click.group(cls=LazyGroup, table={"paint": (f"{__name__}:paint", "Paint.")})
def house() -> None:
    """Hold the inner commands."""


@click.group("retouch", cls=LazyGroup, table={"house": (f"{__name__}:house", "House.")})
@click.pass_context
def tool(ctx: click.Context) -> None:
    """Stand for the top of a command line."""
    ctx.default_map = defaults(Path.cwd(), tool)


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the lazy groups above import this module."""
    import sys

    monkeypatch.setitem(sys.modules, __name__, sys.modules[paint.callback.__module__ if paint.callback else __name__])


def chosen(*words: str) -> dict[str, object]:
    tool.main(["house", "paint", *words], standalone_mode=False)
    return dict(SEEN)


def test_an_option_beats_a_variable_which_beats_the_file_which_beats_the_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert chosen()["model"] == "offline"
    Path("retouch.toml").write_text('model = "of the file"')
    assert chosen()["model"] == "of the file"
    monkeypatch.setenv("RETOUCH_MODEL", "of the variable")
    assert chosen()["model"] == "of the variable"
    assert chosen("--model", "of the option")["model"] == "of the option"


def test_the_most_specific_variable_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETOUCH_PAGE_SIZE", "1")
    monkeypatch.setenv("RETOUCH_HOUSE_PAGE_SIZE", "2")
    assert chosen()["page_size"] == 2
    monkeypatch.setenv("RETOUCH_HOUSE_PAINT_PAGE_SIZE", "3")
    assert chosen()["page_size"] == 3


def test_the_most_specific_table_wins_and_keys_may_have_hyphens() -> None:
    Path("retouch.toml").write_text("page-size = 1\n[house]\npage_size = 2\n")
    assert chosen()["page_size"] == 2
    Path("retouch.toml").write_text("page-size = 1\n[house]\npage_size = 2\n[house.paint]\npage-size = 3\n")
    assert chosen()["page_size"] == 3


def test_the_nearest_file_upwards_is_used_and_a_project_without_our_table_is_not(
    work_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = work_folder / "a" / "b"
    inner.mkdir(parents=True)
    (work_folder / "pyproject.toml").write_text('[tool.retouch]\nmodel = "of the project"')
    (work_folder / "a" / "pyproject.toml").write_text('[project]\nname = "retouch-user"')
    monkeypatch.chdir(inner)
    assert find_settings(inner) == work_folder / "pyproject.toml"
    assert chosen()["model"] == "of the project"
    (work_folder / "a" / "retouch.toml").write_text('model = "nearer"')
    assert chosen()["model"] == "nearer"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('modle = "x"', "key 'modle'"),
        ('[house]\nmodle = "x"', "key 'house.modle'"),
        ("[hosue]\npage_size = 1", "key 'hosue'"),
        ("house = 3", "key 'house'"),
        ("model = [1]", "key 'model'"),
        ("force = true", "key 'force'"),
        ("a = 1\nmodel = ]", "line 2"),
    ],
)
def test_a_bad_file_is_named_with_its_key(text: str, said: str, work_folder: Path) -> None:
    Path("retouch.toml").write_text(text)
    with pytest.raises(BadInput) as caught:
        chosen()
    assert said in caught.value.message
    assert str(work_folder / "retouch.toml") in caught.value.message


def test_a_misspelt_key_gets_the_nearest_one() -> None:
    Path("retouch.toml").write_text('modle = "x"')
    with pytest.raises(BadInput) as caught:
        chosen()
    assert caught.value.hint == "Did you mean 'model'?"


def test_a_bad_value_says_where_it_came_from(work_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("retouch.toml").write_text("page_size = 99")
    with pytest.raises(click.BadParameter) as of_the_file:
        chosen()
    assert str(work_folder / "retouch.toml") in of_the_file.value.message
    monkeypatch.setenv("RETOUCH_PAGE_SIZE", "many")
    with pytest.raises(click.BadParameter) as of_the_variable:
        chosen()
    assert "RETOUCH_PAGE_SIZE" in of_the_variable.value.message


def test_no_option_that_acts_once_is_a_setting() -> None:
    acts = {"force", "every", "match", "types", "pages", "dry_run", "correction", "from_errors", "ignore_stale"}
    assert not acts & _settings_below(command)


def _settings_below(group: click.Command) -> set[str]:
    own = {str(option.name) for option in group.params if isinstance(option, Setting)}
    inner = [group.load(name) for name in group.table] if isinstance(group, LazyGroup) else []
    return own.union(*map(_settings_below, inner))


def test_the_help_marks_settings_and_says_where_they_may_come_from(retouch: Retouch) -> None:
    said = " ".join(retouch("generate", "csharp", "--help").stdout.split())
    assert "See 'retouch models'. (setting) [default: offline]" in said
    assert "Show the calls and their cost. No model is called, and nothing is written. --force" in said
    assert said.endswith("Options marked (setting) can also come from RETOUCH_<OPTION> variables or from retouch.toml.")
    assert "(setting)" not in retouch("recipes", "--help").stdout
