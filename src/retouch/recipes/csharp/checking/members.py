"""Tier 2: checks that a type has each listed member once, and no other. Issues refer to the page of the member."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.csharp.asking.listing import written_type
from retouch.recipes.csharp.checking.properties import property_issues
from retouch.recipes.csharp.checking.subject import Subject, form_of
from retouch.recipes.csharp.language.literals import quoted
from retouch.recipes.csharp.parsing.outline import Property
from retouch.recipes.csharp.parsing.page import comments

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retouch.engine.types import Issue
    from retouch.recipes.csharp.ir import CsField
    from retouch.recipes.csharp.parsing.outline import Stray

Place: TypeAlias = tuple[int, Property]  # a property and its page

_COMMENT = re.compile(r"(?<![:/])//(?!/| (?:BEGIN|END)_FIELDS)|/\*")
_HIDES = re.compile(r"#\s*pragma\s+warning\s+disable\b(?!\s+(?:CS)?1591\s*$)")  # 1591: no documentation
_PLACEHOLDER = re.compile(
    r"""^(?:\.\.\.|…)|(?:\.\.\.|…)$
    |^\W*(?:todo|fixme|placeholder)\b
    |\b(?:unchanged|omitted|elided|abbreviated|left\ out|for\ brevity|and\ so\ on|as\ before|as\ above)\W*$
    |^\W*(?:(?:and|all|the|add|with|your)\s+)*(?:rest|remaining|remainder|other|existing|previous|further|more|additional)
     \b(?:\s+\w+){0,3}?\s+(?:fields?|propert(?:y|ies)|members?|values?|code|class)(?:\s+(?:go|come|stay|follow|here|below))*\W*$
    """,
    re.VERBOSE | re.IGNORECASE,
)


def member_issues(subject: Subject) -> Iterator[Issue]:
    """Yield the issues of the properties of a class. A repeated property is checked on the page that owns it."""
    by_name = {field.name.removeprefix("@"): field for field in subject.type.fields}
    listed = {property_.json_name for _, property_ in subject.properties()}
    places: dict[str, list[Place]] = {}
    for page, property_ in subject.properties():
        json = property_.json_name
        if json is None:
            field = by_name.get(property_.name.removeprefix("@"))
            yield _unnamed(subject, page, property_, field, listed)
            if field is None or field.json_name in listed:
                continue
            json = field.json_name
        if json in subject.fields:
            places.setdefault(json, []).append((page, property_))
        else:
            yield _phantom(subject, page, property_, json)
    names: set[str] = set()
    for json, found in places.items():
        index, field = subject.fields[json]
        owner = subject.owner(index)
        page, property_ = next((place for place in found if place[0] == owner), found[0])
        yield from property_issues(subject, page, property_, field)
        yield from _repeated_name(subject, page, property_, names)
        if len(found) > 1:
            yield _duplicate(subject, json, found, owner)
    yield from _missing(subject, places)


def _unnamed(subject: Subject, page: int, property_: Property, field: CsField | None, listed: set[str | None]) -> Issue:
    if field is None or field.json_name in listed:
        message = f"The property {property_.name!r} has no [JsonPropertyName] and is not one of the listed fields."
        fix = "Leave it out."
        return subject.issue("PHANTOM_FIELD", message, page=page, line=property_.line, fix=fix)
    message = f"The property {property_.name!r} has no [JsonPropertyName] with a string."
    fix = f"Add [JsonPropertyName({quoted(field.json_name)})]."
    return subject.issue("JSON_NAME", message, page=page, line=property_.line, fix=fix)


def _phantom(subject: Subject, page: int, property_: Property, json: str) -> Issue:
    message = f"[JsonPropertyName({quoted(json)})] in class {subject.type.name!r} is not one of the listed fields."
    near = next((name for name in subject.fields if _folded(name) == _folded(json)), None)
    fix = f"Write it exactly as {quoted(near)}." if near is not None else "Leave the property out."
    return subject.issue("PHANTOM_FIELD", message, page=page, line=property_.line, fix=fix)


def _folded(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()


def _duplicate(subject: Subject, json: str, places: list[Place], owner: int | None) -> Issue:
    strangers = [place for place in places if place[0] != owner]
    page, property_ = (strangers or places[1:])[0]
    message = f"[JsonPropertyName({quoted(json)})] appears {len(places)} times in class {subject.type.name!r}."
    fix = "It belongs to another page: leave it out here." if strangers and owner else "Write it once."
    return subject.issue("DUPLICATE_FIELD", message, page=page, line=property_.line, fix=fix)


def _repeated_name(subject: Subject, page: int, property_: Property, names: set[str]) -> Iterator[Issue]:
    name = property_.name.removeprefix("@")
    if name in names:
        message = f"The class {subject.type.name!r} has several properties called {name!r}."
        fix = "Use the listed names."
        yield subject.issue("WRONG_NAME", message, page=page, line=property_.line, fix=fix)
    names.add(name)


def _missing(subject: Subject, known: Mapping[str, object]) -> Iterator[Issue]:
    for json, (index, field) in subject.fields.items():
        if json not in known:
            message = f"The field {quoted(json)} of class {subject.type.name!r} is missing."
            keyword = "required " if field.required else ""
            written = f"public {keyword}{written_type(field)} {field.name} {{ get; init; }}"
            fix = f"Add [JsonPropertyName({quoted(json)})] {written}"
            yield subject.issue("MISSING_FIELD", message, page=subject.owner(index), fix=fix)


def other_member_issues(subject: Subject) -> Iterator[Issue]:
    """Yield an issue for everything in the body of the type that is neither a listed member nor a comment."""
    for page, part in subject.parts:
        for other in part.others:
            if other.kind.startswith("preproc_"):
                yield from _directive(subject, page, other)
            elif not other.declares_type:
                message = f"{other.text!r} is not a property; data objects hold no logic, fields or constructors."
                yield subject.issue("LOGIC", message, page=page, line=other.line, fix="Leave it out.")
    for number, page in enumerate(subject.pages, 1):
        for stray in page.stray:
            yield from _directive(subject, number, stray)


def _directive(subject: Subject, page: int, stray: Stray) -> Iterator[Issue]:
    if stray.kind.startswith(("preproc_if", "preproc_el", "preproc_def", "preproc_un")):
        message = f"{stray.text!r}: conditional compilation is not allowed in a data object."
        yield subject.issue("FORBIDDEN", message, page=page, line=stray.line, fix="Leave the directive out.")
    if stray.kind in ("preproc_error", "preproc_warning", "preproc_line") or _HIDES.match(stray.text):
        message = f"{stray.text!r} changes what the compiler reports, here or in the rest of the file."
        yield subject.issue("FORBIDDEN", message, page=page, line=stray.line, fix="Leave the directive out.")
    if stray.kind.startswith("preproc_nullable"):
        message = f"{stray.text!r} changes which types may be null, here and in the rest of the file."
        yield subject.issue("FORBIDDEN", message, page=page, line=stray.line, fix="Leave the directive out.")


def unknown_name_issues(subject: Subject) -> Iterator[Issue]:
    """Yield an issue for each `nameof` in an attribute that names neither a member of the type nor a type."""
    for page, part in subject.parts:
        members = (*part.properties, *part.members)
        known = {
            member.name.removeprefix("@")
            for _, other in subject.parts
            for member in (*other.properties, *other.members)
        }
        for attribute in (attribute for member in members for attribute in member.attributes):
            for argument in attribute.arguments:
                if argument.kind == "nameof" and argument.value not in {*known, *subject.declared}:
                    message = f"[{attribute.name}] takes the name of {argument.value!r}, which does not exist."
                    fix = "Write the listed string."
                    yield subject.issue("WRONG_ATTRIBUTE", message, page=page, line=attribute.line, fix=fix)


def comment_issues(subject: Subject) -> Iterator[Issue]:
    """Yield an issue for each comment that replaces omitted code. Documentation comments are allowed."""
    for number, page in enumerate(subject.pages, 1):
        text = page.data.decode()
        if not _COMMENT.search(text):
            continue
        for comment in comments(text, form_of(subject.type, number)):
            whole = page.data[comment.start : comment.end].decode()
            if not whole.startswith("///") and _PLACEHOLDER.search(_comment_text(whole)):
                message = f"The comment {comment.text!r} stands for code that was left out."
                fix = "Write every listed member; leave the comment out."
                yield subject.issue("PLACEHOLDER", message, page=number, line=comment.line, fix=fix)


def _comment_text(comment: str) -> str:
    """Return the text of a comment, without its marks, on one line."""
    return " ".join(line.strip(" \t/*") for line in comment.split("\n")).strip()
