"""Follows hints that code understands: which part of a path is which field, and what type a field has."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.language.names import as_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retouch.recipes.rule.detecting.columns import Column
    from retouch.recipes.rule.language.values import FieldType

_NUMBERS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_PART = re.compile(
    rf"(?:the )?(?P<number>last|{'|'.join(_NUMBERS)}) (?:part|directory|segment|component) (?:is|means) "
    r"(?:the |an? )?(?P<name>[a-z][a-z0-9_ ]*)",
    re.IGNORECASE,
)
_BELOW = re.compile(
    r"(?:the )?(?:part|directory|segment) below (?P<above>\S+) (?:is|means) (?:the |an? )?(?P<name>[a-z][a-z0-9_ ]*)",
    re.IGNORECASE,
)
_TYPE = re.compile(r"(?:the )?(?P<name>[a-z][a-z0-9_]*) is (?:an? )?(?P<type>text|number|date)", re.IGNORECASE)
_TYPES: dict[str, FieldType] = {"text": "string", "number": "integer", "date": "date"}


def followed(hint: str, columns: Sequence[Column], row: Sequence[str]) -> tuple[tuple[Column, ...], tuple[str, ...]]:
    """Return the columns as a hint names and types them, and the sentences that code does not understand.

    `row` are the segments of one sample. "part" counts the segments of a path from the first one.
    """
    done = tuple(columns)
    unclear: list[str] = []
    for sentence in filter(None, (one.strip(" .") for one in re.split(r"[.;,\n]| and (?=the )", hint))):
        changed = _changed(sentence, done, row)
        if changed is None:
            unclear.append(sentence)
        else:
            done = changed
    return done, tuple(unclear)


def _changed(sentence: str, columns: tuple[Column, ...], row: Sequence[str]) -> tuple[Column, ...] | None:
    """Return the changed columns, or None if the sentence is not understood or names no column."""
    kind = _TYPE.fullmatch(sentence)
    if kind is not None:
        return _with(columns, lambda one: one.name == kind["name"].lower(), kind=_TYPES[kind["type"].lower()])
    part, below = _PART.fullmatch(sentence), _BELOW.fullmatch(sentence)
    if part is not None:
        word = part["number"].lower()
        source = -1 if word == "last" else _NUMBERS.index(word) - len(row)
        return _with(columns, lambda one: _segment(one) == source, name=as_name(part["name"]))
    if below is not None and below["above"].strip("/") in row[:-1]:
        at = row.index(below["above"].strip("/")) + 1 - len(row)
        return _with(columns, lambda one: _segment(one) == at, name=as_name(below["name"]))
    return None


def _segment(column: Column) -> int | None:
    source = -1 if column.source == "filename" else column.source
    return source if isinstance(source, int) else None


def _with(
    columns: tuple[Column, ...], wanted: Callable[[Column], bool], *, name: str = "", kind: FieldType | None = None
) -> tuple[Column, ...] | None:
    """Return the columns with a change of the one that is wanted, or None if there is not exactly one."""
    if sum(map(wanted, columns)) != 1:
        return None
    return tuple(replace(one, name=name or one.name, type=kind or one.type) if wanted(one) else one for one in columns)
