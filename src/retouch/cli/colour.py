"""Whether output is coloured, and whether a line of it can be drawn again: NO_COLOR, FORCE_COLOR and TERM decide.

`NO_COLOR` (any value but "") turns colours off everywhere. `FORCE_COLOR` turns them on, also in a pipe, unless
`NO_COLOR` is set. In a terminal with `TERM=dumb` there are no colours and no moving lines: progress is printed as in a
log.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

_DUMB = frozenset({"dumb", "unknown"})


def is_dumb() -> bool:
    """Return whether the terminal cannot draw a line again, like the shell of an editor."""
    return os.environ.get("TERM", "").lower() in _DUMB


def colour_choice() -> bool | None:
    """Return whether colours are wanted; None leaves it to the stream: a terminal gets them, a pipe does not."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return False if is_dumb() else None


def is_live_terminal(stream: TextIO) -> bool:
    """Return whether `stream` is a terminal in which a line can be drawn again."""
    return stream.isatty() and not is_dumb()
