"""The report sections of an endpoint: its types with the part of the document that each comes from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from retouch.engine.recipe import CodeText, Section, Unread

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from retouch.recipes.csharp.ir import CsField, CsType, Endpoint
    from retouch.recipes.csharp.writing.code import CsCode

_MOST_TYPES = 500  # in the table


def report(source: Endpoint, values: Mapping[str, CsCode | Unread]) -> Iterator[Section]:
    """Yield the breaking changes, the table of types, and for each type its place in the document next to its C#."""
    if source.changes:
        text = f"{len(source.changes)} since the last time it was written. Code that uses these types may not compile."
        yield Section(title="Breaking changes", text=text, heads=("change",), rows=[(one,) for one in source.changes])
    rows = [(one.name, _kind(one), str(_members(one)), one.origin, "\n".join(one.notes)) for one in source.types]
    yield Section(
        title="Types",
        text=f"{source.method} {source.path} returns {source.root.name}.",
        heads=("type", "kind", "members", "in the document", "notes"),
        rows=rows[:_MOST_TYPES],
    )
    for one in source.types:
        value = values.get(one.name)
        code = value.text if value is not None else ""
        title = f"{one.name} (cannot be read)" if isinstance(value, Unread) else one.name
        yield Section(
            title="The document and its C#",
            unit=one.name,
            code=(
                CodeText(title=f"{one.origin or 'the document'}, as it was read", text=fragment(one), language="yaml"),
                CodeText(
                    title=title,
                    text=code,
                    language="csharp",
                ),
            ),
        )


def _kind(one: CsType) -> str:
    return f"{'open ' if one.open else ''}{one.kind}"


def _members(one: CsType) -> int:
    return len(one.fields) + len(one.values)


def fragment(one: CsType) -> str:
    """Return the part of the document that a type comes from, as YAML: what was read, in the document's own names."""
    lines = [f"description: {_quoted(one.description)}"] if one.description else []
    if one.kind == "enum":
        lines += [f"type: {'integer' if one.integer else 'string'}", "enum:"]
        return "\n".join([*lines, *(f"  - {_quoted(value.value)}" for value in one.values)])
    required = [field.json_name for field in one.fields if field.required]
    lines += ["type: object", *(["additionalProperties: false"] if one.closed else [])]
    lines += [f"required: {_quoted(required)}"] if required else []
    return "\n".join([*lines, "properties:", *(line for field in one.fields for line in _property(field))])


def _property(field: CsField) -> Iterable[str]:
    yield f"  {_quoted(field.json_name)}:  # {field.type} {field.name}"
    if field.types:
        yield f"    type: {_quoted([*field.types])}"
    if field.nullable:
        yield "    nullable: true"
    if field.description:
        yield f"    description: {_quoted(field.description)}"
    yield from (f"    # {note}" for note in field.notes)


def _quoted(value: object) -> str:
    """Return a value as JSON, which YAML reads as well."""
    return json.dumps(value, ensure_ascii=False)
