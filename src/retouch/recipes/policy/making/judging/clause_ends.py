"""The ends of a scale that a verb implies: to open is to set a position above 0, to close is to set one below 100."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retouch.recipes.policy.language.values import Limit

_SCALES = frozenset({"position", "percentage", "brightness", "volume_step"})
_UP = re.compile(
    r"\b(?:open|rais|lift|roll|pull|turn|switch|activat|enabl|start|run|louder|volume|above|over|at "
    r"most|lower|clos\w+|shut|"
    r"max|more|higher|up)",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\b(?:clos|shut|lower|roll|pull|turn|switch|deactivat|disabl|quieter|volume|below|under|at least|"
    r"open|min|less|down|on\b)",
    re.IGNORECASE,
)


def is_implied(test: Limit, text: str) -> bool:
    """Return whether a test compares a position, speed, brightness or step with an end of its scale, as a verb says.

    Example:
        >>> from retouch.recipes.policy.language.values import Limit
        >>> [is_implied(Limit(arg="position", above=number), "Never open the gate.") for number in (0, 50)]
        [True, False]
    """
    if test.arg not in _SCALES or len(test.bounds) != 1:
        return False
    if test.above == 0:
        return _UP.search(text) is not None
    at_end = 0 in (test.at_most, test.below) or test.below == 100
    return at_end and _DOWN.search(text) is not None
