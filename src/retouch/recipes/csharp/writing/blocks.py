"""The blocks of types in an assembled file, between markers.

A marker is a line of its own, which may be indented. Files are written in UTF-8 with LF line ends, without byte order
mark, and with one line end at the end. Files with CRLF or a byte order mark can be read, and keep them around a
replaced block.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.csharp.parsing.page import normalised

if TYPE_CHECKING:
    from collections.abc import Sequence

MARKER_BEGIN = "// [SCHMITH:BEGIN {name}]"
MARKER_END = "// [SCHMITH:END {name}]"

MARKER_TEXT = re.compile(r"//[/!]*[ \t]*\[SCHMITH:", re.IGNORECASE)
_MARKER = re.compile(r"^\ufeff?[ \t]*// \[SCHMITH:(BEGIN|END) (.+?)\][ \t]*(?:\r?\n|\Z)", re.MULTILINE)


def wrap_type_block(type_name: str, code: str) -> str:
    """Return `code` between the markers of `type_name`, without a line end after the last marker.

    Raises:
        ValueError: the name is invalid in a marker, or the code contains a marker.
    """
    if not type_name or type_name != type_name.strip() or any(char in type_name for char in "]\r\n"):
        raise ValueError(f"{type_name!r} cannot name a block")
    text = _trimmed(code)
    marker = MARKER_TEXT.search(text)
    if marker:
        raise ValueError(f"the code of {type_name!r} contains a marker: {text[marker.start() :][:60]!r}")
    return f"{MARKER_BEGIN.format(name=type_name)}\n{text}\n{MARKER_END.format(name=type_name)}"


def extract_type_block(cs_code: str, type_name: str) -> str | None:
    """Return the code between the markers of `type_name`, with LF line ends, or None if it has no block.

    Raises:
        ValueError: the markers are not paired, or the name has several blocks.
    """
    found = _find(cs_code, type_name)
    return None if found is None else normalised(cs_code[found.start : found.end]).removesuffix("\n")


def replace_type_block(cs_code: str, type_name: str, new_code: str) -> str:
    """Return `cs_code` with the code of `type_name` replaced by `new_code`, and nothing else changed.

    Raises:
        ValueError: the type has no block, several, or unpaired markers, or the new code contains a marker.
    """
    found = _find(cs_code, type_name)
    if found is None:
        known = ", ".join(list_type_names(cs_code)) or "none"
        raise ValueError(f"no block of type {type_name!r}; the file has {known}")
    block = wrap_type_block(type_name, new_code).split("\n")[1:-1]
    newline = "\r\n" if cs_code.startswith("\r\n", found.start - 2) else "\n"
    indent = found.indent
    text = "".join(f"{indent}{line}{newline}" if line else newline for line in _outdented(block, indent))
    return cs_code[: found.start] + text + cs_code[found.end :]


def list_type_names(cs_code: str) -> list[str]:
    """Return the names of the blocks in the order of their first markers, each once."""
    return list(dict.fromkeys(match[2] for match in _MARKER.finditer(cs_code) if match[1] == "BEGIN"))


def assemble_cs(type_outputs: Sequence[tuple[str, str]]) -> str:
    """Return the blocks of all types, in order, with a blank line between them and a line end after the last.

    Raises:
        ValueError: a name is duplicated, or a code contains a marker.
    """
    names = [name for name, _ in type_outputs]
    twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
    if twice is not None:
        raise ValueError(f"the type {twice!r} occurs more than once. Every block needs a unique name")
    return "\n\n".join(wrap_type_block(name, code) for name, code in type_outputs) + "\n" if type_outputs else ""


@dataclass(frozen=True, kw_only=True)
class TypeBlock:
    """The lines between two markers. `end` is after the last line end, `code_end` before it.

    `indent` is the indentation of the markers.
    """

    name: str
    start: int
    code_end: int
    end: int
    indent: str


def type_blocks(text: str) -> list[TypeBlock]:
    """Return the blocks of a file in the order of their first markers. Unpaired markers are ignored."""
    waiting: list[re.Match[str]] = []
    found: list[TypeBlock] = []
    for match in _MARKER.finditer(text):
        if match[1] == "BEGIN":
            waiting.append(match)
            continue
        at = max((index for index, begin in enumerate(waiting) if begin[2] == match[2]), default=None)
        if at is not None:
            found.append(_between(waiting[at], match, text))
            del waiting[at:]
    return sorted(found, key=lambda each: each.start)


def _between(begin: re.Match[str], end: re.Match[str], text: str) -> TypeBlock:
    start, stop = begin.end(), end.start()
    line_end = 0 if start == stop else 2 if text.startswith("\r\n", stop - 2) else 1
    indent = begin[0][: begin[0].index("/")].removeprefix("\ufeff")
    return TypeBlock(name=begin[2], start=start, code_end=stop - line_end, end=stop, indent=indent)


def _find(text: str, name: str) -> TypeBlock | None:
    found = [each for each in type_blocks(text) if each.name == name]
    if len(found) > 1:
        raise ValueError(f"the type {name!r} has {len(found)} blocks. Every block needs a unique name")
    if not found and any(match[2] == name for match in _MARKER.finditer(text)):
        raise ValueError(f"the markers of type {name!r} are not paired: one BEGIN and one END are needed")
    return found[0] if found else None


def _trimmed(code: str) -> str:
    """Return `code` with LF line ends, without blank lines at its start and end."""
    lines = normalised(code).split("\n")
    written = [index for index, line in enumerate(lines) if line.strip()]
    return "\n".join(lines[written[0] : written[-1] + 1]) if written else ""


def _outdented(lines: Sequence[str], indent: str) -> Sequence[str]:
    """Return lines without `indent` if all of them have it."""
    if indent and all(line.startswith(indent) for line in lines if line):
        return [line[len(indent) :] if line else line for line in lines]
    return lines
