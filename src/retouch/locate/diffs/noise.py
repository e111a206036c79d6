"""Detects irrelevant changes: generated names with other numbers because of a change before them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# Numbers that compilers increment: _GEN_7, _T_12, x_T_3, REG_4, _RAND_1, x3_bore_9.
_COUNTED = re.compile(r"(?<![A-Za-z0-9])(GEN|T|REG|RAND|WIRE|MPORT)_\d+(?:_\d+)*|\bx\d+_bore_\d+")
_SPACE = re.compile(r"\s+")


def normal(code: str) -> str:
    """Return a line of Verilog with normalised numbers of generated names and normalised white space."""
    counted = _COUNTED.sub(lambda found: f"{found[1] or 'bore'}_0", code)
    return _SPACE.sub(" ", counted).strip()


def is_renumbering(removed: Iterable[str], added: Iterable[str]) -> bool:
    """Return whether removed and added lines only differ in the numbers of generated names."""
    return Counter(map(normal, removed)) == Counter(map(normal, added))
