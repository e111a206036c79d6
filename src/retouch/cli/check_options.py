"""The options of commands that check new code with the user's own commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from retouch.cli.options import Amount
from retouch.cli.settings import Setting

if TYPE_CHECKING:
    from retouch._lib.process.verdicts import CheckOptions

_OPTIONS = (
    click.option(
        "--check-network",
        cls=Setting,
        is_flag=True,
        help="Let your commands use the network, including services of this machine.",
    ),
    click.option(
        "--check-unconfined",
        cls=Setting,
        is_flag=True,
        help="Do not confine your commands: they can reach everything that you can, including secrets.",
    ),
    click.option(
        "--check-env",
        multiple=True,
        metavar="NAME",
        help="Pass this secret environment variable to your commands. Can be repeated.",
    ),
    click.option(
        "--in-place",
        cls=Setting,
        is_flag=True,
        help="Write the change into the project, run your commands there, then undo it.",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="PATTERN",
        help="Files that your commands do not need, written as in .gitignore, for example data/.",
    ),
)


@dataclass(frozen=True, kw_only=True)
class CheckArguments:
    """The given options. A command's arguments inherit them."""

    check_network: bool = False
    check_unconfined: bool = False
    check_env: tuple[str, ...] = ()
    in_place: bool = False
    exclude: tuple[str, ...] = ()

    @property
    def checks(self) -> CheckOptions:
        """The run options of the check commands."""
        from retouch._lib.process.verdicts import CheckOptions

        return CheckOptions(
            network=self.check_network,
            unconfined=self.check_unconfined,
            env=self.check_env,
            in_place=self.in_place,
            exclude=self.exclude,
        )


def check_timeout_option(default_s: float) -> Any:
    """Return the option `--check-timeout` of a command, whose default is `default_s` seconds."""
    return click.option(
        "--check-timeout",
        cls=Setting,
        type=Amount(min=0, min_open=True),
        default=default_s,
        metavar="S",
        help="Time limit of each of your commands, in seconds.",
    )


def check_options(command: Any) -> Any:
    """Add these options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
