"""Translates parsed expressions to the syntax of Python's `re`, with the meaning that they have in RE2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.rule.regexes.tree import Assertion, Chars, Choice, Group, Node, Repeat, Sequence

if TYPE_CHECKING:
    from retouch.recipes.rule.regexes.tree import AssertionKind

_PLACES: dict[AssertionKind, str] = {
    "start": r"\A",
    "end": r"\Z",  # in Python '$' also matches before a line end
    "line_start": "(?m:^)",
    "line_end": "(?m:$)",
    "word": r"(?a:\b)",
    "not_word": r"(?a:\B)",
}


def python_regex(node: Node) -> str:
    """Return the expression in Python's syntax. It needs no flags and has the same groups."""
    if isinstance(node, Chars):
        return _chars(node)
    if isinstance(node, Assertion):
        return _PLACES[node.kind]
    if isinstance(node, Group):
        return f"({python_regex(node.body)})"
    if isinstance(node, Sequence):
        return "".join(python_regex(part) for part in node.parts)
    if isinstance(node, Choice):
        return f"(?:{'|'.join(python_regex(part) for part in node.parts)})"
    return _repeat(node)


def _repeat(node: Repeat) -> str:
    body = python_regex(node.body)
    if not isinstance(node.body, (Chars, Group)):
        body = f"(?:{body})"
    short: dict[tuple[int, int | None], str] = {(0, None): "*", (1, None): "+", (0, 1): "?"}
    written = short.get((node.least, node.most))
    if written is None:
        most = "" if node.most is None else node.most
        written = f"{{{node.least}}}" if node.least == node.most else f"{{{node.least},{most}}}"
    return f"{body}{written}{'' if node.greedy else '?'}"


def _chars(node: Chars) -> str:
    if not node.ranges:
        return "(?s:.)" if node.negated else "(?!)"
    if node.ranges == ((10, 10),) and node.negated:
        return "."
    low, high = node.ranges[0]
    if low == high and len(node.ranges) == 1 and not node.negated:
        written = _code(low)
    else:
        members = "".join(_code(low) if low == high else f"{_code(low)}-{_code(high)}" for low, high in node.ranges)
        written = f"[{'^' if node.negated else ''}{members}]"
    return f"(?i:{written})" if node.any_case else written


def _code(code: int) -> str:
    char = chr(code)
    if char.isascii() and (char.isalnum() or char in "_/ "):
        return char
    return f"\\x{code:02x}" if code < 256 else f"\\U{code:08x}"
