"""The offline model: it answers a prompt by rules, from its user text alone. The checks use it as their oracle."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from retouch.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from retouch.engine.types import Prompt

_FIELD = re.compile(
    r'- json: (?P<json>"(?:[^"\\]|\\.)*"); name: (?P<name>\S+); type: (?P<type>.+?); '
    r"required: (?P<required>yes|no); nullable: (?P<nullable>yes|no)"
)
_VALUE = re.compile(r'- (?P<value>"(?:[^"\\]|\\.)*"|-?\d+) -> (?P<name>\S+)')
TASK = "\nYOUR TASK:\n"  # a prompt of the plain style has an example before it
CONNECTOR_TASK = "\nYOUR TASK, in the same form:\n"  # so has one of the connector style, except in runs of version 1


def answer(prompt: Prompt) -> str:
    """Return the code that the prompt requests, without errors.

    Raises:
        ModelError: the text is not a page of this recipe.
    """
    if prompt.user.startswith("TYPE: "):
        return '{"proposals": []}'  # rules have no meaning to add
    if TASK in prompt.user:
        from retouch.recipes.csharp.answering.plain import plain_answer

        return plain_answer(prompt.user.partition(TASK)[2])
    page = _read_page(prompt.user.rpartition(CONNECTOR_TASK)[2])
    mode = page.head.get("OUTPUT MODE", "")
    write = _WRITERS.get(mode)
    if write is None:
        raise ModelError(f"the prompt asks for output mode {mode!r}; known are {', '.join(_WRITERS)}")
    return write(page)


@dataclass(frozen=True, kw_only=True)
class _Page:
    """A parsed prompt: its head by key, the attribute lines of the class, and the lines of its members."""

    head: Mapping[str, str]
    attributes: list[str]
    members: list[str]


def _read_page(text: str) -> _Page:
    head_text, _, rest = text.partition("\n\n")
    head: dict[str, str] = {}
    attributes: list[str] = []
    for line in head_text.split("\n"):
        if line.startswith("["):
            attributes.append(line)
        else:
            key, _, value = line.partition(": ")
            head[key] = value
    members, _, _ = rest.partition("\n\n")
    return _Page(head=head, attributes=attributes, members=members.split("\n")[1:])


def _class(page: _Page) -> str:
    attributes = "".join(f"{line}\n" for line in [*page.attributes, *_description(page.head, "CLASS")])
    return f"{attributes}public class {page.head['CLASS']}\n{{\n{_properties(page)}}}\n"


def _fields(page: _Page) -> str:
    return f"// BEGIN_FIELDS\n{_properties(page)}// END_FIELDS\n"


def _enum(page: _Page) -> str:
    attributes = [] if page.head["ENUM OF"] == "integers" else ["[JsonConverter(typeof(JsonStringEnumConverter))]"]
    attributes += _description(page.head, "ENUM")
    base = f" : {page.head['UNDERLYING TYPE']}" if "UNDERLYING TYPE" in page.head else ""
    lines = "".join(f"{line}\n" for line in attributes)
    return f"{lines}public enum {page.head['ENUM']}{base}\n{{\n{_values(page)}}}\n"


def _enum_values(page: _Page) -> str:
    return f"// BEGIN_FIELDS\n{_values(page)}// END_FIELDS\n"


def _description(head: Mapping[str, str], noun: str) -> list[str]:
    text = head.get(f"{noun} DESCRIPTION")
    return [f"[Description({text})]"] if text else []


def _properties(page: _Page) -> str:
    return "\n".join(_property_blocks(page.members))


def _property_blocks(lines: list[str]) -> Iterator[str]:
    starts = [index for index, line in enumerate(lines) if line.startswith("- ")]
    for start, end in pairwise([*starts, len(lines)]):
        field = _FIELD.fullmatch(lines[start])
        if field is None:
            raise ModelError(f"the field line {lines[start]!r} cannot be read")
        yield _property(field, lines[start + 1 : end])


def _property(field: re.Match[str], details: list[str]) -> str:
    json_name, name, type_, required, nullable = field.group("json", "name", "type", "required", "nullable")
    lines = [f"[JsonPropertyName({json_name})]"]
    lines += [f"[Description({line[15:]})]" for line in details if line.startswith("  description: ")]
    if required == "yes":
        lines.append("[Required]")
    if nullable == "yes":
        lines.append("[Nullable(true)]")
    lines += [line[13:] for line in details if line.startswith("  attribute: ")]
    keyword = "required " if required == "yes" else ""
    initialiser = " = default!;" if required == nullable == "no" else ""
    lines.append(f"public {keyword}{type_} {name} {{ get; init; }}{initialiser}")
    return "".join(f"    {line}\n" for line in lines)


def _values(page: _Page) -> str:
    blocks: list[str] = []
    for line in page.members:
        if not line.startswith("- "):
            continue
        member = _VALUE.fullmatch(line)
        if member is None:
            raise ModelError(f"the value line {line!r} cannot be read")
        value, name = member.group("value", "name")
        if page.head["ENUM OF"] == "integers":
            blocks.append(f"    {name} = {value},\n")
        else:
            blocks.append(f"    [JsonStringEnumMemberName({value})]\n    {name},\n")
    return ("" if page.head["ENUM OF"] == "integers" else "\n").join(blocks)


_WRITERS: Mapping[str, Callable[[_Page], str]] = {
    "full_class": _class,
    "class_only": _class,
    "fields_only": _fields,
    "enum_only": _enum,
    "enum_values_only": _enum_values,
}
