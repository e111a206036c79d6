"""Tier 2: the primary key and alternate keys of a class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.csharp.asking.listing import type_attributes
from retouch.recipes.csharp.language.vocabulary import KEY_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.engine.types import Issue
    from retouch.recipes.csharp.checking.subject import Subject
    from retouch.recipes.csharp.parsing.outline import Argument, Attribute, Property, TypeOutline


def key_issues(subject: Subject, declared: TypeOutline) -> Iterator[Issue]:
    """Yield the issues of the keys of a class."""
    keys = [attribute for attribute in declared.attributes if attribute.name == "PrimaryKey"]
    if not subject.type.is_root:
        for key in keys:
            message = f"The nested type {declared.name!r} has a [PrimaryKey]; only the root has one."
            yield subject.issue("PRIMARY_KEY", message, page=1, line=key.line, fix="Leave it out.")
        return
    if not keys and subject.type.key:
        message = f"The root class {declared.name!r} has no [PrimaryKey]."
        yield subject.issue("PRIMARY_KEY", message, page=1, line=declared.line, fix=f"Add {_wanted(subject)}.")
    alternate = [attribute for attribute in declared.attributes if attribute.name == "AlternateKey"]
    for key in keys[:1]:
        yield from _primary(subject, key)
    for key in alternate:
        yield from _arguments(subject, key, "ALTERNATE_KEY")


def _wanted(subject: Subject) -> str:
    return f"[{type_attributes(subject.type)[0]}]"


def _primary(subject: Subject, key: Attribute) -> Iterator[Issue]:
    broken = list(_arguments(subject, key, "PRIMARY_KEY"))
    yield from broken
    if broken or not subject.type.key:
        return
    seen = (key.arguments[0].value, *(_json_of(subject, argument) for argument in key.arguments[1:]))
    if seen != subject.type.key:
        message = f"The [PrimaryKey] is {seen!r}; it should be {subject.type.key!r} (its name, then its properties)."
        yield subject.issue("PRIMARY_KEY", message, page=1, line=key.line, fix=f"Write {_wanted(subject)}.")


def _arguments(subject: Subject, key: Attribute, code: str) -> Iterator[Issue]:
    """Yield the issues of the arguments of a key: its name, then properties that exist and can be a key."""
    fix = "Give the key's name, then each property by nameof(...) or by its JSON name in quotes."
    if len(key.arguments) < 2 or key.arguments[0].kind != "text":
        message = f"[{key.name}] needs the key's name as a string and at least one property."
        yield subject.issue(code, message, page=1, line=key.line, fix=fix)
        return
    for argument in key.arguments[1:]:
        property_ = _property_of(subject, argument)
        if property_ is not None:
            yield from _key_property(subject, key, property_, code)
        elif _json_of(subject, argument) not in subject.fields:  # otherwise it is missing, which another check reports
            message = f"[{key.name}] names {argument.value!r}, which is no property of {subject.type.name!r}."
            yield subject.issue(code, message, page=1, line=key.line, fix=fix)


def _key_property(subject: Subject, key: Attribute, property_: Property, code: str) -> Iterator[Issue]:
    type_ = property_.type
    named = subject.declared.get(type_.canonical)
    scalar = type_.canonical in KEY_TYPES or (named is not None and named.kind == "enum")
    if type_.nullable or not scalar:
        written = type_.canonical + ("?" if type_.nullable else "")
        message = f"[{key.name}] names {property_.name!r} of type {written!r}; a key is neither nullable nor an object."
        yield subject.issue(code, message, page=1, line=key.line, fix="Write the property with the listed type.")


def _property_of(subject: Subject, argument: Argument) -> Property | None:
    for _, property_ in subject.properties():
        wanted = property_.name.removeprefix("@") if argument.kind == "nameof" else property_.json_name
        if argument.kind in ("nameof", "text") and wanted == argument.value:
            return property_
    return None


def _json_of(subject: Subject, argument: Argument) -> str:
    """Return the JSON name that an argument means: its text, or the name of its property."""
    if argument.kind != "nameof":
        return argument.value
    found = _property_of(subject, argument)
    known = {field.name.removeprefix("@"): field.json_name for field in subject.type.fields}
    return (found.json_name if found else None) or known.get(argument.value, f"nameof({argument.value})")
