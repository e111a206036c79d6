"""Converts bodies to the types and fields of the source."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.csharp.ir import CsField, CsType, EnumValue
from retouch.recipes.csharp.language.prose import one_line
from retouch.recipes.csharp.naming.identifiers import first_free, member_names, property_names
from retouch.recipes.csharp.reading.attributes import limit_attributes, why_sensitive
from retouch.recipes.csharp.reading.closure import TypeClosure
from retouch.recipes.csharp.reading.field_types import field_type
from retouch.recipes.csharp.reading.fields import long_times_of, type_notes, written_field
from retouch.recipes.csharp.shapes.schemas import Schemas

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.shapes.shape import Body

_FURTHER = "additionalProperties"


class TypeWriter:
    """Converts the types of a document for the connector style. Results are cached while the names in them stay."""

    def __init__(self, document: Document) -> None:
        self._schemas = document.once(Schemas)
        self._reach = document.once(TypeClosure)
        self._long_times = long_times_of(document) if document.has_long_times else ()
        self._written: dict[tuple[str, ...], CsType] = {}

    def write(self, body: Body, names: Mapping[str, str], *, is_root: bool, is_request: bool) -> CsType:
        """Return the type of a class or enum body. `names` has the C# names of the endpoint's types by place."""
        mentioned = [names[other.home.place] for other in self._reach.mentioned(body)]
        key = (body.home.place, names[body.home.place], str(is_root), str(is_request), *mentioned)
        if key not in self._written:
            name = key[1]
            self._written[key] = CsType(
                name=name,
                kind="enum" if body.is_enum else "class",
                is_root=is_root,
                description=one_line(body.description),
                fields=() if body.is_enum else self._fields(body, name, names, is_request=is_request),
                values=_values(body) if body.is_enum else (),
                integer=body.is_enum and body.kind == "integer",
                closed=body.closed,
                origin=body.home.place,
                notes=type_notes(body),
            )
        return self._written[key]

    def _fields(
        self, body: Body, class_name: str, names: Mapping[str, str], *, is_request: bool
    ) -> tuple[CsField, ...]:
        wire_names = list(body.members)
        further = first_free(_FURTHER, body.members) if body.extra is not None else ""
        cs_names = property_names([*wire_names, *([further] if further else [])], class_name)
        fields: list[CsField] = []
        for wire_name, expr in body.members.items():
            shape = self._schemas.of(expr)
            needed = wire_name in body.required and not (shape.read_only if is_request else shape.write_only)
            fields.append(self._field(body, (wire_name, cs_names[wire_name]), names, required=needed))
        if further:
            fields.append(_further_field(further, cs_names[further]))
        return tuple(fields)

    def _field(self, body: Body, own_names: tuple[str, str], names: Mapping[str, str], *, required: bool) -> CsField:
        json_name = own_names[0]
        shape = self._schemas.of(body.members[json_name])
        written = field_type(shape, names, self._schemas.of)
        attributes, notes = limit_attributes(shape.body, written.text)
        if shape.read_only:
            attributes.append("ReadOnly")
        sensitive = why_sensitive(json_name, shape.body)
        if sensitive:
            attributes.append("WriteOnly")
            notes.append(f"review: WriteOnly proposed for the {sensitive}")
        is_long = (body.home.place, json_name) in self._long_times
        field = written_field(own_names, shape, written, required=required, notes=notes, has_long_times=is_long)
        description = one_line(shape.description or shape.body.description)
        return replace(field, description=description, attributes=tuple(attributes))


def _further_field(json_name: str, name: str) -> CsField:
    return CsField(
        json_name=json_name,
        name=name,
        type="Dictionary<string, JsonElement>",
        nullable=True,
        description="Further properties that the schema does not name.",
        attributes=("JsonExtensionData",),
        notes=("holds whatever properties no other field takes, so that nothing is lost",),
    )


def _values(body: Body) -> tuple[EnumValue, ...]:
    wire = [value.value for value in body.values if isinstance(value.value, (str, int))]
    names = member_names(wire, {str(value.value): value.hint for value in body.values if value.hint})
    return tuple(EnumValue(value=value, name=names[str(value)]) for value in wire)
