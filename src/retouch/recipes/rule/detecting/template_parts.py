"""The parts of a template, its pattern, and which parts other samples may lack or have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.endings import PACKINGS
from retouch.recipes.rule.detecting.patterns import quoted, quoted_in_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.rule.detecting.readings import Kind

MOST_BESIDE = 4  # separators and words that are missing with a value before it
_MARKS = ("__", " - ", *"-_.+~@:, ")
MOST_WIDE = 4  # values of a file name that may have any characters; of more, the places are found too slowly
_WIDE = ("[^/]+", "[^/]+?")


@dataclass(frozen=True, kw_only=True)
class TemplatePart:
    """A part of the template: the text that the labelled path has there, and the patterns that others may have.

    `step` is the number of the pattern that is used. `name` is the label, `kind` its type, and `marks` are the
    separators beside it. `same` is the label, or the directory counted from the end, whose text is repeated. An
    `optional` part is missing together with its `lead` and its `tail`, or others have what is `instead`. The `ending`
    is the extension.
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
    instead: str = ""
    ending: bool = False

    @property
    def inner(self) -> str:
        """The pattern of its values."""
        return self.patterns[self.step]

    @property
    def fixed(self) -> bool:
        """Whether all samples have its text."""
        return not (self.name or self.same or self.optional) and self.inner == quoted(self.text)


TemplateSegment = tuple[TemplatePart, ...]
Template = tuple[TemplateSegment, ...]


def regex_of(template: Template) -> str:
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
            done += around(token, inner)
            at += 1
        place = len(parts) - len(template)
        numbers[f"{place}"] = f"s{-place}"
        parts.append(f"(?P<s{-place}>{done})")
    return "/".join(parts)


def wide(segment: TemplateSegment) -> int:
    """Return how many parts of a segment may have any characters."""
    return sum(one.inner in _WIDE for one in segment)


def places_of_more(template: Template, inner: str = "[^/]+?") -> Iterator[tuple[int, int, str]]:
    """Yield each place as its segment and part, with the pattern of paths that have more text there, the group `more`,
    which has the pattern `inner`.
    """
    for at, segment in enumerate(template):
        for number in range(len(segment) + 1) if wide(segment) < MOST_WIDE else ():
            new = TemplatePart(text="", patterns=(f"(?P<more>{inner})",))
            yield at, number, regex_of(replaced(template, at, number, 0, (new,)))


def around(token: TemplatePart, inner: str) -> str:
    """Return a pattern with the texts before and after it, if the part is optional."""
    whole = f"{quoted(token.lead)}{inner}{quoted(token.tail)}"
    if token.instead:
        return f"(?:{whole}|{token.instead})"
    return f"(?:{whole})?" if token.optional else inner


def replaced(template: Template, at: int, number: int, count: int, tokens: Sequence[TemplatePart]) -> Template:
    """Return a template with other parts in place of `count` of the segment `at`, from the part `number` on."""
    segment = template[at]
    return (*template[:at], (*segment[:number], *tokens, *segment[number + count :]), *template[at + 1 :])


def with_optional(template: Template, nulls: Sequence[str], texts: Sequence[str]) -> Iterator[Template]:
    """Yield the template with a value that some samples lack, and with one that only they have. `texts` are the file
    names.
    """
    for at, segment in reversed([*enumerate(template)]):
        for number in reversed(range(len(segment))):
            one = segment[number]
            number_of_directory = at < len(template) - 1 and any(map(str.isdigit, one.text))  # others lack no such
            if len(segment) > 1 and not (one.fixed or one.same or one.optional or number_of_directory):
                for start, end, one in (*_lacking(segment, number), *_lacking_alone(segment, number)):
                    yield replaced(template, at, start, end - start, (one,))
    last, segment = len(template) - 1, template[-1]
    for one in _packed(segment, texts):
        yield replaced(template, last, len(segment), 0, (one,))
    for name in nulls[:1] if len(segment) > 1 else ():
        for number in range(len(segment), -1, -1):
            for one in _added(segment, number, name, texts):
                yield replaced(template, last, number, 0, (one,))


def _packed(segment: TemplateSegment, texts: Sequence[str]) -> Iterator[TemplatePart]:
    """Yield the packings that some names have without a label."""
    if not segment[-1].optional and segment[-1].text not in PACKINGS:
        for packing in (one for one in PACKINGS if any(text.endswith(f".{one}") for text in texts)):
            yield TemplatePart(text="", patterns=(packing,), optional=True, lead=".")


def _lacking(segment: TemplateSegment, number: int) -> Iterator[tuple[int, int, TemplatePart]]:
    """Yield the part that some samples lack with the separators and words beside it, as in `_{bitrate}kb` or
    `.opt-{level}`, and which parts it takes the place of.
    """
    glued = (segment[number + 1 : number + 1 + count] for count in range(MOST_BESIDE))
    ends = [number + 1 + count for count, parts in enumerate(glued) if _are_words(parts, count)]
    for count in range(1, MOST_BESIDE + 1):
        lead = segment[max(number - count, 0) : number]
        if len(lead) < count or not all(map(_is_text, lead)) or lead[0].text.isalnum():
            continue
        for end in ends:
            tail = "".join(one.text for one in segment[number + 1 : end])
            if not segment[end : end + 1] or not _is_text(segment[end]) or not segment[end].text.isalnum():
                text = "".join(one.text for one in lead)
                yield number - count, end, replace(segment[number], optional=True, lead=text, tail=tail)
    tail = segment[1:2]
    if number == 0 and tail and tail[0].fixed and not tail[0].text.isalnum():
        yield 0, 2, replace(segment[0], optional=True, tail=tail[0].text)


def _lacking_alone(segment: TemplateSegment, number: int) -> Iterator[tuple[int, int, TemplatePart]]:
    """Yield the letters that some samples lack after digits, as the `D` of `013D`, and which part they take the place
    of.
    """
    one, before = segment[number], segment[number - 1] if number else None
    if one.text.isalpha() and before is not None and before.text[-1:].isdigit():
        yield number, number + 1, replace(one, patterns=("[A-Za-z]+",), step=0, optional=True)


def _are_words(parts: TemplateSegment, count: int) -> bool:
    """Return whether parts are `count` fixed words glued to what is before them."""
    return len(parts) == count and all(_is_text(one) and one.text.isalnum() for one in parts)


def _is_text(part: TemplatePart) -> bool:
    """Return whether a part is a word or separator without a label, also if other samples have another one."""
    return not (part.name or part.same or part.optional or part.ending)


def _added(segment: TemplateSegment, number: int, name: str, texts: Sequence[str]) -> Iterator[TemplatePart]:
    """Yield the parts of a label that is null, which other samples may have before the part `number`."""
    near = "".join(one.text for one in segment[max(number - 1, 0) : number + 1] if one.fixed)
    if number and segment[number - 1].inner.endswith("[0-9]+"):
        yield TemplatePart(text="", patterns=("[A-Za-z][0-9A-Za-z]*",), name=name, optional=True)
    for mark in (one for one in _MARKS if any(one in text for text in texts)):
        for inner in _of_null(mark, near):
            one = TemplatePart(text="", patterns=(inner,), name=name, optional=True, marks=mark[:1])
            yield replace(one, lead=mark) if number else replace(one, tail=mark)


def _of_null(mark: str, near: str) -> Iterator[str]:
    if mark == ".":  # before a digit it is a part of a number
        yield "[A-Za-z][^/.]*"
        return
    yield f"[^/{''.join(quoted_in_set(one) for one in dict.fromkeys(mark[:1] + near) if not one.isalnum())}]+"
    yield f"[^/{quoted_in_set(mark[0])}]+"
    yield "[0-9]+"
    yield "[A-Za-z]+"
    yield "[^/]+?"
