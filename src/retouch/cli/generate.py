"""`retouch generate`: one subcommand per job."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import click

from retouch.cli.verb import LazyGroup

if TYPE_CHECKING:
    from retouch.cli.verb import Table

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


class Jobs(LazyGroup):
    """The built-in jobs, each with a command of its own, and behind them every other registered recipe."""

    @cached_property
    def table(self) -> Table:
        """The commands by name, each with its place and its line of help."""
        from retouch.cli.generate_json import lines_of_help

        place = "retouch.cli.generate_json:command_of"
        return TABLE | {name: (place, line) for name, line in lines_of_help().items() if name not in TABLE}

    def load(self, name: str) -> click.Command:
        """Return the real command called `name`."""
        if name in TABLE:
            return super().load(name)
        from retouch.cli.generate_json import command_of

        return command_of(name)


@click.group(cls=Jobs, table=TABLE)
def command() -> None:
    """Make a run: plan the prompts, ask, check, mend, write the files.

    The same command goes on where an interrupted run stopped: only what has no answer yet is asked. A job that another
    package registers is run from a JSON file with its source; see 'retouch recipes'.
    """
