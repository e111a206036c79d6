"""What a package of somebody else adds to the command line: commands, aliases, options, settings, what comes last."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import click
import pytest

from retouch.cli.contributions import RecipeCommands, every_contribution
from retouch.cli.verb import LazyGroup
from tests.installed import recipes_of_others

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import RetouchProcess

RECIPE = '''"""Words -> the same in capitals."""

from dataclasses import dataclass

from retouch import Prompt, Read, Recipe


@dataclass(frozen=True, kw_only=True)
class Words:
    words: tuple[str, ...]


recipe = Recipe[Words, str](
    name="words",
    source=Words,
    plan=lambda source: [Prompt(unit=word, system="Answer in capitals.", user=word) for word in source.words],
    read=lambda source, unit, pages: Read(pages[0]),
    check=lambda source, values, options: [],
    assemble=lambda source, values: {"words.txt": "\\n".join(map(str, values.values())) + "\\n"},
    offline=lambda prompt: prompt.user.upper(),
)
'''
COMMANDS = '''
from retouch.commands import RecipeCommands
from retouch.errors import MissingTool


def tools(options):
    if options.compiler == "missing":
        raise MissingTool("no shouter is installed", hint="Install one.")


commands = RecipeCommands(
    recipe="words",
    generate=("shouted.more:generate", "Shout words."),
    about="""Count words.

    Nothing is called.""",
    commands={"count": ("shouted.more:count", "Count the words.")},
    aliases={"wc": "count", "show": "count"},
    options="shouted.more:run_options",
    tools=tools,
    finish="shouted.more:finish",
    notes=lambda view, result: ["say it again"],
)
'''
MORE = '''
from dataclasses import dataclass

import click

from retouch.commands import ModelOptions, Setting, Verb, completing, model_options, run_folder_option
from shouted.recipe import Words, recipe

run_options = (
    Setting(["--compiler"], default="auto", help="The shouter."),
    click.Option(["--concurrency"], type=int, default=3, help="How many shout at once."),
    click.Option(["--loudness"], help="No field of the run options."),
)


@dataclass(frozen=True, kw_only=True)
class Arguments(ModelOptions):
    words: tuple[str, ...]
    tone: str
    output: object

    def own_ending(self):
        return {"tone": self.tone}


@click.command(cls=Verb)
@click.argument("words", nargs=-1, shell_complete=completing(lambda ctx, typed: ["ant", "bee"]))
@click.option("--tone", cls=Setting, default="loud", help="How it sounds.")
@run_folder_option("shouted")
@model_options("offline")
def generate(**given):
    """Shout words."""
    arguments = Arguments(**given)
    return arguments.generate(recipe, Words(words=arguments.words), arguments.output)


@click.command(cls=Verb)
@click.argument("words", nargs=-1)
def count(words):
    """Count the words."""
    click.echo(str(len(words)))


def finish(runner):
    return runner.show(runner.generated(), tone=[str(runner.ending["tone"])])
'''
BROKEN = """
from retouch.commands import RecipeCommands

misnamed = RecipeCommands(recipe="other")
malformed = {"recipe": "malformed"}


def lost():
    raise AssertionError


half = RecipeCommands(
    recipe="half",
    about="Hold a command that is not there.",
    commands={"gone": ("shouted.nowhere:command", "Be gone.")},
    options="shouted.nowhere:options",
)
"""
POINTS = """[retouch.recipes]
words = shouted.recipe:recipe

[retouch.commands]
words = shouted.commands:commands
"""
BROKEN_POINTS = """
misnamed = shouted.broken:misnamed
malformed = shouted.broken:malformed
raising = shouted.raising:commands
half = shouted.broken:half
csharp = shouted.broken:malformed
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of somebody else, on the path of the processes that a test starts."""
    place = tmp_path / "place"
    (place / "shouted").mkdir(parents=True)
    (place / "shouted-1.0.dist-info").mkdir()
    (place / "shouted-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: shouted\nVersion: 1.0\n")
    (place / "shouted-1.0.dist-info" / "entry_points.txt").write_text(POINTS)
    texts = {"__init__": "", "recipe": RECIPE, "commands": COMMANDS, "more": MORE, "broken": BROKEN, "raising": "1 / 0"}
    for name, text in texts.items():
        (place / "shouted" / f"{name}.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(place))
    return place


@pytest.fixture
def broken(package: Path) -> None:
    """The same package, with entry points besides that cannot be used."""
    points = package / "shouted-1.0.dist-info" / "entry_points.txt"
    points.write_text(POINTS + BROKEN_POINTS)


def packed(text: str) -> str:
    """Return `text` with single spaces: columns are as wide as what else is installed asks for."""
    return re.sub(" +", " ", text)


@pytest.mark.usefixtures("package")
def test_the_group_of_a_recipe_is_listed_and_its_commands_run(retouch_process: RetouchProcess) -> None:
    said = retouch_process("--help")
    assert (0, "") == (said.returncode, said.stderr)
    assert "\n words Count words.\n" in packed(said.stdout.partition("\nRecipes:\n")[2])
    assert "wc" not in said.stdout
    assert "\n  count  Count the words." in retouch_process("words", "--help").stdout
    assert "3\n" == retouch_process("words", "count", "a", "b", "c").stdout
    assert "2\n" == retouch_process("wc", "a", "b").stdout


@pytest.mark.usefixtures("package")
def test_an_alias_takes_no_name_of_ours(retouch_process: RetouchProcess) -> None:
    assert "Show a run" in retouch_process("show", "--help").stdout


@pytest.mark.slow
@pytest.mark.usefixtures("package")
def test_its_generate_takes_settings_and_what_comes_last_is_done_by_resume_too(
    retouch_process: RetouchProcess, tmp_path: Path
) -> None:
    (tmp_path / "retouch.toml").write_text('[generate.words]\ntone = "quiet"\n')
    made = retouch_process("generate", "words", "ant", "bee", "-o", "run", "--json")
    assert (0, ["quiet"]) == (made.returncode, json.loads(made.stdout)["tone"]), made.stderr
    assert "ANT\nBEE\n" == (tmp_path / "run" / "words.txt").read_text()
    (tmp_path / "retouch.toml").unlink()
    assert ["quiet"] == json.loads(retouch_process("resume", "run", "--json").stdout)["tone"]
    again = retouch_process("regenerate", "run", "--type", "ant", "--json")
    assert ["say it again"] == json.loads(again.stdout)["notes"], again.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("package")
def test_its_options_are_options_of_the_verbs_over_runs(retouch_process: RetouchProcess) -> None:
    assert 0 == retouch_process("generate", "words", "ant", "-o", "run").returncode
    listed = retouch_process("validate", "--help")
    assert "How many shout at once." in listed.stdout
    assert "--loudness" not in listed.stdout
    assert "the option 'loudness' of the recipe 'words' is no field of RunOptions" in listed.stderr
    assert 0 == retouch_process("validate", "run", "--compiler", "none", "--concurrency", "2").returncode
    said = retouch_process("regenerate", "run", "--compiler", "none", "--quiet", RETOUCH_CONCURRENCY="4")
    assert (0, False) == (said.returncode, "more than once" in said.stderr)


@pytest.mark.usefixtures("package")
def test_a_missing_tool_is_named_before_anything_is_paid_for(retouch_process: RetouchProcess, tmp_path: Path) -> None:
    text = (tmp_path / "place" / "shouted" / "commands.py").read_text()
    (tmp_path / "place" / "shouted" / "commands.py").write_text(text.replace('== "missing"', '== "auto"'))
    said = retouch_process("generate", "words", "ant", "-o", "run")
    assert (2, True) == (said.returncode, "no shouter is installed" in said.stderr)
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("broken")
def test_commands_that_cannot_be_used_are_named_with_their_package_and_hide_no_others(
    retouch_process: RetouchProcess, tmp_path: Path
) -> None:
    said = retouch_process("--help")
    assert 0 == said.returncode
    for name in ("misnamed", "malformed", "raising"):
        assert f"warning: the commands of the recipe '{name}' of the package 'shouted' cannot be used" in said.stderr
    assert "ZeroDivisionError" in said.stderr
    assert "\n words Count words.\n" in packed(said.stdout)
    assert 0 == retouch_process("generate", "words", "ant", "-o", "run").returncode
    assert (tmp_path / "run" / "words.txt").exists()
    assert "'csharp'" not in said.stderr
    assert "\n  endpoints  " in retouch_process("csharp", "--help").stdout
    checked = retouch_process("validate", "run", "--json")
    assert (0, "verified") == (checked.returncode, json.loads(checked.stdout)["status"])
    assert "'shouted.nowhere:options' of the package 'shouted' cannot be loaded" in checked.stderr


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("half", "gone"), "'shouted.nowhere:command' of the package 'shouted' cannot be loaded"),
        (("raising", "x"), "the commands of the recipe 'raising' of the package 'shouted' cannot be used"),
        (("generate", "raising"), "the commands of the recipe 'raising' of the package 'shouted' cannot be used"),
    ],
)
def test_using_a_broken_command_is_an_error_that_names_the_package(
    words: tuple[str, ...], named: str, retouch_process: RetouchProcess
) -> None:
    said = retouch_process(*words)
    assert (2, "") == (said.returncode, said.stdout)
    assert f"error: {named}" in said.stderr
    assert "  next: " in said.stderr


def test_every_recipe_of_ours_brings_its_commands() -> None:
    ours = [one for one in every_contribution() if one.recipe not in recipes_of_others()]
    assert ["chisel", "csharp", "edit", "extract", "policy", "rule"] == [one.recipe for one in ours]
    assert ["extract"] == [one.recipe for one in ours if one.is_verb and one.top == one.generate]
    for one in ours:
        group = LazyGroup(name=one.recipe, table=one.commands)
        assert all(isinstance(group.load(name), click.Command) for name in one.commands)
        assert set(one.aliases.values()) <= one.commands.keys()


def test_a_table_of_another_form_is_refused_where_it_is_made() -> None:
    with pytest.raises(TypeError, match="first sentence of its help"):
        RecipeCommands(recipe="x", commands={"a": ("m:a", None)})  # pyright: ignore[reportArgumentType]
