"""Converts bodies to the types and fields of the plain style."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from retouch.recipes.csharp.ir import CsField, CsType, EnumValue
from retouch.recipes.csharp.language.literals import quoted
from retouch.recipes.csharp.language.prose import one_line
from retouch.recipes.csharp.naming.identifiers import first_free, member_names, property_names
from retouch.recipes.csharp.reading.field_types import field_type
from retouch.recipes.csharp.reading.fields import type_notes, written_field

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.csharp.ir import Extra
    from retouch.recipes.csharp.reading.hierarchies import ChosenHierarchies, Hierarchy
    from retouch.recipes.csharp.shapes.shape import Body, Expr, Shape

_EXTENSION = "AdditionalProperties"
_EXTENSION_DATA = "JsonExtensionData"
_NAMED = re.compile(
    r"(?<![\w.-])`?(?P<value>-?\d+)`?\s*(?:[:=]|-(?=\s))\s*(?P<name>[A-Za-z][\w -]{0,39}?)(?=\s*(?:[,;.)\n(]|$))"
)
_LONGEST = 1_000_000  # characters of a description: a documentation comment has room for all of it
_TOO_LARGE = 2**63
_ABSENT = "required, but a valid example of another variant around it lacks it"
_OMIT_NULL = "JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)"


@dataclass(frozen=True, kw_only=True)
class PlainTypeWriter:
    """Writes types in the plain style.

    `names` has the C# names by place, `of` returns the shape of a schema, and `unions` the alternatives of a union of
    different JSON types. `hierarchies` are the unions that are written
    as a base class with derived classes. `is_both` is whether the types are sent and received. `extras` are
    those of the source. `long_times` are the members, by the place of their class, with examples that no time of C#
    can hold, and `absent` those that a valid example lacks although its class requires them.
    """

    names: Mapping[str, str]
    of: Callable[[Expr], Shape]
    unions: Callable[[Body], Sequence[Shape]]
    hierarchies: ChosenHierarchies | None
    is_request: bool
    is_both: bool = False
    extras: tuple[Extra, ...] = ()
    long_times: Collection[tuple[str, str]] = frozenset()
    absent: Collection[tuple[str, str]] = frozenset()

    def write(self, body: Body, *, is_root: bool) -> CsType:
        """Return the type of a class or enum body.

        An enum of strings is open, unless the document states that it gets no further values
        (`x-ms-enum.modelAsString: false`).
        """
        if body.is_enum:
            return _enum(body, self.names[body.home.place], is_root=is_root)
        place, chosen = body.home.place, self.hierarchies
        base, above = (chosen.by_base.get(place), chosen.by_variant.get(place)) if chosen else (None, None)
        attributes, parent, notes = tuple[str, ...](), "", type_notes(body)
        if base is not None:
            fields = [*self._base_fields(base)]
            attributes = self._selection(base)
            note = f"the discriminator {base.discriminator!r} selects the derived class; an unknown value is not kept"
            notes = (*type_notes(base.base), note)
        elif above is not None:
            fields = self._own_fields(body, above)
            parent = self.names[above.base.home.place]
        else:
            fields = [*self._fields(body)]
        return CsType(
            name=self.names[body.home.place],
            kind="class",
            is_root=is_root,
            description=prose(body.description),
            fields=tuple(fields),
            closed=body.closed,
            origin=body.home.place,
            notes=notes,
            attributes=attributes,
            base=parent,
            record="records" in self.extras,
        )

    def _fields(self, body: Body) -> Iterator[CsField]:
        """Yield the field of each property, and the one that keeps all other properties."""
        extension = first_free(_EXTENSION, body.members)
        class_name, is_record = self.names[body.home.place], "records" in self.extras
        cs_names = property_names([*body.members, extension], class_name, plain=True, record=is_record)
        for wire_name, expr in body.members.items():
            shape = self.of(expr)
            absent = shape.read_only if self.is_request else shape.write_only
            never_sent = absent or (self.is_both and shape.read_only)
            is_absent = (body.home.place, wire_name) in self.absent
            required = wire_name in body.required and not never_sent and not is_absent
            field = self._field(body, wire_name, cs_names[wire_name], shape, required=required)
            if is_absent:
                field = replace(field, notes=(*field.notes, _ABSENT))
            yield _with_default(field, shape) if "defaults" in self.extras else field
        yield CsField(
            json_name=extension,
            name=cs_names[extension],
            type="Dictionary<string, JsonElement>",
            nullable=True,
            description="Properties that the API description does not name.",
            attributes=(_EXTENSION_DATA,),
        )

    def _field(self, body: Body, json_name: str, name: str, shape: Shape, *, required: bool) -> CsField:
        written = field_type(shape, self.names, self.of, unions=self.unions)
        attributes: list[str] = []
        if not (required or shape.nullable or (written.text == "JsonElement" and shape.body.is_empty)):
            attributes.append(_OMIT_NULL)
        if shape.deprecated and not required:  # the compiler warns of an obsolete property that must be set
            attributes.append("Obsolete")
        notes = ["readOnly: sent in responses only"] if shape.read_only else []
        is_long = (body.home.place, json_name) in self.long_times
        field = written_field((json_name, name), shape, written, required=required, notes=notes, has_long_times=is_long)
        description = prose(shape.description or shape.body.description)
        return replace(field, description=description, attributes=tuple(attributes))

    def _base_fields(self, hierarchy: Hierarchy) -> Iterator[CsField]:
        """Yield the fields of a base class: the properties that no variant has in another form."""
        bodies = map(hierarchy.without_discriminator, hierarchy.variants.values())
        variants = [{field.json_name: field for field in self._fields(body)} for body in bodies]
        for field in self._fields(hierarchy.base):
            others = [fields[field.json_name] for fields in variants if field.json_name in fields]
            if all(_form(field) == _form(other) for other in others) or field.attributes == (_EXTENSION_DATA,):
                yield field

    def _own_fields(self, body: Body, hierarchy: Hierarchy) -> list[CsField]:
        """Return the fields of a derived class that its base class does not have, with names of their own."""
        inherited = [*self._base_fields(hierarchy)]
        known = {field.json_name for field in inherited}
        taken = {field.name for field in inherited}
        own = [field for field in self._fields(hierarchy.without_discriminator(body)) if field.json_name not in known]
        own = [field for field in own if field.attributes != (_EXTENSION_DATA,)]
        return [replace(field, name=first_free(field.name, taken)) for field in own]

    def _selection(self, hierarchy: Hierarchy) -> tuple[str, ...]:
        """Return the attributes of a base class: the discriminator, and the class of each of its values."""
        name = quoted(hierarchy.discriminator)
        own = [(hierarchy.own, hierarchy.base)] if hierarchy.own is not None else []
        return (
            f"JsonPolymorphic(TypeDiscriminatorPropertyName = {name}, IgnoreUnrecognizedTypeDiscriminators = true)",
            *(
                f"JsonDerivedType(typeof({self.names[body.home.place]}), {quoted(value)})"
                for value, body in (*hierarchy.variants.items(), *own)
            ),
        )


def _form(field: CsField) -> object:
    return field.type, field.required, field.nullable, field.attributes


def _enum(body: Body, name: str, *, is_root: bool) -> CsType:
    marked = body.home.value.get("x-ms-enum") if isinstance(body.home.value, dict) else None
    is_closed = isinstance(marked, dict) and marked.get("modelAsString") is False
    is_open = body.kind == "string" and not is_closed
    wire = [value.value for value in body.values if isinstance(value.value, (str, int))]
    hints = {str(value.value): value.hint for value in body.values if value.hint}
    if not hints and body.kind == "integer":
        hints = _named_in_prose(body.description, wire)
    names = member_names(wire, hints, struct=name if is_open else "")
    described = _described(body.home.value, wire)
    values = ((value, names[str(value)], prose(described.get(str(value), ""))) for value in wire)
    return CsType(
        name=name,
        kind="enum",
        is_root=is_root,
        description=prose(body.description),
        values=tuple(EnumValue(value=value, name=own, description=text) for value, own, text in values),
        integer=body.kind == "integer",
        origin=body.home.place,
        notes=type_notes(body),
        open=is_open,
    )


prose = partial(one_line, longest=_LONGEST)  # a description of the document on one line, whole


def _described(schema: JSON, wire: Sequence[str | int]) -> dict[str, str]:
    """Return the description of each value, if the document has a list or a mapping of them."""
    keys = ("x-enum-descriptions", "x-enumDescriptions")
    listed = next((schema[key] for key in keys if key in schema), None) if isinstance(schema, dict) else None
    if isinstance(listed, list) and len(listed) == len(wire):
        listed = dict(zip(map(str, wire), listed, strict=True))
    return {key: text for key, text in listed.items() if isinstance(text, str)} if isinstance(listed, dict) else {}


def _named_in_prose(description: str, wire: Sequence[str | int]) -> dict[str, str]:
    """Return names from a description such as `0: closed, 1: open`. It must name each value once, and differently."""
    found = [(match["value"], match["name"]) for match in _NAMED.finditer(description)]
    names = dict(found)
    whole = len(found) == len(names) == len(wire) == len({name.lower() for name in names.values()})
    return names if whole and names.keys() == set(map(str, wire)) else {}


def _with_default(field: CsField, shape: Shape) -> CsField:
    """Return a field with the default of its schema as an attribute, which changes nothing on the wire."""
    schema = shape.body.home.value
    value = schema.get("default") if isinstance(schema, dict) else None
    if isinstance(value, str):
        literal = quoted(value)
    elif isinstance(value, (bool, int, float)):
        literal = json.dumps(value)
    else:
        return field
    if literal in ("NaN", "Infinity", "-Infinity") or (isinstance(value, int) and abs(value) >= _TOO_LARGE):
        return field
    return replace(field, attributes=(*field.attributes, f"DefaultValue({literal})"))
