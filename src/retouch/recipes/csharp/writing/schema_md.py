"""The review page of an endpoint, in Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.csharp.ir import CsField, CsType, Endpoint

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#])")
_REVIEW = "review: "


def schema_markdown(endpoint: Endpoint) -> str:
    """Return a page for the user's review of an endpoint's types before anything is generated.

    It lists open decisions first, then each type with its origin, its fields and its notes.
    """
    return "\n".join(_page(endpoint)) + "\n"


def _page(endpoint: Endpoint) -> Iterator[str]:
    yield f"# {_text(endpoint.method)} {_code(endpoint.path)}"
    yield ""
    answer = " ".join(part for part in (endpoint.status, endpoint.media_type) if part)
    if answer:
        yield f"- Response: {_text(answer)}"
    yield f"- Root: {_link(endpoint.root)}, in the namespace {_code(endpoint.namespace)}"
    key = ", ".join(_code(name) for name in endpoint.root.key[1:])
    yield f"- Primary key: {key or '**none**'}"
    yield f"- Types: {_count(endpoint)}"
    yield from (f"- Note: {_text(note)}" for note in endpoint.notes)
    yield from _to_review(endpoint)
    for cs_type in endpoint.types:
        yield ""
        yield from _type(cs_type)


def _count(endpoint: Endpoint) -> str:
    enums = sum(cs_type.kind == "enum" for cs_type in endpoint.types)
    fields = sum(len(cs_type.fields) for cs_type in endpoint.types)
    return f"{len(endpoint.types)} ({enums} of them enums), {fields} fields"


def _to_review(endpoint: Endpoint) -> Iterator[str]:
    found = [
        f"- {_link(cs_type)}.{_code(field.name)}: {_text(note.removeprefix(_REVIEW))}"
        for cs_type in endpoint.types
        for field in cs_type.fields
        for note in field.notes
        if note.startswith((_REVIEW, "unresolved"))
    ]
    if found:
        yield from ("", "## To review", "", *found)


def _type(cs_type: CsType) -> Iterator[str]:
    kind = "integer enum" if cs_type.integer else cs_type.kind
    yield f"## {_text(cs_type.name)}"
    yield ""
    yield f"{'Root ' if cs_type.is_root else ''}{kind} from {_code(cs_type.origin)}"
    if cs_type.description:
        yield ""
        yield _text(cs_type.description)
    notes = [f"- {_text(note)}" for note in cs_type.notes]
    if cs_type.closed:
        notes.append("- further properties are forbidden")
    if notes:
        yield from ("", *notes)
    yield ""
    if cs_type.kind == "enum":
        yield from ("| value | C# name |", "|---|---|")
        yield from (f"| {_code(_quoted(value.value))} | {_code(value.name)} |" for value in cs_type.values)
    else:
        yield from ("| JSON name | C# name | C# type | required | null | notes |", "|---|---|---|---|---|---|")
        yield from (_row(field, cs_type) for field in cs_type.fields)


def _quoted(value: str | int) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _row(field: CsField, cs_type: CsType) -> str:
    name = _code(field.json_name) + (" **key**" if field.json_name in cs_type.key[1:] else "")
    mark = "?" if field.nullable else ""
    remarks = [_text(field.description)] if field.description else []
    remarks += [_code(f"[{attribute}]") for attribute in field.attributes]
    remarks += [f"*{_text(note)}*" for note in field.notes]
    cells = [name, _code(field.name), _type_cell(field, mark), _yes(field.required), _yes(field.nullable)]
    return f"| {' | '.join(cells)} | {'<br>'.join(remarks)} |"


def _type_cell(field: CsField, mark: str) -> str:
    links = " ".join(f"[→](#{name.lower()})" for name in field.types)
    return _code(field.type + mark) + (f" {links}" if links else "")


def _yes(value: bool) -> str:
    return "yes" if value else ""


def _link(cs_type: CsType) -> str:
    return f"[{_text(cs_type.name)}](#{cs_type.name.lower()})"


def _text(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _code(text: str) -> str:
    """Return the text as inline code. A table cell's bar is escaped, and the fence is longer than backticks in the
    text.
    """
    fence = "`" * (max((len(run) for run in re.findall(r"`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") or not text.strip() else ""
    return f"{fence}{pad}{text or ' '}{pad}{fence}".replace("|", "\\|").replace("\n", "␊")
