"""Waiting for what another process or thread does: for the very condition that a test needs, however slow the machine.

A test waits for what it asserts, never for a time. The limit is there only so that a defect ends with a sentence.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_S = 300.0
"""How long a test waits for another process, which may stand still for many seconds on a machine with much to do."""
Found = TypeVar("Found")


def wait_until(holds: Callable[[], Found], *, seen: Callable[[], object] = str) -> Found:
    """Return what `holds` returns as soon as that is true.

    Raises:
        AssertionError: it is not true after `MOST_S` seconds. The message has what `seen` returns then.
    """
    end = time.monotonic() + MOST_S
    while not (found := holds()):
        assert time.monotonic() < end, f"it did not happen in {MOST_S:g} s {seen()}".strip()
        time.sleep(0.01)
    return found
