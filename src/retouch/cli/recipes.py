"""`retouch recipes`."""

from __future__ import annotations

import click

from retouch.cli.options import as_json_option
from retouch.cli.output import print_json, print_table
from retouch.cli.verb import Verb


@click.command(cls=Verb)
@as_json_option
def command(*, as_json: bool) -> None:
    """List the jobs that Retouch can do.

    With --json: {"recipes": [{"name", "about"}]}.
    """
    from retouch.engine.plugins import find_recipe, recipe_names

    rows = [{"name": name, "about": _about(find_recipe(name))} for name in recipe_names()]
    if as_json:
        print_json({"recipes": rows})
    else:
        print_table(["recipe", "what it does"], [[row["name"], row["about"]] for row in rows])


def _about(recipe: object) -> str:
    """Return the head of the docstring of the package that a recipe's source is defined in, up to the first colon."""
    import sys

    source = getattr(recipe, "source", type(recipe))
    package = sys.modules.get(source.__module__.rpartition(".")[0])
    first = ((getattr(package, "__doc__", None) or "").strip().splitlines() or [""])[0]
    return first.partition(": ")[0].rstrip(".")
