"""Asks what one labelled path does not settle about its fields: readings of the other samples that the label fits too.

A label says what one path has. Another sample may lack the value, have it at another place, or have a directory more;
and a day such as `03.03.2022` fits both orders. Each such sample is found by what the rule reads of it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.detecting.across import with_other_order
from retouch.recipes.rule.detecting.assumptions import Assumption
from retouch.recipes.rule.detecting.groups import path_of
from retouch.recipes.rule.detecting.placing import is_named, span_of
from retouch.recipes.rule.detecting.readings import converted, kind_of
from retouch.recipes.rule.globs.matching import glob_test
from retouch.recipes.rule.globs.parsing import parse_glob

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.detecting.candidate import RuleCandidate
    from retouch.recipes.rule.detecting.columns import Column
    from retouch.recipes.rule.detecting.labels import Labels
    from retouch.recipes.rule.language.model import ExtractionRule

    Row = Sequence[str]

_WORD = re.compile("[0-9A-Za-z]+")
_LAST_WORD = re.compile("[A-Za-z]{2,}[^0-9A-Za-z]*\\Z")
_SEVERAL = 2  # groups that end with the same directory, which others lack


def about_labelled(candidate: RuleCandidate, rows: Sequence[Row], labels: Labels) -> Iterator[Assumption]:
    """Yield the questions about the labelled fields of a candidate, and about directories that no label has."""
    rest = [*rows]
    for columns, rule in zip((candidate.columns, *candidate.others), candidate.shapes, strict=False):
        own = [row for row in rest if apply_rule(rule, path_of(row)).status != "UNMATCHED"]
        rest = [row for row in rest if row not in own]
        taken = {path_of(row) for row in own}
        shown = {path: wanted for path, wanted in labels.items() if path in taken}
        if shown:
            yield from _Shape(columns=columns, rows=own, labels=shown).doubts(rule)


@dataclass(frozen=True, kw_only=True)
class _Shape:
    """The columns of one shape, the samples that it takes, and those among them that have labels."""

    columns: Sequence[Column]
    rows: Sequence[Row]
    labels: Mapping[str, Mapping[str, JSON]]

    def doubts(self, rule: ExtractionRule) -> Iterator[Assumption]:
        """Yield the questions of the shape, one of a kind for each field."""
        yield from self._about_directories(rule)
        for path, wanted in self.labels.items():
            row = path[1:].split("/")
            for column in (one for one in self.columns if one.name in wanted and wanted[one.name] is not None):
                yield from self._about_order(column)
                yield from self._about_zeros(column)
                yield from self._about_missing(column, row)
                yield from self._about_places(column, row, wanted)
                yield from self._about_neighbours(column, row, wanted)

    def _about_order(self, column: Column) -> Iterator[Assumption]:
        """Yield a question if all values, and those of the labels, are days in the other order of day and month too."""
        other = with_other_order(column.format) if column.type in {"date", "timestamp"} else None
        if other is None:
            return
        texts = [text for row in self.rows if (text := text_of(column, row)) is not None]
        known = [text_of(column, path[1:].split("/")) or "" for path, one in self.labels.items() if column.name in one]
        if all(converted(text, (column.type, other)) is not None for text in texts) and all(
            converted(text, (column.type, other)) == converted(text, (column.type, column.format)) for text in known
        ):
            shown = next((text for text in texts if text not in known), known[0])
            question = (
                f"{column.name}: does {shown!r} have the day or the month first (--date-format)? The label fits both"
            )
            yield Assumption(key=f"date:{column.name}", kind="date", question=question)

    def _about_zeros(self, column: Column) -> Iterator[Assumption]:
        """Yield a question if other samples have leading zeros that the type drops, and no labelled text has one."""
        if column.type != "integer" or column.rest:
            return
        texts = [text for row in self.rows if (text := text_of(column, row))]
        known = [text_of(column, path[1:].split("/")) or "" for path, one in self.labels.items() if column.name in one]
        padded = next((text for text in texts if _is_padded(text)), None)
        if padded is not None and not any(map(_is_padded, known)):
            question = f"{column.name}: is {padded!r} the number {int(padded)}, or a code whose zeros matter?"
            yield Assumption(key=f"zeros:{column.name}", kind="zeros", question=question)

    def _about_missing(self, column: Column, row: Row) -> Iterator[Assumption]:
        """Yield a question if a sample of fewer words has, as its value, what others have at another place."""
        index, start, end = span_of(column, row)
        if not index:
            return
        before = _LAST_WORD.search(row[index][:start])
        least = _words_beside(row[index], start, end)
        whole: list[tuple[str, list[str]]] = []
        short: list[tuple[str, str]] = []
        for other in self.rows:
            at, first, last = span_of(column, other)
            text = other[at] if at else ""
            if not at or first == last:
                continue
            beside = _words_beside(text, first, last)
            if len(beside) >= len(least):
                whole.append((text[first:last], beside))
            elif before is None or not text[:first].endswith(before[0]):
                short.append((text[first:last], path_of(other).lstrip("/")))
        places = {_form(word) for _, beside in whole for word in beside}
        foreign = next((one for one in short if _form(one[0]) in places), None) or self._overlapping(column, row)
        if foreign is not None:
            question = f"{column.name}: is {foreign[0]!r} of {foreign[1]!r} its value, or is the value missing there?"
            yield Assumption(key=f"apart:{column.name}", kind="apart", question=question)

    def _overlapping(self, column: Column, row: Row) -> tuple[str, str] | None:
        """Return a value and its sample, if another field has characters of it, and has not in the labelled path."""
        for one in self.columns:
            if one is column or _overlap(span_of(one, row), span_of(column, row)):
                continue
            for other in self.rows:
                at, start, end = span_of(column, other)
                if _overlap(span_of(one, other), (at, start, end)):
                    return other[at][start:end], path_of(other).lstrip("/")
        return None

    def _about_places(self, column: Column, row: Row, wanted: Mapping[str, JSON]) -> Iterator[Assumption]:
        """Yield a question if another field has the labelled value, too, and has another one in some sample."""
        index, start, _ = span_of(column, row)
        own = (column.type, column.format)
        if not index or is_named(row[index][:start], column.name):
            return
        for one in (one for one in self.columns if one.name not in wanted and not one.rest):
            kind = kind_of(text_of(one, row), wanted[column.name])
            if kind is None or _overlap(span_of(one, row), span_of(column, row)):
                continue
            for other in self.rows:
                first, second = text_of(column, other), text_of(one, other)
                if first is None or second is None or converted(first, own) == converted(second, kind):
                    continue
                question = f"{column.name}: is its value {first!r}, or {second!r}, in {path_of(other).lstrip('/')!r}?"
                yield Assumption(key=f"apart:{column.name}", kind="apart", question=question)
                return

    def _about_neighbours(self, column: Column, row: Row, wanted: Mapping[str, JSON]) -> Iterator[Assumption]:
        """Yield a question if the field after this one is text, and what separates them is inside of the values."""
        index, _, end = span_of(column, row)
        after = [(span_of(one, row), one) for one in self.columns if one is not column and one.type == "string"]
        after = [one for one in after if one[0][0] == index != 0 and one[0][1] >= end]
        if not after or column.type != "string":
            return
        (_, start, _), second = min(after, key=lambda one: one[0])
        mark = row[index][end:start]
        if not mark or any(map(str.isalnum, mark)):
            return
        known = [text_of(one, row) or "" for one in (column, second)]
        others = [text_of(second, other) or "" for other in self.rows]
        if any(mark in text for text in (known if second.name in wanted else [])) or (
            mark in known[0] and any(mark in text for text in others)
        ):
            question = f"{column.name}: where does it end and {second.name} begin, which both may hold {mark!r}?"
            yield Assumption(key=f"apart:{column.name}", kind="apart", question=question)

    def _about_directories(self, rule: ExtractionRule) -> Iterator[Assumption]:
        """Yield a question if samples have directories that no labelled path has: `**` stands for them, or a label that
        holds directories.
        """
        named = {name for one in self.labels.values() for name in one}
        grown = next((one for one in self.columns if one.name in named and one.source == "rel_path"), None)
        if grown is not None and any("/" in str(one.get(grown.name)) for one in self.labels.values()):
            more = self._beyond(grown, rule)
        else:
            more = self._below(rule.glob.text)
        if more is not None:
            question = f"{more[1]!r} lies below {more[0]!r}, which no labelled path has: is it of the same kind?"
            yield Assumption(key="above", kind="above", question=question)

    def _below(self, glob: str) -> tuple[str, str] | None:
        """Return the directories that an inner `**` stands for only in a sample without a label, and this sample."""
        segments = glob.strip("/").split("/")
        first = segments[0] == "**"
        if segments[first:].count("**") != 1 or segments[-1] == "**":
            return None
        at = segments.index("**", int(first))
        above, below = segments[first:at], len(segments) - at - 1
        fits = glob_test(parse_glob("/".join(above))) if above else None
        found: dict[str, str] = {}
        for row in self.rows:
            ends = range(len(above), len(row) - below + 1) if first else [len(above)]
            tops = ("/".join(row[end - len(above) : end]) for end in ends)
            end = next((end for end, top in zip(ends, tops, strict=True) if fits is None or fits(top, f"/{top}")), None)
            found |= {path_of(row): "/".join(row[end : len(row) - below])} if end is not None else {}
        known = [found[path] for path in self.labels if path in found]
        other = next((path for path, more in found.items() if more), None)
        if not known or any(known) or other is None:
            return None
        return found[other], other.lstrip("/")

    def _beyond(self, column: Column, rule: ExtractionRule) -> tuple[str, str] | None:
        """Return the last directory that a labelled value takes of a sample, if it is rather one below, and the sample.

        That is a directory which other samples have below the value, or one that ends several values of which each is
        the value of another sample without it.
        """
        values = {path: str(apply_rule(rule, path).values.get(column.name) or "") for path in map(path_of, self.rows)}
        below = Counter(_after(path, value) for path, value in values.items())
        known = {*values.values()}
        longer = [value.rpartition("/") for value in known]
        ends = Counter(last for start, _, last in longer if start in known)
        for path, value in values.items():
            start, _, last = value.rpartition("/")
            if path in self.labels or not start:
                continue
            if below[last] > 1 or (start in known and ends[last] >= _SEVERAL):
                return (_after(path, value) if below[last] > 1 else last), path.lstrip("/")
        return None


def text_of(column: Column, row: Row) -> str | None:
    """Return the text that a field takes of a path before its type, or None if it takes none, or of several places."""
    index, start, end = span_of(column, row)
    if index:
        return row[index][start:end]
    if not column.rest:
        return None
    found: list[str] = []
    for part in (column, *column.rest):
        place = -1 if part.source == "filename" else part.source
        if not isinstance(place, int) or -place > len(row):
            return None
        hit = re.search(part.pattern or "^(.+)$", row[place], re.DOTALL)
        if hit is None:
            return None
        found.append(hit[1])
    return column.join.join(found)


def _is_padded(text: str) -> bool:
    return len(text) > 1 and text.startswith("0")


def _words_beside(text: str, start: int, end: int) -> list[str]:
    """Return the words of a part of a path before and after a value."""
    return _WORD.findall(text[:start]) + _WORD.findall(text[end:])


def _form(word: str) -> str:
    return re.sub("[0-9]+", "0", word)


def _overlap(one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    return one[0] == other[0] != 0 and one[1] < other[2] and other[1] < one[2]


def _after(path: str, value: str) -> str:
    """Return the directory directly below a value that takes whole directories, or "" if that is the file."""
    rest = path.partition(f"/{value}/")[2]
    return rest.partition("/")[0] if "/" in rest else ""
