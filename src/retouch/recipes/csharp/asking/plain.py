"""Builds the prompts of the plain style: the example first, the task last."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from retouch.recipes.csharp.asking.listing import underlying_type, value_literal, written_type
from retouch.recipes.csharp.asking.paging import Mode, mode_of, page_size
from retouch.recipes.csharp.asking.templates import template
from retouch.recipes.csharp.ir import CsField, CsType, Endpoint, EnumValue
from retouch.recipes.csharp.language.literals import quoted
from retouch.recipes.csharp.writing.plain import declaration_attributes, page_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_DUE = CsField(json_name="due_on", name="DueOn", type="DateOnly", required=True, description="The last day.")
_ROOM = CsField(
    json_name="room",
    name="Room",
    type="string",
    nullable=True,
    attributes=("JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)",),
)
_LOAN = CsType(name="Loan", kind="class", description="A loan of the library.", fields=(_DUE, _ROOM))
_STATE = CsType(
    name="LoanState",
    kind="enum",
    description="The state of a loan.",
    values=(EnumValue(value="on-loan", name="OnLoan"), EnumValue(value="returned", name="Returned")),
)
_WEEKS = CsType(
    name="LoanWeeks",
    kind="enum",
    integer=True,
    values=(EnumValue(value=2, name="Two"), EnumValue(value=4, name="Four")),
)


def part_of(endpoint: Endpoint, type_: CsType, page: int) -> CsType:
    """Return `type_` with the members of one page alone."""
    size = page_size(endpoint, type_)
    on_page = slice((page - 1) * size, page * size)
    return replace(type_, fields=type_.fields[on_page], values=type_.values[on_page])


def page_text(endpoint: Endpoint, type_: CsType, page: int, pages: int) -> str:
    """Return the user text of one page."""
    mode = mode_of(type_, page)
    request, answer = _example(mode, _form_of(type_))
    return template(f"plain_{type_.kind}_page").render(
        **_task(endpoint, part_of(endpoint, type_, page), mode, page, pages),
        example_request=request,
        example_answer=answer,
    )


def _form_of(type_: CsType) -> str:
    return "integers" if type_.integer else "open" if type_.open else "closed"


def _task(endpoint: Endpoint, part: CsType, mode: Mode, page: int, pages: int) -> Mapping[str, object]:
    known = endpoint.by_name
    names = dict.fromkeys(name for field in part.fields for name in field.types)
    return {
        "endpoint": endpoint,
        "mode": mode,
        "type": part,
        "summary": escape(part.description),
        "attributes": declaration_attributes(part) if part.kind == "class" else [],
        "underlying": underlying_type(part),
        "page": page,
        "pages": pages,
        "fields": map(_field_lines, part.fields),
        "values": map(_value_lines, part.values),
        "references": [(name, known[name].kind if name in known else "class") for name in names],
    }


def _field_lines(field: CsField) -> str:
    required = "yes" if field.required else "no"
    lines = [
        f"- json: {quoted(field.json_name)}; name: {field.name}; type: {written_type(field)}; required: {required}"
    ]
    lines += [f"  attribute: [{attribute}]" for attribute in field.attributes]
    lines += [f"  summary: {escape(field.description)}"] if field.description else []
    return "\n".join(lines)


def _value_lines(value: EnumValue) -> str:
    line = f"- {value_literal(value.value)} -> {value.name}"
    return f"{line}\n  summary: {escape(value.description)}" if value.description else line


@lru_cache(maxsize=16)
def _example(mode: Mode, form: str) -> tuple[str, str]:
    """Return the request and the answer of an example of an output mode."""
    if mode in ("enum_only", "enum_values_only"):
        type_ = _WEEKS if form == "integers" else replace(_STATE, open=form == "open")
        lines = [f"ENUM: {type_.name}", f"FORM: {form}", "VALUES:", *map(_value_lines, type_.values)]
    else:
        type_ = _LOAN
        lines = [f"CLASS: {type_.name}", "FIELDS:", *map(_field_lines, type_.fields)]
    whole = mode not in ("fields_only", "enum_values_only")
    if whole and type_.description:
        lines.insert(1, f"SUMMARY: {type_.description}")
    return "\n".join([f"OUTPUT MODE: {mode}", *lines]), page_of(type_, whole=whole).rstrip("\n")
