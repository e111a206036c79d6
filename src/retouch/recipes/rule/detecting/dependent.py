"""Joins neighbouring pieces of one part of a path that always vary together, so that they are one value."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import IMAGINED, Fixed, Slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.columns import Piece

LEAST = 15  # samples; fewer may vary together by chance
_REPEATED = 3  # samples for each different pair
_FAR_FEWER = 0.75  # of the pairs that independent words would make
_WORDS = re.compile("[A-Za-z]+(?:[- ][A-Za-z]+)*")
_FURTHER = re.compile("[A-Za-z][0-9A-Za-z]*(?:[- ][A-Za-z]+)*")
_KINDS = frozenset({""})


def joined_if_dependent(pieces: Sequence[Piece], *, but: Sequence[tuple[str, ...]] = ()) -> list[Piece]:
    """Return the pieces, with two values and the separator between them as one value if one determines the other.

    For example, in `app.shop` and `net.edge` each second word has only one first word. Values that are in `but`, which
    stand alone elsewhere, are not joined. Names that occur with several extensions count once. Those of the head of a
    sorted list, which end with an imagined one, are not joined, because such lines repeat few combinations.
    """
    values = [one.values for one in pieces if isinstance(one, Slot)]
    if any(IMAGINED in texts[-1] for texts in (*but, *values)):
        return [*pieces]
    once = [*{row: at for at, row in enumerate(zip(*values, strict=True))}.values()]
    done: list[Piece] = []
    for piece in pieces:
        done.append(piece)
        while len(done) > 2 and (one := _joined(done[-3], done[-2], done[-1], but, once)) is not None:
            done[-3:] = [one]
    return done


def _joined(
    first: Piece, mark: Piece, second: Piece, but: Sequence[tuple[str, ...]], once: Sequence[int]
) -> Slot | None:
    if not isinstance(first, Slot) or not isinstance(mark, Fixed) or not isinstance(second, Slot):
        return None
    if first.values in but or second.values in but:
        return None
    if not (mark.text == "." and are_dependent(first, second)) and not _is_one_name(first, mark, second, once):
        return None
    together = tuple(f"{one}{mark.text}{other}" for one, other in zip(first.values, second.values, strict=True))
    return Slot(values=together, apart=second.apart)


def are_dependent(first: Slot, second: Slot) -> bool:
    """Return whether one of two values determines the other in many samples, and both vary."""
    if {first.kind, second.kind} - _KINDS or first.optional or second.optional:
        return False
    pairs = set(zip(first.values, second.values, strict=True))
    firsts, seconds = set(first.values), set(second.values)
    if min(len(firsts), len(seconds)) < 2 or len(pairs) != max(len(firsts), len(seconds)):
        return False
    enough = len(first.values) >= max(LEAST, _REPEATED * len(pairs))
    return enough and not (_are_numbers(firsts) or _are_numbers(seconds))


def _is_one_name(first: Slot, mark: Fixed, second: Slot, once: Sequence[int]) -> bool:
    """Return whether words joined with "-" or a space are one name: far fewer pairs of them occur than would by chance.
    The samples of different names are `once`.

    For example, of `xml-sig`, `python-dev`, `python-list` and `numpy-discussion`. A number may end the last word.
    """
    words = all(map(_WORDS.fullmatch, first.values)) and all(map(_FURTHER.fullmatch, second.values))
    if mark.text not in {"-", " "} or not words or {first.kind, second.kind} != {""} or len(once) < LEAST:
        return False
    count = len(once)
    firsts, seconds = (Counter(one.values[at] for at in once) for one in (first, second))
    chances = (one * other / count**2 for one in firsts.values() for other in seconds.values())
    expected = sum(1 - (1 - chance) ** count for chance in chances)
    return len({*zip(first.values, second.values, strict=True)}) < _FAR_FEWER * expected


def _are_numbers(values: set[str]) -> bool:
    return all(value.isdigit() for value in values)
