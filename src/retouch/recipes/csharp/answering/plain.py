"""Answers prompts of the plain style by rules, from their text alone."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.sax.saxutils import unescape

from retouch.errors import ModelError
from retouch.recipes.csharp.ir import CsField, CsType, EnumValue
from retouch.recipes.csharp.writing.plain import page_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_FIELD = re.compile(
    r'- json: (?P<json>"(?:[^"\\]|\\.)*"); name: (?P<name>\S+); type: (?P<type>.+?); required: (?P<required>yes|no)'
)
_VALUE = re.compile(r'- (?P<value>"(?:[^"\\]|\\.)*"|-?\d+) -> (?P<name>\S+)')


def plain_answer(task: str) -> str:
    """Return the code of one page from the part of its prompt that describes the task.

    Raises:
        ModelError: the text is not a page of this recipe.
    """
    head_text, _, rest = task.partition("\n\n")
    lines = head_text.split("\n")
    head = {key: value for key, _, value in (line.partition(": ") for line in lines)}
    mode = head.get("OUTPUT MODE", "")
    members = rest.partition("\n\n")[0].rstrip("\n").split("\n")[1:]
    whole = mode not in ("fields_only", "enum_values_only")
    if "ENUM" in head:
        type_ = CsType(
            name=head["ENUM"],
            kind="enum",
            description=_head_description(head),
            integer=head["FORM"] == "integers",
            open=head["FORM"] == "open",
            values=tuple(_values(members)),
        )
    elif "CLASS" in head or "RECORD" in head:
        type_ = CsType(
            name=head.get("CLASS") or head["RECORD"],
            record="RECORD" in head,
            kind="class",
            description=_head_description(head),
            attributes=tuple(line[1:-1] for line in lines if line.startswith("[")),
            base=head.get("BASE", ""),
            fields=tuple(_fields(members)),
        )
    else:
        raise ModelError(f"the prompt asks for output mode {mode!r}, and names neither a class nor an enum")
    return page_of(type_, whole=whole, underlying=head.get("UNDERLYING TYPE", "int"))


def _blocks(lines: list[str], form: re.Pattern[str]) -> Iterator[tuple[re.Match[str], list[str]]]:
    """Yield the first line of each member, and the lines below it."""
    starts = [index for index, line in enumerate(lines) if line.startswith("- ")]
    for start, end in pairwise([*starts, len(lines)]):
        first = form.fullmatch(lines[start])
        if first is None:
            raise ModelError(f"the line {lines[start]!r} of the prompt cannot be read")
        yield first, lines[start + 1 : end]


def _head_description(head: Mapping[str, str]) -> str:
    return _description(head.get("SUMMARY", ""), head.get("REMARKS", ""))


def _description(summary: str, remarks: str) -> str:
    """Return a description whose remarks follow a line end."""
    return unescape("\n".join(filter(None, (summary, remarks))))


def _member_description(details: list[str]) -> str:
    found = (line.removeprefix("  ").partition(": ") for line in details if line[:11] in ("  summary: ", "  remarks: "))
    given = {name: text for name, _, text in found}
    return _description(given.get("summary", ""), given.get("remarks", ""))


def _fields(lines: list[str]) -> Iterator[CsField]:
    for first, details in _blocks(lines, _FIELD):
        type_ = first["type"]
        yield CsField(
            json_name=json.loads(first["json"]),
            name=first["name"],
            type=type_.removesuffix("?"),
            nullable=type_.endswith("?"),
            required=first["required"] == "yes",
            description=_member_description(details),
            attributes=tuple(line[14:-1] for line in details if line.startswith("  attribute: [")),
        )


def _values(lines: list[str]) -> Iterator[EnumValue]:
    for first, details in _blocks(lines, _VALUE):
        yield EnumValue(value=json.loads(first["value"]), name=first["name"], description=_member_description(details))
