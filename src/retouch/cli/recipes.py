"""`retouch recipes`."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, entry_points

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
    from retouch.engine.recipe import RECIPES

    points = sorted(entry_points(group=RECIPES))
    rows = [{"name": point.name, "about": _about(point)} for point in points]
    if as_json:
        print_json({"recipes": rows})
    else:
        print_table(["recipe", "what it does"], [[row["name"], row["about"]] for row in rows])


def _about(point: EntryPoint) -> str:
    """Return the head of the docstring of the module that registers a recipe, up to the first colon.

    Of a recipe that cannot be loaded it says why: one broken package must not hide the others.
    """
    from retouch.engine.recipe import find_recipe
    from retouch.errors import RecipeBug

    try:
        find_recipe(point.name)
    except RecipeBug as error:
        return error.message
    first = ((sys.modules[point.module].__doc__ or "").strip().splitlines() or [""])[0]
    return first.partition(": ")[0].rstrip(".")
