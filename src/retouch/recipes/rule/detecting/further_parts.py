"""Finds the parts of a template that the labelled path lacks or has alone: the `v2-` of a second version, a `.min`
before the extension, or the word `final` where others have a number, as `r12`.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.template_parts import TemplatePart, places_of_more, regex_of, replaced

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.rule.detecting.template_parts import Template, TemplateSegment

LEAST = 3  # paths that have a further part
SAME = 0.8  # the share of the further parts at one place that have one form
LEAST_WORDS = 2  # paths that have a word in place of a number
MOST_WORDS = 2  # different words in place of a number
MANY = 0.34  # the share of the paths; of fewer, a word that the labelled path lacks tells another kind of file
_MORE = "[A-Za-z]+[0-9]*[^0-9A-Za-z/]|[^0-9A-Za-z/][A-Za-z]+[0-9]*"
_PART = re.compile(r"([^0-9A-Za-z]*)([0-9A-Za-z]+)([^0-9A-Za-z]*)")
_NUMBERED = re.compile("[A-Za-z]+[0-9]+")
_DIGITS = re.compile("[0-9]+")


def with_further(template: Template, unread: Sequence[str], count: int, nulls: Sequence[str]) -> Iterator[Template]:
    """Yield the template with a part that `unread` paths have more, with one that they lack, and with a word instead of
    a number. There are `count` paths; `nulls` are the labels that are null, and have no place.
    """
    if len(unread) < LEAST_WORDS:
        return
    for at, number, pattern in places_of_more(template, _MORE):
        for part in _more(pattern, unread, count):
            yield replaced(template, at, number, 0, (part,))
    last, segment = len(template) - 1, template[-1]
    for start, end, part in _alone(segment):
        yield replaced(template, last, start, end - start, (part,))
    for start, end, part in (*_numbered(segment), *_words(segment, nulls)):
        probe = TemplatePart(text="", patterns=("(?P<more>[0-9A-Za-z]+)",))
        find = re.compile(regex_of(replaced(template, last, start, end - start, (probe,)))).fullmatch
        texts = [hit["more"] for path in unread if (hit := find(path)) is not None]
        yield from (replaced(template, last, start, end - start, (one,)) for one in _with_others(part, texts))


def _more(pattern: str, unread: Sequence[str], count: int) -> Iterator[TemplatePart]:
    """Yield the part that many paths have more at one place: letters with a number, or one word."""
    find = re.compile(pattern).fullmatch
    texts = [hit["more"] for path in unread if (hit := find(path)) is not None]
    found = Counter((one[1], _DIGITS.sub("0", one[2]), one[3]) for one in map(_PART.fullmatch, texts) if one)
    if not found:
        return
    (lead, core, tail), number = found.most_common(1)[0]
    if number < max(LEAST, SAME * len(texts)):
        return
    if core.isalpha() and number < MANY * count:
        return
    yield TemplatePart(text="", patterns=(core.replace("0", "[0-9]+"),), optional=True, lead=lead, tail=tail)


def _alone(segment: TemplateSegment) -> Iterator[tuple[int, int, TemplatePart]]:
    """Yield a word before the extension, or the letters and the number that a name begins with, if they have no label,
    and which parts they take the place of.
    """
    marks = [at for at, one in enumerate(segment) if _is_mark(one)]
    if segment[-1].ending and len(marks) > 1 and (run := segment[marks[-2] + 1 : marks[-1]]) and _is_plain(run):
        text = "".join(one.text for one in run)
        lead = segment[marks[-2]].text
        yield marks[-2], marks[-1], TemplatePart(text=text, patterns=(_wide(text),), optional=True, lead=lead)
    if (
        marks
        and _is_plain(run := segment[: marks[0]])
        and _NUMBERED.fullmatch(text := "".join(one.text for one in run))
    ):
        tail = segment[marks[0]].text
        yield 0, marks[0] + 1, TemplatePart(text=text, patterns=(_wide(text),), optional=True, tail=tail)


def _is_plain(run: TemplateSegment) -> bool:
    """Return whether parts have letters, and no label."""
    plain = not any(one.name or one.same or one.optional or one.ending for one in run)
    return plain and any(map(str.isalpha, "".join(one.text for one in run)))


def _wide(text: str) -> str:
    return _DIGITS.sub("[0-9]+", text)


def _is_mark(part: TemplatePart) -> bool:
    return part.fixed and not any(map(str.isalnum, part.text))


def _numbered(segment: TemplateSegment) -> Iterator[tuple[int, int, TemplatePart]]:
    """Yield a labelled number with the letters before it, if both are all between two separators."""
    for at, (before, part) in enumerate(itertools.pairwise(segment)):
        around = (*segment[max(at - 1, 0) : at], *segment[at + 2 : at + 3])
        letters = before.text.isalpha() and not (before.name or before.same or before.optional)
        if letters and part.name and part.text.isdigit() and not part.optional and all(map(_is_mark, around)):
            yield at, at + 2, replace(part, optional=True, lead=before.text)


def _words(segment: TemplateSegment, nulls: Sequence[str]) -> Iterator[tuple[int, int, TemplatePart]]:
    """Yield a word without a label between two separators, as the part of a label that is null."""
    for at, part in enumerate(segment) if nulls else ():
        around = (*segment[max(at - 1, 0) : at], *segment[at + 1 : at + 2])
        plain = part.text.isalpha() and not (part.name or part.same or part.optional)
        if plain and around and all(map(_is_mark, around)):
            yield at, at + 1, TemplatePart(text="", patterns=("",), name=nulls[0], optional=True, instead=part.text)


def _with_others(part: TemplatePart, texts: Sequence[str]) -> Iterator[TemplatePart]:
    """Yield a part with the words that other paths have instead of it, or with the numbers instead of its word."""
    if len(texts) < LEAST_WORDS:
        return
    if part.instead:
        leads = {one.rstrip("0123456789") for one in texts}
        lead = min(leads)
        if len(leads) == 1 and lead.isalpha() and all(one != lead for one in texts):
            yield replace(part, patterns=("[0-9]+",), lead=lead)
    elif len({*texts}) <= MOST_WORDS and all(map(str.isalpha, texts)):
        yield replace(part, instead="|".join(sorted({*texts})))
