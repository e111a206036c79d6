"""`retouch generate`: one subcommand per recipe. A recipe without its own subcommand runs from a JSON file."""

from __future__ import annotations

import json
import sys
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from retouch.cli.contributions import commands_of, every_contribution
from retouch.cli.verb import LazyGroup, Verb

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from retouch.cli.verb import Place, Table
    from retouch.engine.recipe import Recipe

HELP = """

    \b
      retouch generate {name} source.json -o run

    SOURCE is a JSON file with the recipe's source, in the form of "source" in the ir.json of its runs; - reads it from
    standard input. With --json the keys are those of 'retouch generate csharp'.
"""


class RecipeGroup(LazyGroup):
    """The recipes' own commands, followed by one for every other registered recipe."""

    @cached_property
    def table(self) -> Table:
        """The commands by name, each with its import path and its line of help."""
        own = {one.recipe: one.generate for one in every_contribution() if one.generate is not None}
        other = {
            name: (command_from_json(name, line), line) for name, line in _recipe_summaries().items() if name not in own
        }
        return {**own, **dict(sorted(other.items()))}

    def find(self, name: str) -> Place | None:
        """Return the import path of the command `name`. Only its own package is loaded."""
        from retouch.engine.recipe import recipe_names

        own = commands_of(name).generate
        if own is not None:
            return own[0]
        return command_from_json(name, _recipe_summaries()[name]) if name in recipe_names() else None


@click.group(cls=RecipeGroup, table={})
def command() -> None:
    """Make a run: plan prompts, call the model, check, repair, write files.

    The same command continues an interrupted run, and only requests pages without an answer. If a recipe of another
    package has no command of its own, give its source as a JSON file.
    """


def _recipe_summaries() -> dict[str, str]:
    """Return a one-line description of each registered recipe: the summary of its package.

    No recipe is imported for it.
    """
    from importlib.metadata import entry_points

    from retouch.engine.recipe import RECIPES

    return {point.name: _summary_of(point) for point in entry_points(group=RECIPES)}


def _summary_of(point: EntryPoint) -> str:
    fields: dict[str, Any] = point.dist.metadata.json if point.dist else {}
    summary: str = fields.get("summary") or ""
    return f"{(summary or f'Run the recipe {point.name!r} from its source in JSON').strip().rstrip('.')}."


def command_from_json(name: str, line: str) -> click.Command:
    """Return the command that runs the recipe `name` from a JSON file."""
    from retouch.cli.options import run_folder_option
    from retouch.cli.runner import model_options
    from retouch.engine.recipe import find_recipe

    @click.command(cls=Verb, help=line + HELP.format(name=name))
    @click.argument("source", type=click.Path(path_type=Path, allow_dash=True))
    @run_folder_option(f"output/{name}-<source>")
    @model_options("offline")
    def command(source: Path, *, output: Path | None, **given: Any) -> int:
        from retouch.cli.runner import ModelOptions

        recipe = find_recipe(name)
        folder = output or Path("output") / (name if source == Path("-") else f"{name}-{source.stem}")
        return ModelOptions(**given).generate(recipe, read_source(recipe, source), folder)

    return command


def read_source(recipe: Recipe[Any, Any], path: Path) -> Any:
    """Return the content of the JSON file at `path`, `-` for standard input, as the recipe's own type.

    Raises:
        BadInput: it is not JSON, or not a source of the recipe. The message names the place.
    """
    from pydantic import TypeAdapter, ValidationError

    from retouch.errors import BadInput

    name = "standard input" if path == Path("-") else repr(str(path))
    try:
        data: object = json.loads(sys.stdin.buffer.read() if path == Path("-") else path.read_bytes())
    except (ValueError, RecursionError) as error:  # invalid UTF-8 raises a ValueError too
        raise BadInput(f"{name} is not JSON: {error}", hint="Give the recipe's source as a JSON file.") from error
    adapter = TypeAdapter[Any](recipe.source)
    try:
        source = adapter.validate_python(data)
    except ValidationError as error:
        wrong = [f"{'.'.join(map(str, one['loc'])) or 'the whole'}: {one['msg']}" for one in error.errors()]
        hint = "\n".join(wrong[1:6]) or f"It is read as {recipe.source.__module__}.{recipe.source.__qualname__}."
        raise BadInput(f"{name} is no source of {recipe.name!r}: {wrong[0]}", hint=hint) from error
    _warn_of_unread_keys(data, adapter.dump_python(source, mode="json", by_alias=True))
    return source


def _warn_of_unread_keys(data: object, read: object) -> None:
    """Print the unknown keys of a source to stderr, because a misspelt key would be silently ignored."""
    if isinstance(data, dict) and isinstance(read, dict):
        known = cast("dict[str, object]", read)
        unread = [str(key) for key in cast("dict[str, object]", data) if key not in known]
        if unread:
            click.echo(f"note: nothing reads {', '.join(unread)}; there are {', '.join(known)}", err=True)
