"""The command line: one file per verb, each imported only when its verb is used."""

from __future__ import annotations

import signal
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line on this process's arguments and end the process with its exit status."""
    try:
        try:
            signal.signal(signal.SIGTERM, _as_ctrl_c)
            from retouch.cli.root import command

            command.main()
        finally:  # the command has ended: a signal ends the interpreter's own shutdown without a traceback
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
    except KeyboardInterrupt:  # where the command does not catch it: while it is imported, or as it ends
        sys.stderr.write("error: Stopped.\n")
        sys.exit(130)  # as `retouch.cli.failure`, which may not be imported yet
    raise AssertionError("the command ends the process")


def _as_ctrl_c(_number: int, _frame: object) -> None:
    """Handle SIGTERM as Ctrl-C: replies that arrived are kept, and the lock is released."""
    signal.raise_signal(signal.SIGINT)
