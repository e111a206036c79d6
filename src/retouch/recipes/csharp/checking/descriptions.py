"""Tier 2: descriptions that belong to another member, or name nothing of their own. These are warnings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.csharp.language.prose import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.engine.types import Issue
    from retouch.recipes.csharp.checking.subject import Subject
    from retouch.recipes.csharp.ir import CsField
    from retouch.recipes.csharp.parsing.outline import Outline, Property

_WORD = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}|\d{4,}")
_COMMON = frozenset({"that", "this", "with", "from", "when", "whic", "will", "been", "have"})
_TAG = re.compile(r"</?\w+[^>]*>|&\w+;")
_STEM = 4  # letters that make two words the same, as in "create" and "created"


def foreign_description(subject: Subject, page: int, property_: Property, field: CsField) -> Iterator[Issue]:
    """Yield a warning if the description of a property is that of another field, or shares no word with its field."""
    text = _description(subject.pages[page - 1], property_)
    own = _words(f"{field.json_name} {field.name} {field.description}")
    if not text or not field.description or not own or text == one_line(field.description):
        return
    other = next((one for one in subject.type.fields if one is not field and one_line(one.description) == text), None)
    if other is not None:
        problem = f"has the description of {other.json_name!r}"
    elif own.isdisjoint(_words(text)):
        problem = f"has a description that names nothing of {field.json_name!r}: {text[:60]!r}"
    else:
        return
    message = f"The property {property_.name!r} of {subject.type.name!r} {problem}."
    fix = "Write the listed description."
    yield subject.issue("DESCRIPTION", message, page=page, line=property_.line, fix=fix, severity="warning")


def _description(page: Outline, property_: Property) -> str:
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
