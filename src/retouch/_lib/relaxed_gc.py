"""How often Python looks for garbage while a run is at work.

Replies that come together make waves of short-lived objects. The collector takes each wave for growth, and then visits
all that the process holds, imported libraries included, again and again. Calls leave next to no cycles behind.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator


_SELDOM = 50_000  # objects that may be born and not have died before young ones are looked through
_CHANGING = Lock()
_usual: list[int] = []  # what the process had set, once for each that asks for less


@contextmanager
def relaxed_gc() -> Generator[None]:
    """Let cycles be looked for less often meanwhile, in the whole process; who looks less often already is left alone.

    What was set before is put back when the last one leaves, unless somebody else has set it since.
    """
    with _CHANGING:
        _usual.append(_usual[0] if _usual else gc.get_threshold()[0])
        if 0 < _usual[0] < _SELDOM:
            gc.set_threshold(_SELDOM)
    try:
        yield
    finally:
        with _CHANGING:
            usual = _usual.pop()
            if not _usual and gc.get_threshold()[0] == _SELDOM:
                gc.set_threshold(usual)
