"""The classes of Retouch's commands and options: rich help in a terminal, plain help elsewhere, lazy imports."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from inspect import cleandoc
from typing import Any, TypeAlias, TypeVar, cast

import click

from retouch.cli.colour import is_live_terminal

F = TypeVar("F", bound=Callable[..., Any])
Place: TypeAlias = "str | click.Command"
"""A command, or its import path "package.module:name", which is imported on first use."""
Table: TypeAlias = Mapping[str, tuple[Place, str]]
"""Commands by name, each with its import path and the first sentence of its help."""

SETTING_MARK = "(setting)"  # suffix in the help of options that are also settings
_OF_SETTINGS = f"Options marked {SETTING_MARK} can also come from RETOUCH_<OPTION> variables or from retouch.toml."


class Option(click.Option):
    """An option that may have former names. Those in `old` are accepted, but not shown or completed."""

    def __init__(self, *args: Any, old: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.old = list(old)

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Register all names with click's parser."""
        shown = self.opts
        try:
            self.opts = [*shown, *self.old]
            super().add_to_parser(parser, ctx)
        finally:
            self.opts = shown


class Verb(click.Command):
    """A command whose help is rendered by rich in a terminal, and is plain text elsewhere."""

    def get_help(self, ctx: click.Context) -> str:
        """Return the help text."""
        if self.epilog is None and any(SETTING_MARK in (getattr(one, "help", None) or "") for one in self.params):
            self.epilog = _OF_SETTINGS
        return _rich_help(self, ctx, {}) if is_live_terminal(sys.stdout) else super().get_help(ctx)


def with_examples(*lines: str) -> Callable[[F], F]:
    """Return a decorator that puts examples after the first paragraph of a function's help."""

    def add(function: F) -> F:
        head, _, rest = cleandoc(function.__doc__ or "").partition("\n\n")  # Python 3.13 has cleaned it already
        examples = "".join(f"  {line}\n" for line in lines)
        function.__doc__ = f"{head}\n\n\b\n{examples}\n{rest}"
        return function

    return add


class LazyGroup(click.Group):
    """A group over a static table. Help only uses the table. Running a command imports its module."""

    def __init__(self, *args: Any, table: Table, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._table = table

    @cached_property
    def table(self) -> Table:
        """The commands that help lists, by name."""
        return self._table

    @cached_property
    def hidden_table(self) -> Table:
        """The hidden commands by name."""
        return {}

    def sections(self) -> Mapping[str, Table]:
        """Return the commands that help lists, under their headings."""
        return {"Commands": self.table}

    def find(self, name: str) -> Place | None:
        """Return the import path of the command `name`, or None."""
        entry = self.table.get(name) or self.hidden_table.get(name)
        return entry[0] if entry is not None else None

    def load(self, name: str) -> click.Command:
        """Import and return the command `name`.

        Raises:
            KeyError: it does not exist.
        """
        place = self.find(name)
        if place is None:
            raise KeyError(name)
        return cast("click.Command", resolved(place))

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Return a placeholder with the name and help of a listed command, or None if it is not listed."""
        entry = self.table.get(cmd_name)
        return None if entry is None else click.Command(name=cmd_name, help=entry[1], short_help=entry[1])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Import and return the command that the first of `args` names, with the other arguments."""
        place = self.find(args[0])
        if place is not None:
            return args[0], cast("click.Command", resolved(place)), args[1:]
        if not args[0].startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            close = get_close_matches(args[0], self.table, n=1)
            known = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(self.table)}."
            ctx.fail(f"No such command {args[0]!r}; {known}")
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        """Return the help text."""
        return _rich_help(self, ctx, self.sections()) if is_live_terminal(sys.stdout) else super().get_help(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Write the commands under their headings."""
        for heading, table in self.sections().items():
            with formatter.section(heading):
                formatter.write_dl([(name, line) for name, (_, line) in table.items()])


def resolved(place: object) -> object:
    """Import and return the object at `place`, "module:name". Anything but a string is returned unchanged.

    Raises:
        RecipeBug: it belongs to another package and cannot be imported. The message names the package.
    """
    if not isinstance(place, str):
        return place
    module, _, name = place.partition(":")
    try:
        return getattr(import_module(module), name)
    except Exception as error:
        top = module.partition(".")[0]
        if top == "retouch":
            raise
        raise _not_loaded(place, top, error) from error


def _not_loaded(place: str, top: str, error: Exception) -> Exception:
    from importlib.metadata import packages_distributions

    from retouch.errors import RecipeBug

    package = ", ".join(dict.fromkeys(packages_distributions().get(top, [top])))
    seen = f"{type(error).__name__}: {error}"
    message = f"{place!r} of the package {package!r} cannot be loaded: {seen}"
    return RecipeBug(message, hint="Install what is missing, or correct or uninstall that package.")


def _rich_help(command: click.Command, ctx: click.Context, sections: Mapping[str, Table]) -> str:
    """Return the help as rendered by rich-click. Only this function imports rich, because the import is slow."""
    from rich_click import RichCommand, RichCommandPanel, RichContext, RichGroup

    same: dict[str, Any] = {"name": command.name, "params": command.params, "help": command.help}
    same |= {"epilog": command.epilog, "add_help_option": command.add_help_option}
    if isinstance(command, click.Group):
        below = [
            click.Command(name, help=line, short_help=line)
            for table in sections.values()
            for name, (_, line) in table.items()
        ]
        panels = [RichCommandPanel(heading, commands=list(table)) for heading, table in sections.items()]
        twin = RichGroup(**same, commands=below, panels=cast("Any", panels))
    else:
        twin = RichCommand(**same)
    drawn = RichContext(twin, info_name=ctx.info_name, parent=ctx.parent, help_option_names=ctx.help_option_names)
    return twin.get_help(drawn)
