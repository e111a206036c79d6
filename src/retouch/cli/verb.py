"""The classes of our commands: rich help in a terminal, plain help when it is piped, verbs imported when used."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cached_property
from importlib import import_module
from typing import Any, cast

import rich_click as click
from click import Command, Group, HelpFormatter

Table = Mapping[str, tuple[str, str]]


SETTING_MARK = "(setting)"  # stands behind the help of options that can come from elsewhere too
_OF_SETTINGS = f"Options marked {SETTING_MARK} can also come from RETOUCH_<OPTION> variables or from retouch.toml."


class Verb(click.RichCommand):
    """A command whose help is plain text when nobody looks at it in a terminal."""

    def get_help(self, ctx: click.Context) -> str:
        """Return the help text."""
        if self.epilog is None and any(SETTING_MARK in (getattr(one, "help", None) or "") for one in self.params):
            self.epilog = _OF_SETTINGS
        return super().get_help(ctx) if sys.stdout.isatty() else _plain_help(self, ctx)


class LazyGroup(click.RichGroup):
    """A group over a static table: command name -> ("module:attribute", one line of help).

    Listing (help, completion) answers from the table alone; running a command imports its module.
    """

    def __init__(self, *args: Any, table: Table, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._table = table

    @cached_property
    def table(self) -> Table:
        """The commands by name, each with its place and its line of help."""
        return self._table

    def get_help(self, ctx: click.Context) -> str:
        """Return the help text."""
        return super().get_help(ctx) if sys.stdout.isatty() else _plain_help(self, ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> Command | None:  # noqa: ARG002 - click's signature
        """Return a stand-in with the name and help of a command, None when there is no such command."""
        if cmd_name not in self.table:
            return None
        line = self.table[cmd_name][1]
        return Verb(name=cmd_name, help=line, short_help=line)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """Return the real command that the first of `args` names, imported now, and the other arguments."""
        if args[0] not in self.table and not args[0].startswith("-") and not ctx.resilient_parsing:
            close = get_close_matches(args[0], self.table, n=1)
            known = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(self.table)}."
            ctx.fail(f"No such command {args[0]!r}; {known}")
        name, stand_in, rest = super().resolve_command(ctx, args)
        return name, None if stand_in is None or name is None else self.load(name), rest

    def load(self, name: str) -> Command:
        """Return the real command called `name`."""
        module, _, attribute = self.table[name][0].partition(":")
        return cast("Command", getattr(import_module(module), attribute))


def _plain_help(command: Command, ctx: click.Context) -> str:
    formatter = HelpFormatter(width=ctx.terminal_width, max_width=ctx.max_content_width)
    Command.format_usage(command, ctx, formatter)
    Command.format_help_text(command, ctx, formatter)
    Command.format_options(command, ctx, formatter)
    if isinstance(command, Group):
        Group.format_commands(command, ctx, formatter)
    Command.format_epilog(command, ctx, formatter)
    return formatter.getvalue().rstrip("\n")
