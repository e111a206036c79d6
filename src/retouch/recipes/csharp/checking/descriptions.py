"""Tier 2: descriptions that belong to another member, name nothing of their own, or are false. These are warnings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias
from xml.sax.saxutils import escape

from retouch.recipes.csharp.language.prose import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch.engine.types import Issue
    from retouch.recipes.csharp.checking.subject import Subject
    from retouch.recipes.csharp.ir import CsField, EnumValue
    from retouch.recipes.csharp.parsing.outline import EnumMember, Outline, Property, TypeOutline

Described: TypeAlias = tuple[str, str, str]  # the key of a member or a type, its name in C#, its description

_WORD = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}|\d{4,}")
_COMMON = frozenset({"that", "this", "with", "from", "when", "whic", "will", "been", "have"})
_TAG = re.compile(r"</?\w+[^>]*>|&\w+;")
_NUMBER = re.compile(r"\d+")
_NEGATION = re.compile(r"\b(?:not|never|no|none|cannot|without)\b|n't\b", re.IGNORECASE)
_STEM = 4  # letters that make two words the same, as in "create" and "created"


def foreign_description(subject: Subject, page: int, property_: Property, field: CsField) -> Iterator[Issue]:
    """Yield a warning if the description of a property is that of another field, names nothing of it, or is false."""
    own = (field.json_name, field.name, field.description)
    others = ((one.json_name, one.name, one.description) for one in subject.type.fields)
    yield from _foreign(subject, page, property_, own, others, f"The property {property_.name!r}")


def foreign_value(subject: Subject, page: int, member: Property | EnumMember, value: EnumValue) -> Iterator[Issue]:
    """Yield such a warning about the description of a value of an enum."""
    own = (str(value.value), value.name, value.description)
    others = ((str(one.value), one.name, one.description) for one in subject.type.values)
    yield from _foreign(subject, page, member, own, others, f"The value {member.name!r}")


def foreign_type(subject: Subject, declared: TypeOutline) -> Iterator[Issue]:
    """Yield such a warning about the description of a type, which may be that of one of its members or of another."""
    own = (subject.type.name, subject.type.name, subject.type.description)
    others = ((one.json_name, one.name, one.description) for one in subject.type.fields)
    yield from _foreign(subject, 1, declared, own, others, f"The {subject.type.kind}")


def _foreign(
    subject: Subject,
    page: int,
    written: Property | EnumMember | TypeOutline,
    own: Described,
    others: Iterable[Described],
    what: str,
) -> Iterator[Issue]:
    key, name, description = own
    text, listed = _description(subject.pages[page - 1], written), one_line(description)
    if not text or text in (listed, one_line(_TAG.sub(" ", escape(listed)))):
        return
    other = next((one for one, _, other_text in others if one != key and one_line(other_text) == text), None)
    problem = f"has the description of {other!r}" if other is not None else _problem(own, text)
    if not problem:
        return
    where = f"{what} of {subject.type.name!r}" if key != subject.type.name else f"{what} {name!r}"
    fix = "Write the listed description." if listed else "Leave the description out."
    yield subject.issue("DESCRIPTION", f"{where} {problem}.", page=page, line=written.line, fix=fix, severity="warning")


def _problem(own: Described, text: str) -> str:
    key, _, listed = own
    named = " ".join(own)
    words = _words(named)
    if words and words.isdisjoint(_words(text)):
        return f"has a description that names nothing of {key!r}: {text[:60]!r}"
    if not listed or not _words(listed) <= _words(text):  # another wording is not compared
        return ""
    if not text.endswith("…") and bool(_NEGATION.search(text)) != bool(_NEGATION.search(listed)):
        return f"has a description that denies the listed one: {text[:60]!r}"
    invented = sorted({*_NUMBER.findall(text)} - {*_NUMBER.findall(named)})
    return f"has a description with the number {invented[0]}, which is not listed" if invented else ""


def _description(page: Outline, property_: Property | EnumMember | TypeOutline) -> str:
    """Return the text in [Description], or of the documentation comment above a property, without its tags."""
    written = property_.argument_of("Description")
    if written is not None:
        return one_line(written)
    lines = page.data[: property_.start].decode(errors="replace").rstrip().split("\n")
    found: list[str] = []
    while lines and lines[-1].strip().startswith("///"):
        found.insert(0, lines.pop().strip().removeprefix("///"))
    return one_line(_TAG.sub(" ", " ".join(found)))


def _words(text: str) -> set[str]:
    return {word.lower()[:_STEM] for word in _WORD.findall(text)} - _COMMON
