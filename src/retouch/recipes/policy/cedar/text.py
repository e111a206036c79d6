"""Builds Cedar expressions: string literals, patterns, sets, and boolean combinations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}


def quoted(text: str) -> str:
    """Return text as a Cedar string literal."""
    return f'"{_escaped(text)}"'


def set_of(texts: Iterable[str]) -> str:
    """Return texts as a Cedar set."""
    return f"[{', '.join(map(quoted, texts))}]"


def is_one_of(subject: str, texts: Sequence[str]) -> str:
    """Return an expression that is true if `subject` is one of `texts`. Cedar does not allow an empty set."""
    return f"{set_of(texts)}.contains({subject})" if texts else "false"


def is_like(subject: str, *, before: str = "", after: str = "") -> str:
    """Return an expression that is true if `subject` starts with `before` and ends with `after`."""
    parts = (_escaped(one).replace("*", "\\*") for one in (before, after))
    return f'{subject} like "{"*".join(parts)}"'


def any_of(parts: Sequence[str]) -> str:
    """Return an expression that is true if any of `parts` is. With no parts it is false."""
    return _join_operands(parts, " || ") or "false"


def all_of(parts: Sequence[str]) -> str:
    """Return an expression that is true if all of `parts` are. With no parts it is true."""
    return _join_operands(parts, " && ") or "true"


def _join_operands(parts: Sequence[str], word: str) -> str:
    return parts[0] if len(parts) == 1 else word.join(f"({one})" if " " in one else one for one in parts)


def _escaped(text: str) -> str:
    return "".join(_SHORT.get(one) or (one if one.isprintable() else f"\\u{{{ord(one):x}}}") for one in text)
