"""Decides whether a part between two separators is a field that is empty in some samples, as in `CH.SULZ..HHE.D`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEAST = 2  # samples with the value, and samples without it
_SHORT = 4  # characters; longer values are seldom left out
_PLAIN = re.compile("[0-9A-Za-z]+")


def is_sometimes_empty(parts: Sequence[Sequence[str]], *, ended: bool) -> bool:
    """Return whether one part, which is not first, is a short code that some values lack.

    It is last only if the separator has `ended` it.
    """
    some = [at for at, part in enumerate(parts) if any(part) and not all(part)]
    if len(some) != 1 or not 0 < some[0] < len(parts) - (not ended):
        return False
    there = [one for one in parts[some[0]] if one]
    codes = all(_PLAIN.fullmatch(one) and len(one) <= _SHORT for one in there) and len({*map(len, there)}) == 1
    return codes and min(len(there), len(parts[0]) - len(there)) >= _LEAST
