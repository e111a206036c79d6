"""The command line: one file per verb, each imported only when its verb is used."""

from __future__ import annotations

from typing import NoReturn


def main() -> NoReturn:
    """Run the command line on this process's arguments and end the process with its exit status."""
    from retouch.cli.root import command

    command.main()
    raise AssertionError("the command ends the process")
