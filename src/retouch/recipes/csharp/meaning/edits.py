"""Reads a manual edit of a type in a run that requests the meaning: C#, with the names that the user chose.

What a proposal may change, an edit may change too: the names of the type and of enum values, documentation, `?`, the
semantic type of a string, and enums of strings. Everything else is checked as in a transcript.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from retouch.engine.recipe import Read
from retouch.recipes.csharp.checking.answers import read as read_code
from retouch.recipes.csharp.ir import CsType, EnumValue
from retouch.recipes.csharp.meaning.applying import SEMANTIC_TYPES
from retouch.recipes.csharp.parsing.page import normalised, outline
from retouch.recipes.csharp.writing.code import CsCode, Piece

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.engine.types import Issue
    from retouch.recipes.csharp.ir import CsField, Endpoint
    from retouch.recipes.csharp.parsing.outline import Property, TypeOutline


_SEAL = re.compile(r"\A// Edited by hand, sha256 ([0-9a-f]{64})\n")


def sealed_edit(text: str) -> str:
    """Return a manual edit as the answer of its type: under a line with its hash, which no model writes by chance."""
    return f"// Edited by hand, sha256 {_digest(text)}\n{text}"


def edit_in(answer: str) -> str | None:
    """Return the C# of a manual edit, None if the answer is not one, for example because a model wrote C#."""
    seal = _SEAL.match(answer)
    if seal is None:
        return None
    text = answer[seal.end() :]
    return text if _digest(text) == seal[1] else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_edit(endpoint: Endpoint, type_: CsType, text: str) -> Read[CsCode]:
    """Return the code of a type from a manual edit, with the issues of tiers 1 and 2.

    Whether the other types that it names exist is checked with the whole run.
    """
    plain = normalised(text)
    page = outline(plain, "type")
    source = replace(endpoint, ask="transcript", facts=(), decisions=())
    own = page.declaration(type_.name) if len(page.types) == 1 else _own(type_, page.types)
    if page.fault is not None or own is None:
        return read_code(source, type_.name, [text])
    extra = {one.name: one for one in page.types if one is not own}
    edited = _edited(type_, own, extra)
    enums = [one for one in map(_enum_of, extra.values()) if one is not None]
    used = [one for one in enums if any(one.name in field.types for field in edited.fields)]
    names = {other for prop in own.properties for other in prop.type.names}
    others = [one for one in endpoint.types if one.name not in {type_.name, edited.name}]
    known = {one.name for one in (*others, *used)} | {edited.name}
    foreign = [CsType(name=name, kind="class") for name in names - known if _may_be_type(type_, own, name)]
    everything = (replace(edited, page_size=1_000_000), *used, *others, *foreign)
    declared = {one.name for one in page.types}
    left_out = {one.name: declared - {one.name} for one in used} | {edited.name: {one.name for one in used}}
    found = Read[CsCode](None)
    issues: list[Issue] = []
    for one in (edited, *used):
        first = next(each for each in everything if each.name == one.name)
        alone = replace(source, types=(first, *(each for each in everything if each is not first)))
        alone = replace(alone, fields_per_page=1_000_000, values_per_page=1_000_000)
        read = read_code(alone, one.name, [_segment(plain, left_out[one.name])])
        issues += [replace(issue, unit=type_.name, page=1) for issue in read.issues]
        found = read if one is edited else found
    if found.value is None:
        return Read(None, issues)
    value = CsCode(text=plain.strip("\n"), pieces=(Piece(first=1, page=1, line=1),), is_edit=True, name=edited.name)
    return Read(value, issues)


def _own(type_: CsType, declared: Sequence[TypeOutline]) -> TypeOutline | None:
    """Return the declaration of the type itself: the one with its name, else the first of its kind."""
    named = next((one for one in declared if one.name == type_.name), None)
    kinds = ("class", "record") if type_.kind == "class" else ("enum", "struct", "record")
    return named or next((one for one in declared if one.kind in kinds), None)


def _segment(text: str, left_out: set[str]) -> str:
    """Return the text without the declarations of the types in `left_out`, and what documents them."""
    page = outline(text, "type")
    parts: list[bytes] = []
    position = 0
    for one in page.types:
        if one.name not in left_out:
            parts.append(page.data[position : one.end])
        position = one.end
    parts.append(page.data[position:])
    return b"".join(parts).decode()


def _edited(type_: CsType, own: TypeOutline, extra: Mapping[str, TypeOutline]) -> CsType:
    """Return the type with the names and types of an edit, as far as a proposal could have them."""
    by_json = {one.json_name: one for one in own.properties if one.json_name is not None}
    fields = tuple(_edited_field(one, by_json.get(one.json_name), extra) for one in type_.fields)
    derived = derived_classes(own)
    return replace(
        type_,
        name=own.name or type_.name,
        fields=fields,
        values=_edited_values(type_, own),
        base=own.bases if type_.base and own.bases.isidentifier() else type_.base,
        attributes=tuple(_DERIVED.sub(partial(_edited_selection, derived), one) for one in type_.attributes),
    )


_DERIVED = re.compile(r'^JsonDerivedType\(typeof\((\w+)\), ("(?:[^"\\]|\\.)*")\)$')


def _edited_selection(derived: Mapping[str, str], attribute: re.Match[str]) -> str:
    return f"JsonDerivedType(typeof({derived.get(json.loads(attribute[2]), attribute[1])}), {attribute[2]})"


def derived_classes(declared: TypeOutline) -> dict[str, str]:
    """Return the derived class that the attributes of a base class select for each value of its discriminator."""
    found = (one.arguments for one in declared.attributes if one.name == "JsonDerivedType")
    return {two.value: one.value for one, two in (each for each in found if len(each) == 2)}


def _edited_field(field: CsField, seen: Property | None, extra: Mapping[str, TypeOutline]) -> CsField:
    if seen is None:
        return field
    written = seen.type.canonical
    is_enum = field.type == "string" and written in extra
    semantic = SEMANTIC_TYPES if field.type == "string" else ("decimal",) if field.type == "double" else ()
    is_other_name = bool(field.types) and _shape(field.type, field.types) == _shape(written, seen.type.names)
    if is_enum or written in semantic or is_other_name:
        field = replace(field, type=written, types=tuple(one for one in seen.type.names if one not in SEMANTIC_TYPES))
    return replace(field, nullable=True) if seen.type.nullable else field


def _shape(text: str, names: Sequence[str]) -> str:
    """Return a C# type with its own names blanked, so that only what is around them is compared."""
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, "") if name not in ("Dictionary", "string") else text
    return text


def _edited_values(type_: CsType, own: TypeOutline) -> tuple[EnumValue, ...]:
    names = dict(_named_values(own))
    return tuple(replace(one, name=names.get(str(one.value), one.name)) for one in type_.values)


def _named_values(declared: TypeOutline) -> list[tuple[str, str]]:
    """Return the values of a declared enum, each with its C# name."""
    found = [(_value_in(one.initialiser), one.name) for one in declared.properties if "static" in one.modifiers]
    for member in declared.members:
        text = member.argument_of("JsonStringEnumMemberName")
        found.append((text if text is not None else member.number, member.name))
    return [(value, name) for value, name in found if value]


def _value_in(initialiser: str) -> str:
    start, end = initialiser.find('"'), initialiser.rfind('"')
    try:
        return str(json.loads(initialiser[start : end + 1])) if start >= 0 else ""
    except ValueError:
        return ""


def _enum_of(declared: TypeOutline) -> CsType | None:
    values = tuple(EnumValue(value=value, name=name) for value, name in _named_values(declared))
    is_open = declared.kind != "enum"
    return CsType(name=declared.name, kind="enum", values=values, open=is_open) if values else None


def _may_be_type(type_: CsType, own: TypeOutline, name: str) -> bool:
    """Return whether a name is used where the document has another type, which a proposal may have renamed."""
    by_json = {one.json_name: one for one in own.properties}
    return any(
        name in seen.type.names
        for field in type_.fields
        if field.types and (seen := by_json.get(field.json_name)) is not None
    )
