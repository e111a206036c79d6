"""Gives the columns of further shapes the names of the main shape's columns that hold the same values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Fixed, Slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.columns import Column

LEAST = 2.0  # signs that two columns hold the same values
_SAME_VALUES = 4.0
_GENERIC = ("name", "word", "number", "directory", "code", "part", "below")


def named_alike(columns: Sequence[Column], depth: int, known: Sequence[tuple[Column, int]]) -> tuple[Column, ...]:
    """Return the columns of a shape with the names of the most similar `known` ones, each used once.

    `depth` is the number of segments of its paths; known columns have that of theirs. Others get names of their own.
    """
    scores = {
        (at, number): _likeness(one, depth, other, its_depth)
        for at, one in enumerate(columns)
        for number, (other, its_depth) in enumerate(known)
    }
    names: dict[int, str] = {}
    for at, number in sorted(scores, key=lambda pair: (-scores[pair], pair)):
        name = known[number][0].name
        if scores[at, number] >= LEAST and at not in names and name not in names.values():
            names[at] = name
    taken = {one.name for one, _ in known}
    done: list[Column] = []
    for at, one in enumerate(columns):
        name = names.get(at) or _free(one.name, taken)
        taken.add(name)
        done.append(replace(one, name=name))
    return tuple(done)


def _free(name: str, taken: set[str]) -> str:
    numbered = (f"{name}_{number}" for number in range(2, len(taken) + 3))
    return name if name not in taken else next(one for one in numbered if one not in taken)


def _likeness(one: Column, depth: int, other: Column, its_depth: int) -> float:
    """Return how much two columns of different shapes seem to hold the same values; 0 if their types differ."""
    if one.type != other.type:
        return 0.0
    first, second = ({value for value in each.values if value} for each in (one, other))
    score = _SAME_VALUES * len(first & second) / max(min(len(first), len(second)), 1)
    score += 2 * (one.name == other.name and not one.name.rstrip("_0123456789").startswith(_GENERIC))
    score += 2 * (one.type not in {"string", "integer"})
    kinds = [slot.kind for each in (one, other) if each.pieces and isinstance(slot := each.pieces[each.at], Slot)]
    score += 2 * (len(kinds) == 2 and kinds[0] == kinds[1] != "")
    leads = [_lead(each) for each in (one, other)]
    score += 2 * (leads[0] == leads[1] != "")
    return score + _same_place(one, depth, other, its_depth)


def _lead(column: Column) -> str:
    """Return the letters of the text directly before a value, or ""."""
    before = column.pieces[column.at - 1] if column.at and column.pieces else None
    return "".join(filter(str.isalpha, before.text)) if isinstance(before, Fixed) else ""


def _same_place(one: Column, depth: int, other: Column, its_depth: int) -> float:
    """Return 2 for the same directory from the top, 1 for the same one from the end or the same place in a name."""
    sources = [-1 if each.source == "filename" else each.source for each in (one, other)]
    if not isinstance(sources[0], int) or not isinstance(sources[1], int):
        return 0.0
    if sources == [-1, -1]:
        return 1.0 if one.at == other.at else 0.0
    if -1 in sources or one.at != other.at:
        return 0.0
    from_top = depth + sources[0] == its_depth + sources[1]
    return 2.0 if from_top else float(sources[0] == sources[1])
