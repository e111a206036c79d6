"""Tier 2: the declaration: the right type, once, in the right form, with its attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.csharp.asking.listing import underlying_type
from retouch.recipes.csharp.checking.attributes import unknown_attributes
from retouch.recipes.csharp.checking.descriptions import foreign_type
from retouch.recipes.csharp.checking.keys import key_issues
from retouch.recipes.csharp.language.literals import description_literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.engine.types import Issue
    from retouch.recipes.csharp.checking.subject import Subject
    from retouch.recipes.csharp.parsing.outline import TypeOutline

_KINDS = {"class": ("class", "record"), "enum": ("enum",)}


def declaration_issues(subject: Subject) -> Iterator[Issue]:
    """Yield the issues of the type's declaration, and of further declarations on the page."""
    name, kind = subject.type.name, subject.type.kind
    declared = subject.declaration
    fix = f"Declare it as: public {kind} {name}"
    if declared is None:
        yield subject.issue("MISSING_CLASS", f"The {kind} {name!r} is not declared.", page=1, fix=fix)
        return
    if declared.name != name or declared.kind not in _KINDS[kind]:
        message = f"The {kind} {name!r} is not declared; the page declares {declared.kind} {declared.name!r}."
        yield subject.issue("MISSING_CLASS", message, page=1, line=declared.line, fix=fix)
    yield from _extra_types(subject, declared)
    yield from _form(subject, declared)
    yield from _attributes(subject, declared)
    if kind == "class":
        yield from key_issues(subject, declared)


def _extra_types(subject: Subject, declared: TypeOutline) -> Iterator[Issue]:
    fix = f"Declare {subject.type.name!r} alone, once; every other type has pages of its own."
    for type_ in subject.pages[0].types:
        if type_ is not declared:
            twice = " again" if type_.name == declared.name else ""
            message = f"The page declares the {type_.kind} {type_.name!r}{twice}, which was not asked for."
            yield subject.issue("EXTRA_CLASS", message, page=1, line=type_.line, fix=fix)
    for other in declared.others:
        if other.declares_type:
            message = f"The {declared.kind} {declared.name!r} holds a type of its own: {other.text!r}."
            yield subject.issue("EXTRA_CLASS", message, page=1, line=other.line, fix=fix)


def _form(subject: Subject, declared: TypeOutline) -> Iterator[Issue]:
    wrong = [
        word
        for word in ("static", "abstract", "private", "internal", "protected", "file")
        if word in declared.modifiers
    ]
    if subject.type.is_root and "sealed" in declared.modifiers:
        wrong.append("sealed")
    twice = len({*declared.modifiers}) < len(declared.modifiers)
    if wrong or twice or "public" not in declared.modifiers:
        seen = " ".join([*declared.modifiers, declared.kind])
        message = f"{declared.name!r} is declared as {seen!r}."
        fix = f"Declare it as: public {subject.type.kind} {subject.type.name}"
        yield subject.issue("CLASS_FORM", message, page=1, line=declared.line, fix=fix)
    if declared.parameters:
        message = f"{declared.name!r} has parameters: {declared.parameters!r}."
        yield subject.issue("CLASS_FORM", message, page=1, line=declared.line, fix="Leave them out.")
    if declared.bases:
        yield from _bases(subject, declared)


def _bases(subject: Subject, declared: TypeOutline) -> Iterator[Issue]:
    if declared.kind == "enum":
        wanted = underlying_type(subject.type)
        ranks = ("byte", "short", "int", "long", "ulong")
        if declared.bases in ranks and ranks.index(declared.bases) >= ranks.index(wanted):
            return
        message = f"The enum {declared.name!r} has the underlying type {declared.bases!r}."
        fix = "Leave it out." if wanted == "int" else f"It holds values that need {wanted}."
    else:
        message = f"{declared.name!r} has a base type: {declared.bases!r}."
        fix = "Leave it out: all fields are listed."
    yield subject.issue("CLASS_FORM", message, page=1, line=declared.line, fix=fix)


def _attributes(subject: Subject, declared: TypeOutline) -> Iterator[Issue]:
    yield from unknown_attributes(subject, 1, declared.attributes)
    names = [attribute.name for attribute in declared.attributes]
    if description_literal(subject.type.description) and "Description" not in names and "Title" not in names:
        message = f"The {subject.type.kind} {declared.name!r} has no [Description]."
        fix = "Add it with the listed text."
        yield subject.issue("DESCRIPTION", message, page=1, line=declared.line, fix=fix, severity="warning")
    yield from foreign_type(subject, declared)
    closing = declared.attribute("AdditionalProperties")
    if closing is not None and not subject.type.closed:
        message = "[AdditionalProperties] was not asked for: records with further properties would be refused."
        yield subject.issue("WRONG_ATTRIBUTE", message, page=1, line=closing.line, fix="Leave it out.")
    if subject.type.closed and (closing is None or [each.value for each in closing.arguments] != ["false"]):
        fix = "Add [AdditionalProperties(false)] above the class."
        message = f"{declared.name!r} has no [AdditionalProperties(false)]."
        yield subject.issue("WRONG_ATTRIBUTE", message, page=1, line=declared.line, fix=fix, severity="warning")
