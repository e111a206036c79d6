"""The prompts of the meaning pass: one per page of each type with open questions."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from retouch.engine.types import Prompt
from retouch.recipes.csharp.asking.listing import written_type
from retouch.recipes.csharp.asking.paging import page_count, page_size
from retouch.recipes.csharp.language.literals import quoted
from retouch.recipes.csharp.meaning.checks import (
    key_candidates,
    needs_name,
    settled_proposals,
    subject_of,
    unsure_values,
)
from retouch.recipes.csharp.meaning.evidence import is_vague
from retouch.recipes.csharp.meaning.proposals import ANSWER_SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.csharp.ir import CsField, Endpoint, EnumValue
    from retouch.recipes.csharp.meaning.checks import AskedType

HEAD = "TYPE: "
_EXAMPLES, _EXAMPLE_CHARS = 3, 80


@cache
def instructions() -> str:
    """Return the system text, which is the same for every type of every document."""
    return files("retouch.recipes.csharp.meaning").joinpath("instructions.txt").read_text(encoding="utf-8")


def plan_meaning(endpoint: Endpoint) -> Iterator[Prompt]:
    """Yield the prompts of an endpoint. A type without anything to ask has none, except the first of the run."""
    for index, type_ in enumerate(endpoint.types):
        subject = subject_of(endpoint, type_)
        if index and not is_asked(subject):
            continue
        pages = page_count(endpoint, type_)
        for page in range(1, pages + 1):
            yield Prompt(
                unit=type_.name,
                is_root=type_.is_root,
                page=page,
                total_pages=pages,
                system=instructions(),
                user=page_text(subject, page, pages),
                answer_schema=ANSWER_SCHEMA,
            )


def is_asked(subject: AskedType) -> bool:
    """Return whether there is something to ask about a type.

    That is a name, a key, a text that is missing or empty of content, or a property that the document only describes in
    prose: a string, or one that is never null. A type with settled decisions always gets a prompt, so that they are
    checked and written.
    """
    type_ = subject.type
    if settled_proposals(subject) or needs_name(subject) or key_candidates(subject) or unsure_values(subject):
        return True
    if is_undocumented(subject, "") or any(is_undocumented(subject, value) for value in subject.values):
        return True
    return any(
        is_undocumented(subject, name) or (field.description and (field.type == "string" or not field.nullable))
        for name, field in subject.fields.items()
    ) or (type_.kind == "class" and not subject.fields)


def is_undocumented(subject: AskedType, member: str) -> bool:
    """Return whether the document does not describe a member (or the type, if ""), beyond its name."""
    description = subject.description(member)
    return not description or is_vague(description, subject.name(member), subject.type.name)


def page_text(subject: AskedType, page: int, pages: int) -> str:
    """Return the user text of one page: the type, its description in the document, and its members."""
    size = page_size(subject.endpoint, subject.type)
    on_page = slice((page - 1) * size, page * size)
    lines = [*_head(subject), f"PAGE: {page} of {pages}" if pages > 1 else "", "", "MEMBERS:"]
    if subject.type.kind == "enum":
        unsure = set(unsure_values(subject))
        lines += [_value_line(subject, one, unsure) for one in subject.type.values[on_page]]
    else:
        lines += [_field_line(subject, one) for one in subject.type.fields[on_page] if one.json_name in subject.fields]
    return "\n".join(line for line in lines if line) + "\n"


def _head(subject: AskedType) -> Iterator[str]:
    endpoint, type_ = subject.endpoint, subject.type
    kind = type_.kind if type_.kind == "class" else "integer enum" if type_.integer else "enum"
    yield f"{HEAD}{type_.name} ({kind}){'' if type_.description else ', undocumented'}"
    if not endpoint.served:
        yield f"ENDPOINT: {endpoint.method} {endpoint.path}"
    if needs_name(subject):
        yield f"NAME: WANTED, for the place {type_.origin}"
    if type_.description:
        mark = " (undocumented)" if is_undocumented(subject, "") else ""
        yield f"DESCRIPTION{mark}: {type_.description}"
    candidates = key_candidates(subject)
    if candidates:
        yield f"KEY CANDIDATES: {', '.join(map(quoted, candidates))}"


def _field_line(subject: AskedType, field: CsField) -> str:
    facts = subject.members.get(field.json_name)
    parts = [f"- {quoted(field.json_name)}: {written_type(field)}"]
    if is_undocumented(subject, field.json_name):
        parts.append("undocumented")
    if field.description:
        parts.append(f"description: {field.description}")
    if facts is not None:
        parts += [f"format: {facts.format}"] if facts.format else []
        parts += [f"pattern: {facts.pattern}"] if facts.pattern else []
        shown = [one for one in facts.examples if len(one) <= _EXAMPLE_CHARS][:_EXAMPLES]
        parts += [f"examples: {', '.join(shown)}"] if shown and field.type in ("string", "double", "float") else []
    return "; ".join(parts)


def _value_line(subject: AskedType, value: EnumValue, unsure: set[str]) -> str:
    text = str(value.value)
    parts = [f"- {quoted(text)} -> {value.name}"]
    parts += ["unnamed"] if text in unsure else []
    parts += ["undocumented"] if is_undocumented(subject, text) else []
    parts += [f"description: {value.description}"] if value.description else []
    return "; ".join(parts)
