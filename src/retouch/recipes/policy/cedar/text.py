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
    """Return strings as a Cedar set."""
    return f"[{', '.join(map(quoted, texts))}]"


def is_one_of(subject: str, texts: Sequence[str]) -> str:
    """Return an expression that is true if `subject` is one of `texts`. Cedar does not allow an empty set."""
    return f"{set_of(texts)}.contains({subject})" if texts else "false"


def is_like(subject: str, *parts: str, before: str = "", after: str = "") -> str:
    """Return an expression that is true if `subject` starts with `before` and ends with `after`.

    With `parts` it is true if `subject` consists of these, with any text between them.
    """
    found = (_escaped(one).replace("*", "\\*") for one in parts or (before, after))
    return f'{subject} like "{"*".join(found)}"'


def is_inside(subject: str, folder: str) -> str:
    """Return an expression that is true if a path is a directory or below it. Only `/` itself is in `/`."""
    below = is_like(subject, before=f"{folder}/")
    return f"{subject} == {quoted(folder)} || {below}"


def fits_host(value: str, patterns: Sequence[str], *, host: str = "host", hostpath: str = "hostpath") -> str:
    """Return an expression that is true if the host of `value` matches a pattern, as `DomainPatterns` matches it."""
    endings = [one[2:] for one in patterns if one.startswith("*.")]
    rest = [one for one in patterns if one != "*" and not one.startswith("*.")]
    hosts, whole = [one for one in rest if "/" not in one], [one for one in rest if "/" in one]
    parts = [f"{value}.isName"] if "*" in patterns else []
    parts += [is_one_of(f"{value}.{host}", list(dict.fromkeys((*hosts, *endings))))] if hosts or endings else []
    parts += [is_one_of(f"{value}.{hostpath}", whole)] if whole else []
    if endings:
        ends = any_of([is_like(f"{value}.{host}", after=f".{one}") for one in endings])
        parts.append(all_of([f"{value}.isPlain", ends]))
    return any_of(parts)


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
