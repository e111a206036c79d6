"""Parses Scala without its grammar: definitions by keywords, their ends by braces.

It is less exact than the grammar and used if there is none. A definition without a body ends at the end of its line. An
indented body (Scala 3) ends at the last line with more indentation.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from retouch.locate.languages.front import Definition, Mark, Parsed
from retouch.locate.languages.quiet import quiet_places

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retouch.locate.values import SpanKind

_NAME = rb"(?:`[^`\n]+`|[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)"
_DEFINITION = re.compile(rb"(?<![\w$.\x80-\xff])(class|object|trait|enum(?=\s+[A-Z]))\s+(" + _NAME + rb")")
_BEFORE = re.compile(
    rb"(?:(?:@[\w.]+(?:\([^()]*\))?|(?:private|protected)(?:\[\w+\])?|abstract|case|final|implicit|inline|infix|lazy|open"
    rb"|opaque|override|package|sealed|transparent)\s+)+\Z"
)
_LOOK_BACK_BYTES = 300  # for modifiers and annotations; the limit keeps parsing linear
_BRACKET = re.compile(rb"[][(){}]")
_CLOSES = {b")": b"(", b"]": b"[", b"}": b"{"}
_IN_HEAD = re.compile(rb"[][(){}\n;]")
_GOES_ON = re.compile(rb"\s*(?:extends\b|with\b|derives\b|[(\[{])")
_OPEN_END = re.compile(rb"(?:\b(?:extends|with)|,)[ \t\r]*\Z")
_INDENT = re.compile(rb"[ \t]*")
_LINE = re.compile(rb"([ \t]*)[^\s][^\n]*")
_PARENT = re.compile(rb"\b(?:extends|with)\s+([\w$.\x80-\xff]+)")
_PARAMETER = re.compile(rb"([A-Za-z_$\x80-\xff][\w$\x80-\xff]*)\s*:(?!:)")
_FUNCTION = re.compile(rb"(?<![\w$\x80-\xff])def\s+(" + _NAME + rb")")
_PATTERN = re.compile(rb"(?<![\w$\x80-\xff])va[lr]\s+((?:[^=:;{}\n]|::\s*|,\s*)+)")
_LIST = re.compile(rb"[\w$`\x80-\xff]+(?:\s*,\s*[\w$`\x80-\xff]+)*")
# In a pattern that is not a list of names, a capitalised name is an extractor and defines nothing.
_GIVEN = re.compile(rb"(?<![\w$.\x80-\xff])[a-z_$\x80-\xff][\w$\x80-\xff]*")
_MADE = re.compile(rb"(?<![\w$\x80-\xff])new\s+([\w$.\x80-\xff]+)")
_WORD = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_KINDS: Mapping[bytes, SpanKind] = {b"class": "class", b"object": "object", b"trait": "trait", b"enum": "enum"}


def parse_by_braces(data: bytes) -> Parsed:
    """Return the definitions and names in Scala source. `errors` is the number of unmatched brackets."""
    quiet = quiet_places(data)
    code = bytearray(data)
    for start, end in (*quiet.comments, *quiet.texts):
        code[start:end] = re.sub(rb"[^\n]", b" ", data[start:end])
    source = _Source(bytes(code), *_partners(code))
    definitions: list[Definition] = []
    marks: list[Mark] = []
    for found in _DEFINITION.finditer(source.code):
        head = _head(source, found)
        definitions.append(_definition(source, found, head))
        marks += _marks_of_head(source, found, head)
    marks += _marks_of_bodies(source.code)
    return Parsed(definitions=definitions, marks=marks, comments=quiet.comments, errors=source.errors)


class _Source(NamedTuple):
    """Code without comments and strings, the closing position of each opening bracket, and the number of unmatched
    ones.
    """

    code: bytes
    closed: Mapping[int, int]
    errors: int


class _Head(NamedTuple):
    """A definition between its name and its body: the brackets in it, its end, and the end of the definition."""

    groups: list[tuple[int, int]]
    end: int
    definition_end: int


def _partners(code: bytearray) -> tuple[dict[int, int], int]:
    closed: dict[int, int] = {}
    errors = 0
    opened: list[tuple[bytes, int]] = []
    count = {b"(": 0, b"[": 0, b"{": 0}
    for found in _BRACKET.finditer(code):
        token = bytes(found[0])
        if token in count:
            opened.append((token, found.start()))
            count[token] += 1
        elif not count[_CLOSES[token]]:
            errors += 1
        else:
            while True:
                left, at = opened.pop()
                count[left] -= 1
                closed[at] = found.start()
                if left == _CLOSES[token]:
                    break
                errors += 1
    closed |= {at: len(code) for _, at in opened}
    return closed, errors + len(opened)


def _head(source: _Source, found: re.Match[bytes]) -> _Head:
    """Return the head of a definition, given the match of its keyword and name."""
    code, groups = source.code, list[tuple[int, int]]()
    at = found.end()
    while token := _IN_HEAD.search(code, at):
        start = token.start()
        if token[0] in {b"(", b"["}:
            groups.append((start, source.closed[start]))
            at = source.closed[start] + 1
        elif token[0] == b"{":
            return _Head(groups, start, min(source.closed[start] + 1, len(code)))
        elif token[0] == b"\n" and (_GOES_ON.match(code, start) or _OPEN_END.search(code, found.end(), start)):
            at = start + 1
        else:
            indented = token[0] == b"\n" and code[:start].endswith(b":")
            return _Head(groups, start, _indented_end(code, found.start(), start) if indented else start)
    return _Head(groups, len(code), len(code))


def _indented_end(code: bytes, definition: int, at: int) -> int:
    """Return the end of the lines after `at` that are indented more than the line of the definition."""
    column = _INDENT.match(code, code.rfind(b"\n", 0, definition) + 1)
    depth = len(column[0]) if column else 0
    end = at
    for line in _LINE.finditer(code, at + 1):
        if len(line[1]) <= depth:
            break
        end = line.end()
    return end


def _definition(source: _Source, found: re.Match[bytes], head: _Head) -> Definition:
    window = max(0, found.start() - _LOOK_BACK_BYTES)
    before = _BEFORE.search(source.code[window : found.start()])
    start = window + before.start() if before else found.start()
    kind = _KINDS[found[1]]
    if kind == "object" and before and before[0].split()[-1] == b"package":
        kind = "package_object"
    return Definition(start, head.definition_end, kind, _text(found[2]), found.start(2))


def _marks_of_head(source: _Source, found: re.Match[bytes], head: _Head) -> Iterator[Mark]:
    """Yield the parents and the parameters of a definition."""
    plain = bytearray(source.code[found.end() : head.end])
    for start, end in head.groups:
        plain[start - found.end() : end + 1 - found.end()] = b" " * (end + 1 - start)
    for parent in _PARENT.finditer(plain):
        yield Mark(found.end() + parent.start(), "parents", _last(parent[1]))
    parents_clause = _PARENT.search(plain)
    parameters_end = found.end() + parents_clause.start() if parents_clause else head.end
    for start, end in head.groups:
        if end < parameters_end and source.code[start] == ord("("):
            for parameter in _PARAMETER.finditer(source.code, start, end):
                yield Mark(parameter.start(), "defines", _text(parameter[1]))


def _marks_of_bodies(code: bytes) -> Iterator[Mark]:
    for function in _FUNCTION.finditer(code):
        yield Mark(function.start(), "defines", _text(function[1]))
    for value in _PATTERN.finditer(code):
        plain = _LIST.fullmatch(value[1].strip())
        for name in (_WORD if plain else _GIVEN).findall(value[1]):
            yield Mark(value.start(), "defines", _text(name))
    for made in _MADE.finditer(code):
        yield Mark(made.start(), "makes", _last(made[1]))


def _last(dotted: bytes) -> str:
    return _text(dotted.rstrip(b".").rpartition(b".")[2])


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace").strip("`")
