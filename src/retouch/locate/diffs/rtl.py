"""What the whole Verilog module adds to its diff: the locators of the changed lines, where the diff has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.locate.diffs.cleaning import NEAR_LINES, near_weight
from retouch.locate.diffs.comments import split_comments
from retouch.locate.diffs.locators import locators

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.locate.diffs.info import DiffInfo
    from retouch.locate.diffs.locators import Locator


def rtl_locators(diff: DiffInfo, rtl: str) -> Sequence[tuple[Locator, float]]:
    """Return the locators of the diff's lines in the Verilog file that it was made from, old or new, with weights.

    Line numbers are believed only where the file has the diff's code there.
    """
    lines = rtl.split("\n")
    sides = [
        [number for number, code in side.items() if _is_there(lines, number, code)]
        for side in (diff.removed, diff.added)
    ]
    changed = max(sides, key=len)
    near = {at: min(abs(at - one) for one in changed) for line in changed for at in _around(line, len(lines))}
    found: list[tuple[Locator, float]] = []
    for at, distance in sorted(near.items()):
        here = locators(split_comments(lines[at - 1])[1])
        found += [(one, near_weight(distance) / len(here)) for one in here]
    return found


def _around(line: int, last: int) -> range:
    return range(max(1, line - NEAR_LINES), min(last, line + NEAR_LINES) + 1)


def _is_there(lines: Sequence[str], number: int, code: str) -> bool:
    return number <= len(lines) and split_comments(lines[number - 1])[0].split() == code.split()
