"""Converts bodies to the types and fields of the source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.csharp.ir import CsField, CsType, EnumValue
from retouch.recipes.csharp.language.prose import one_line
from retouch.recipes.csharp.naming.identifiers import first_free, member_names, property_names
from retouch.recipes.csharp.reading.attributes import limit_attributes, why_sensitive
from retouch.recipes.csharp.reading.closure import TypeClosure
from retouch.recipes.csharp.reading.field_types import FieldType, field_type
from retouch.recipes.csharp.reading.plain import field_notes, type_notes
from retouch.recipes.csharp.shapes.schemas import Schemas

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.shapes.shape import Body, Shape

_FURTHER = "additionalProperties"


class TypeWriter:
    """Converts the types of a document for the connector style. Results are cached while the names in them stay."""

    def __init__(self, document: Document) -> None:
        self._schemas = document.once(Schemas)
        self._reach = document.once(TypeClosure)
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
            written = field_type(shape, names, self._schemas.of)
            needed = wire_name in body.required and not (shape.read_only if is_request else shape.write_only)
            fields.append(_field(wire_name, cs_names[wire_name], shape, written, required=needed))
        if further:
            fields.append(_further_field(further, cs_names[further]))
        return tuple(fields)


def _field(json_name: str, name: str, shape: Shape, written: FieldType, *, required: bool) -> CsField:
    attributes, notes = limit_attributes(shape.body, written.text)
    if shape.read_only:
        attributes.append("ReadOnly")
    sensitive = why_sensitive(json_name, shape.body)
    if sensitive:
        attributes.append("WriteOnly")
        notes.append(f"review: WriteOnly proposed for the {sensitive}")
    return CsField(
        json_name=json_name,
        name=name,
        type=written.text,
        types=written.types,
        required=required,
        nullable=shape.nullable or not required,
        description=one_line(shape.description or shape.body.description),
        attributes=tuple(attributes),
        notes=field_notes([*written.notes, *notes], shape),
    )


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
