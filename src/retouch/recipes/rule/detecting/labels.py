"""Fits the columns of a layout to labelled paths."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.rule.detecting.across import dates_across, value_at
from retouch.recipes.rule.detecting.assumptions import Assumption
from retouch.recipes.rule.detecting.by_example import columns_by_example, relabelled
from retouch.recipes.rule.detecting.joined import joined_by_example

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.detecting.columns import Column
    from retouch.recipes.rule.detecting.guesses import Guess
    from retouch.recipes.rule.language.model import Source

    Labels: TypeAlias = Mapping[str, Mapping[str, JSON]]


def by_labels(guesses: Sequence[Guess], labels: Mapping[str, Mapping[str, JSON]]) -> list[Guess]:
    """Return the guesses that match the labelled paths, those whose columns have most of the labels first."""
    path, wanted = next(iter(labels.items()))

    def missing(guess: Guess) -> tuple[int, int, float]:
        at = guess.row_of(path)
        if at is None:
            return len(wanted) + 1, 1, guess.bits
        named, rest = relabelled(guess.layout.columns, at, wanted)
        return len(rest), int(any(one.name == "ext" and one.name not in wanted for one in named)), guess.bits

    return sorted(guesses, key=missing)


def labelled(
    columns: Sequence[Column], guess: Guess, path: str, wanted: Mapping[str, JSON]
) -> tuple[tuple[Column, ...], list[str]]:
    """Return the columns with the labels of one path, and the names of the labels that were not found."""
    at = guess.row_of(path)
    if at is None:
        return tuple(columns), list(wanted)
    named, rest = relabelled(columns, at, wanted)
    found = columns_by_example(guess.group, at, rest) if rest else []
    names = {one.name for one in found}
    kept = [one for one in named if one.name in wanted or not any(_overlap(one, two, guess.group[at]) for two in found)]
    missing = [one for one in rest if one not in names]
    across = [one for one in dates_across(columns) if any(value_at(one, at) == rest[name] for name in missing)]
    for one, name in zip(across, missing[:1], strict=False):
        found.append(replace(one.column(one.forms[0]), name=name))
    names = {one.name for one in found}
    found += [
        one for name in missing if name not in names and (one := joined_by_example(columns, at, name, rest[name]))
    ]
    return (*kept, *found), [one for one in missing if one not in {column.name for column in found}]


def about_ends(columns: Sequence[Column], labels: Mapping[str, Mapping[str, JSON]]) -> Iterator[Assumption]:
    """Yield a question about each labelled column of which other paths have a value that goes on after its separator.

    A label `s3` between `_` says that `_` ends the value; then `s3_u1` of another path may be two.
    """
    for path, wanted in labels.items():
        row = path[1:].split("/")
        for column in (one for one in columns if one.name in wanted and not one.rest):
            found = _found_in(row, column)
            if found is None or not found.groups():
                continue
            start, end = found.span(1)
            around = {found.string[max(start - 1, 0) : start], found.string[end : end + 1]}
            ends = {one for one in around if one and not one.isalnum()}
            longer = next((one for one in column.values if one and ends & {*one}), None)
            if longer is not None and not ends & {*found[1]}:
                question = f"{column.name}: is {longer!r} one value, as {found[1]!r} is?"
                yield Assumption(key=f"apart:{column.name}", kind="apart", question=question)


def _overlap(one: Column, other: Column, row: Sequence[str]) -> bool:
    """Return whether two columns take the same characters of a path, or this cannot be known."""
    place, second = _place_of(one), _place_of(other)
    if place != second or not isinstance(place, int):
        return place == second
    spans = [_found_in(row, each) for each in (one, other)]
    if None in spans or not one.pieces:
        return True
    (start, end), (from_, to) = (found.span(1) for found in spans if found is not None)
    return start < to and from_ < end


def _found_in(row: Sequence[str], column: Column) -> re.Match[str] | None:
    """Return where the pattern of a column finds its value in a path. None also if it looks at several directories."""
    place = _place_of(column)
    return re.search(column.pattern or "^(.+)$", row[place], re.DOTALL) if isinstance(place, int) else None


def _place_of(column: Column) -> Source:
    return -1 if column.source == "filename" else column.source
