"""`retouch recipes` and `retouch models`: list installed recipes and models."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, entry_points

import click

from retouch.cli.options import as_json_option
from retouch.cli.output import print_json, print_table
from retouch.cli.verb import Verb


@click.command(cls=Verb)
@as_json_option
def recipes(*, as_json: bool) -> None:
    """List the installed recipes.

    \b
      retouch recipes
      retouch recipes --json

    With --json: {"recipes": [{"name", "about"}]}.
    """
    from retouch.engine.recipe import RECIPES

    points = sorted(entry_points(group=RECIPES))
    rows = [{"name": point.name, "about": _recipe_line(point)} for point in points]
    if as_json:
        print_json({"recipes": rows})
    else:
        print_table(["recipe", "what it does"], [[row["name"], row["about"]] for row in rows])


def _recipe_line(point: EntryPoint) -> str:
    """Return the head of the docstring of the module that registers a recipe, up to the first colon.

    If a recipe cannot be loaded, return the reason: one broken package must not hide the others.
    """
    from retouch.engine.recipe import find_recipe
    from retouch.errors import RecipeBug

    try:
        find_recipe(point.name)
    except RecipeBug as error:
        return error.message
    first = ((sys.modules[point.module].__doc__ or "").strip().splitlines() or [""])[0]
    return first.partition(": ")[0].rstrip(".")


@click.command(cls=Verb)
@as_json_option
def models(*, as_json: bool) -> None:
    """List the kinds of models, and what is missing to use them.

    \b
      retouch models
      retouch models --json

    Write one as --model SCHEME or --model SCHEME:NAME, for example --model anthropic:claude-haiku-4-5.

    With --json: {"models": [{"scheme", "opener", "missing", "support"}]}, where missing is "" for a model that can be
    used. Support is "tested" if recorded answers of the provider are part of Retouch's tests, "experimental" for other
    providers, and "" for models without a provider.
    """
    from retouch.engine.recipe import MODELS
    from retouch.models.endpoints import PROVIDERS

    def missing(scheme: str) -> str:
        return PROVIDERS[scheme].missing if scheme in PROVIDERS else ""

    def support(scheme: str) -> str:
        return ("tested" if PROVIDERS[scheme].tested else "experimental") if scheme in PROVIDERS else ""

    found = sorted(entry_points(group=MODELS))
    rows = [
        {"scheme": one.name, "opener": one.value, "missing": missing(one.name), "support": support(one.name)}
        for one in found
    ]
    if as_json:
        print_json({"models": rows})
    else:
        cells = [[row["scheme"], row["missing"] or "usable", row["support"]] for row in rows]
        print_table(["--model", "here", "support"], cells)
