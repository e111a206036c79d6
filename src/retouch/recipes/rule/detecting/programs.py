"""Finds the pattern of a value that one labelled text shows, in all texts of the same place.

The patterns are those of FlashFill (Gulwani, POPL 2011) in the language of rules: a value begins after the n-th
separator or a word, and ends before one that is counted from the left, or from the right, or may be missing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.cost import column_cost
from retouch.recipes.rule.detecting.patterns import quoted, quoted_in_set, width

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ALL = 0.98  # the share of the texts that a pattern must fit
SOME = 0.1  # the share of the texts that may have a value if the others lack it
FOREIGN = 12.0  # bits that a value with a separator costs which is outside of the labelled one,
ENDING = 90.0  # and with one that is beside it
SURE = 150.0  # bits that a value costs less which ends, in all texts, where the known field after it begins
LACKING = 60.0  # bits that a text without a value costs more than one with a usual value
RIVAL = 15.0  # bits for each text that another reading may cost more
_BETWEEN = "-_ "  # at an end of a value, these are separators
_STEP = 1.0  # bits of each form of a beginning, value or end that would be tried before
_MOST_MARKS = 12
_MOST_LONG_MARKS = 4  # separators of several characters, such as " - "
_RUNS = re.compile(r"[0-9]+|[A-Za-z]+|[^0-9A-Za-z]")
_ENDING = re.compile(r"(?:\.[A-Za-z][0-9A-Za-z]{0,9})+\Z")


@dataclass(frozen=True, kw_only=True)
class Program:
    """A pattern with one group, the values that it finds, None where it finds nothing, and what they cost."""

    pattern: str
    values: tuple[str | None, ...]
    cost: float

    @property
    def optional(self) -> bool:
        """Whether some texts lack the value."""
        return None in self.values


def programs_of(
    texts: Sequence[str],
    at: int,
    span: tuple[int, int],
    fits: Callable[[str], bool],
    around: tuple[str, str] = ("", ""),
) -> list[Program]:
    """Return the patterns that find the piece `span` of `texts[at]`, and values that `fits` accepts elsewhere.

    The best is first. Those that fit all texts are better than those that some lack. `around` are the patterns of what
    known fields take before and after the value, which say more about where it ends than separators do.
    """
    text = texts[at]
    start, end = span
    found: dict[tuple[str | None, ...], Program] = {}
    lefts = [one for one in (around[0], *_lefts(texts, text, span)) if one or span[0] == 0]
    rights = [one for one in (around[1], *_rights(texts, text, span)) if one or span[1] == len(text)]
    ends = (text[max(start - 1, 0) : start] + text[end : end + 1], text[:start] + text[end:])
    near, far = (frozenset(one for one in each if not one.isalnum()) - {*text[start:end]} for each in ends)
    choices = (lefts, _values(text, span), rights)
    for (first, left), (second, value), (third, right) in product(*(enumerate(dict.fromkeys(one)) for one in choices)):
        pattern = f"^{left}({value}){right}$"
        hit = re.match(pattern, text, re.DOTALL)
        if hit is None or hit.span(1) != (start, end):
            continue
        values = _taken(pattern, texts)
        if not _is_likely(values, fits):
            continue
        cost = _cost(values, near=near, far=far) + _STEP * (first + second + third)
        if right == around[1] != "" and None not in values and not left.startswith((".*", "(?:.*")):
            cost = column_cost([one or "" for one in values]) - SURE
        cost += _rest_cost(pattern, texts)
        one = Program(pattern=pattern, values=values, cost=cost)
        if values not in found or one.cost < found[values].cost:
            found[values] = one
    if (alone := _all_that_varies(texts, text, span)) and _is_likely(alone.values, fits):
        found[alone.values] = alone
    return sorted(found.values(), key=lambda one: one.cost)


def _all_that_varies(texts: Sequence[str], text: str, span: tuple[int, int]) -> Program | None:
    """Return the pattern of a value before which all texts are the same, and after which they are, or None."""
    before, after = text[: span[0]], text[span[1] :]
    alike = all(one.startswith(before) and one.endswith(after) for one in texts)
    if not alike or min(map(len, texts)) <= len(before) + len(after) or not any(map(str.isalpha, before + after)):
        return None
    pattern = f"^{quoted(before)}(.+){quoted(after)}$"
    values = _taken(pattern, texts)
    cost = column_cost([one or "" for one in values]) - SURE + _rest_cost(pattern, texts)
    return Program(pattern=pattern, values=values, cost=cost)


def _taken(pattern: str, texts: Sequence[str]) -> tuple[str | None, ...]:
    find = re.compile(pattern, re.DOTALL).match
    return tuple(hit[1] if (hit := find(text)) else None for text in texts)


def _rest_cost(pattern: str, texts: Sequence[str]) -> float:
    """Return the cost of what is before and after the value, so that a value is not better because it is shorter."""
    hits = [(text, re.match(pattern, text, re.DOTALL)) for text in texts]
    before = [text if hit is None else text[: hit.start(1)] for text, hit in hits]
    return column_cost(before) + column_cost(["" if hit is None else text[hit.end(1) :] for text, hit in hits])


def _is_likely(values: Sequence[str | None], fits: Callable[[str], bool]) -> bool:
    there = [one for one in values if one is not None]
    return len(there) >= SOME * len(values) and sum(map(fits, there)) >= ALL * len(there)


def _cost(values: Sequence[str | None], *, near: frozenset[str], far: frozenset[str]) -> float:
    """Return the cost of values. One with a separator that is beside the labelled value goes too far, or is another."""
    there = [one for one in values if one is not None]
    others = sum(ENDING if not near.isdisjoint(one) else FOREIGN if not far.isdisjoint(one) else 0.0 for one in there)
    others += ENDING * sum(one[:1] in _BETWEEN or one[-1:] in _BETWEEN for one in there if one)
    lacking = len(values) - len(there)
    lacking = lacking if lacking > (1 - ALL) * len(values) else 0
    return (column_cost(there) + others) / len(there) * len(values) + LACKING * lacking


def _lefts(texts: Sequence[str], text: str, span: tuple[int, int]) -> Iterator[str]:
    """Yield what may stand before the value: up to a separator, and the letters or digits that touch the value."""
    begin = next((at + 1 for at in range(span[0] - 1, -1, -1) if not text[at].isalnum()), 0)
    touching = text[begin : span[0]]
    near = [*dict.fromkeys((quoted(touching), *_runs(touching)))] if touching else [""]
    if begin == 0:
        yield from near
        return
    mark = text[begin - 1]
    count = text[:begin].count(mark)
    some = "+" if all(all(text.split(mark)[:count]) for text in texts) else "*"
    inside = f"[^{quoted_in_set(mark)}]{some}{quoted(mark)}"
    word = re.search(r"[A-Za-z]+[^0-9A-Za-z]\Z", text[:begin])
    marks = re.search(r"[^0-9A-Za-z]{2,}\Z", text[:begin])
    for one in near:
        if count <= _MOST_MARKS:
            yield f"{_times(inside, count)}{one}"
        if marks and text[:begin].count(marks[0]) <= _MOST_LONG_MARKS:
            yield f"{_times(f'.*?{quoted(marks[0])}', text[:begin].count(marks[0]))}{one}"
        yield f".*{quoted(mark)}{one}"
        if touching.isalpha():
            yield f"(?:.*{quoted(mark)})?{one}"
        if word:
            yield f"(?:.*[^0-9A-Za-z])?{quoted(word[0])}{one}"


def _times(pattern: str, count: int) -> str:
    return pattern * count if count < 3 else f"(?:{pattern}){{{count}}}"


def _runs(touching: str) -> Iterator[str]:
    """Yield letters and digits generalised: of any length, and of the same one."""
    runs = [one[0] for one in _RUNS.finditer(touching)]
    kinds = ["[0-9]" if one.isdigit() else "[A-Za-z]" for one in runs]
    yield "".join(f"{kind}+" for kind in kinds)
    yield "".join(f"{kind}{{{len(one)}}}" for kind, one in zip(kinds, runs, strict=True))
    if any(map(str.isdigit, runs)):
        yield "".join(quoted(one) if one.isalpha() else "[0-9]+" for one in runs)


def _rights(texts: Sequence[str], text: str, span: tuple[int, int]) -> Iterator[str]:
    """Yield what may stand after the value: letters or digits that touch it, then a separator and anything."""
    after = text[span[1] :]
    if not after:
        yield ""
        if text[slice(*span)].isalnum():
            yield from (f"(?:{quoted(mark)}.*)?" for mark in _marks_before(texts, ""))
        return
    stop = next((at for at, char in enumerate(after) if not char.isalnum()), len(after))
    touching, rest = after[:stop], after[stop:]
    near = [quoted(touching), *_runs(touching)] if touching else [""]
    for one in dict.fromkeys(near):
        yield from (f"{one}{each}" for each in _rests(texts, rest))
    if touching:
        yield f"{'[0-9]' if touching[0].isdigit() else '[A-Za-z]'}.*"


def _rests(texts: Sequence[str], rest: str) -> Iterator[str]:
    """Yield what may stand between a separator and the end of a text."""
    if not rest:
        yield ""
        return
    mark = rest[0]
    ending = _ending_of(texts, rest)
    middle = rest[: len(rest) - len(ending[1])]
    if not middle:
        yield ending[0]
        yield from (f"(?:{quoted(each)}.*)?{ending[0]}" for each in _marks_before(texts, ending[1]))
    else:
        yield f"{quoted(mark)}.*"
        count = middle.count(mark)
        yield f"{_times(f'{quoted(mark)}[^{quoted_in_set(mark)}]*', count)}{ending[0]}"
        yield f"(?:{quoted(mark)}.*)?{ending[0]}"
    yield f"{quoted(mark)}.*"


def _marks_before(texts: Sequence[str], ending: str) -> list[str]:
    """Return the separators that begin what some texts have before their ending, and the labelled one lacks."""
    bodies = [one.removesuffix(ending) for one in texts]
    return [mark for mark in "-_.,@+ " if any(mark in body for body in bodies)]


def _ending_of(texts: Sequence[str], rest: str) -> tuple[str, str]:
    """Return the pattern of the extensions of texts, and the extension that the rest of the labelled one has."""
    own = next((one for at in range(len(rest)) if (one := _ENDING.match(rest, at)) and one), None)
    if own is None:
        return "", ""
    if all(one.endswith(own[0]) for one in texts):
        return quoted(own[0]), own[0]
    if all(map(_ENDING.search, texts)):
        return r"\.[A-Za-z].*", own[0]
    return "", ""


def _values(text: str, span: tuple[int, int]) -> Iterator[str]:
    value, after = text[slice(*span)], text[span[1] : span[1] + 1]
    before = text[max(span[0] - 1, 0) : span[0]]
    if value.isdigit():
        yield "[0-9]+"
        if before.isdigit() or after.isdigit():
            yield f"[0-9]{{{len(value)}}}"
    if value.isalpha():
        yield "[A-Za-z]+"
    if value.isalnum():
        yield "[0-9A-Za-z]+"
        if before.isalnum() or after.isalnum():
            yield f"[0-9A-Za-z]{{{len(value)}}}"
    else:
        yield "".join(_shape(one[0]) for one in _RUNS.finditer(value))
    held = {one for one in (before, after) if one and not one.isalnum() and one not in value}
    if held:
        yield f"[^{''.join(map(quoted_in_set, sorted(held)))}]+"
    if after and after in held:
        yield f"[^{quoted_in_set(after)}]+"
    yield ".+?"
    yield ".+"


def _shape(run: str) -> str:
    if not run.isalnum():
        return quoted(run)
    return "[0-9]+" if run.isdigit() else "[A-Za-z]+"


def empty_places(texts: Sequence[str], at: int) -> Iterator[Program]:
    """Yield the pattern of what other texts have where two equal separators of `texts[at]` touch, as in `a..b`."""
    for hit in re.finditer(r"(?<=([^0-9A-Za-z]))\1", texts[at]):
        mark, inside = quoted(hit[1]), f"[^{quoted_in_set(hit[1])}]"
        pattern = f"^{_times(f'{inside}*{mark}', texts[at][: hit.start()].count(hit[1]))}({inside}+){mark}.*$"
        values = _taken(pattern, texts)
        if values[at] is None and len(values) - values.count(None) >= SOME * len(values):
            yield Program(pattern=pattern, values=values, cost=0.0)


def rival_of(programs: Sequence[Program]) -> tuple[str, str] | None:
    """Return two different values of a text that the best pattern and another likely one find, or None."""
    best, *others = programs
    most = best.cost + RIVAL * len(best.values)
    rivals = [one for one in others if one.cost <= most and not one.optional]
    pairs = zip(best.values, rivals[0].values, strict=True) if rivals else ()
    return next(((one, two) for one, two in pairs if one is not None and two is not None and one != two), None)


def tightened(program: Program) -> Program:
    """Return a program whose digits have the width that all its values have, if that is meant, for example 0042."""
    there = [one for one in program.values if one is not None]
    digits = width(there)
    if not digits or "([0-9]+)" not in program.pattern:
        return program
    pattern = program.pattern.replace("([0-9]+)", f"([0-9]{{{digits}}})")
    return Program(pattern=pattern, values=program.values, cost=program.cost)


def with_empty_ends(program: Program, texts: Sequence[str], before: str) -> Program:
    """Return a program that finds "" in texts which end with the separator `before` the value, if only these lack it.

    What is written there is an empty value, as after the last comma of `1:2,` beside `1:2,RS`, not a missing one.
    """
    lacking = [text for text, value in zip(texts, program.values, strict=True) if value is None]
    mark = before[-1:]
    if not lacking or not mark or mark.isalnum() or not all(text.endswith(mark) for text in lacking):
        return program
    pattern = re.sub(r"\+\??\)\$\Z", "*)$", program.pattern)
    values = _taken(pattern, texts)
    same = all(value in (old, "") for old, value in zip(program.values, values, strict=True))
    return Program(pattern=pattern, values=values, cost=program.cost) if same else program
