"""`retouch models`."""

from __future__ import annotations

import click

from retouch.cli.options import as_json_option
from retouch.cli.output import print_json, print_table
from retouch.cli.verb import Verb


@click.command(cls=Verb)
@as_json_option
def command(*, as_json: bool) -> None:
    """List the kinds of models that can be opened, and why some cannot be used here.

    One is written as --model SCHEME, or SCHEME:REST. With --json: {"models": [{"scheme", "opener", "missing"}]}, where
    missing is "" for a model that can be used.
    """
    from importlib.metadata import entry_points

    from retouch.engine.recipe import MODELS
    from retouch.models.endpoints import PROVIDERS

    def missing(scheme: str) -> str:
        return PROVIDERS[scheme].missing if scheme in PROVIDERS else ""

    found = sorted(entry_points(group=MODELS))
    rows = [{"scheme": one.name, "opener": one.value, "missing": missing(one.name)} for one in found]
    if as_json:
        print_json({"models": rows})
    else:
        print_table(["--model", "here"], [[row["scheme"], row["missing"] or "usable"] for row in rows])
