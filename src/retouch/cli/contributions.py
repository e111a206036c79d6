"""Contributions of recipes to the command line: found by entry point, and loaded on first use.

A package registers one `RecipeCommands` for each of its recipes in the entry-point group `retouch.commands`, under the
name of the recipe:

    [project.entry-points."retouch.commands"]
    relnotes = "relnotes.commands:commands"
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, field, fields
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import click

from retouch.cli.verb import LazyGroup, Place, Table, resolved

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from retouch.cli.runner import CommandRunner
    from retouch.engine.directory import RunView
    from retouch.engine.options import RunOptions
    from retouch.engine.overview import RunResult
    from retouch.engine.types import Model

GROUP = "retouch.commands"
_SECTION = re.compile(rf"^[ \t]*\[\s*{re.escape(GROUP)}\s*\][ \t]*$(.*?)(?=^[ \t]*\[|\Z)", re.MULTILINE | re.DOTALL)
_POINT = re.compile(r"^[ \t]*(?P<name>[^\s#;=][^=\n]*?)[ \t]*=[ \t]*(?P<place>\S.*?)[ \t]*$", re.MULTILINE)

OptionsPlace: TypeAlias = "str | Sequence[click.Option]"


def no_tools(_options: RunOptions) -> None:
    """Need no tool outside of Python."""


def loop_alone(runner: CommandRunner) -> int:
    """Run the loop, print its result, and return the exit status, without additions of a recipe."""
    return runner.show(runner.generated())


def no_notes(_view: RunView, _result: RunResult) -> Sequence[str]:
    """Add no notes to the output of a verb."""
    return ()


@dataclass(frozen=True, kw_only=True)
class UndoPlan:
    """The files that a run has written into the user's project at `root`: their old content and the run's.

    An old text is None if the run created the file.
    """

    root: str
    old: Mapping[str, str | None]
    new: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class RecipeDemo:
    """An example of a recipe: its source, the model that makes mistakes on purpose, and what to try with a key.

    `model` is a spec, or a model with scripted answers. `options` are fields of `RunOptions`. `about` describes the
    input and the output, `try_it` is a command.
    """

    source: object
    about: str
    try_it: str
    model: Model | str = "faulty:offline?rate=0.5&seed=7&heal=0.8"
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


def no_undo(view: RunView) -> UndoPlan:
    """Refuse: the recipe writes no files into a project."""
    from retouch.errors import BadInput

    message = f"runs of the recipe {view.recipe!r} write no files outside of the run directory"
    raise BadInput(message, hint="There is nothing to undo.")


@dataclass(frozen=True, kw_only=True)
class RecipeCommands:
    """The contribution of one recipe to the command line. Everything but the recipe's name is optional.

    Commands and functions are given as they are, or as "module:name"; then they are imported only when they are used,
    so that `retouch --help` stays fast. Each command comes with the first sentence of its help.

    recipe    the recipe's name, which is also the name of the entry point
    generate  the command `retouch generate RECIPE`; without it, `retouch generate RECIPE source.json` is there
    about     the help of the group `retouch RECIPE`; its first line is shown by `retouch --help`
    commands  the commands of the group `retouch RECIPE`, by name; without any there is no group
    aliases   further names at the top, which help does not list: alias -> name of a command of the group
    is_verb   whether `retouch RECIPE` is `retouch generate RECIPE`; for a recipe without a group
    options   options that `regenerate`, `validate` and `adopt` take for runs of this recipe: click options, each named
              like the field of `RunOptions` that it sets
    tools     makes sure, before anything is paid for, that the tools that the options name are installed; raises
              `MissingTool` if one is not
    finish    everything that `generate` and `resume` do: runs the loop, does what belongs to it (for example, writes a
              patch into the workspace), prints the result, and returns the exit status
    undo      returns the files that a run has written into the user's project, for `retouch undo`
    job       the module with what `show`, `resume`, `validate` and `report` do for a job, a directory of several runs:
              a function of each name, which gets the directory and the command's options by name
    demo      makes the example of `retouch demo` in a directory: its source, without a network and a key
    notes     notes that `regenerate` prints with its result, for example which step is left to the user

    Options of these commands that are made with `Setting` are also keys of retouch.toml and RETOUCH_ variables. What
    `retouch report` shows of the recipe comes from the recipe itself: `Recipe.report`.
    """

    recipe: str
    generate: tuple[Place, str] | None = None
    about: str = ""
    commands: Table = field(default_factory=dict[str, tuple[Place, str]])
    aliases: Mapping[str, str] = field(default_factory=dict[str, str])
    is_verb: bool = False
    options: OptionsPlace = ()
    tools: Callable[[RunOptions], None] | str = no_tools
    finish: Callable[[CommandRunner], int] | str = loop_alone
    notes: Callable[[RunView, RunResult], Sequence[str]] | str = no_notes
    undo: Callable[[RunView], UndoPlan] | str = no_undo
    job: str = ""
    demo: Callable[[Path], RecipeDemo] | str = ""

    def __post_init__(self) -> None:
        """Check that help can list the commands, so that an error names the package."""
        entries = [*self.commands.values(), *([self.generate] if self.generate is not None else [])]
        for place, line in entries:
            if not isinstance(place, (str, click.Command)) or not isinstance(line, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise TypeError(f"a command is (place, first sentence of its help), not {(place, line)!r}")

    def expect_tools(self, options: RunOptions) -> None:
        """Check that the tools in the options are installed.

        Raises:
            MissingTool: a tool is not installed.
        """
        cast("Callable[[RunOptions], None]", resolved(self.tools))(options)

    def run(self, runner: CommandRunner) -> int:
        """Do the complete work of `generate` and `resume`, print the result, and return the exit status.

        Raises:
            MissingTool: a tool that an option names is not installed.
        """
        self.expect_tools(runner.options)
        return cast("Callable[[CommandRunner], int]", resolved(self.finish))(runner)

    def example(self, folder: Path) -> RecipeDemo:
        """Return the example of `retouch demo`, whose input files are written into `folder`."""
        return cast("Callable[[Path], RecipeDemo]", resolved(self.demo))(folder)

    def undo_plan(self, view: RunView) -> UndoPlan:
        """Return the files that a run has written into the user's project.

        Raises:
            BadInput: the recipe writes none.
        """
        return cast("Callable[[RunView], UndoPlan]", resolved(self.undo))(view)

    def notes_on(self, view: RunView, result: RunResult) -> Sequence[str]:
        """Return the notes that `regenerate` prints with its result."""
        return cast("Callable[[RunView, RunResult], Sequence[str]]", resolved(self.notes))(view, result)

    @property
    def top(self) -> tuple[Place, str] | None:
        """The command `retouch RECIPE` and its line of help: the group, `generate` if it is a verb, or None."""
        if self.commands:
            group = LazyGroup(name=self.recipe, help=self.about, table=self.commands)
            return group, self.about.partition("\n")[0]
        return self.generate if self.is_verb else None


def commands_of(recipe: str) -> RecipeCommands:
    """Return the contribution of the recipe `recipe`. It is empty if no package registers one.

    Raises:
        RecipeBug: the registered object is unusable. The message names the package.
    """
    points = _points()
    return _loaded(points[recipe]) if recipe in points else RecipeCommands(recipe=recipe)


def every_contribution() -> list[RecipeCommands]:
    """Return all contributions, sorted by recipe name. Unusable ones are skipped with a warning."""
    found: list[RecipeCommands] = []
    for _, point in sorted(_points().items()):
        try:
            found.append(_loaded(point))
        except Exception as error:  # noqa: BLE001 - the same
            _warn(error)
    return found


def contributed_options() -> list[click.Option]:
    """Return the recipes' options for verbs over runs. If two have the same name, the first is used."""
    from retouch.engine.options import RunOptions

    names = {one.name for one in fields(RunOptions)}
    found: dict[str, click.Option] = {}
    for one in every_contribution():
        try:
            options = cast("Sequence[click.Option]", resolved(one.options))
        except Exception as error:  # noqa: BLE001 - the same
            _warn(error)
            continue
        for option in options:
            if option.name in names:
                found.setdefault(option.name, option)
            else:
                _warn(ValueError(f"the option {option.name!r} of the recipe {one.recipe!r} is no field of RunOptions"))
    return list(found.values())


def _warn(error: Exception) -> None:
    hint = getattr(error, "hint", "")
    click.echo(f"warning: {getattr(error, 'message', error)}" + (f"\n  next: {hint}" if hint else ""), err=True)


class _Point(NamedTuple):
    """An entry point: its name, its "module:name", and the package that registers it."""

    name: str
    value: str
    package: str


def _points() -> dict[str, _Point]:
    """Return the entry points of `GROUP`, by name. Built-in ones win, then the first one on the path.

    This reads the files of installed packages directly, because importlib.metadata is slow and imports socket.
    """
    packages: dict[str, Path] = {}
    for place in dict.fromkeys(sys.path):
        try:
            names = sorted(os.listdir(place or "."))  # noqa: PTH208 - a Path for each name takes much longer
        except OSError:  # missing, or a zip file
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                packages.setdefault(name.partition("-")[0].lower(), Path(place or ".") / name)
    own = packages.pop("retouch", None)
    found: dict[str, _Point] = {}
    for info in (*([own] if own is not None else []), *packages.values()):
        try:
            text = (info / "entry_points.txt").read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        for section in _SECTION.findall(text) if GROUP in text else ():
            for line in _POINT.finditer(section):
                found.setdefault(line["name"], _Point(line["name"], line["place"], info.name.partition("-")[0]))
    return found


def _loaded(point: _Point) -> RecipeCommands:
    module, _, name = point.value.partition(":")
    cause: Exception | None = None
    try:
        found = getattr(import_module(module), name)
        if isinstance(found, RecipeCommands) and found.recipe == point.name:
            return found
        seen = f"they are {type(found).__name__}, not RecipeCommands(recipe={point.name!r}, ...)"
    except Exception as error:  # noqa: BLE001 - a package of someone else may raise anything when it is imported
        seen, cause = f"{type(error).__name__}: {error}", error
    from retouch.errors import RecipeBug

    message = f"the commands of the recipe {point.name!r} of the package {point.package!r} cannot be used: {seen}"
    raise RecipeBug(message, hint=f"Correct {point.value!r}, or correct or uninstall that package.") from cause
