"""Fits the columns of a layout to labelled paths."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.rule.detecting.across import dates_across, form_at
from retouch.recipes.rule.detecting.assumptions import Assumption
from retouch.recipes.rule.detecting.by_example import absent_at, below_at, column_at, empty_at
from retouch.recipes.rule.detecting.joined import joined_by_example
from retouch.recipes.rule.detecting.padded import without_counted
from retouch.recipes.rule.detecting.placing import placed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.detecting.columns import Column
    from retouch.recipes.rule.detecting.guesses import Guess
    from retouch.recipes.rule.language.model import Source

    Labels: TypeAlias = Mapping[str, Mapping[str, JSON]]


MOST_GUESSES = 16  # that are fitted to labels
NEW_FIELD = 300.0  # bits of a field that only the label shows; a guess that has it by itself is likelier
LACKING = 40.0  # bits of a sample that has no value of a label


def by_labels(guesses: Sequence[Guess], labels: Mapping[str, Mapping[str, JSON]]) -> list[Guess]:
    """Return the guesses that match the labelled paths, those whose columns have most of the labels first."""
    path, wanted = next(iter(labels.items()))

    def missing(guess: Guess) -> tuple[int, int, float]:
        columns, rest = labelled(guess.layout.columns, guess, path, wanted)
        new = [one for one in columns if one.name in wanted and not one.pieces and not one.rest]
        lacking = sum(one.values.count(None) for one in new)
        cost = guess.bits + NEW_FIELD * len(new) + LACKING * lacking
        return len(rest), int("ext" not in wanted and _has_own_ending(columns)), cost

    there = [one for one in guesses if one.row_of(path) is not None]
    return sorted(there[:MOST_GUESSES], key=missing) or [*guesses]


def _has_own_ending(columns: Sequence[Column]) -> bool:
    """Return whether a column is the extension, and says more than another that it holds, as `wat` of `warc.wat.gz`."""
    ending = next((one for one in columns if one.name == "ext"), None)
    if ending is None:
        return False
    others = [one for one in columns if one is not ending and len({*one.values}) > 1]
    held = (
        sum(part in (value or "") for value, part in zip(ending.values, one.values, strict=True) if part)
        for one in others
    )
    return not any(count * 2 > len(ending.values) for count in held)


def labelled(
    columns: Sequence[Column], guess: Guess, path: str, wanted: Mapping[str, JSON]
) -> tuple[tuple[Column, ...], list[str]]:
    """Return the columns with the labels of one path, and the names of the labels that were not found.

    Columns without a label stay as they are, unless a label has their name or takes their characters.
    """
    at = guess.row_of(path)
    if at is None:
        return tuple(columns), list(wanted)
    row = guess.group[at]
    named: dict[int, Column] = {}
    found: list[Column] = []
    for place in placed(columns, row, wanted, at=at):
        if place.column is not None:
            kind, form = place.kind
            named[place.column] = replace(columns[place.column], name=place.name, type=kind, format=form, question="")
        elif (column := column_at(guess.group, at, place, columns)) is not None:
            found.append(column)
    kept = [named.get(number, one) for number, one in enumerate(columns) if number in named or one.name not in wanted]
    kept = [one for one in kept if one.name in wanted or not any(_overlap(one, two, row) for two in found)]
    kept = without_counted(kept, [*named.values()])
    names = {one.name for one in (*kept, *found)}
    missing = [one for one in wanted if one not in names]
    dates = [name for name in missing if wanted[name] is not None]
    for one in dates_across(columns):
        fitting = [(name, form) for name in dates if (form := form_at(one, at, wanted[name])) is not None]
        found += [replace(one.column(form), name=name) for name, (form,) in fitting[:1]]
    found += [one for name in missing if wanted[name] is None and (one := absent_at(guess.group, at, name))][:1]
    found += [one for name in missing if wanted[name] == "" and (one := empty_at(guess.group, at, name))][:1]
    found += [one for name in missing if (one := below_at(columns, at, name, wanted[name]))][:1]
    names = {one.name for one in found}
    found += [
        one for name in missing if name not in names and (one := joined_by_example(columns, at, name, wanted[name]))
    ]
    return (*kept, *found), [one for one in missing if one not in {column.name for column in found}]


def about_ends(columns: Sequence[Column], labels: Mapping[str, Mapping[str, JSON]]) -> Iterator[Assumption]:
    """Yield a question about each labelled column of which other paths have a value that goes on after its separator.

    A label `s3` between `_` says that `_` ends the value; then `s3_u1` of another path may be two.
    """
    for path, wanted in labels.items():
        row = path[1:].split("/")
        for column in (one for one in columns if one.name in wanted and not one.rest):
            if column.rival:
                question = f"{column.name}: is a value {column.rival[0]!r} or {column.rival[1]!r}?"
                yield Assumption(key=f"apart:{column.name}", kind="apart", question=question)
                continue
            found = _found_in(row, column)
            if found is None or not found.groups():
                continue
            lacking = column.values.count(None)
            if column.optional and lacking:
                question = (
                    f"{column.name}: {lacking} of {len(column.values)} samples have no such value; is it missing there?"
                )
                yield Assumption(key=f"apart:{column.name}", kind="apart", question=question)
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
    """Return where the pattern of a column finds its value in a path. None also if it looks at several directories, or
    at one that a path of another shape lacks.
    """
    place = _place_of(column)
    if not isinstance(place, int) or -place > len(row):
        return None
    return re.search(column.pattern or "^(.+)$", row[place], re.DOTALL)


def _place_of(column: Column) -> Source:
    return -1 if column.source == "filename" else column.source
