"""`retouch models`."""

from __future__ import annotations

import click

from retouch.cli.options import as_json_option
from retouch.cli.output import print_json, print_table
from retouch.cli.verb import Verb


@click.command(cls=Verb)
@as_json_option
def command(*, as_json: bool) -> None:
    """List the kinds of models that can be opened. One is written as --model SCHEME, or SCHEME:REST.

    With --json: {"models": [{"scheme", "opener"}]}.
    """
    from importlib.metadata import entry_points

    from retouch.engine.plugins import MODELS

    rows = [{"scheme": one.name, "opener": one.value} for one in sorted(entry_points(group=MODELS))]
    if as_json:
        print_json({"models": rows})
    else:
        print_table(["--model", "opened by"], [[row["scheme"], row["opener"]] for row in rows])
