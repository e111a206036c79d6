"""Automatic fixes of sound C# in another spelling: records, [JsonRequired], and interfaces of lists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.csharp.asking.listing import underlying_type
from retouch.recipes.csharp.parsing.page import outline
from retouch.recipes.csharp.parsing.spelling import read_type
from retouch.recipes.csharp.writing.plain import EXTENSION_DATA, page_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from retouch.recipes.csharp.ir import CsField, CsType
    from retouch.recipes.csharp.parsing.outline import Form, Outline, Property, TypeOutline

    Edit: TypeAlias = tuple[int, int, str]  # replaces the bytes from start to end by the text

_LISTS = re.compile(r"\b(?:IReadOnlyList|IReadOnlyCollection|IList|ICollection|IEnumerable)(?=<)")
_TARGET = re.compile(r"\[\s*property\s*:\s*")


def respelled(text: str, form: Form, type_: CsType) -> str:
    """Return a page with a positional record as a class, `required` for [JsonRequired], and arrays for list interfaces.

    A page with a syntax error is returned unchanged.
    """
    page = outline(text, form)
    if page.fault is not None or not page.types or type_.kind != "class":
        return text
    data = page.data
    by_json = {field.json_name: field for field in type_.fields}
    edits: list[Edit] = []
    for part in page.types:
        if part.kind == "record" and part.name == type_.name and not type_.record:
            as_class = _edited(data, [(part.start, part.end, _as_class(data, part))])
            return respelled(as_class, form, type_)
        for property_ in part.properties:
            edits += _property_edits(data, property_, by_json.get(property_.json_name or ""))
    return _edited(data, edits)


def _edited(data: bytes, edits: list[Edit]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        data = data[:start] + new.encode() + data[end:]
    return data.decode()


def _property_edits(data: bytes, property_: Property, field: CsField | None) -> Iterator[Edit]:
    marked = property_.attribute("JsonRequired")
    if marked is not None and marked.alone:
        end = marked.list_end
        while data[end : end + 1].isspace():
            end += 1
        yield marked.list_start, end, ""
        if "required" not in property_.modifiers:
            yield property_.type_start, property_.type_start, "required "
    if field is None:
        return
    seen = _LISTS.sub("List", data[property_.type_start : property_.type_end].decode())
    if read_type(seen).canonical == read_type(field.type).canonical != property_.type.canonical:
        mark = "?" if property_.type.nullable else ""
        yield property_.type_start, property_.type_end, field.type + mark


def _as_class(data: bytes, part: TypeOutline) -> str:
    """Return a record as a class: its parameters become properties, which are required unless they have a default."""
    name = re.escape(part.name)
    head = re.split(rf"\brecord\s+(?:class\s+)?{name}\b", data[part.start : part.end].decode(), maxsplit=1)[0]
    lines = [f"{head}class {part.name}" + (f" : {part.bases}" if part.bases else ""), "{"]
    for property_ in part.properties:
        if property_.accessors_start != property_.start:  # written in the body of the record
            continue
        marks = {(one.list_start, one.list_end) for one in property_.attributes}
        lines += [f"    {_TARGET.sub('[', data[start:end].decode())}" for start, end in sorted(marks)]
        type_ = data[property_.type_start : property_.type_end].decode()
        lines.append(
            f"    public {'' if property_.initialiser else 'required '}{type_} {property_.name} {{ get; init; }}"
        )
    body = data[part.body_start : part.body_end].decode().strip("\n") if part.body_end > part.body_start else ""
    return "\n".join([*lines, *([body] if body.strip() else []), "}"])


def with_plain_members(text: str, form: Form, type_: CsType) -> str:
    """Return a page of the plain style whose members have the listed attributes, modifiers and accessors.

    Only a property of the right type is written anew; one that is computed stays, as an issue.
    """
    page = outline(respelled(text, form, type_), form)
    if page.fault is not None or not page.types or type_.kind != "class":
        return text
    whole = outline(page_of(type_, underlying=underlying_type(type_)), "type")
    listed = {_key(one): one for one in whole.types[0].properties}
    edits = [
        edit
        for part in page.types
        for seen in part.properties
        for edit in _as_listed(seen, listed.get(_key(seen)), whole)
    ]
    return _edited(page.data, edits)


def _key(property_: Property) -> str:
    extension = property_.attribute(EXTENSION_DATA) is not None
    return EXTENSION_DATA if extension else property_.json_name or f"\0{property_.name}"


def _as_listed(seen: Property, wanted: Property | None, whole: Outline) -> Iterator[Edit]:
    if wanted is None:
        return
    computed = seen.arrow or seen.initialiser or any(accessor.endswith("{}") for accessor in seen.accessors)
    if not computed and seen.type.canonical == wanted.type.canonical and seen.name == wanted.name:
        yield seen.start, seen.end, whole.data[wanted.start : wanted.end].decode()
