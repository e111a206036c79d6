"""The command line, with a longer time of grace after Ctrl-C: `python -m tests.patient SECONDS WORDS...`.

Five seconds are much for a person and little for a busy machine, where a test wants to see one thing after another.
"""

from __future__ import annotations

import sys
from dataclasses import fields

from retouch.cli import main
from retouch.engine.options import RunOptions


def with_grace(grace_s: float) -> None:
    """Let replies in flight arrive for so many seconds after the first Ctrl-C, in this process and its forks."""
    assert "grace_s" in {one.name for one in fields(RunOptions)}
    defaults = RunOptions.__init__.__kwdefaults__
    assert defaults is not None
    defaults["grace_s"] = grace_s


if __name__ == "__main__":
    with_grace(float(sys.argv.pop(1)))
    main()
