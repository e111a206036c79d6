"""Tier 2: the members of an enum and its converter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.csharp.asking.listing import STRING_CONVERTER, type_attributes, value_literal
from retouch.recipes.csharp.checking.attributes import converter_name
from retouch.recipes.csharp.checking.descriptions import foreign_value
from retouch.recipes.csharp.language.vocabulary import KEYWORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.engine.types import Issue
    from retouch.recipes.csharp.checking.subject import Subject
    from retouch.recipes.csharp.parsing.outline import EnumMember, TypeOutline


def enum_issues(subject: Subject) -> Iterator[Issue]:
    """Yield the issues of the converter and the members of an enum."""
    declared = subject.declaration
    if declared is not None:
        yield from _converter(subject, declared)
    yield from enum_members(subject)


def _converter(subject: Subject, declared: TypeOutline) -> Iterator[Issue]:
    converter = declared.attribute("JsonConverter")
    by_name = converter is not None and converter_name(converter) == STRING_CONVERTER
    line = converter.line if converter else declared.line
    if subject.type.integer and converter is not None:
        message = f"The enum {declared.name!r} is one of integers and has a [JsonConverter]."
        yield subject.issue("ENUM_CONVERTER", message, page=1, line=line, fix="Leave the converter out.")
    if not subject.type.integer and not by_name:
        message = f"The enum {declared.name!r} has no [{type_attributes(subject.type)[0]}]."
        yield subject.issue("ENUM_CONVERTER", message, page=1, line=line, fix="Add it above the enum.")


def enum_members(subject: Subject) -> Iterator[Issue]:
    """Yield the issues of the members of an enum: each listed value once, in order, and no other."""
    listed = {_key(subject, value.value): (index, value.name) for index, value in enumerate(subject.type.values)}
    seen: dict[str, int] = {}
    order: list[int] = []
    for page, part in subject.parts:
        for member in part.members:
            key = _value_of(subject, member)
            known = listed.get(key) if key is not None else None
            problem = _problem(subject, member, key, known)
            if known is not None and key is not None:
                seen[key] = seen.get(key, 0) + 1
                yield from foreign_value(subject, page, member, subject.type.values[known[0]])
                problem = f"stands for {key} again" if seen[key] > 1 else problem
                order.append(known[0])
            if problem:
                yield _issue(subject, page, member.line, f"The member {member.name!r} {problem}.", _fix(known, key))
    for key, (index, name) in listed.items():
        if key not in seen:
            fix = f"Add {_written(subject, key, name)}"
            yield _issue(subject, subject.owner(index), None, f"The value {key} ({name}) is missing.", fix)
    if len(order) == len(listed) == len(seen) and order != sorted(order):
        yield _issue(subject, None, None, "The members are not in the listed order.", "Keep the listed order.")


def _problem(subject: Subject, member: EnumMember, key: str | None, known: tuple[int, str] | None) -> str:
    if key is None:
        return "has no value" if subject.type.integer else "has no [JsonStringEnumMemberName] with a string"
    if known is None:
        return f"stands for {key}, which is not one of the listed values"
    if member.name in KEYWORDS:
        return "is a keyword of C#"
    if member.name.removeprefix("@") != known[1].removeprefix("@"):
        return f"stands for {key}, whose listed name is {known[1]!r}"
    if not subject.type.integer and member.number:
        return f"has the number {member.number}, but stands for a string"
    if subject.type.integer and member.attributes:
        return "has an attribute, but stands for a number"
    return ""


def _fix(known: tuple[int, str] | None, key: str | None) -> str:
    if known is None:
        return "Write the listed values only, each with its listed name."
    return f"Write {key} once, as {known[1]}."


def _written(subject: Subject, key: str, name: str) -> str:
    return f"{name} = {key}," if subject.type.integer else f"[JsonStringEnumMemberName({key})] {name},"


def _value_of(subject: Subject, member: EnumMember) -> str | None:
    """Return the value of a member, as listed, or None if the member does not name one."""
    if subject.type.integer:
        return _number(member.number)
    once = [each.name for each in member.attributes].count("JsonStringEnumMemberName") == 1
    value = member.argument_of("JsonStringEnumMemberName")
    return value_literal(value) if once and value is not None else None


def _number(text: str) -> str | None:
    plain = text.replace("_", "").replace(" ", "").rstrip("uUlL")
    try:
        return str(int(plain, 0))
    except ValueError:
        return None


def _key(subject: Subject, value: str | int) -> str:
    return str(int(value)) if subject.type.integer else value_literal(str(value))


def _issue(subject: Subject, page: int | None, line: int | None, message: str, fix: str) -> Issue:
    return subject.issue("ENUM_MEMBER", message, page=page, line=line, fix=fix)
