"""Finds the fields of labelled paths: which piece of a path has each value, and which pattern finds it in all samples.

The text between the values is generalised as little as the samples allow: first it is literal, then a word or a number
of the same width, then any word or number, then anything.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import unquote

from retouch.recipes.rule.detecting.columns import Column
from retouch.recipes.rule.detecting.patterns import STAMP_FORMS, quoted, quoted_in_set
from retouch.recipes.rule.language.dates import EPOCHS, date_reader, timestamp_reader, usual_date
from retouch.recipes.rule.language.values import real, uuid

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.language.values import FieldType

ALL = 0.98  # the share of the samples that a pattern must fit
_FORMATS = (
    "%Y%j",
    *(f"{first}{mark}{then}{mark}%Y" for mark in ("-", ".", "_", "") for first, then in (("%d", "%m"), ("%m", "%d"))),
    "%y%m%d",
)
_DATE: FieldType = "date"
_TIME: FieldType = "timestamp"
_KINDS: tuple[tuple[FieldType, str | None], ...] = (
    ("string", None),
    ("integer", None),
    ("date", None),
    ("uuid", None),
    ("float", None),
    *((_DATE, form) for form in _FORMATS),
)
_TIMES: tuple[tuple[FieldType, str | None], ...] = (
    ("string", None),
    *((_TIME, form) for form in STAMP_FORMS),
    *((_TIME, form) for form in ("%Y%m%dT%H%M%SZ", "%Y%m%dT%H%MZ", "%Y-%m-%dT%H-%M-%SZ", "%Y-%m-%dT%H:%M:%SZ")),
    *((_TIME, form) for form in ("%Y%m%d_%H%M%S%f", "%Y%m%d%H%M%S%f", "%Y%j%H%M%S", "%Y%j%H%M%S%f")),
    *((_TIME, form) for form in EPOCHS),
)
_LEAST_DIGITS = 10  # of a day and an hour, or of seconds since 1970
_ISO_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:.*")
_RUNS = re.compile(r"[0-9]+|[A-Za-z]+|[^0-9A-Za-z]")


@dataclass(frozen=True, kw_only=True)
class _Label:
    """A field whose value is at `start` to `end` of a segment."""

    name: str
    start: int
    end: int
    type: FieldType
    format: str | None = None


def relabelled(columns: Sequence[Column], at: int, labels: Mapping[str, JSON]) -> tuple[list[Column], dict[str, JSON]]:
    """Return the columns with the names and types that the labels of sample `at` give them, and the labels left over.

    Columns without a label stay as they are, unless a label has their name.
    """
    done = list(columns)
    used: set[int] = set()
    rest: dict[str, JSON] = {}
    for name, wanted in labels.items():
        for number, column in sorted(enumerate(columns), key=lambda one: one[1].name != name):
            if number in used:
                continue
            value = _decoded(column, column.values[at])
            if wanted is None and value in (None, *column.nulls):
                used.add(number)
                done[number] = replace(column, name=name)
                break
            own = (column.type, column.format)
            same = value is not None and wanted is not None and _converted(value, own) == wanted
            kind = own if same else _kind_of(value, wanted)
            if kind is not None and agree(column, kind):
                used.add(number)
                done[number] = replace(column, name=name, type=kind[0], format=kind[1], question="")
                break
        else:
            rest[name] = wanted
    kept = [one for number, one in enumerate(done) if number in used or one.name not in labels]
    return kept, rest


def agree(column: Column, kind: tuple[FieldType, str | None]) -> bool:
    """Return whether all values of a column can be of a type."""
    there = [_decoded(column, value) or "" for value in column.values if value is not None]
    return all(_converted(value, kind) is not None for value in there if value not in column.nulls)


def _decoded(column: Column, value: str | None) -> str | None:
    """Return a value as the column's type reads it: without %-escapes, if the column decodes them."""
    return unquote(value) if value is not None and column.normalize == "percent_decode" else value


def _converted(value: str, kind: tuple[FieldType, str | None]) -> JSON:
    if kind[0] == "integer":
        return int(value) if value.isascii() and value.isdigit() else None
    if kind[0] == "date":
        return date_reader(kind[1])(value) if kind[1] else usual_date(value)
    if kind[0] == "timestamp":
        return timestamp_reader(kind[1])(value)
    if kind[0] == "float":
        return real(value)
    return uuid(value) if kind[0] == "uuid" else value


def alike(column: Column, other: Column) -> tuple[FieldType, str | None] | None:
    """Return the type of another column, and the format in which all values of this one have it, or None."""
    if column.type == other.type:
        return column.type, column.format
    text: FieldType = "string"
    if other.type == text:
        plain = column.type == "date" and all(usual_date(value) == value for value in column.values if value)
        return (text, None) if plain or column.type == "integer" else None
    if column.type not in {"string", "integer"}:
        return None
    if other.type == "timestamp" and not all(
        sum(map(str.isdigit, one)) >= _LEAST_DIGITS for one in column.values if one
    ):
        return None
    kinds: list[tuple[FieldType, str | None]] = [
        (other.type, other.format),
        *_KINDS,
        *sorted(_TIMES, key=lambda one: not (one[1] or "").endswith("Z")),
    ]
    fitting = (one for one in kinds if one[0] == other.type and one[1] not in EPOCHS and agree(column, one))
    return next(fitting, None)


def _kind_of(text: str | None, wanted: JSON) -> tuple[FieldType, str | None] | None:
    """Return the type and format in which `text` has the wanted value, or None."""
    if text is None or wanted is None:
        return ("string", None) if text is None and wanted is None else None
    same = json.dumps(wanted)
    kinds = _TIMES if isinstance(wanted, str) and _ISO_TIME.fullmatch(wanted) else _KINDS
    if kinds is _TIMES and sum(map(str.isdigit, text)) < _LEAST_DIGITS:
        return None  # most texts are no times, and need not be tried in each format
    return next((kind for kind in kinds if json.dumps(_converted(text, kind)) == same), None)


def columns_by_example(
    rows: Sequence[Sequence[str]],
    at: int,
    labels: Mapping[str, JSON],
    *,
    places: Mapping[str, tuple[int, int]] | None = None,
) -> list[Column]:
    """Return a column for each label of the path `rows[at]` that a pattern finds in one segment of all paths.

    `places` are the segments in which labels are, counted from the end, and the characters at which they begin.
    """
    known = places or {}
    depth = min(len(row) for row in rows)
    done: list[Column] = []
    todo = dict(labels)
    for index in range(-1, -depth - 1, -1):
        texts = [row[index] for row in rows]
        here = {name: wanted for name, wanted in todo.items() if name not in known or known[name][0] == index}
        placed = _placed(rows[at][index], here, {name: place[1] for name, place in known.items()})
        if not placed:
            continue
        found = _columns_of_segment(texts, at, placed, index)
        for one in found:
            todo.pop(one.name)
        done += found
    return done


def _placed(text: str, labels: Mapping[str, JSON], starts: Mapping[str, int]) -> list[_Label]:
    """Return where the values are in a segment, without overlap; long values first. `starts` are known places."""
    spans: list[_Label] = []
    for name, wanted in sorted(labels.items(), key=lambda one: -len(str(one[1]))):
        at = starts.get(name)
        at_start = _Label(name=name, start=at or 0, end=(at or 0) + len(str(wanted)), type="string")
        for label in _places(text, name, wanted) if at is None else (at_start,):
            if all(label.end <= one.start or label.start >= one.end for one in spans):
                spans.append(label)
                break
    return sorted(spans, key=lambda one: one.start)


def _places(text: str, name: str, wanted: JSON) -> Iterator[_Label]:
    """Yield the places where a segment has a value, those between separators first."""
    if wanted is None or isinstance(wanted, (bool, list, dict)):
        return
    found: list[tuple[bool, _Label]] = []
    bounds = sorted({0, len(text), *(edge for one in _RUNS.finditer(text) for edge in one.span())})
    for start in bounds:
        for end in bounds:
            if end <= start:
                continue
            kind = _kind_of(text[start:end], wanted)
            if kind is not None:
                label = _Label(name=name, start=start, end=end, type=kind[0], format=kind[1])
                found.append((_is_inside(text, start, end), label))
    if not found and isinstance(wanted, str) and wanted in text:
        start = text.index(wanted)
        found.append((True, _Label(name=name, start=start, end=start + len(wanted), type="string")))
    if not found and isinstance(wanted, int):
        found += _inside_digits(text, name, wanted)
    yield from (label for _, label in sorted(found, key=lambda one: one[0]))


def _inside_digits(text: str, name: str, wanted: int) -> Iterator[tuple[bool, _Label]]:
    for run in re.finditer("[0-9]+", text):
        for width in range(len(run[0]), 0, -1):
            for start in range(run.start(), run.end() - width + 1):
                if int(text[start : start + width]) == wanted:
                    yield True, _Label(name=name, start=start, end=start + width, type="integer")


def _is_inside(text: str, start: int, end: int) -> bool:
    """Return whether a place touches a letter or digit outside of it."""
    return text[max(start - 1, 0) : start].isalnum() or text[end : end + 1].isalnum()


def _columns_of_segment(texts: Sequence[str], at: int, labels: Sequence[_Label], index: int) -> list[Column]:
    """Return the columns of the labels in one segment. A label that no pattern fits is dropped."""
    wanted = [texts[at][one.start : one.end] for one in labels]
    choices = _choices(texts[at], labels)
    picked = _fitted(choices, texts, at, wanted)
    if picked is None and len(labels) > 1:
        alone = [_columns_of_segment(texts, at, [one], index) for one in labels]
        return [column for found in alone for column in found]
    if picked is None:
        return []
    columns: list[Column] = []
    groups = [number for number, one in enumerate(choices) if one.is_value]
    for label, group in zip(labels, groups, strict=True):
        pattern = _pattern(choices, picked, only=group)
        values = [found[1] if (found := re.match(pattern, text, re.DOTALL)) else None for text in texts]
        columns.append(
            Column(
                name=label.name,
                source=index if index < -1 else "filename",
                pattern=pattern,
                values=tuple(values),
                type=label.type,
                format=label.format,
                optional=None in values,
            )
        )
    return columns


@dataclass(frozen=True, kw_only=True)
class _Choice:
    """The patterns that a piece of a segment can have, the strictest first."""

    patterns: tuple[str, ...]
    is_value: bool = False


def _choices(text: str, labels: Sequence[_Label]) -> list[_Choice]:
    done: list[_Choice] = []
    position = 0
    for label in labels:
        done += _gap(text, position, label.start)
        done.append(_value(text[label.start : label.end], text[label.end : label.end + 1]))
        position = label.end
    return [*done, *_gap(text, position, len(text))]


def _gap(segment: str, start: int, end: int) -> list[_Choice]:
    """Return the choices of the text between values: as it is, generalised run by run, or anything.

    Letters or digits that a value continues, as the `1S` before `DV`, are not generalised, because it would not be
    known where the value begins.
    """
    text = segment[start:end]
    if not text:
        return [_Choice(patterns=("", ".*?"))]
    runs = [one[0] for one in _RUNS.finditer(text)]
    if len(runs) == 1 and not text[0].isalnum():
        return [_Choice(patterns=(quoted(text), "[^0-9A-Za-z]", f"{quoted(text)}.*?", f".*?{quoted(text)}", ".*?"))]
    kept = {0: start > 0 and _continues(segment, start), len(runs) - 1: _continues(segment, end)}
    loose = [number for number in range(len(runs)) if not kept.get(number)]
    fixed = "".join(
        f"[0-9]{{{len(one)}}}" if one.isdigit() and number in loose else quoted(one) for number, one in enumerate(runs)
    )
    same, wide = (
        "".join(_run(one, wide=each) if number in loose else quoted(one) for number, one in enumerate(runs))
        for each in (False, True)
    )
    first = quoted(text[0]) if not text[0].isalnum() else ""
    last = quoted(text[-1]) if not text[-1].isalnum() and len(text) > 1 else ""
    anything = (f"{first}.*?{last}", f"{first}.*?", f".*?{last}", ".*?")
    return [_Choice(patterns=tuple(dict.fromkeys((quoted(text), fixed, same, wide, *anything))))]


def _continues(text: str, at: int) -> bool:
    """Return whether the characters before and at a place are both letters, or both digits."""
    around = text[max(at - 1, 0) : at + 1]
    return len(around) > 1 and (around.isalpha() or around.isdigit())


def _run(run: str, *, wide: bool) -> str:
    if not run[0].isalnum():
        return quoted(run)
    if wide:
        return "[0-9A-Za-z]+"
    return "[0-9]+" if run.isdigit() else "[A-Za-z]+"


def _value(text: str, following: str) -> _Choice:
    apart = "" if not following or following.isalnum() or following in text else f"[^{quoted_in_set(following)}]+"
    if text.isascii() and text.isdigit():
        kinds = [f"[0-9]{{{len(text)}}}", "[0-9]+"]
    elif usual_date(text):
        kinds = [re.sub("[0-9]+", lambda one: f"[0-9]{{{len(one[0])}}}", text)]
    else:
        shape = "".join(_run(one[0], wide=False) for one in _RUNS.finditer(text))
        kinds = [*([] if text.isalnum() else [shape]), "[0-9A-Za-z]+"]
    return _Choice(patterns=tuple(one for one in (*kinds, apart, ".+?", ".+") if one), is_value=True)


def _pattern(choices: Sequence[_Choice], picked: Sequence[int], *, only: int | None = None) -> str:
    parts: list[str] = []
    for number, (choice, at) in enumerate(zip(choices, picked, strict=True)):
        group = choice.is_value and (only is None or only == number)
        parts.append(f"({choice.patterns[at]})" if group else choice.patterns[at])
    return f"^{''.join(parts)}$"


def _fitted(choices: Sequence[_Choice], texts: Sequence[str], at: int, wanted: Sequence[str]) -> list[int] | None:
    """Return the choice of each piece: the strictest that still fits the samples, from left to right, or None."""
    loosest = [len(one.patterns) - 1 for one in choices]
    need = _fit(choices, loosest, texts)
    if need < ALL * len(texts):
        return None
    picked = loosest
    order = sorted(range(len(choices)), key=lambda number: choices[number].is_value)
    for number in order:
        for candidate in range(len(choices[number].patterns)):
            tried = [*picked[:number], candidate, *picked[number + 1 :]]
            if _fit(choices, tried, texts) < max(need - 0.02 * len(texts), ALL * len(texts)):
                continue
            if not choices[number].is_value or _finds(choices, tried, texts[at], wanted, until=number):
                picked = tried
                break
    return picked if _finds(choices, picked, texts[at], wanted, until=len(choices)) else None


def _finds(choices: Sequence[_Choice], picked: Sequence[int], text: str, wanted: Sequence[str], *, until: int) -> bool:
    """Return whether the values up to the piece `until` are the wanted ones."""
    found = re.match(_pattern(choices, picked), text, re.DOTALL)
    count = sum(one.is_value for one in choices[: until + 1])
    return found is not None and list(found.groups()[:count]) == list(wanted[:count])


def _fit(choices: Sequence[_Choice], picked: Sequence[int], texts: Sequence[str]) -> int:
    fits = re.compile(_pattern(choices, picked), re.DOTALL).match
    return sum(fits(text) is not None for text in texts)
