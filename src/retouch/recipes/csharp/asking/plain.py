"""Builds the prompts of the plain style: the example first, the task last."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from retouch.recipes.csharp.asking.listing import underlying_type, value_literal, written_type
from retouch.recipes.csharp.asking.paging import mode_of, page_size
from retouch.recipes.csharp.asking.templates import prompt_text, template
from retouch.recipes.csharp.language.literals import quoted
from retouch.recipes.csharp.language.prose import summary_and_remarks

if TYPE_CHECKING:
    from retouch.recipes.csharp.ir import CsField, CsType, Endpoint

_TYPE_OF = re.compile(r"^JsonDerivedType\(typeof\((\w+)\)", re.MULTILINE)


def page_text(endpoint: Endpoint, type_: CsType, page: int, pages: int) -> str:
    """Return the user text of one page."""
    size = page_size(endpoint, type_)
    on_page = slice((page - 1) * size, page * size)
    mode = mode_of(type_, page)
    form = "integers" if type_.integer else "open" if type_.open else "closed"
    known = endpoint.by_name
    names = dict.fromkeys(_related_types(type_) if page == 1 and (type_.base or type_.attributes) else ())
    names |= dict.fromkeys(name for field in type_.fields[on_page] for name in field.types)
    return template(f"plain_{type_.kind}_page").render(
        example=prompt_text(f"plain_example_{mode}{f'_{form}' if type_.kind == 'enum' else ''}"),
        endpoint=endpoint,
        mode=mode,
        type=type_,
        form=form,
        documentation=_documentation(type_.description),
        underlying=underlying_type(type_) if type_.integer else "int",
        page=page,
        pages=pages,
        fields=map(_field_lines, type_.fields[on_page]),
        values=(
            "\n  ".join((f"- {value_literal(one.value)} -> {one.name}", *_documentation(one.description)))
            for one in type_.values[on_page]
        ),
        references=[(name, known[name].kind if name in known else "class") for name in names],
    )


def _related_types(type_: CsType) -> list[str]:
    """Return the base class of a type, and the derived classes that its attributes name."""
    derived = [name for name in _TYPE_OF.findall("\n".join(type_.attributes)) if name != type_.name]
    return [type_.base, *derived] if type_.base else derived


def _field_lines(field: CsField) -> str:
    required = "yes" if field.required else "no"
    lines = [
        f"- json: {quoted(field.json_name)}; name: {field.name}; type: {written_type(field)}; required: {required}"
    ]
    lines += map("  attribute: [{}]".format, field.attributes)
    lines += [f"  {line}" for line in _documentation(field.description)]
    return "\n".join(lines)


def _documentation(description: str) -> list[str]:
    """Return the lines of a prompt that give a description."""
    halves = zip(("summary", "remarks"), summary_and_remarks(description), strict=True)
    return [f"{name}: {escape(text)}" for name, text in halves if text]
