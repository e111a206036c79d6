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
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Column, Fixed, Slot
from retouch.recipes.rule.detecting.cost import column_cost, shared_tokens, spelled_out
from retouch.recipes.rule.detecting.cut import cut
from retouch.recipes.rule.detecting.groups import form_of
from retouch.recipes.rule.detecting.patterns import glob_of, quoted, quoted_in_set, type_of
from retouch.recipes.rule.detecting.placing import LabelPlace, placed, span_of
from retouch.recipes.rule.detecting.readings import converted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.detecting.columns import Kind as ColumnKind
    from retouch.recipes.rule.detecting.columns import Piece
    from retouch.recipes.rule.detecting.readings import Kind

ALL = 0.98  # the share of the values that have the type of a label
USUAL = 0.8  # the share of the samples that have a word which is fixed text
LEFT = 150.0  # bits of a sample that is not read, and has the form of the labelled one
HELD = 12.0  # bits of a value that holds a separator which is beside the labelled one
SHAPES = 2.0  # bits for each bit that says which kind of value one is
STEP = 1.0  # bits of each form of a value that would be tried before
REPEATED = 40.0  # bits of a text that repeats a label in the labelled path only
UNPLACED = 40.0  # bits of a label that is null, and that no sample has
OPTIONAL = 12.0  # bits of a value that some samples lack
SOME = 0.1  # the share of the samples that lack a labelled value, at the least
LEAST = 4  # samples of another extension
LEAST_OTHER = 2  # samples of another depth
MOSTLY = 0.6  # of the samples of another depth
MOST_STEPS = 12
MOST_READ = 900  # templates
_TOKENS = re.compile(r"[0-9A-Za-z]+|[^0-9A-Za-z]")
_RUNS = re.compile(r"[0-9]+|[A-Z]+|[a-z]+|[^0-9A-Za-z]")
_ENDING = re.compile(r"\.[A-Za-z][0-9A-Za-z]*")
_LEAD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True, kw_only=True)
class Token:
    """A part of the template: the text that the labelled path has there, and the patterns that others may have.

    The first one is used. `name` is the label, and `kind` its type. `same` is the label whose text is repeated. An
    optional token is missing together with its `lead` and its `tail`.
    """

    text: str
    patterns: tuple[str, ...]
    step: int = 0
    name: str = ""
    kind: Kind | None = None
    same: str = ""
    marks: str = ""
    optional: bool = False
    lead: str = ""
    tail: str = ""
    ending: bool = False

    @property
    def inner(self) -> str:
        return self.patterns[self.step]

    @property
    def fixed(self) -> bool:
        return not self.name and not self.same and self.inner == quoted(self.text)


Segment = tuple[Token, ...]
Template = tuple[Segment, ...]


@dataclass(frozen=True)
class Reading:
    """A template, what it costs, and the values of its tokens in each sample, None for one that it does not read."""

    template: Template
    cost: float
    values: Sequence[tuple[str, ...] | None]


def template_of(
    rows: Sequence[Sequence[str]], row: Sequence[str], wanted: Mapping[str, JSON], columns: Sequence[Column] = ()
) -> Reading | None:
    """Return the best reading of the rows by a template of the labelled `row`, or None if a label has no place."""
    places = _places(columns, row, wanted)
    if len(places) < sum(one is not None for one in wanted.values()):
        return None
    spans = {one.span: (one.name, one.kind) for one in places}
    alike = [one for one in rows if len(one) == len(row)]
    search = _Search(alike, row)
    texts = {f"{at}": row[at] for at in range(-len(row), -1)} | {
        one.name: row[one.index][one.start : one.end] for one in places
    }
    start = tuple(tuple(_tokens(row, index, spans, texts, alike)) for index in range(-len(row), 0))
    nulls = [name for name, value in wanted.items() if value is None]
    return search.best(start, nulls)


def _places(columns: Sequence[Column], row: Sequence[str], wanted: Mapping[str, JSON]) -> list[LabelPlace]:
    """Return the places of the labels in a path: those that columns have, or else any, as far as they do not overlap."""
    done: list[LabelPlace] = []
    for column in columns:
        if (value := wanted.get(column.name)) is None or _place_of(column, row) is None:
            continue
        index, start, end = span_of(column, row)
        kind = (column.type, column.format)
        one = LabelPlace(name=column.name, kind=kind, index=index, start=start, end=end)
        if index and converted(row[index][start:end], kind) == value and not any(map(one.overlaps, done)):
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
) -> Iterator[Token]:
    """Yield the tokens of one segment of the labelled path."""
    text = row[index]
    own = sorted((start, end, *label) for (at, start, end), label in spans.items() if at == index)
    others = [one[index] for one in rows]
    if not own and index < -1:
        usual = others.count(text) >= USUAL * len(others)
        yield Token(text=text, patterns=(quoted(text),) if usual else ("[^/]+",))
        return
    at = 0
    for start, end, name, kind in own:
        yield from _between(text, at, start, texts, others)
        before, after = text[max(start - 1, 0) : start], text[end : end + 1]
        if index == -1 and _ENDING.fullmatch(text, end):
            after = ""  # the point before the extension ends no value
        marks = "".join(dict.fromkeys(one for one in before + after if not one.isalnum()))
        patterns = tuple(dict.fromkeys(_forms(text[start:end], before, after, kind)))
        patterns = ("[^/]+",) if (start, end) == (0, len(text)) and kind[0] == "string" and index < -1 else patterns
        held = "".join(one for one in marks if one not in text[start:end])
        yield Token(text=text[start:end], patterns=patterns, name=name, kind=kind, marks=held)
        at = end
    yield from _between(text, at, len(text), texts, others)


def _between(
    text: str, start: int, end: int, texts: Mapping[str, str], others: Sequence[str]
) -> Iterator[Token]:
    """Yield the tokens of text without a label: repeated labels, words and separators."""
    for name, one in sorted(texts.items(), key=lambda each: -len(each[1])) if len({*others}) > 1 else ():
        at = text.find(one, start, end)
        edges = text[max(at - 1, 0) : at] + text[at + len(one) : at + len(one) + 1]
        if at >= 0 and len(one) > 1 and not edges.isalnum() and not any(map(str.isalnum, edges)):
            yield from _between(text, start, at, texts, others)
            yield Token(text=one, patterns=("", "[^/]+"), same=name)
            yield from _between(text, at + len(one), end, texts, others)
            return
    for found in _TOKENS.finditer(text[start:end]):
        word = found[0]
        literal = quoted(word)
        if not word.isalnum():
            yield Token(text=word, patterns=(literal,))
            continue
        touches = "".join(
            one for one in (text[max(start + found.start() - 1, 0) : start + found.start()], text[start + found.end() :][:1])
        )
        before = text[: start + found.start()][-1:]
        if before == "." and start + found.end() == len(text):
            yield Token(text=word, patterns=_endings(word, others), ending=True)
            continue
        glued = any(map(str.isalnum, touches))
        there = [f"{before}{word}" in one if glued else word in re.findall("[0-9A-Za-z]+", one) for one in others]
        usual = there.count(True) >= USUAL * len(others)
        first = f"[0-9]{{{len(word)}}}" if word.isdigit() else literal
        free = () if usual else tuple(_forms(word, touches[:1], touches[1:], ("string", None)))
        yield Token(text=word, patterns=tuple(dict.fromkeys((first, *free) if usual or glued else (*free, first))))


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
    if kind[0] != "string":
        yield "".join(_wide(one[0]) for one in _RUNS.finditer(value))
        yield "".join(_some(one[0]) for one in _RUNS.finditer(value))
        return
    if glued:
        yield "".join(_wide(one[0]) for one in _RUNS.finditer(value))
        yield "".join(_some(one[0]) for one in _RUNS.finditer(value))
    free = f"[^/{''.join(map(quoted_in_set, marks))}]"
    yield f"{free}+"
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
    yield "".join(_some(one[0]) for one in _RUNS.finditer(value))
    yield "[^/]+?"
    yield "[^/]+"


def _wide(run: str) -> str:
    if not run.isalnum():
        return quoted(run)
    return f"{'[0-9]' if run.isdigit() else '[A-Z]' if run.isupper() else '[a-z]'}{{{len(run)}}}"


def _some(run: str) -> str:
    return re.sub(r"\{[0-9]+\}$", "+", _wide(run)) if run.isalnum() else quoted(run)


def _names(template: Template) -> set[str]:
    return {one.name for segment in template for one in segment if one.name}


def _unplaced(template: Template, nulls: Sequence[str]) -> list[str]:
    names = _names(template)
    return [one for one in nulls if one not in names]


class _Search:
    """Reads rows by templates, and improves these step by step."""

    def __init__(self, rows: Sequence[Sequence[str]], row: Sequence[str]) -> None:
        self._rows = ["/".join(one) for one in rows]
        self._last = [one[-1] for one in rows]
        known = shared_tokens(self._rows)
        form = form_of(row)
        self._left = [
            spelled_out(path, known) + LEFT * (form_of(one) == form) for path, one in zip(self._rows, rows, strict=True)
        ]
        self._own = "/".join(row)
        self._known: dict[tuple[str, ...], Reading | None] = {}

    def best(self, start: Template, nulls: Sequence[str]) -> Reading | None:
        starts = [one for each in _starts(start) if (one := self.read(each)) is not None]
        found = [self._improved(one, nulls, first=first) for one in starts for first in (True, False)]
        return min(found, key=lambda one: one.cost + UNPLACED * len(_unplaced(one.template, nulls)), default=None)

    def _improved(self, best: Reading, nulls: Sequence[str], *, first: bool) -> Reading:
        """Return a reading after all steps that make it better, those that say which values are optional `first`."""
        for _ in range(MOST_STEPS):
            optional = self._better(best, _with_optional(best.template, _unplaced(best.template, nulls), self._last))
            if optional is None or not first:
                other = self._better(best, _changed(best.template))
                found = [one for one in (optional, other) if one is not None]
            else:
                found = [optional]
            if not found:
                break
            best = min(found, key=lambda one: one.cost)
        return best

    def _better(self, best: Reading, templates: Iterable[Template]) -> Reading | None:
        names = _names(best.template)
        done: Reading | None = None
        least = best.cost - 0.01
        for one in templates:
            if len(self._known) >= MOST_READ:
                break
            bonus = UNPLACED * len(_names(one) - names)
            reading = self.read(one)
            if reading is not None and reading.cost - bonus < least:
                done, least = reading, reading.cost - bonus
        return done

    def read(self, template: Template) -> Reading | None:
        """Return the reading of a template, or None if it does not read the labelled path as it is labelled."""
        pattern = _regex(template)
        key = (pattern, *(one.name for segment in template for one in segment if one.name))
        if key not in self._known:
            self._known[key] = self._read(template, pattern)
        return self._known[key]

    def _read(self, template: Template, pattern: str) -> Reading | None:
        tokens = [one for segment in template for one in segment]
        try:
            find = re.compile(f"{pattern}\\Z").match
        except re.error:
            return None
        own = find(self._own)
        if own is None or any(one.text != (own[f"g{at}"] or "") for at, one in enumerate(tokens) if not one.fixed):
            return None
        free = [at for at, one in enumerate(tokens) if not one.fixed]
        values: list[tuple[str, ...] | None] = []
        for path in self._rows:
            hit = find(path)
            values.append(None if hit is None else tuple(hit[f"g{at}"] or "" for at in free))
        values = [
            None if one is None or not _typed([tokens[at] for at in free], one) else one for one in values
        ]
        there = [one for one in values if one is not None]
        for token, column in zip([tokens[at] for at in free], zip(*there, strict=True), strict=True):
            if token.optional and token.text and column.count("") < SOME * len(column):
                return None
        return Reading(template, self._cost([tokens[at] for at in free], values), values)

    def _cost(self, tokens: Sequence[Token], values: Sequence[tuple[str, ...] | None]) -> float:
        there = [one for one in values if one is not None]
        cost = sum(left for left, one in zip(self._left, values, strict=True) if one is None)
        for token, column in zip(tokens, zip(*there, strict=True), strict=True):
            cost += 0 if token.same and token.step == 0 else column_cost(column)
            cost += SHAPES * spread(column)
            cost += HELD * sum(any(mark in value for mark in token.marks) for value in column)
            cost += (REPEATED if token.same and token.step else STEP * token.step) + OPTIONAL * token.optional
        return cost


def spread(values: Sequence[str]) -> float:
    """Return how many bits say which kind of value each one is: a number of some width, or what it begins with."""
    counts = Counter(map(_shape, filter(None, values)))
    total = counts.total()
    return -sum(number * math.log2(number / total) for number in counts.values())


def _shape(value: str) -> str:
    return str(len(value)) if value.isdigit() else "n" if value[0].isdigit() else "a" if value[0].isalpha() else "-"


def _typed(tokens: Sequence[Token], values: Sequence[str]) -> bool:
    return all(
        not value or one.kind is None or one.kind[0] == "string" or converted(value, one.kind) is not None
        for one, value in zip(tokens, values, strict=True)
    )


def _regex(template: Template) -> str:
    """Return the pattern of whole paths, with a group for each token that varies, called by its number."""
    parts: list[str] = []
    at = 0
    numbers: dict[str, str] = {}
    for segment in template:
        done = ""
        for token in segment:
            inner = token.inner
            if not token.fixed:
                if token.same and token.step == 0:
                    inner = f"(?P={numbers[token.same]})"
                inner = f"(?P<g{at}>{inner})"
                if token.name:
                    numbers[token.name] = f"g{at}"
            done += _around(token, inner)
            at += 1
        place = len(parts) - len(template)
        numbers[f"{place}"] = f"s{-place}"
        parts.append(f"(?P<s{-place}>{done})")
    return "/".join(parts)


def _around(token: Token, inner: str) -> str:
    return f"(?:{quoted(token.lead)}{inner}{quoted(token.tail)})?" if token.optional else inner


def _starts(start: Template) -> Iterator[Template]:
    """Yield the template with the first forms, and with the widest."""
    yield start
    free = tuple(tuple(replace(one, step=_free(one)) for one in segment) for segment in start)
    wide = tuple(tuple(replace(one, step=_wide_step(one)) for one in segment) for segment in start)
    yield from (one for one in dict.fromkeys((free, wide)) if one != start)


def _wide_step(token: Token) -> int:
    return token.patterns.index("[^/]+?") if token.name and "[^/]+?" in token.patterns else token.step


def _free(token: Token) -> int:
    """Return the number of the first form that says nothing but where a value ends."""
    found = (at for at, one in enumerate(token.patterns) if one.startswith("[^/") and one.endswith("]+"))
    return next(found, token.step) if token.name and token.step == 0 else token.step


def _changed(template: Template) -> Iterator[Template]:
    """Yield the template with another form of one token."""
    for at, segment in enumerate(template):
        for number, token in enumerate(segment):
            for step in range(len(token.patterns)):
                if step != token.step:
                    yield _replaced(template, at, number, 1, (replace(token, step=step),))


def _replaced(template: Template, at: int, number: int, count: int, tokens: Sequence[Token]) -> Template:
    segment = template[at]
    return (*template[:at], (*segment[:number], *tokens, *segment[number + count :]), *template[at + 1 :])


def _with_optional(template: Template, nulls: Sequence[str], texts: Sequence[str]) -> Iterator[Template]:
    """Yield the template with a value that some samples lack, and with one that only they have."""
    at = len(template) - 1
    segment = template[at]
    if len(segment) == 1:
        return
    for number, token in reversed([*enumerate(segment)]):
        if token.fixed or token.same or token.optional:
            continue
        for count in (1, 2):
            lead = segment[max(number - count, 0) : number]
            if len(lead) == count and all(one.fixed for one in lead) and not lead[0].text.isalnum():
                one = replace(token, optional=True, lead="".join(each.text for each in lead))
                yield _replaced(template, at, number - count, count + 1, (one,))
        tail = segment[number + 1 : number + 2]
        if number == 0 and tail and tail[0].fixed and not tail[0].text.isalnum():
            yield _replaced(template, at, number, 2, (replace(token, optional=True, tail=tail[0].text),))
    marks = [one for one in ("__", " - ", *"-_.+~@:, ") if any(one in text for text in texts)]
    for name in nulls[:1]:
        for number in range(len(segment), -1, -1):
            near = "".join(one.text for one in segment[max(number - 1, 0) : number + 1] if one.fixed)
            if number and segment[number - 1].inner.endswith("[0-9]+"):
                one = Token(text="", patterns=("[A-Za-z][0-9A-Za-z]*",), name=name, optional=True)
                yield _replaced(template, at, number, 0, (one,))
            for mark in marks:
                for inner in _of_null(mark, near):
                    one = Token(text="", patterns=(inner,), name=name, optional=True, marks=mark[:1])
                    around = replace(one, lead=mark) if number else replace(one, tail=mark)
                    yield _replaced(template, at, number, 0, (around,))


def _of_null(mark: str, near: str) -> Iterator[str]:
    if mark == ".":  # before a digit it is a part of a number
        yield "[A-Za-z][^/.]*"
        return
    yield f"[^/{''.join(quoted_in_set(one) for one in dict.fromkeys(mark[:1] + near) if not one.isalnum())}]+"
    yield f"[^/{quoted_in_set(mark[0])}]+"
    yield "[0-9]+"
    yield "[A-Za-z]+"
    yield "[^/]+?"


def other_shapes(
    main: Reading, rows: Sequence[Sequence[str]], wanted: Mapping[str, JSON]
) -> list[tuple[Reading, list[Sequence[str]]]]:
    """Return the readings of rows of other depths: without directories that hold labels, or with one of a label that is
    null. The rows of each are given too.
    """
    known = {name: list[str]() for name in wanted}
    tokens = [one for segment in main.template for one in segment if not one.fixed]
    for values in main.values:
        for token, value in zip(tokens, values or (), strict=False):
            if token.name:
                known[token.name].append(value)
    nulls = _unplaced(main.template, [name for name, value in wanted.items() if value is None])
    done: list[tuple[Reading, list[Sequence[str]]]] = []
    depth = len(main.template)
    ending = main.template[-1][-1].ending
    for more in (-2, -1, 1, 2):
        own = [row for row in rows if len(row) == depth + more]
        own = [row for row in own if not ending or row[-1].endswith(f".{main.template[-1][-1].text}")]
        templates = _shorter(main.template, -more) if more < 0 else _longer(main.template, more, nulls[:1])
        found = [_reading(one, own, known) for one in templates if len(own) >= LEAST_OTHER]
        best = min((one for one in found if one is not None), key=lambda one: one.cost, default=None)
        if best is not None and len(best.values) - best.values.count(None) >= max(LEAST_OTHER, MOSTLY * len(own)):
            done.append((best, own))
    return done


def _shorter(template: Template, count: int) -> Iterator[Template]:
    """Yield the template without some directories, and without what repeats them, or one more value of the name."""
    *above, name = template
    for at in range(len(above) - count + 1):
        gone = {one.name for segment in above[at : at + count] for one in segment if one.name}
        places = {f"{place - len(template)}" for place in range(at, at + count)}
        moved = {f"{place - len(template)}": f"{place - len(template) + count}" for place in range(at)}
        rest = [*above[:at], *above[at + count :]]
        repeated = next((number for number, one in enumerate(name) if one.same and one.same in gone | places), None)
        if repeated is not None:
            names = [_without(name, repeated)]
        else:
            names = [name] if gone else []
            names += [_without(name, number) for number, one in enumerate(name) if one.name]
        for one in names:
            if one and not any(token.same in gone | places for segment in (*rest, one) for token in segment):
                shifted = [tuple(replace(t, same=moved.get(t.same, t.same)) for t in segment) for segment in (*rest, one)]
                yield tuple(shifted)


def _without(segment: Segment, number: int) -> Segment:
    """Return a segment without a token and the separator before it, or after it if it is the first."""
    start = number - 1 if number and segment[number - 1].fixed else number
    end = number + 2 if number == 0 and len(segment) > 1 else number + 1
    return (*segment[:start], *segment[end:])


def _longer(template: Template, count: int, nulls: Sequence[str]) -> Iterator[Template]:
    """Yield the template with one more directory for a label that is null, or with two, of which it is the last."""
    for name in nulls:
        new = (Token(text="", patterns=("[^/]+",), name=name),)
        other = (Token(text="", patterns=("[^/]+",)),)
        for at in range(len(template)):
            moved = {f"{place - len(template)}": f"{place - len(template) - count}" for place in range(at)}
            above = [tuple(replace(t, same=moved.get(t.same, t.same)) for t in segment) for segment in template]
            yield (*above[:at], *([other] if count == 2 else []), new, *above[at:])


def _reading(template: Template, rows: Sequence[Sequence[str]], known: Mapping[str, Sequence[str]]) -> Reading | None:
    """Return the reading of rows, of which values that are known are cheap."""
    tokens = [one for segment in template for one in segment]
    find = re.compile(f"{_regex(template)}\\Z").match
    free = [(at, one) for at, one in enumerate(tokens) if not one.fixed]
    hits = [find("/".join(row)) for row in rows]
    values = [None if hit is None else tuple(hit[f"g{at}"] or "" for at, _ in free) for hit in hits]
    values = [None if one is None or not _typed([each for _, each in free], one) else one for one in values]
    there = [one for one in values if one is not None]
    telling = any(one.kind and one.kind[0] != "string" for one in tokens) or any(
        one.fixed and one.text.isalnum() and not one.ending for one in tokens
    )
    if not there or not telling:
        return None
    cost = LEFT * values.count(None)
    for (_, token), column in zip(free, zip(*there, strict=True), strict=True):
        if not token.same:
            others = known.get(token.name, ())
            cost += column_cost([*others, *column]) - column_cost(others) + SHAPES * (spread([*others, *column]) - spread(others))
    return Reading(template, cost, values)


def columns_of(reading: Reading, rows: Sequence[Sequence[str]]) -> list[Column]:
    """Return the columns of the labels."""
    done: list[Column] = []
    tokens = [one for segment in reading.template for one in segment]
    free = [at for at, one in enumerate(tokens) if not one.fixed]
    written = _without_repeats(reading)
    at = 0
    for number, segment in enumerate(reading.template):
        index = number - len(reading.template)
        texts = [row[index] for row, one in zip(rows, reading.values, strict=True) if one is not None]
        for token in segment:
            if token.name:
                values = tuple(one[free.index(at)] for one in reading.values if one is not None)
                place = [one.index(token) for one in [segment]][0]
                done.append(_column(written[number], written[number][place], index, values, texts))
            at += 1
    return done


def _without_repeats(reading: Reading) -> Template:
    """Return the template with a pattern of its values in place of each repeated text."""
    rows = [one for one in reading.values if one is not None]
    done: list[Segment] = []
    at = 0
    for segment in reading.template:
        new: list[Token] = []
        for number, token in enumerate(segment):
            if token.fixed:
                new.append(token)
                continue
            if token.same and token.step == 0:
                values = {one[at] for one in rows}
                after = segment[number + 1 : number + 2]
                near = "".join((after[0].lead or after[0].text)[:1] for after in [after] if after)
                new.append(replace(token, patterns=(_pattern_of(values, near),), step=0))
            elif any(one.same for one in segment) and token.inner[:2] == "[^" and token.inner[-1] == "+":
                first = all(one[at][:1].isdigit() for one in rows if one[at])
                inner = f"[0-9]{token.inner[:-1]}*" if first else token.inner
                new.append(replace(token, patterns=(inner,), step=0))
            else:
                new.append(token)
            at += 1
        done.append(tuple(new))
    return tuple(done)


def _pattern_of(values: Collection[str], after: str) -> str:
    """Return the pattern of values, of which `after` is what follows."""
    digits = not any(map(str.isalpha, "".join(values)))
    forms = {"".join(_wide(one[0]) for one in _RUNS.finditer(value)) for value in values} if digits else set[str]()
    if len(forms) == 1:
        return forms.pop()
    mark = quoted_in_set(after)
    return f"[^/{mark}]+" if after and not any(after in one for one in values) else "[^/]+"


def _column(
    segment: Segment, token: Token, index: int, values: Sequence[str], texts: Sequence[str]
) -> Column:
    there = [one for one in values if one]
    lead = ""
    kind = token.kind
    if kind is None:
        leads = {found[0] if (found := _LEAD.match(one)) else "" for one in there}
        lead = min(leads) if len(leads) == 1 and all(one[len(min(leads)) :].isdigit() for one in there) else ""
        form, fmt, _ = type_of([one[len(lead) :] for one in there])
        kind = (form, fmt)
    whole = len(segment) == 1 and index < -1
    patterns = _written(segment, token, lead, there)
    wrong = {one: _wrong(one, texts, values, lead) for one in patterns}
    pattern = min(patterns, key=wrong.__getitem__)
    return Column(
        name=token.name,
        source="filename" if index == -1 else index,
        pattern=None if whole else pattern,
        values=tuple(one[len(lead) :] or None for one in values),
        type=kind[0],
        format=kind[1],
        optional=token.optional,
    )


def _written(segment: Segment, token: Token, lead: str, values: Sequence[str]) -> list[str]:
    """Return the patterns that may find the value of a token in its segment, the likeliest first."""
    words = sorted({*values}, key=lambda one: (-len(one), one))
    inner = [f"{lead}({'[0-9]+' if lead else token.inner})"]
    inner += [f"({'|'.join(map(quoted, words))})"] if len(words) * 3 <= len(values) else []
    done: list[str] = []
    for own in inner:
        for repeated in ("", "[^/]+?"):
            texts = [own if one is token else repeated if repeated and one.same else one.inner for one in segment]
            pattern = "".join(map(_around, segment, texts))
            done.append(f"^{pattern}$".replace("[^/]", ".").replace("[^/", "[^"))
    return done


def _wrong(pattern: str, texts: Sequence[str], values: Sequence[str], lead: str) -> int:
    """Return how many values a pattern does not find."""
    hits = [re.search(pattern, one, re.DOTALL) for one in texts]
    found = ["" if hit is None else hit[1] or "" for hit in hits]
    return sum(one != value[len(lead) :] for one, value in zip(found, values, strict=True))


def glob_of_template(reading: Reading, read: Sequence[Sequence[str]]) -> str:
    """Return the glob of the paths that a reading has read."""
    tokens = [one for segment in reading.template for one in segment]
    free = [at for at, one in enumerate(tokens) if not one.fixed]
    rows = [one for one in reading.values if one is not None]
    parts: list[str] = []
    at = 0
    for number, segment in enumerate(reading.template):
        pieces: list[Piece] = []
        for token in segment:
            if token.fixed:
                pieces.append(Fixed(text=token.text))
            else:
                values = tuple(one[free.index(at)] for one in rows)
                kind: ColumnKind = "ending" if token.ending else ""
                pieces.append(Slot(values=values, kind=kind, optional=token.optional, lead=token.lead, tail=token.tail))
            at += 1
        texts = tuple(row[number] for row in read)
        free_directory = number < len(reading.template) - 1 and not any(one.name for one in segment)
        parts.append(glob_of(cut(texts)) if free_directory else glob_of(pieces))
    return "/".join(parts)
