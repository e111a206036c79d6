"""`retouch generate`: one subcommand per job."""

from __future__ import annotations

import click

from retouch.cli.verb import LazyGroup

TABLE = {
    "csharp": ("retouch.cli.generate_csharp:command", "Make C# data objects from endpoints of an OpenAPI document."),
    "policy": (
        "retouch.cli.generate_policy:command",
        "Make rules and scenarios that agree from plain English, with proof by execution.",
    ),
    "chisel": ("retouch.cli.generate_chisel:command", "Mend the Chisel that a Verilog diff comes from."),
    "edit": ("retouch.cli.generate_edit:command", "Change files as a request says, all or nothing."),
    "rule": ("retouch.cli.generate_rule:command", "Find the rule that takes values from paths such as these."),
}


@click.group(cls=LazyGroup, table=TABLE)
def command() -> None:
    """Make a run: plan the prompts, ask, check, mend, write the files.

    The same command goes on where an interrupted run stopped: only what has no answer yet is asked.
    """
