"""Writes the columns and the glob of a template, and finds those of paths with fewer or more directories."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Column, Fixed, Slot
from retouch.recipes.rule.detecting.cost import column_cost
from retouch.recipes.rule.detecting.cut import cut
from retouch.recipes.rule.detecting.patterns import glob_of, quoted, quoted_in_set, type_of, width
from retouch.recipes.rule.detecting.template import (
    LEFT,
    RUNS,
    SHAPES,
    TemplateReading,
    are_typed,
    spread,
    unplaced,
    wide_form,
)
from retouch.recipes.rule.detecting.template_parts import TemplatePart, around, regex_of
from retouch.recipes.rule.globs.parsing import escaped

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.detecting.columns import Kind, Piece
    from retouch.recipes.rule.detecting.template_parts import Template, TemplateSegment

LEAST_OTHER = 2  # samples of another depth
MOSTLY = 0.6  # of the samples of another depth
_PLAIN = re.compile(r"(?:[0-9A-Za-z]|\[0-9\]\+)+")  # patterns that a glob says too


def other_shapes(
    main: TemplateReading, rows: Sequence[Sequence[str]], wanted: Mapping[str, JSON]
) -> list[tuple[TemplateReading, list[Sequence[str]]]]:
    """Return the readings of rows of other depths: without directories that hold labels, or with one of a label that is
    null. The rows of each are given too.
    """
    known = {name: list[str]() for name in wanted}
    tokens = [one for segment in main.template for one in segment if not one.fixed]
    for values in main.values:
        for token, value in zip(tokens, values or (), strict=False):
            if token.name:
                known[token.name].append(value)
    nulls = unplaced(main.template, [name for name, value in wanted.items() if value is None])
    done: list[tuple[TemplateReading, list[Sequence[str]]]] = []
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
    for at in reversed(range(len(above) - count + 1)):  # of equal ones, it is next to the file
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
        for segments in ((*rest, one) for one in names if one):
            if not any(token.same in gone | places for segment in segments for token in segment):
                yield _moved(segments, moved)


def _moved(template: Template, places: Mapping[str, str]) -> Template:
    """Return a template whose parts repeat the same directories at other places."""
    return tuple(tuple(replace(one, same=places.get(one.same, one.same)) for one in segment) for segment in template)


def _without(segment: TemplateSegment, number: int) -> TemplateSegment:
    """Return a segment without a token and the separator before it, or after it if it is the first."""
    start = number - 1 if number and segment[number - 1].fixed else number
    end = number + 2 if number == 0 and len(segment) > 1 else number + 1
    return (*segment[:start], *segment[end:])


def _longer(template: Template, count: int, nulls: Sequence[str]) -> Iterator[Template]:
    """Yield the template with one more directory for a label that is null, or with two, of which it is the last."""
    for name in nulls:
        new = (TemplatePart(text="", patterns=("[^/]+",), name=name),)
        other = (TemplatePart(text="", patterns=("[^/]+",)),)
        for at in range(len(template)):
            moved = {f"{place - len(template)}": f"{place - len(template) - count}" for place in range(at)}
            above = _moved(template, moved)
            yield (*above[:at], *([other] if count == 2 else []), new, *above[at:])


def _reading(
    template: Template, rows: Sequence[Sequence[str]], known: Mapping[str, Sequence[str]]
) -> TemplateReading | None:
    """Return the reading of rows, of which values that are known are cheap."""
    tokens = [one for segment in template for one in segment]
    find = re.compile(f"{regex_of(template)}\\Z").match
    free = [(at, one) for at, one in enumerate(tokens) if not one.fixed]
    hits = [find("/".join(row)) for row in rows]
    values = [None if hit is None else tuple(hit[f"g{at}"] or "" for at, _ in free) for hit in hits]
    values = [None if one is None or not are_typed([each for _, each in free], one) else one for one in values]
    there = [one for one in values if one is not None]
    if not there or not any(map(_is_telling, tokens)):
        return None
    cost = LEFT * values.count(None)
    for (_, token), column in zip(free, zip(*there, strict=True), strict=True):
        others = known.get(token.name, ())
        cost += 0 if token.same else _cost([*others, *column]) - _cost(others)
    return TemplateReading(template, cost, values)


def _is_telling(token: TemplatePart) -> bool:
    """Return whether not any text fits a part: it is a fixed word, but no extension, or has a type."""
    return token.kind[0] != "string" if token.kind else token.fixed and token.text.isalnum() and not token.ending


def _cost(values: Sequence[str]) -> float:
    return column_cost(values) + SHAPES * spread(values)


def columns_of(reading: TemplateReading, rows: Sequence[Sequence[str]]) -> list[Column]:
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
                own = written[number][segment.index(token)]
                done.append(_column(written[number], own, index, values, texts))
            at += 1
    return done


def _without_repeats(reading: TemplateReading) -> Template:
    """Return the template with a pattern of its values in place of each repeated text."""
    rows = [one for one in reading.values if one is not None]
    done: list[TemplateSegment] = []
    at = 0
    for segment in reading.template:
        new: list[TemplatePart] = []
        for number, token in enumerate(segment):
            if token.fixed:
                new.append(token)
                continue
            if token.same and token.step == 0:
                values = {one[at] for one in rows}
                after = segment[number + 1 : number + 2]
                near = "".join((after[0].lead or after[0].text)[:1] for after in [after] if after)
                inner = _repeated(reading.template, token) or _pattern_of(values, near)
                new.append(replace(token, patterns=(inner,), step=0))
            elif any(one.same for one in segment) and token.inner[:2] == "[^" and token.inner[-1] == "+":
                first = all(one[at][:1].isdigit() for one in rows if one[at])
                inner = f"[0-9]{token.inner[:-1]}*" if first else token.inner
                new.append(replace(token, patterns=(inner,), step=0))
            else:
                new.append(token)
            at += 1
        done.append(tuple(new))
    return tuple(done)


def _repeated(template: Template, token: TemplatePart) -> str:
    """Return the pattern of the directory that a part repeats, or "" if any text may be that."""
    parts = template[int(token.same)] if token.same.startswith("-") else ()
    return "".join(around(one, one.inner) for one in parts) if len(parts) > 1 else ""


def _pattern_of(values: Collection[str], after: str) -> str:
    """Return the pattern of values, of which `after` is what follows."""
    digits = not any(map(str.isalpha, "".join(values)))
    forms = {"".join(wide_form(one[0]) for one in RUNS.finditer(value)) for value in values} if digits else set[str]()
    if len(forms) == 1:
        return forms.pop()
    mark = quoted_in_set(after)
    return f"[^/{mark}]+" if after and not any(after in one for one in values) else "[^/]+"


def _column(
    segment: TemplateSegment, token: TemplatePart, index: int, values: Sequence[str], texts: Sequence[str]
) -> Column:
    there = [one for one in values if one]
    lead = _lead(there) if token.kind is None else ""
    kind = token.kind or type_of([one[len(lead) :] for one in there])[:2]
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


def _lead(values: Sequence[str]) -> str:
    """Return the letters that all values have before digits, as in `r1` and `r12`."""
    leads = {value.rstrip("0123456789") for value in values}
    lead = min(leads, default="")
    return lead if len(leads) == 1 and lead.isalpha() and all(one != lead for one in values) else ""


def _written(segment: TemplateSegment, token: TemplatePart, lead: str, values: Sequence[str]) -> list[str]:
    """Return the patterns that may find the value of a token in its segment, the likeliest first."""
    words = sorted({*values}, key=lambda one: (-len(one), one))
    inner = [f"{lead}({'[0-9]+' if lead else token.inner})"]
    inner += [f"({'|'.join(map(quoted, words))})"] if len(words) * 3 <= len(values) else []
    done: list[str] = []
    for own in inner:
        for repeated in ("", "[^/]+?"):
            texts = [own if one is token else repeated if repeated and one.same else one.inner for one in segment]
            pattern = "".join(map(around, segment, texts))
            done.append(f"^{pattern}$".replace("[^/]", ".").replace("[^/", "[^"))
    return done


def _wrong(pattern: str, texts: Sequence[str], values: Sequence[str], lead: str) -> int:
    """Return how many values a pattern does not find."""
    hits = [re.search(pattern, one, re.DOTALL) for one in texts]
    found = ["" if hit is None else hit[1] or "" for hit in hits]
    return sum(one != value[len(lead) :] for one, value in zip(found, values, strict=True))


def _slot(token: TemplatePart, values: tuple[str, ...]) -> Slot:
    """Return the piece of a part that varies."""
    kind: Kind = "ending" if token.ending else ""
    glob = ""
    if token.optional and (token.instead or not token.name) and _PLAIN.fullmatch(token.inner):
        digits = "[0-9]" * width([one for one in values if one]) or "[0-9]*"
        inner = f"{escaped(token.lead)}{token.inner.replace('[0-9]+', digits)}{escaped(token.tail)}"
        glob = f"{{{inner},{token.instead.replace('|', ',')}}}"
    return Slot(values=values, kind=kind, optional=token.optional, lead=token.lead, tail=token.tail, glob=glob)


def glob_of_template(reading: TemplateReading, read: Sequence[Sequence[str]]) -> str:
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
                pieces.append(_slot(token, values))
            at += 1
        texts = tuple(row[number] for row in read)
        free_directory = number < len(reading.template) - 1 and not any(one.name for one in segment)
        parts.append(glob_of(cut(texts)) if free_directory else glob_of(pieces))
    return "/".join(parts)
