"""Reads all samples as one labelled path is read: one template for all of its values together.

The labels cut the path into values, what separates them, and words that no label has. Other samples have other values
in the same places; some lack a value with its separator, and some have one where a label is null. The template that
reads most of them and describes them shortest is found step by step, so that each value helps to find its neighbours.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.cost import column_cost, shared_tokens, spelled_out
from retouch.recipes.rule.detecting.further_parts import with_further
from retouch.recipes.rule.detecting.groups import form_of
from retouch.recipes.rule.detecting.patterns import quoted, quoted_in_set
from retouch.recipes.rule.detecting.placing import LabelPlace, placed, span_of
from retouch.recipes.rule.detecting.readings import converted, has_value
from retouch.recipes.rule.detecting.template_parts import (
    MOST_WIDE,
    TemplatePart,
    regex_of,
    replaced,
    wide,
    with_optional,
)
from retouch.recipes.rule.detecting.typed import kinds_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.detecting.columns import Column
    from retouch.recipes.rule.detecting.readings import Kind
    from retouch.recipes.rule.detecting.template_parts import Template, TemplateSegment

USUAL = 0.8  # the share of the samples that have a word which is fixed text
LEFT = 150.0  # bits of a sample that is not read, and has the form of the labelled one
MORE = 80.0  # the same of one that has other separators than the labelled one
HELD = 12.0  # bits of a value that holds a separator which is beside the labelled one
HIDDEN = 80.0  # bits of a number that is missing although another value has one of its width
UNLIKE = 15.0  # bits of a value that is no code, or no digits, as the labelled one is
NO_ADDRESS = 3  # times the same, of a value that is no address as the labelled one is
SHAPES = 2.0  # bits for each bit that says which kind of value one is
STEP = 1.0  # bits of each form of a value that would be tried before
REPEATED = 40.0  # bits of a text that repeats a label in the labelled path only
UNPLACED = 40.0  # bits of a label that is null, and that no sample has
OPTIONAL = 12.0  # bits of a value that some samples lack
SOME = 0.1  # the share of the samples that lack a labelled value, at the least
LEAST = 4  # samples of another extension
MOST_STEPS = 12
MOST_READ = 30_000  # paths, by all templates together
_TOKENS = re.compile(r"[0-9A-Za-z]+|[^0-9A-Za-z]")
_WORD = re.compile(r"[0-9A-Za-z]+")
RUNS = re.compile(r"[0-9]+|[A-Z]+|[a-z]+|[^0-9A-Za-z]")
_SURE_KINDS = frozenset({"address"})  # whose other values have the same form
_ENDING = re.compile(r"\.[A-Za-z][0-9A-Za-z]*")


@dataclass(frozen=True)
class TemplateReading:
    """A template, what it costs, and the values of its tokens in each sample, None for one that it does not read.

    If it is `ended`, the end of the file name has a label.
    """

    template: Template
    cost: float
    values: Sequence[tuple[str, ...] | None]
    ended: bool = False


def template_of(
    rows: Sequence[Sequence[str]], row: Sequence[str], wanted: Mapping[str, JSON], columns: Sequence[Column] = ()
) -> TemplateReading | None:
    """Return the best reading of the rows by a template of the labelled `row`, or None if a label has no place.

    A label whose characters others have, too, and that one of the `columns` has is no part of the template.
    """
    places = _places(columns, row, wanted)
    names = {one.name for one in (*columns, *places)}
    if not places or any(name not in names for name, value in wanted.items() if value is not None):
        return None
    spans = {one.span: (one.name, one.kind) for one in places}
    alike = [one for one in rows if len(one) == len(row)]
    ended = any(one.index == -1 and one.end == len(row[-1]) for one in places)
    search = _Search(alike, row, ended=ended)
    directories, values = dict[str, str](), dict[str, str]()  # that later segments may repeat
    start: list[TemplateSegment] = []
    for index in range(-len(row), 0):
        start.append(tuple(_tokens(row, index, spans, directories | values, alike)))
        directories[f"{index}"] = row[index]
        values |= {one.name: row[index][one.start : one.end] for one in places if one.index == index}
    nulls = [name for name, value in wanted.items() if value is None]
    found = search.best(tuple(start), nulls)
    return None if found is None else replace(found, ended=ended)


def _places(columns: Sequence[Column], row: Sequence[str], wanted: Mapping[str, JSON]) -> list[LabelPlace]:
    """Return the places of the labels in a path that do not overlap: those that columns have, or else any."""
    done: list[LabelPlace] = []
    for column in columns:
        if (value := wanted.get(column.name)) is None or _place_of(column, row) is None:
            continue
        index, start, end = span_of(column, row)
        kind = (column.type, column.format)
        one = LabelPlace(name=column.name, kind=kind, index=index, start=start, end=end)
        if index and has_value(row[index][start:end], kind, value) and not any(map(one.overlaps, done)):
            done.append(one)
    names = {one.name for one in done}
    others = placed((), row, {name: value for name, value in wanted.items() if name not in names})
    for one in others:
        if not any(map(one.overlaps, done)):
            done.append(one)
    return done


def _place_of(column: Column, row: Sequence[str]) -> int | None:
    index = -1 if column.source == "filename" else column.source
    return index if isinstance(index, int) and -index <= len(row) else None


def _tokens(
    row: Sequence[str],
    index: int,
    spans: Mapping[tuple[int, int, int], tuple[str, Kind]],
    texts: Mapping[str, str],
    rows: Sequence[Sequence[str]],
) -> Iterator[TemplatePart]:
    """Yield the tokens of one segment of the labelled path."""
    text = row[index]
    own = sorted((start, end, *label) for (at, start, end), label in spans.items() if at == index)
    others = [one[index] for one in rows]
    if not own and index < -1:
        usual = others.count(text) >= USUAL * len(others)
        yield TemplatePart(text=text, patterns=(quoted(text),) if usual else ("[^/]+",))
        return
    at = 0
    for start, end, name, kind in own:
        yield from _between(text, at, start, texts, others)
        before, after = text[max(start - 1, 0) : start], text[end : end + 1]
        if index == -1 and _ENDING.fullmatch(text, end):
            after = ""  # the point before the extension ends no value
        marks = "".join(dict.fromkeys(one for one in before + after if not one.isalnum()))
        patterns = tuple(dict.fromkeys(_forms(text[start:end], before, after, kind)))
        patterns = ("[^/]+",) if (start, end) == (0, len(text)) and kind[0] == "string" else patterns
        held = "".join(one for one in marks if one not in text[start:end])
        yield TemplatePart(text=text[start:end], patterns=patterns, name=name, kind=kind, marks=held)
        at = end
    yield from _between(text, at, len(text), texts, others)


def _between(
    text: str, start: int, end: int, texts: Mapping[str, str], others: Sequence[str]
) -> Iterator[TemplatePart]:
    """Yield the tokens of text without a label: repeated labels, words and separators."""
    for name, one in sorted(texts.items(), key=lambda each: -len(each[1])) if len({*others}) > 1 else ():
        at = text.find(one, start, end)
        edges = text[max(at - 1, 0) : at] + text[at + len(one) : at + len(one) + 1]
        if at >= 0 and len(one) > 1 and not edges.isalnum() and not any(map(str.isalnum, edges)):
            yield from _between(text, start, at, texts, others)
            yield TemplatePart(text=one, patterns=("", "[^/]+"), same=name)
            yield from _between(text, at + len(one), end, texts, others)
            return
    for found in _TOKENS.finditer(text[start:end]):
        yield _word(text, start + found.start(), start + found.end(), others)


def _word(text: str, start: int, end: int, others: Sequence[str]) -> TemplatePart:
    """Return the part of a word or separator without a label: fixed text, if most others have it."""
    word, before, after = text[start:end], text[max(start - 1, 0) : start], text[end : end + 1]
    literal = quoted(word)
    if not word.isalnum():
        return TemplatePart(text=word, patterns=(literal,))
    if before == "." and end == len(text):
        return TemplatePart(text=word, patterns=_endings(word, others), ending=True)
    glued = any(map(str.isalnum, before + after))
    there = [f"{before}{word}" in one if glued else word in _WORD.findall(one) for one in others]
    usual = there.count(True) >= USUAL * len(others)
    first = f"[0-9]{{{len(word)}}}" if word.isdigit() else literal
    free = () if usual else tuple(_forms(word, before, after, ("string", None)))
    return TemplatePart(text=word, patterns=tuple(dict.fromkeys((first, *free) if usual or glued else (*free, first))))


def _endings(own: str, others: Sequence[str]) -> tuple[str, ...]:
    """Return the patterns of extensions: the labelled one, and those that several samples have."""
    counts = Counter(one.rpartition(".")[2] for one in others if "." in one)
    several = sorted(one for one, number in counts.items() if number >= LEAST or one == own)
    return (quoted(own),) if len(several) == 1 else (f"(?:{'|'.join(map(quoted, several))})", quoted(own))


def _forms(value: str, before: str, after: str, kind: Kind) -> Iterator[str]:
    """Yield the patterns of values like this one, the likeliest first."""
    marks = "".join(dict.fromkeys(one for one in before + after if not one.isalnum() and one not in value))
    glued = any(map(str.isalnum, before + after))
    if kind[0] == "integer":
        yield from ([f"[0-9]{{{len(value)}}}"] if (before + after).isdigit() else []) + ["[0-9]+"]
        return
    if kind[0] != "string" or glued:
        yield "".join(wide_form(one[0]) for one in RUNS.finditer(value))
        yield "".join(_some(one[0]) for one in RUNS.finditer(value))
    if kind[0] != "string":
        return
    free = f"[^/{''.join(map(quoted_in_set, marks))}]"
    some = "".join(_some(one[0]) for one in RUNS.finditer(value))
    yield from (some, f"{free}+") if not glued and _SURE_KINDS & kinds_in(value) else (f"{free}+",)
    if value.isdigit():
        yield f"[0-9]{{{len(value)}}}"
        yield "[0-9]+"
    if value[0].isdigit():
        yield from (f"[0-9]{one}*" for one in dict.fromkeys((free, *(f"[^/{quoted_in_set(mark)}]" for mark in marks))))
    if value.isalpha():
        yield "[A-Za-z]+"
    if value.isalnum():
        yield "[0-9A-Za-z]+"
    if not any(map(str.isdigit, value)):
        yield "[^/0-9]+"
    for mark in marks:
        yield f"[^/{quoted_in_set(mark)}]+"
    yield some
    yield "[^/]+?"
    yield "[^/]+"


def wide_form(run: str) -> str:
    """Return the pattern of letters or digits as many as in a text, or of a separator."""
    if not run.isalnum():
        return quoted(run)
    return f"{'[0-9]' if run.isdigit() else '[A-Z]' if run.isupper() else '[a-z]'}{{{len(run)}}}"


def _some(run: str) -> str:
    return re.sub(r"\{[0-9]+\}$", "+", wide_form(run)) if run.isalnum() else quoted(run)


def _names(template: Template) -> set[str]:
    return {one.name for segment in template for one in segment if one.name}


def unplaced(template: Template, nulls: Sequence[str]) -> list[str]:
    """Return the labels that are null, and that no part of a template has."""
    names = _names(template)
    return [one for one in nulls if one not in names]


class _Search:
    """Reads rows by templates, and improves these step by step."""

    def __init__(self, rows: Sequence[Sequence[str]], row: Sequence[str], *, ended: bool) -> None:
        self._rows = ["/".join(one) for one in rows]
        self._names = [one[-1] for one in rows]
        known = shared_tokens(self._rows)
        self._left = [
            spelled_out(path, known) + more_bits(one, row, ended=ended)
            for path, one in zip(self._rows, rows, strict=True)
        ]
        self._own = "/".join(row)
        self._known: dict[tuple[str, ...], TemplateReading | None] = {}

    def best(self, start: Template, nulls: Sequence[str]) -> TemplateReading | None:
        starts = [one for each in _starts(start) if (one := self.read(each)) is not None]
        found = [self._improved(one, nulls, first=first) for one in starts for first in (True, False)]
        return min(found, key=lambda one: one.cost + UNPLACED * len(unplaced(one.template, nulls)), default=None)

    def _improved(self, best: TemplateReading, nulls: Sequence[str], *, first: bool) -> TemplateReading:
        """Return a reading after all steps that make it better, those that say which values are optional `first`."""
        for _ in range(MOST_STEPS):
            absent = unplaced(best.template, nulls)
            further = self._further(best, absent)
            optional = self._better(best, chain(with_optional(best.template, absent, self._names), further))
            if optional is None or not first:
                other = self._better(best, _changed(best.template))
                found = [one for one in (optional, other) if one is not None]
            else:
                found = [optional]
            if not found:
                break
            best = min(found, key=lambda one: one.cost)
        return best

    def _further(self, best: TemplateReading, nulls: Sequence[str]) -> Iterator[Template]:
        """Yield the template with parts that only other paths have, also where a value is read with separators that end
        it in the labelled path.
        """
        for one in (best, *filter(None, map(self.read, _stricter(best)))):
            unread = [path for path, values in zip(self._rows, one.values, strict=True) if values is None]
            yield from with_further(one.template, unread, len(self._rows), nulls)

    def _better(self, best: TemplateReading, templates: Iterable[Template]) -> TemplateReading | None:
        names = _names(best.template)
        done: TemplateReading | None = None
        least = best.cost - 0.01
        for one in templates:
            if len(self._known) * len(self._rows) >= MOST_READ:
                break
            bonus = UNPLACED * len(_names(one) - names)
            reading = self.read(one)
            if reading is not None and reading.cost - bonus < least:
                done, least = reading, reading.cost - bonus
        return done

    def read(self, template: Template) -> TemplateReading | None:
        """Return the reading of a template, or None if it does not read the labelled path as it is labelled."""
        pattern = regex_of(template)
        key = (pattern, *(one.name for segment in template for one in segment if one.name))
        if key not in self._known:
            self._known[key] = self._read(template, pattern)
        return self._known[key]

    def _read(self, template: Template, pattern: str) -> TemplateReading | None:
        tokens = [one for segment in template for one in segment]
        if any(wide(segment) > MOST_WIDE for segment in template):
            return None
        find = re.compile(f"{pattern}\\Z").match
        own = find(self._own)
        if own is None or any(one.text != (own[f"g{at}"] or "") for at, one in enumerate(tokens) if not one.fixed):
            return None
        free = [at for at, one in enumerate(tokens) if not one.fixed]
        values: list[tuple[str, ...] | None] = []
        for path in self._rows:
            hit = find(path)
            values.append(None if hit is None else tuple(hit[f"g{at}"] or "" for at in free))
        values = [None if one is None or not are_typed([tokens[at] for at in free], one) else one for one in values]
        there = [one for one in values if one is not None]
        for token, column in zip([tokens[at] for at in free], zip(*there, strict=True), strict=True):
            least = SOME * len(column) if token.text and not token.instead else 0
            if token.optional and not least <= column.count("") < len(column):
                return None
        return TemplateReading(template, self._cost([tokens[at] for at in free], values), values)

    def _cost(self, tokens: Sequence[TemplatePart], values: Sequence[tuple[str, ...] | None]) -> float:
        there = [one for one in values if one is not None]
        cost = sum(left for left, one in zip(self._left, values, strict=True) if one is None)
        for token, column in zip(tokens, zip(*there, strict=True), strict=True):
            cost += 0 if token.same and token.step == 0 else column_cost(column)
            cost += SHAPES * spread(column)
            cost += UNLIKE * _unlike(token, column)
            cost += HELD * sum(any(mark in value for mark in token.marks) for value in column)
            cost += HIDDEN * _hidden(token, column, there)
            cost += (REPEATED if token.same and token.step else STEP * token.step) + OPTIONAL * token.optional
        return cost


def _unlike(token: TemplatePart, values: Sequence[str]) -> int:
    """Return how many values have letters although the labelled one is digits, or no digit although it is a code.

    Values that are no addresses although the labelled one is count several times.
    """
    if not token.name or " " in token.text or not any(map(str.isdigit, token.text)):
        return 0
    if _SURE_KINDS & kinds_in(token.text):
        return NO_ADDRESS * sum(not _SURE_KINDS & kinds_in(one) for one in values if one)
    if token.text.isdigit():
        return sum(any(map(str.isalpha, one)) for one in values)
    return sum(not any(map(str.isdigit, one)) for one in values if one)


def _hidden(token: TemplatePart, values: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Return how many paths lack a padded number, and have one of its width in another value."""
    if not (token.optional and token.text.isdigit() and len(token.text) > 1):
        return 0
    number = re.compile(f"(?<![0-9])[0-9]{{{len(token.text)}}}(?![0-9])")
    return sum(any(map(number.search, row)) for value, row in zip(values, rows, strict=True) if not value)


def _stricter(best: TemplateReading) -> Iterator[Template]:
    """Yield the template with a labelled value that ends at the separators beside it, where some values hold these."""
    there = [one for one in best.values if one is not None]
    columns = iter(zip(*there, strict=True))
    for at, segment in enumerate(best.template):
        for number, token in enumerate(segment):
            values = () if token.fixed else next(columns)
            held = any(mark in value for mark in token.marks for value in values)
            if held and (step := _strict_step(token)) is not None:
                yield replaced(best.template, at, number, 1, (replace(token, step=step),))
            if _is_before_ending(segment, number) and any("." in value for value in values):
                patterns = ("[^/.]+", *token.patterns)
                yield replaced(best.template, at, number, 1, (replace(token, patterns=patterns, step=0),))


def _strict_step(token: TemplatePart) -> int | None:
    """Return the number of the first form that ends at separators, or None."""
    found = (at for at, one in enumerate(token.patterns) if re.fullmatch(r"\[\^/.+\]\+", one))
    return next(found, None)


def _is_before_ending(segment: TemplateSegment, number: int) -> bool:
    """Return whether a labelled value without a point is before the extension, which has no label."""
    return (
        bool(segment[number].name and segment[-1].ending)
        and number == len(segment) - 3
        and "." not in segment[number].text
    )


def marks_of(row: Sequence[str]) -> str:
    """Return the separators of the file name of a path."""
    return _WORD.sub("", row[-1])


def more_bits(one: Sequence[str], row: Sequence[str], *, ended: bool) -> float:
    """Return the bits that it costs more to leave out a row that has the form of the labelled `row`.

    If its extension has a label (`ended`), others have the same form.
    """
    alike = len(one) == len(row) if ended else form_of(one) == form_of(row)
    return (LEFT if marks_of(one) == marks_of(row) else MORE) * alike


def spread(values: Sequence[str]) -> float:
    """Return how many bits say which kind of value each one is: a number of some width, or what it begins with."""
    counts = Counter(map(_shape, filter(None, values)))
    total = counts.total()
    return -sum(number * math.log2(number / total) for number in counts.values())


def _shape(value: str) -> str:
    return str(len(value)) if value.isdigit() else "n" if value[0].isdigit() else "a" if value[0].isalpha() else "-"


def are_typed(tokens: Sequence[TemplatePart], values: Sequence[str]) -> bool:
    """Return whether the values of a path have the types of their parts."""
    return all(
        not value or one.kind is None or one.kind[0] == "string" or converted(value, one.kind) is not None
        for one, value in zip(tokens, values, strict=True)
    )


def _starts(start: Template) -> Iterator[Template]:
    """Yield the template with the first forms, and with the widest."""
    yield start
    free = tuple(tuple(replace(one, step=_free(one)) for one in segment) for segment in start)
    wide = tuple(tuple(replace(one, step=_wide_step(one)) for one in segment) for segment in start)
    yield from (one for one in dict.fromkeys((free, wide)) if one != start)


def _wide_step(token: TemplatePart) -> int:
    return token.patterns.index("[^/]+?") if token.name and "[^/]+?" in token.patterns else token.step


def _free(token: TemplatePart) -> int:
    """Return the number of the first form that says nothing but where a value ends."""
    found = (at for at, one in enumerate(token.patterns) if one.startswith("[^/") and one.endswith("]+"))
    return next(found, token.step) if token.name and token.step == 0 else token.step


def _changed(template: Template) -> Iterator[Template]:
    """Yield the template with another form of one token."""
    for at, segment in enumerate(template):
        for number, token in enumerate(segment):
            for step in range(len(token.patterns)):
                if step != token.step:
                    yield replaced(template, at, number, 1, (replace(token, step=step),))
