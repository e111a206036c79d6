"""The prompts of an endpoint: one per page of each type, each holding all that its answer needs."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from retouch.engine.core import Prompt
from retouch.recipes.csharp.asking.listing import class_attributes, underlying_type, value_literal, written_type
from retouch.recipes.csharp.asking.paging import mode_of, page_count, page_size, types_by_name
from retouch.recipes.csharp.language.literals import description_literal, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from jinja2 import Template

    from retouch.recipes.csharp.ir import CsType, Endpoint, EnumValue, Field


def plan(endpoint: Endpoint) -> Iterator[Prompt]:
    """Return the prompts of `endpoint`, type by type and page by page; the same endpoint gives the same bytes."""
    instructions = prompt_text("instructions")
    known = types_by_name(endpoint)
    for type_ in endpoint.types:
        pages = page_count(endpoint, type_)
        size = page_size(endpoint, type_)
        for page in range(1, pages + 1):
            cut = slice((page - 1) * size, page * size)
            if type_.kind == "enum":
                user = _enum_page(endpoint, type_, page, pages, type_.values[cut])
            else:
                user = _class_page(endpoint, type_, page, pages, type_.fields[cut], known)
            yield Prompt(
                type_name=type_.name,
                is_root=type_.is_root,
                page=page,
                total_pages=pages,
                system=instructions,
                user=user,
            )


def _class_page(
    endpoint: Endpoint, type_: CsType, page: int, pages: int, fields: tuple[Field, ...], known: Mapping[str, CsType]
) -> str:
    names = dict.fromkeys(name for field in fields for name in field.types)
    mode = mode_of(type_, page)
    return _template("class_page").render(
        endpoint=endpoint,
        mode=mode,
        type=type_,
        description=description_literal(type_.description),
        attributes=class_attributes(type_) if page == 1 else (),
        page=page,
        pages=pages,
        fields=map(_field_lines, fields),
        references=[(name, known[name].kind if name in known else "class") for name in names],
        example=prompt_text(f"example_{mode}").rstrip("\n"),
    )


def _enum_page(endpoint: Endpoint, type_: CsType, page: int, pages: int, values: tuple[EnumValue, ...]) -> str:
    mode = mode_of(type_, page)
    return _template("enum_page").render(
        endpoint=endpoint,
        mode=mode,
        type=type_,
        description=description_literal(type_.description),
        underlying=underlying_type(type_),
        page=page,
        pages=pages,
        values=[f"- {value_literal(value.value)} -> {value.name}" for value in values],
        example=prompt_text(f"example_{mode}{'_integers' if type_.integer else ''}").rstrip("\n"),
    )


def _field_lines(field: Field) -> str:
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


@lru_cache(maxsize=16)
def prompt_text(name: str) -> str:
    """Return the text of the prompt file called `name`, with LF line ends wherever the package was checked out."""
    return files("retouch.recipes.csharp.asking").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")


@lru_cache(maxsize=4)
def _template(name: str) -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(  # noqa: S701 - prompts are plain text, nothing to escape for
        undefined=StrictUndefined, keep_trailing_newline=True, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(prompt_text(name))
