"""Automatic fixes inside a page that parses: incomplete members, and listed attributes that are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.csharp.asking.listing import type_attributes, value_literal
from retouch.recipes.csharp.language.literals import description_literal, quoted
from retouch.recipes.csharp.parsing.page import outline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.csharp.ir import CsField, CsType, EnumValue
    from retouch.recipes.csharp.parsing.outline import EnumMember, Form, Property, TypeOutline

Edit: TypeAlias = tuple[int, int, str]  # replaces the bytes from start to end by the text


def with_fixed_members(text: str, form: Form, type_: CsType) -> str:
    """Return a page with fixed members and type attributes. A page with a syntax error is returned unchanged."""
    page = outline(text, form)
    if page.fault is not None or not page.types:
        return text
    data = page.data
    edits = [edit for part in page.types for edit in _edits(data, part, type_)]
    for start, end, new in sorted(edits, key=lambda edit: edit[:2], reverse=True):
        data = data[:start] + new.encode() + data[end:]
    return data.decode()


def _edits(data: bytes, part: TypeOutline, type_: CsType) -> Iterator[Edit]:
    if part.name == type_.name:
        lines = [f"[{attribute}]\n" for attribute in _missing_above(part, type_)]
        yield part.start, part.start, "".join(lines)
    if type_.kind == "enum":
        values = {value.name: value for value in type_.values}
        for member in part.members:
            yield from _enum_member(data, member, values.get(member.name.removeprefix("@")), type_)
        return
    by_json = {field.json_name: field for field in type_.fields}
    by_name = {field.name.removeprefix("@"): field for field in type_.fields}
    for property_ in part.properties:
        json = property_.json_name
        field = by_name.get(property_.name.removeprefix("@")) if json is None else by_json.get(json)
        if field is not None:
            yield from _property(data, property_, field)


def _missing_above(part: TypeOutline, type_: CsType) -> Iterator[str]:
    """Yield the attributes that the declaration lacks."""
    names = [attribute.name for attribute in part.attributes]
    yield from (listed for listed in type_attributes(type_) if listed.partition("(")[0] not in names)
    description = description_literal(type_.description)
    if description and "Description" not in names and "Title" not in names:
        yield f"Description({description})"


def _enum_member(data: bytes, member: EnumMember, value: EnumValue | None, type_: CsType) -> Iterator[Edit]:
    if value is None or type_.integer or member.attributes:
        return
    indent = _indent(data, member.start)
    yield member.start, member.start, f"[JsonStringEnumMemberName({value_literal(value.value)})]\n{indent}"


def _property(data: bytes, property_: Property, field: CsField) -> Iterator[Edit]:
    missing = list(_missing_attributes(property_, field))
    if missing:
        indent = _indent(data, property_.start)
        yield property_.start, property_.start, "".join(f"[{attribute}]\n{indent}" for attribute in missing)
    mark, attribute = property_.type.nullable, property_.attribute("Nullable")
    end = property_.type_end
    if field.nullable and attribute is not None and not mark:
        yield end, end, "?"
    if not field.nullable and attribute is None and mark and data[end - 1 : end] == b"?":
        yield end - 1, end, ""
    if not field.nullable and attribute is not None and not mark and attribute.alone:
        yield attribute.list_start, _next_written(data, attribute.list_end), ""
    if field.required and "required" not in property_.modifiers and property_.attribute("Required") is not None:
        at = data.find(b"public ", property_.start, end)
        yield from [(at + 7, at + 7, "required ")] if at >= 0 and not property_.initialiser else []
    plain = not property_.arrow and not any(accessor.endswith("{}") for accessor in property_.accessors)
    if plain and sorted(property_.accessors) != ["get", "init"]:
        yield property_.accessors_start, property_.accessors_end, "{ get; init; }"


def _missing_attributes(property_: Property, field: CsField) -> Iterator[str]:
    names = {attribute.name for attribute in property_.attributes}
    if "JsonPropertyName" not in names:
        yield f"JsonPropertyName({quoted(field.json_name)})"
    description = description_literal(field.description)
    if description and not names & {"Description", "Title"}:
        yield f"Description({description})"
    if field.required and "Required" not in names and "required" in property_.modifiers:
        yield "Required"
    if field.nullable and property_.type.nullable and "Nullable" not in names:
        yield "Nullable(true)"
    yield from (listed for listed in field.attributes if listed.partition("(")[0] not in names)


def _indent(data: bytes, start: int) -> str:
    line = data[data.rfind(b"\n", 0, start) + 1 : start]
    return line.decode() if not line.strip() else ""


def _next_written(data: bytes, position: int) -> int:
    while data[position : position + 1].isspace():
        position += 1
    return position
