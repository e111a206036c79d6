"""`retouch generate NAME SOURCE.json`: one command for every registered recipe that has none of its own."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from retouch.cli.options import run_folder_option
from retouch.cli.running import Running, running_options
from retouch.cli.verb import Verb
from retouch.engine.recipe import RECIPES, find_recipe
from retouch.errors import BadInput

if TYPE_CHECKING:
    from retouch.engine.recipe import Recipe

HELP = """

    \b
    retouch generate {name} source.json -o run

    SOURCE is a JSON file that holds what the job works from, as "source" in the ir.json of its runs does; - reads it
    from standard input. With --json the keys are those of 'retouch generate csharp'.
"""


def lines_of_help() -> dict[str, str]:
    """Return what each registered recipe does, in a line: the summary of the package that brings it.

    No recipe is imported for it.
    """
    points = entry_points(group=RECIPES)
    return {point.name: _line(point.dist.metadata["Summary"] if point.dist else None, point.name) for point in points}


def _line(summary: str | None, name: str) -> str:
    return f"{(summary or f'Run the job {name!r} from its source in JSON').strip().rstrip('.')}."


def command_of(name: str) -> click.Command:
    """Return the command that runs the recipe called `name`."""

    @click.command(cls=Verb, help=lines_of_help()[name] + HELP.format(name=name))
    @click.argument("source", type=click.Path(path_type=Path, allow_dash=True))
    @run_folder_option(f"output/{name}-<source>")
    @running_options("offline")
    def command(**given: Any) -> int:
        return _run(find_recipe(name), Arguments(**given))

    return command


@dataclass(frozen=True, kw_only=True)
class Arguments(Running):
    """The arguments and options as they were given; see the help of the command."""

    source: Path
    output: Path | None

    def folder(self, name: str) -> Path:
        """Return the run folder of the recipe called `name`."""
        return self.output or Path("output") / (name if self.source == Path("-") else f"{name}-{self.source.stem}")


def _run(recipe: Recipe[Any, Any], arguments: Arguments) -> int:
    return arguments.generate(recipe, _source(recipe, arguments.source), arguments.folder(recipe.name))


def _source(recipe: Recipe[Any, Any], path: Path) -> Any:
    """Return what the file at `path` holds, as the recipe's own type.

    Raises:
        BadInput: it is not JSON, or not what the recipe works from; the message names the place.
    """
    from pydantic import TypeAdapter, ValidationError

    name = "standard input" if path == Path("-") else repr(str(path))
    try:
        data: object = json.loads(sys.stdin.buffer.read() if path == Path("-") else path.read_bytes())
    except (ValueError, RecursionError) as error:  # bytes that are no text are ValueErrors too
        raise BadInput(f"{name} is not JSON: {error}", hint="Give the job's source as a JSON file.") from error
    adapter = TypeAdapter[Any](recipe.source)
    try:
        source = adapter.validate_python(data)
    except ValidationError as error:
        wrong = [f"{'.'.join(map(str, one['loc'])) or 'the whole'}: {one['msg']}" for one in error.errors()]
        hint = "\n".join(wrong[1:6]) or f"It is read as {recipe.source.__module__}.{recipe.source.__qualname__}."
        raise BadInput(f"{name} is no source of {recipe.name!r}: {wrong[0]}", hint=hint) from error
    _tell_unread(data, adapter.dump_python(source, mode="json", by_alias=True))
    return source


def _tell_unread(data: object, read: object) -> None:
    """Say on stderr which keys of a source mean nothing: a misspelt one would be left out without a word."""
    if isinstance(data, dict) and isinstance(read, dict):
        known = cast("dict[str, object]", read)
        unread = [str(key) for key in cast("dict[str, object]", data) if key not in known]
        if unread:
            click.echo(f"note: nothing reads {', '.join(unread)}; there are {', '.join(known)}", err=True)
