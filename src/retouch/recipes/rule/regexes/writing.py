"""Writes parsed expressions in the syntax of an engine, with the meaning that they have in RE2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.rule.regexes.tree import Assertion, Chars, Choice, Group, Node, Repeat, Sequence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.recipes.rule.regexes.tree import AssertionKind


@dataclass(frozen=True, kw_only=True)
class Syntax:
    """What engines write differently: places, no character at all, and characters by their code.

    `code` is None in Python, whose two forms depend on the size of the code.
    """

    places: Mapping[AssertionKind, str]
    nothing: str = r"[^\x{0}-\x{10FFFF}]"
    code: str | None = r"\x{{{:x}}}"


PYTHON = Syntax(
    places={
        "start": r"\A",
        "end": r"\Z",  # in Python '$' also matches before a line end
        "line_start": "(?m:^)",
        "line_end": "(?m:$)",
        "word": r"(?a:\b)",
        "not_word": r"(?a:\B)",
    },
    nothing="(?!)",
    code=None,
)
_PLACES: dict[AssertionKind, str] = {"start": "^", "end": "$", "line_start": "(?m:^)", "line_end": "(?m:$)"}
RE2 = Syntax(places={**_PLACES, "word": r"\b", "not_word": r"\B"})
RUST = Syntax(places={**_PLACES, "word": r"(?-u:\b)", "not_word": r"(?-u:\B)"})

_SPECIAL = frozenset(r"\.+*?()|[]{}^$-&~#")


def regex_text(node: Node, syntax: Syntax = PYTHON) -> str:
    """Return the expression in a syntax. It needs no flags and has the same groups."""
    if isinstance(node, Chars):
        return _chars(node, syntax)
    if isinstance(node, Assertion):
        return syntax.places[node.kind]
    if isinstance(node, Group):
        return f"({regex_text(node.body, syntax)})"
    if isinstance(node, Sequence):
        return "".join(regex_text(part, syntax) for part in node.parts)
    if isinstance(node, Choice):
        return f"(?:{'|'.join(regex_text(part, syntax) for part in node.parts)})"
    return _repeat(node, syntax)


def _repeat(node: Repeat, syntax: Syntax) -> str:
    body = regex_text(node.body, syntax)
    if not isinstance(node.body, (Chars, Group)):
        body = f"(?:{body})"
    short: dict[tuple[int, int | None], str] = {(0, None): "*", (1, None): "+", (0, 1): "?"}
    written = short.get((node.least, node.most))
    if written is None:
        most = "" if node.most is None else node.most
        written = f"{{{node.least}}}" if node.least == node.most else f"{{{node.least},{most}}}"
    return f"{body}{written}{'' if node.greedy else '?'}"


def _chars(node: Chars, syntax: Syntax) -> str:
    if not node.ranges:
        return "(?s:.)" if node.negated else syntax.nothing
    if node.ranges == ((10, 10),) and node.negated:
        return "."
    low, high = node.ranges[0]
    if low == high and len(node.ranges) == 1 and not node.negated:
        written = _code(low, syntax)
    else:
        codes = [(_code(low, syntax), _code(high, syntax)) for low, high in node.ranges]
        members = "".join(first if first == last else f"{first}-{last}" for first, last in codes)
        written = f"[{'^' if node.negated else ''}{members}]"
    return f"(?i:{written})" if node.any_case else written


def _code(code: int, syntax: Syntax) -> str:
    char = chr(code)
    if char.isascii() and char.isprintable():
        return f"\\{char}" if char in _SPECIAL else char
    if syntax.code is not None:
        return syntax.code.format(code)
    return f"\\x{code:02x}" if code < 256 else f"\\U{code:08x}"
