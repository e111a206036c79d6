"""Gives the columns of further shapes the names of the main shape's columns that hold the same values."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Fixed
from retouch.recipes.rule.detecting.labelled_shapes import beside, read_alike
from retouch.recipes.rule.detecting.readings import agree, alike
from retouch.recipes.rule.language.model import FieldPart

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from retouch.recipes.rule.detecting.columns import Column

LEAST = 2.0  # signs that two columns hold the same values
_SAME_VALUES = 4.0
_SHORT_NUMBER = re.compile("[0-9]{1,2}")  # of which any two columns share some
_RUNS = re.compile("[0-9]+|[A-Za-z]+")
_GENERIC = ("name", "word", "number", "directory", "code", "part", "below")


@dataclass(frozen=True)
class KnownColumn:
    """A column, and the paths that it was found in."""

    column: Column
    rows: Sequence[Sequence[str]]


def named_alike(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], known: Sequence[KnownColumn], labels: Collection[str] = ()
) -> tuple[Column, ...]:
    """Return the columns of a shape with the names of the most similar `known` ones, each used once.

    Others get names of their own. The types of columns in `labels` are those that the user expects, so that columns
    called like them have these too, and columns that labels join are joined of the same columns.
    """
    every, taken = known, {one.column.name for one in known}
    told = [(one.column, one.rows) for one in known if one.column.name in labels]
    read = [one for column, its_rows in told if (one := read_alike(column, its_rows, rows)) is not None]
    names = {one.name for one in read}
    known = [one for one in known if one.column.name not in names]
    columns = beside(columns, read, rows[0])
    places = [KnownColumn(one, rows) for one in columns]
    scores = {
        (at, number): _likeness(one, other, typed=other.column.name in labels)
        for at, one in enumerate(places)
        for number, other in enumerate(known)
    }
    chosen: dict[int, Column] = {}
    for at, number in sorted(scores, key=lambda pair: (-scores[pair], pair)):
        other = known[number].column
        if scores[at, number] >= LEAST and at not in chosen and other.name not in {one.name for one in chosen.values()}:
            chosen[at] = other
    done: list[Column] = []
    for at, one in enumerate(columns):
        if (other := chosen.get(at)) is not None and (kind := alike(one, other)):
            done.append(replace(one, name=other.name, type=kind[0], format=kind[1]))
            continue
        name = _free(one.name, taken)
        taken.add(name)
        done.append(replace(one, name=name))
    done += read
    return (*done, *_joined_alike(done, [one.column for one in every], labels))


def _joined_alike(columns: Sequence[Column], known: Sequence[Column], labels: Collection[str]) -> Iterator[Column]:
    """Yield the columns that labels join of known ones, joined of the columns that are called like these."""
    here = {one.name: one for one in columns}
    for joined in known:
        places = [(joined.source, joined.pattern), *((one.source, one.pattern) for one in joined.rest)]
        names = [one.name for place in places for one in known if (one.source, one.pattern) == place and not one.rest]
        parts = [here[name] for name in names if name in here]
        if not joined.rest or joined.name not in labels or joined.name in here or len(parts) < len(places):
            continue
        if any(one.optional or None in one.values for one in parts):
            continue
        rows = zip(*(one.values for one in parts), strict=True)
        column = replace(
            joined,
            source=parts[0].source,
            pattern=parts[0].pattern,
            values=tuple(joined.join.join(value or "" for value in row) for row in rows),
            rest=tuple(FieldPart(source=one.source, pattern=one.pattern) for one in parts[1:]),
        )
        if agree(column, (joined.type, joined.format)):
            yield column


def _free(name: str, taken: set[str]) -> str:
    numbered = (f"{name}_{number}" for number in range(2, len(taken) + 3))
    return name if name not in taken else next(one for one in numbered if one not in taken)


def _likeness(one: KnownColumn, other: KnownColumn, *, typed: bool) -> float:
    """Return how much two columns of different shapes seem to hold the same values; 0 if their types differ.

    The other type of a `typed` column is that of the user, which the values need only be able to have.
    """
    first, second = one.column, other.column
    fits = alike(first, second) is not None if typed else first.type == second.type
    if first.rest or second.rest or not fits:
        return 0.0
    values, others = ({value for value in each.values if value} for each in (first, second))
    shared = {value for value in values & others if not _SHORT_NUMBER.fullmatch(value)}
    score = _SAME_VALUES * len(shared) / max(min(len(values), len(others)), 1)
    score += 2 * (first.name == second.name and not first.name.rstrip("_0123456789").startswith(_GENERIC))
    score += 2 * (first.type == second.type not in {"string", "integer"})
    kinds = [each.slot.kind for each in (first, second) if each.slot is not None]
    score += 2 * (len(kinds) == 2 and kinds[0] == kinds[1] != "")
    leads = [_lead(each) for each in (first, second)]
    score += 2 * (leads[0] == leads[1] != "")
    score += len({_form(value) for value in values} & {_form(value) for value in others}) > 0
    return score + _same_place(one, other)


def _form(value: str) -> str:
    """Return the first characters of a value by their kinds, with a sign for each run: `n.n` of 3.14.2-1."""
    return _RUNS.sub(lambda found: "n" if found[0].isdigit() else "a", value)[:3]


def _lead(column: Column) -> str:
    """Return the letters of the text directly before a value, or ""."""
    before = column.pieces[column.at - 1] if column.at and column.pieces else None
    return "".join(filter(str.isalpha, before.text)) if isinstance(before, Fixed) else ""


def _same_place(one: KnownColumn, other: KnownColumn) -> float:
    """Return 2 for the same directory from the top, 1 for the same one from the end or the same place in a name.

    Directories are the same only below the same ones.
    """
    first, second = (-1 if each.column.source == "filename" else each.column.source for each in (one, other))
    if not isinstance(first, int) or not isinstance(second, int) or one.column.at != other.column.at:
        return 0.0
    if first == second == -1:
        return 1.0
    above, its_above = _above(one.rows, first), _above(other.rows, second)
    if -1 in (first, second) or (above and not above & its_above):
        return 0.0
    return 2.0 if len(one.rows[0]) + first == len(other.rows[0]) + second else float(first == second)


def _above(rows: Sequence[Sequence[str]], at: int) -> set[str]:
    return {row[at - 1] for row in rows if at - 1 >= -len(row)}
