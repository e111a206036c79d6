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
    yield f"# {text(endpoint.method)} {code(endpoint.path)}"
    yield ""
    if endpoint.served:
        yield f"- Endpoints: {len(endpoint.served)}, in endpoints.md"
        yield f"- Namespace: {code(endpoint.namespace)}"
    else:
        yield from _single(endpoint)
    yield f"- Types: {_count(endpoint)}"
    yield from (f"- Note: {text(note)}" for note in endpoint.notes)
    if endpoint.changes:
        yield from ("", "## Breaking changes of the last rewrite", "")
        yield from (f"- {text(change)}" for change in endpoint.changes)
    yield from _to_review(endpoint)
    for cs_type in endpoint.types:
        yield ""
        yield from _type(cs_type)


def _single(endpoint: Endpoint) -> Iterator[str]:
    answer = " ".join(part for part in (endpoint.status, endpoint.media_type) if part)
    if answer:
        yield f"- Response: {text(answer)}"
    yield f"- Root: {_link(endpoint.root)}, in the namespace {code(endpoint.namespace)}"
    key = ", ".join(code(name) for name in endpoint.root.key[1:])
    yield f"- Primary key: {key or '**none**'}"


def _count(endpoint: Endpoint) -> str:
    enums = sum(cs_type.kind == "enum" for cs_type in endpoint.types)
    fields = sum(len(cs_type.fields) for cs_type in endpoint.types)
    return f"{len(endpoint.types)} ({enums} of them enums), {fields} fields"


def _to_review(endpoint: Endpoint) -> Iterator[str]:
    found = [
        f"- {_link(cs_type)}.{code(field.name)}: {text(note.removeprefix(_REVIEW))}"
        for cs_type in endpoint.types
        for field in cs_type.fields
        for note in field.notes
        if note.startswith((_REVIEW, "unresolved"))
    ]
    if found:
        yield from ("", "## To review", "", *found)


def _type(cs_type: CsType) -> Iterator[str]:
    kind = "integer enum" if cs_type.integer else cs_type.kind
    yield f"## {text(cs_type.name)}"
    yield ""
    yield f"{'Root ' if cs_type.is_root else ''}{kind} from {code(cs_type.origin)}"
    if cs_type.description:
        yield ""
        yield text(cs_type.description)
    notes = [f"- {text(note)}" for note in cs_type.notes]
    if cs_type.closed:
        notes.append("- further properties are forbidden")
    if notes:
        yield from ("", *notes)
    yield ""
    if cs_type.kind == "enum":
        yield from ("| value | C# name |", "|---|---|")
        yield from (f"| {code(_quoted(value.value))} | {code(value.name)} |" for value in cs_type.values)
    else:
        yield from ("| JSON name | C# name | C# type | required | null | notes |", "|---|---|---|---|---|---|")
        yield from (_row(field, cs_type) for field in cs_type.fields)


def _quoted(value: str | int) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _row(field: CsField, cs_type: CsType) -> str:
    name = code(field.json_name) + (" **key**" if field.json_name in cs_type.key[1:] else "")
    mark = "?" if field.nullable else ""
    remarks = [text(field.description)] if field.description else []
    remarks += [code(f"[{attribute}]") for attribute in field.attributes]
    remarks += [f"*{text(note)}*" for note in field.notes]
    cells = [name, code(field.name), _type_cell(field, mark), _yes(field.required), _yes(field.nullable)]
    return f"| {' | '.join(cells)} | {'<br>'.join(remarks)} |"


def _type_cell(field: CsField, mark: str) -> str:
    links = " ".join(f"[→](#{name.lower()})" for name in field.types)
    return code(field.type + mark) + (f" {links}" if links else "")


def _yes(value: bool) -> str:
    return "yes" if value else ""


def _link(cs_type: CsType) -> str:
    return f"[{text(cs_type.name)}](#{cs_type.name.lower()})"


def text(plain: str) -> str:
    """Return plain text with the marks of Markdown escaped."""
    return _SPECIAL.sub(r"\\\1", plain)


def code(plain: str) -> str:
    """Return the text as inline code. A table cell's bar is escaped, and the fence is longer than backticks in the
    text.
    """
    fence = "`" * (max((len(run) for run in re.findall(r"`+", plain)), default=0) + 1)
    pad = " " if plain.startswith("`") or plain.endswith("`") or not plain.strip() else ""
    return f"{fence}{pad}{plain or ' '}{pad}{fence}".replace("|", "\\|").replace("\n", "␊")
