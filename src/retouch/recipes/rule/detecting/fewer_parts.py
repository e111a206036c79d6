"""Adds a rule for paths that lack a part of others, such as `2012/20121106__pa__general__precinct.csv` beside
`2018/counties/20181106__pa__general__adams__precinct.csv`.

Few samples may be of this shape, so that its rule is made from a labelled or usual path: its fixed texts and its fields
without a directory, a field of the file name with a separator, or both. Fields of few words say whether that fits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.detecting.groups import path_of
from retouch.recipes.rule.detecting.patterns import quoted, quoted_in_set
from retouch.recipes.rule.detecting.placing import span_of
from retouch.recipes.rule.detecting.readings import converted
from retouch.recipes.rule.detecting.writing import write_rule
from retouch.recipes.rule.globs.parsing import escaped

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from retouch.recipes.rule.detecting.candidate import RuleCandidate
    from retouch.recipes.rule.detecting.columns import Column
    from retouch.recipes.rule.detecting.labels import Labels

_FEW_WORDS = 4
_USUAL = 0.6  # the share of the other paths that have the texts and fields of the labelled one
_KNOWN = 0.8  # the share of the values of fields of few words that others have too
_RUNS = re.compile("[0-9]+|[A-Z]+|[a-z]+")
_WORD = re.compile("[A-Za-z]{3}")


@dataclass(frozen=True)
class _Text:
    """A piece of a segment: fixed text, or the value of a column."""

    text: str
    column: Column | None = None

    @property
    def pattern(self) -> str:
        """What matches the piece in other paths."""
        return quoted(self.text) if self.column is None else f"({_inner(self.column, self.text)})"


_Segments = tuple[tuple[_Text, ...], ...]


def with_fewer_parts(best: RuleCandidate, rows: Sequence[Sequence[str]], labels: Labels) -> RuleCandidate:
    """Return the candidate with a second rule for left paths that lack the same parts, if any do."""
    statuses = {one: apply_rule(best.rule, one).status for one in map(path_of, rows)}
    taken = [one for one, status in statuses.items() if status != "UNMATCHED"]
    path = next(iter(labels), next((one for one in taken if statuses[one] == "COMPLETE"), ""))
    if best.rule.others or not best.left or not path:
        return best
    whole = _segments(best, path[1:].split("/"), labels)
    if whole is None or sum(_fits(whole, one) for one in taken) < _USUAL * len(taken):
        return best
    left = [one for one in best.left if one.rpartition(".")[2] == path.rpartition(".")[2]]
    found = [(one, [row for row in left if _fits(one, row)]) for one in dict.fromkeys(_shorter(whole))]
    found = [(one, taken) for one, taken in found if taken and _is_alike(one, taken)]
    if not found:
        return best
    ordered = reversed(found)  # of equal ones, the directory next to the file is missing
    chosen, paths = max(ordered, key=lambda one: (len(one[1]), _letters(one[0]), _shared(*one)))
    start = "/" if best.rule.glob.text.startswith("/") else ""
    new = {column.name for one in paths for column, text in _values(chosen, one) if text not in column.values}
    second = write_rule(f"{start}{'/'.join(_glob(one, new) for one in chosen)}", [*_columns(chosen)])
    second = replace(second, name=f"{best.rule.name}_2", tag=best.rule.tag, order=1)
    rest = tuple(one for one in best.left if one not in paths)
    share = 1 - (1 - best.coverage) * len(rest) / len(best.left)
    return replace(best, rule=replace(best.rule, others=(second,)), left=rest, coverage=share)


def _segments(best: RuleCandidate, row: Sequence[str], labels: Labels) -> _Segments | None:
    """Return the pieces of each segment of the labelled path, or None if not each label has one of its own."""
    names = {name for fields in labels.values() for name, value in fields.items() if value is not None}
    spans: list[tuple[int, int, int, Column]] = []
    for column in sorted(best.columns, key=lambda one: one.name not in names):
        index, start, end = span_of(column, row)
        over = any(index == one[0] and start < one[2] and one[1] < end for one in spans)
        if column.name in names and (index == 0 or over):
            return None
        if index and not over and start < end:  # a value that the path has
            spans.append((index, start, end, column))
    return tuple(tuple(_pieces(row[at], [one for one in spans if one[0] == at])) for at in range(-len(row), 0))


def _pieces(text: str, spans: Sequence[tuple[int, int, int, Column]]) -> Iterator[_Text]:
    at = 0
    for _, start, end, column in sorted(spans, key=lambda one: one[1]):
        yield from [_Text(text[at:start])] if at < start else []
        yield _Text(text[start:end], column)
        at = end
    yield from [_Text(text[at:])] if at < len(text) else []


def _shorter(whole: _Segments) -> Iterator[_Segments]:
    """Yield the segments without a directory, without a field of the file name and a separator, and without both."""
    above, name = whole[:-1], whole[-1]
    fewer = [(*above[:at], *above[at + 1 :]) for at in range(len(above))]
    names = [_merged(one) for one in _without_field(name)]
    yield from ((*one, name) for one in fewer)
    yield from ((*one, other) for one in (above, *fewer) for other in names)


def _without_field(name: Sequence[_Text]) -> Iterator[tuple[_Text, ...]]:
    for at, one in enumerate(name):
        if one.column is None:
            continue
        if at and name[at - 1].column is None and not _has_letters(name[at - 1]):
            yield (*name[: at - 1], *name[at + 1 :])
        if at + 1 < len(name) and name[at + 1].column is None and not _has_letters(name[at + 1]):
            yield (*name[:at], *name[at + 2 :])


def _has_letters(piece: _Text) -> bool:
    return any(map(str.isalnum, piece.text))


def _merged(name: Sequence[_Text]) -> tuple[_Text, ...]:
    return tuple(one for one in name if one.text)


def _fits(segments: _Segments, path: str) -> bool:
    row = path[1:].split("/")
    return len(row) == len(segments) and all(
        re.fullmatch("".join(piece.pattern for piece in pieces), text, re.DOTALL)
        for pieces, text in zip(segments, row, strict=True)
    )


def _values(segments: _Segments, path: str) -> Iterator[tuple[Column, str]]:
    for pieces, text in zip(segments, path[1:].split("/"), strict=True):
        found = re.fullmatch("".join(piece.pattern for piece in pieces), text, re.DOTALL)
        columns = [piece.column for piece in pieces if piece.column is not None]
        yield from zip(columns, found.groups() if found else (), strict=True)


def _is_alike(segments: _Segments, paths: Sequence[str]) -> bool:
    """Return whether values have the types of their columns, and are known where these have few words, or of their
    form. Without such a field, nothing says so.
    """
    values = [one for path in paths for one in _values(segments, path)]
    typed = all(converted(text, (column.type, column.format)) is not None for column, text in values)
    few = [(column, text) for column, text in values if column.type == "string" and _has_few(column)]
    known = sum(text in column.values or _are_of_form(column, text) for column, text in few)
    return typed and known >= _KNOWN * len(few) and bool(few)


def _has_few(column: Column) -> bool:
    there = [one for one in column.values if one]
    return len({*there}) * 2 <= len(there)


def _are_of_form(column: Column, text: str) -> bool:
    return {_form(one) for one in column.values if one} == {_form(text)}


def _form(text: str) -> str:
    return _RUNS.sub(lambda found: ("n" if found[0].isdigit() else "a") * len(found[0]), text)


def _letters(segments: _Segments) -> int:
    """Return how many letters of words are fixed, but not those of the extension."""
    texts = [piece.text for piece in chain(*segments) if piece.column is None]
    texts = [*texts[:-1], texts[-1].rpartition(".")[0]] if texts else []
    return sum(len(one) for one in texts if _WORD.search(one))


def _shared(segments: _Segments, paths: Sequence[str]) -> int:
    """Return how many values of paths other paths have in the same columns."""
    return sum(text in column.values for path in paths for column, text in _values(segments, path))


def _inner(column: Column, text: str) -> str:
    """Return the pattern of the values of a column, of which `text` is one."""
    there = [one for one in column.values if one] or [text]
    if column.slot is not None and column.slot.form:
        return column.slot.form
    if all(map(str.isdigit, there)):
        return f"[0-9]{{{len(text)}}}" if len({*map(len, there)}) == 1 and len(text) > 1 else "[0-9]+"
    if column.type != "string":
        return _RUNS.sub(lambda found: f"{'[0-9]' if found[0].isdigit() else '[A-Za-z]'}{{{len(found[0])}}}", text)
    marks = "".join(quoted_in_set(mark) for mark in "_-. " if not any(mark in one for one in there))
    return f"[^{marks}]+" if marks else ".+"


def _glob(pieces: Sequence[_Text], new: Collection[str]) -> str:
    return re.sub(r"\*+", "*", "".join(_glob_of(one, new) for one in pieces))


def _glob_of(piece: _Text, new: Collection[str]) -> str:
    """Return the glob of a piece: the words of a column of few words, unless it has a `new` one in the few samples."""
    if piece.column is None:
        return escaped(piece.text)
    if piece.column.type == "string" and _has_few(piece.column) and piece.column.name not in new:
        words = sorted({one for one in piece.column.values if one})
        if 1 < len(words) <= _FEW_WORDS:
            return f"{{{','.join(map(escaped, words))}}}"
    return "[0-9]*" if piece.text.isdigit() and piece.pattern.startswith("([0-9]") else "*"


def _columns(segments: _Segments) -> Iterator[Column]:
    for at, pieces in enumerate(segments):
        index = at - len(segments)
        for piece in pieces:
            if (column := piece.column) is None:
                continue
            pattern = "".join(one.pattern if one is piece else _open(one) for one in pieces)
            whole = len(pieces) == 1 and index < -1
            source = "filename" if index == -1 else index
            yield replace(column, source=source, pattern=None if whole else f"^{pattern}$", values=(), optional=False)


def _open(piece: _Text) -> str:
    return piece.pattern if piece.column is None else piece.pattern[1:-1]
