"""Puts accepted proposals into the types of the source, and writes these."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.csharp.answering.offline import answer
from retouch.recipes.csharp.asking.pages import plan
from retouch.recipes.csharp.ir import CsType, EnumValue
from retouch.recipes.csharp.meaning.checks import enum_name
from retouch.recipes.csharp.naming.identifiers import member_names
from retouch.recipes.csharp.reading.keys import KEY_NAME, fields_with_key
from retouch.recipes.csharp.writing.stitch import stitch_type_pages

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch.recipes.csharp.ir import CsField, Endpoint, MeaningProposal

_TYPES = {
    "date-time": "DateTimeOffset",
    "date": "DateOnly",
    "time": "TimeOnly",
    "uri": "Uri",
    "uuid": "Guid",
    "money": "decimal",
}
SEMANTIC_TYPES = tuple(_TYPES.values())
_OF_CONNECTOR = {"uri": "string"}  # the connector style has no Uri
_SENSITIVE = {"personal": "personal data", "write_only": "sent in requests only"}


def with_meaning(endpoint: Endpoint, type_: CsType, taken: Sequence[MeaningProposal]) -> tuple[CsType, ...]:
    """Return a type with the accepted proposals about it, and after it the enums that they add.

    Its name is that of its proposal; the names of other types stay.
    """
    if not taken:
        return (type_,)
    by_member: dict[str, list[MeaningProposal]] = {}
    for one in taken:
        by_member.setdefault(one.member, []).append(one)
    enums: list[CsType] = []
    fields: list[CsField] = []
    for field in type_.fields:
        changed, enum = _field(endpoint, type_, field, by_member.get(field.json_name, ()))
        fields.append(changed)
        enums += [enum] if enum is not None else []
    values = tuple(_value(endpoint, value, by_member.get(str(value.value), ())) for value in type_.values)
    own = {one.kind: one.value for one in by_member.get("", ())}
    key = next((one.member for one in taken if one.kind == "key"), "")
    notes = list(type_.notes)
    if "name" in own:
        notes.append(f"the model's name for {type_.name}, which the document does not name; {type_.name} is its unit")
    if key:
        reason = next(one.value for one in taken if one.kind == "key")
        notes = [note for note in notes if not note.startswith("no primary key")]
        notes.append(f"key: {key!r}, {f'proposed by the model: {reason}' if reason else 'settled by you'}")
        enum_names = {one.name for one in endpoint.types if one.kind == "enum"}
        if endpoint.style == "connector":
            fields = [*fields_with_key(fields, (key,), enums=enum_names)]
    changed_type = replace(
        type_,
        name=own.get("name", type_.name),
        description=_description(endpoint, type_.description, by_member.get("", ())),
        fields=tuple(fields),
        values=values,
        key=(KEY_NAME, key) if key else type_.key,
        notes=tuple(notes),
    )
    return (changed_type, *enums)


def _field(
    endpoint: Endpoint, type_: CsType, field: CsField, given: Sequence[MeaningProposal]
) -> tuple[CsField, CsType | None]:
    """Return a field with the proposals about it, and the enum of its values if they add one."""
    enum: CsType | None = None
    notes = list(field.notes)
    field = replace(field, description=_description(endpoint, field.description, given))
    for one in given:
        if one.kind == "type":
            other = _OF_CONNECTOR if endpoint.style == "connector" else {}
            field = replace(field, type=other.get(one.value, _TYPES[one.value]))
        elif one.kind == "nullable":
            notes.append(f"can be null, as its description says: {one.quote!r}")
            field = replace(field, nullable=True)
        elif one.kind in _SENSITIVE:
            place = (type_.name, one.member, one.kind, "user")
            is_settled = any(place == (two.type, two.member, two.kind, two.by) for two in endpoint.decisions)
            notes.append(f"{'' if is_settled else 'review: '}{_SENSITIVE[one.kind]}: {one.value}")
            if endpoint.style == "connector" and "WriteOnly" not in field.attributes:
                field = replace(field, attributes=(*field.attributes, "WriteOnly"))
        elif one.kind == "question":
            notes.append(f"review: {one.value}")
    values = [one.value for one in given if one.kind == "enum_value"]
    if values:
        enum = _enum(endpoint, type_, field, values)
        field = replace(field, type=enum.name, types=(enum.name,))
        notes.append("an open enum of the values that its description lists")
    return replace(field, notes=tuple(notes)), enum


def _enum(endpoint: Endpoint, type_: CsType, field: CsField, values: list[str]) -> CsType:
    name = enum_name(type_, field)
    is_open = endpoint.style == "plain"
    names = member_names(values, {}, struct=name if is_open else "")
    return CsType(
        name=name,
        kind="enum",
        values=tuple(EnumValue(value=value, name=names[value]) for value in values),
        origin=f"the description of {field.json_name!r} in {type_.origin}",
        open=is_open,
    )


def _value(endpoint: Endpoint, value: EnumValue, given: Sequence[MeaningProposal]) -> EnumValue:
    own = {one.kind: one.value for one in given}
    description = _description(endpoint, value.description, given)
    return replace(value, name=own.get("value_name", value.name), description=description)


def _description(endpoint: Endpoint, written: str, given: Sequence[MeaningProposal]) -> str:
    """Return a description with the proposed summary in its place, and the proposed remarks after it."""
    own = {one.kind: one.value for one in given}
    parts = (own.get("summary", written), own.get("remarks", ""))
    return ("\n" if endpoint.style == "plain" else " ").join(filter(None, parts))


def renamed(type_: CsType, names: Mapping[str, str]) -> CsType:
    """Return a type whose references to other types have their new names. Its own name stays."""
    fields = tuple(
        replace(
            field,
            type=with_new_names(field.type, names),
            types=tuple(names.get(name, name) for name in field.types),
        )
        if any(name in names for name in field.types)
        else field
        for field in type_.fields
    )
    attributes = tuple(_TYPE_OF.sub(lambda found: with_new_names(found[0], names), one) for one in type_.attributes)
    return replace(type_, fields=fields, attributes=attributes, base=names.get(type_.base, type_.base))


_TYPE_OF = re.compile(r"\btypeof\([^()\"]*\)")


def with_new_names(text: str, names: Mapping[str, str]) -> str:
    """Return a C# type, or `typeof`, with the new names of types."""
    return re.sub(r"\w+", lambda word: names.get(word[0], word[0]), text)


def code_of(endpoint: Endpoint, types: Iterable[CsType]) -> str:
    """Return the code of types, as the offline model writes them, with a blank line between two."""
    source = replace(endpoint, ask="transcript", types=tuple(types), facts=(), decisions=(), served=())
    pages: dict[str, list[str]] = {}
    for prompt in plan(source):
        pages.setdefault(prompt.unit, []).append(answer(prompt))
    return "\n\n".join(stitch_type_pages(one).strip("\n") for one in pages.values())


def documentation_apart(code: str) -> list[str]:
    """Return the lines of code without documentation comments."""
    return [line for line in code.split("\n") if not line.lstrip().startswith("///")]


def without_documentation(types: Iterable[CsType]) -> tuple[CsType, ...]:
    """Return types without descriptions."""
    return tuple(
        replace(
            type_,
            description="",
            fields=tuple(replace(one, description="") for one in type_.fields),
            values=tuple(replace(one, description="") for one in type_.values),
        )
        for type_ in types
    )
