"""Tier 2 of the plain style: compares an answer, member by member, with the code that follows from the document."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.csharp.asking.listing import underlying_type
from retouch.recipes.csharp.checking.attributes import argument_values
from retouch.recipes.csharp.checking.descriptions import foreign_description, foreign_type, foreign_value
from retouch.recipes.csharp.checking.enums import enum_members
from retouch.recipes.csharp.checking.members import comment_issues, other_member_issues, unknown_name_issues
from retouch.recipes.csharp.language.literals import quoted
from retouch.recipes.csharp.language.vocabulary import BUILT_IN_TYPES, FORBIDDEN_NAMES
from retouch.recipes.csharp.parsing.outline import Attribute, Property, TypeOutline
from retouch.recipes.csharp.parsing.page import outline
from retouch.recipes.csharp.writing.plain import EXTENSION_DATA, page_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch.engine.types import Issue
    from retouch.recipes.csharp.checking.subject import Subject
    from retouch.recipes.csharp.ir import CsType

Place: TypeAlias = tuple[int, Property]  # a property and its page

_NEW = re.compile(r'new\s*(?P<type>\w*)\s*\(\s*(?P<text>"(?:[^"\\]|\\.)*")\s*\)')
_EXTENSION = "\0extension data"  # the key of the property that has no JSON name


def expected(type_: CsType) -> TypeOutline:
    """Return the outline of the code that follows from the document."""
    return outline(page_of(type_, underlying=underlying_type(type_)), "type").types[0]


def plain_issues(subject: Subject) -> Iterator[Issue]:
    """Yield the differences between an answer and the code that follows from the document."""
    seen, wanted = subject.declaration, expected(subject.type)
    if seen is None:
        fix = f"Declare it as: {_header(wanted)}"
        yield subject.issue("MISSING_CLASS", f"{subject.type.name!r} is not declared.", page=1, fix=fix)
        return
    yield from _declaration(subject, seen, wanted)
    if seen.kind != wanted.kind:
        return
    yield from _extra_types(subject, seen)
    yield from other_member_issues(subject)
    yield from comment_issues(subject)
    yield from unknown_name_issues(subject)
    if wanted.kind == "enum":
        yield from enum_members(subject)
    else:
        yield from _properties(subject, wanted)


def _header(type_: TypeOutline) -> str:
    kind = "record struct" if "readonly" in type_.modifiers else type_.kind
    value = "(string Value)" if kind == "record struct" else ""
    return f"{' '.join(type_.modifiers)} {kind} {type_.name}{value}" + (f" : {type_.bases}" if type_.bases else "")


def _declaration(subject: Subject, seen: TypeOutline, wanted: TypeOutline) -> Iterator[Issue]:
    fix = f"Declare it as: {_header(wanted)}"
    if (seen.name, seen.kind) != (wanted.name, wanted.kind):
        message = f"{wanted.name!r} is not declared as it was asked for; the page declares {seen.kind} {seen.name!r}."
        yield subject.issue("MISSING_CLASS", message, page=1, line=seen.line, fix=fix)
        return
    further = (
        {"sealed", "partial"} if wanted.kind in ("class", "record") and not subject.type.attributes else set[str]()
    )
    twice = len({*seen.modifiers}) < len(seen.modifiers)
    same = not twice and {*seen.modifiers} - further == {*wanted.modifiers} - further and not seen.parameters
    if not same or re.sub(r"\s", "", seen.bases) != re.sub(r"\s", "", wanted.bases):
        message = f"{seen.name!r} is declared as {_header(seen)!r}."
        yield subject.issue("CLASS_FORM", message, page=1, line=seen.line, fix=fix)
    yield from foreign_type(subject, seen)
    code = "ENUM_CONVERTER" if subject.type.kind == "enum" else "WRONG_ATTRIBUTE"
    yield from _attributes(subject, 1, repr(seen.name), seen.attributes, wanted.attributes, seen.line, code)


def _extra_types(subject: Subject, seen: TypeOutline) -> Iterator[Issue]:
    fix = f"Declare {subject.type.name!r} alone, once; every other type has pages of its own."
    lines = [(type_.line, f"the {type_.kind} {type_.name!r}") for type_ in subject.pages[0].types if type_ is not seen]
    lines += [(other.line, repr(other.text)) for other in seen.others if other.declares_type]
    for line, what in lines:
        message = f"The page declares {what}, which was not asked for."
        yield subject.issue("EXTRA_CLASS", message, page=1, line=line, fix=fix)


def _attributes(
    subject: Subject,
    page: int,
    where: str,
    seen: Sequence[Attribute],
    wanted: Sequence[Attribute],
    line: int,
    code: str = "WRONG_ATTRIBUTE",
) -> Iterator[Issue]:
    """Yield an issue for each attribute that is missing, has other arguments, or was not requested."""
    left = [(one.name, argument_values(one), one.line) for one in seen]
    for one in wanted:
        exact = next((each for each in left if each[:2] == (one.name, argument_values(one))), None)
        near = exact or next((each for each in left if each[0] == one.name), None)
        if near is not None:
            left.remove(near)
        if exact is None:
            problem = f"lacks [{one.name}]" if near is None else f"has [{one.name}] with other arguments"
            fix = "Write the listed attributes, unchanged."
            yield subject.issue(code, f"{where} {problem}.", page=page, line=near[2] if near else line, fix=fix)
    for name, _, at in left:
        forbidden = not FORBIDDEN_NAMES.isdisjoint(name.split("."))
        message = f"{where} has [{name}], which is not listed."
        yield subject.issue("FORBIDDEN" if forbidden else code, message, page=page, line=at, fix="Leave it out.")


def key_of(property_: Property) -> str | None:
    """Return the identity of a property of a class: its JSON name, or a mark for the extension data."""
    if property_.attribute(EXTENSION_DATA) is not None:
        return _EXTENSION
    return property_.json_name


def _properties(subject: Subject, wanted: TypeOutline) -> Iterator[Issue]:
    """Yield the issues of the properties of a class, or of the values of an open enum."""
    is_open = subject.type.open
    listed: Mapping[str, Property] = {_identity(one, is_open=is_open): one for one in wanted.properties}
    names = {one.name: key for key, one in listed.items()}
    places: dict[str, list[Place]] = {}
    for page, one in subject.properties():
        key = _identity(one, is_open=is_open)
        if key not in listed:
            key = names.get(one.name, "") if not is_open and key_of(one) is None else key
        if key in listed:
            places.setdefault(key, []).append((page, one))
        else:
            message = f"The property {one.name!r} of {subject.type.name!r} is not one of the listed members."
            yield subject.issue("PHANTOM_FIELD", message, page=page, line=one.line, fix="Leave it out.")
    head = len(wanted.properties) - len(subject.type.values) if is_open else 0
    for index, (key, one) in enumerate(listed.items()):
        found = places.get(key, [])
        owner = subject.owner(max(0, index - head))
        if not found:
            message = f"The member {one.name!r} of {subject.type.name!r} is missing."
            code = "ENUM_MEMBER" if is_open else "MISSING_FIELD"
            yield subject.issue(code, message, page=owner, fix=f"Add it: {_written(one)}")
            continue
        page, seen = next((place for place in found if place[0] == owner), found[0])
        yield from _property(subject, page, seen, one)
        field = subject.fields.get(key)
        if field is not None and not is_open:
            yield from foreign_description(subject, page, seen, field[1])
        if is_open and index >= head:
            yield from foreign_value(subject, page, seen, subject.type.values[index - head])
        if len(found) > 1:
            message = f"The member {one.name!r} of {subject.type.name!r} is there {len(found)} times."
            other = next((place for place in found if place[0] != owner), found[1])
            yield subject.issue("DUPLICATE_FIELD", message, page=other[0], line=other[1].line, fix="Write it once.")


def _identity(property_: Property, *, is_open: bool) -> str:
    if is_open:
        return _value_of(property_) or f"\0{property_.name}"
    return key_of(property_) or f"\0{property_.name}"


def _value_of(property_: Property) -> str:
    """Return the quoted text that a value of an open enum is made from, or the initialiser without spaces."""
    made = _NEW.fullmatch(property_.initialiser)
    if made and made["type"] in ("", property_.type.canonical):
        return made["text"]
    return re.sub(r"\s", "", property_.initialiser)


def _written(property_: Property) -> str:
    type_ = property_.type.canonical + ("?" if property_.type.nullable else "")
    accessors = " ".join(f"{accessor};" for accessor in property_.accessors)
    end = f" = {property_.initialiser};" if property_.initialiser else ""
    name = "" if property_.json_name is None else f"[JsonPropertyName({quoted(property_.json_name)})] "
    return f"{name}{' '.join(property_.modifiers)} {type_} {property_.name} {{ {accessors} }}{end}"


def _property(subject: Subject, page: int, seen: Property, wanted: Property) -> Iterator[Issue]:
    where = f"The property {seen.name!r} of {subject.type.name!r}"
    fix = f"Write it as: {_written(wanted)}"
    problems: list[tuple[str, str]] = []
    if seen.name.removeprefix("@") != wanted.name.removeprefix("@"):
        problems.append(("WRONG_NAME", f"should be called {wanted.name!r}"))
    if seen.type.canonical != wanted.type.canonical:
        unknown = [name for name in seen.type.names if name not in {*subject.declared, *BUILT_IN_TYPES}]
        code = "UNDECLARED_TYPE" if unknown else "WRONG_TYPE"
        problems.append((code, f"has the type {seen.type.canonical!r}; it should be {wanted.type.canonical!r}"))
    if seen.type.nullable != wanted.type.nullable:
        problems.append(("NULLABLE_MISMATCH", f"{'has' if seen.type.nullable else 'lacks'} the '?' on its type"))
    if ("required" in seen.modifiers) != ("required" in wanted.modifiers):
        verb = "has" if "required" in seen.modifiers else "lacks"
        problems.append(("WRONG_REQUIRED", f"{verb} the keyword 'required'"))
    twice = len({*seen.modifiers}) < len(seen.modifiers)
    if twice or sorted({*seen.modifiers} - {"required"}) != sorted({*wanted.modifiers} - {"required"}):
        problems.append(("LOGIC", f"is declared with {' '.join(seen.modifiers) or 'no modifier'}"))
    if seen.arrow or any(accessor.endswith("{}") for accessor in seen.accessors):
        problems.append(("LOGIC", "is computed"))
    elif seen.accessors != wanted.accessors:
        problems.append(("ACCESSOR", f"has the accessors {', '.join(seen.accessors)}"))
    if _value_of(seen) != _value_of(wanted):
        problems.append(("LOGIC", f"is initialised with {seen.initialiser[:60]!r}"))
    for code, problem in problems:
        yield subject.issue(code, f"{where} {problem}.", page=page, line=seen.line, fix=fix)
    yield from _attributes(subject, page, where, seen.attributes, wanted.attributes, seen.line)
