"""Builds the prompts of an endpoint: one per page of each type, complete on its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.engine.types import Prompt
from retouch.recipes.csharp.asking.listing import type_attributes, underlying_type, value_literal, written_type
from retouch.recipes.csharp.asking.paging import mode_of, page_count, page_size
from retouch.recipes.csharp.asking.templates import prompt_text, template
from retouch.recipes.csharp.language.literals import description_literal, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retouch.recipes.csharp.ir import CsField, CsType, Endpoint


_ANSWER = "EXAMPLE ANSWER:\n"


def plan(endpoint: Endpoint) -> Iterator[Prompt]:
    """Yield the prompts of `endpoint`, by type and page. The same endpoint always gives the same bytes."""
    page_text = connector_page_text
    instructions = prompt_text("instructions" if endpoint.example_first else "version_1_instructions")
    if endpoint.style == "plain":
        from retouch.recipes.csharp.asking.plain import page_text

        instructions = prompt_text("plain_instructions")
    for type_ in endpoint.types:
        pages = page_count(endpoint, type_)
        for page in range(1, pages + 1):
            yield Prompt(
                unit=type_.name,
                is_root=type_.is_root,
                page=page,
                total_pages=pages,
                system=instructions,
                user=page_text(endpoint, type_, page, pages),
            )


def connector_page_text(endpoint: Endpoint, type_: CsType, page: int, pages: int) -> str:
    """Return the user text of one page in the connector style."""
    size = page_size(endpoint, type_)
    on_page = slice((page - 1) * size, page * size)
    mode = mode_of(type_, page)
    listed = _listed_values(type_, on_page) if type_.kind == "enum" else _listed_fields(endpoint, type_, on_page)
    example = prompt_text(f"example_{mode}{'_integers' if type_.integer else ''}")
    form = ""
    if not endpoint.example_first:
        example, form = example.partition(_ANSWER)[2].rstrip("\n"), "version_1_"
    return template(f"{form}{type_.kind}_page").render(
        endpoint=endpoint,
        mode=mode,
        type=type_,
        description=description_literal(type_.description),
        page=page,
        pages=pages,
        example=example,
        **listed,
    )


def _listed_fields(endpoint: Endpoint, type_: CsType, on_page: slice) -> Mapping[str, object]:
    fields = type_.fields[on_page]
    known = endpoint.by_name
    names = dict.fromkeys(name for field in fields for name in field.types)
    return {
        "attributes": type_attributes(type_),
        "fields": map(_field_lines, fields),
        "references": [(name, known[name].kind if name in known else "class") for name in names],
    }


def _listed_values(type_: CsType, on_page: slice) -> Mapping[str, object]:
    return {
        "underlying": underlying_type(type_),
        "values": [f"- {value_literal(value.value)} -> {value.name}" for value in type_.values[on_page]],
    }


def _field_lines(field: CsField) -> str:
    required, nullable = ("yes" if flag else "no" for flag in (field.required, field.nullable))
    json = quoted(field.json_name)
    lines = [
        f"- json: {json}; name: {field.name}; type: {written_type(field)}; required: {required}; nullable: {nullable}"
    ]
    lines += [f"  attribute: [{attribute}]" for attribute in field.attributes]
    description = description_literal(field.description)
    if description:
        lines.append(f"  description: {description}")
    return "\n".join(lines)
