"""Pieces of Cedar: quoted text, patterns, sets, and what is true of a value by a rule of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}


def quoted(text: str) -> str:
    """Return text as a string of Cedar."""
    return f'"{_escaped(text)}"'


def set_of(texts: Iterable[str]) -> str:
    """Return texts as a set of Cedar."""
    return f"[{', '.join(map(quoted, texts))}]"


def is_one_of(subject: str, texts: Sequence[str]) -> str:
    """Return that `subject` is one of `texts`; a set of Cedar may not be empty."""
    return f"{set_of(texts)}.contains({subject})" if texts else "false"


def is_like(subject: str, *, before: str = "", after: str = "") -> str:
    """Return that `subject` is `before`, anything, then `after`."""
    parts = (_escaped(one).replace("*", "\\*") for one in (before, after))
    return f'{subject} like "{"*".join(parts)}"'


def any_of(parts: Sequence[str]) -> str:
    """Return that one of `parts` is true; of none it is false."""
    return _joined(parts, " || ") or "false"


def all_of(parts: Sequence[str]) -> str:
    """Return that all of `parts` are true; of none it is true."""
    return _joined(parts, " && ") or "true"


def _joined(parts: Sequence[str], word: str) -> str:
    return parts[0] if len(parts) == 1 else word.join(f"({one})" if " " in one else one for one in parts)


def _escaped(text: str) -> str:
    return "".join(_SHORT.get(one) or (one if one.isprintable() else f"\\u{{{ord(one):x}}}") for one in text)
