"""Diagnostics of a compiler, and the type and page that each refers to."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from retouch.engine.types import Issue, Tier
from retouch.errors import RetouchError
from retouch.recipes.csharp.writing.blocks import type_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch.recipes.csharp.writing.code import CsCode

_KEEP_WIRE_NAME = "Give the property another C# name and keep its [JsonPropertyName] as it is."
_ONLY_KNOWN = "Use only the types that this page's prompt names, with their exact names; declare no others."
_BALANCE = "Check brackets, quotes and semicolons at this place, and write every declaration whole."

_FIXES: Mapping[str, str] = {
    "CS0100": _KEEP_WIRE_NAME,
    "CS0101": "Declare each type once; this one is declared elsewhere in the file.",
    "CS0102": "Two members have the same C# name. " + _KEEP_WIRE_NAME,
    "CS0103": "Name a property of the same class inside nameof, or give its JSON name as a string.",
    "CS0104": "The name fits two types; write it with its namespace.",
    "CS0106": "Remove the modifier that does not belong here; properties are `public`.",
    "CS0108": "The property hides an inherited member. " + _KEEP_WIRE_NAME,
    "CS0111": "Two members have the same C# name. " + _KEEP_WIRE_NAME,
    "CS0116": "Every property belongs inside a class.",
    "CS0117": _ONLY_KNOWN,
    "CS0182": "An attribute takes only constants: literals, `nameof`, `typeof`.",
    "CS0234": _ONLY_KNOWN,
    "CS0246": _ONLY_KNOWN,
    "CS0305": "Give the generic type all of its type arguments.",
    "CS0542": "A property cannot be named like its class. " + _KEEP_WIRE_NAME,
    "CS0579": "Write each attribute once.",
    "CS0592": "Move the attribute to a declaration that may carry it, or remove it.",
    "CS0616": "This is not an attribute; a type of the file may hide it. Use the attributes that the prompt shows.",
    "CS1001": _BALANCE,
    "CS1002": _BALANCE,
    "CS1003": _BALANCE,
    "CS1009": "Double every backslash inside a string.",
    "CS1010": "A string may not run over a line: write line breaks as \\n.",
    "CS1022": _BALANCE,
    "CS1026": _BALANCE,
    "CS1039": _BALANCE,
    "CS1056": "Remove the character; names are letters, digits and underscores.",
    "CS1503": "Give the attribute an argument of the type that it takes.",
    "CS1513": _BALANCE,
    "CS1514": _BALANCE,
    "CS1519": _BALANCE,
    "CS1729": "Give the attribute the number of arguments that it takes.",
    "CS7036": "Give the attribute all of its arguments.",
    "CS8618": "Add `required` when the schema requires the property; else write `?` on its type and [Nullable(true)].",
    "CS8625": "Write `?` on the type, or give a value that is not null.",
}


class CompilerFailed(RetouchError):
    """A compiler returned no result: it crashed, hung, or its output was invalid."""


@dataclass(frozen=True, kw_only=True)
class Diagnostic:
    """One diagnostic of a compiler. `line` and `column` count from 1 in the compiled file."""

    code: str
    severity: Literal["error", "warning"]
    message: str
    line: int
    column: int


def to_issues(root: str, values: Mapping[str, CsCode], text: str, found: Sequence[Diagnostic]) -> list[Issue]:
    """Return an issue of tier 3 for each diagnostic, with the type and page that its line in `text` came from.

    `text` is the assembled file with markers. A line outside of every type's block gives an issue of `root`, without a
    page.
    """
    lines = text.split("\n")
    blocks = list(_blocks(text))
    return [_issue(root, values, lines, blocks, diagnostic) for diagnostic in found]


@dataclass(frozen=True, kw_only=True)
class _Block:
    """The marker lines of a type, counted from 1."""

    name: str
    begin: int
    end: int


def _blocks(text: str) -> Iterator[_Block]:
    line = offset = 0
    for found in type_blocks(text):
        begin = line + text.count("\n", offset, found.start)
        line, offset = begin + text.count("\n", found.start, found.end), found.end
        yield _Block(name=found.name, begin=begin, end=line + 1)


def _issue(
    root: str, values: Mapping[str, CsCode], lines: Sequence[str], blocks: Sequence[_Block], found: Diagnostic
) -> Issue:
    unit, page, line = _location(root, values, blocks, found.line)
    source = lines[found.line - 1].strip() if 0 < found.line <= len(lines) else ""
    return Issue(
        code=found.code,
        message=found.message,
        tier=Tier.SEMANTIC,
        unit=unit,
        page=page,
        line=line,
        detail={"column": found.column, "source": source[:200]},
        severity=found.severity,
        fix=_FIXES.get(found.code, ""),
    )


def _location(
    root: str, values: Mapping[str, CsCode], blocks: Sequence[_Block], line: int
) -> tuple[str, int | None, int | None]:
    index = bisect_right(blocks, line, key=lambda block: block.begin) - 1
    block = blocks[index] if index >= 0 else None
    if block is None or line > block.end or block.name not in values:
        return root, None, None
    page, line_in_page = values[block.name].page_at(max(1, line - block.begin))
    return block.name, page, line_in_page
