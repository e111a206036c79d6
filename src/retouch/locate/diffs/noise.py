"""Changes that mean nothing: generated names that got other numbers because something before them changed."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# Numbers that compilers count up: _GEN_7, _T_12, x_T_3, REG_4, _RAND_1, x3_bore_9.
_COUNTED = re.compile(r"(?<![A-Za-z0-9])((?:GEN|T|REG|RAND|WIRE|MPORT)|\w*bore)_\d+(?:_\d+)*|\b(x)\d+(?=_bore)")
_NAMED = re.compile(r"_(?=(?:T|WIRE|MPORT)_\d)")
_SPACE = re.compile(r"\s+")


def normal(code: str) -> str:
    """Return a line of Verilog with the numbers of generated names and the amount of space made equal."""
    apart = _NAMED.sub("_\0", code)  # x_T_3: the counted part begins after the name
    counted = _COUNTED.sub(lambda found: f"{found[1] or found[2]}_0", apart)
    return _SPACE.sub(" ", counted.replace("\0", "")).strip()


def is_renumbering(removed: Iterable[str], added: Iterable[str]) -> bool:
    """Return whether removed and added lines are the same but for the numbers of generated names."""
    return Counter(map(normal, removed)) == Counter(map(normal, added))
