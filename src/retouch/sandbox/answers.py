"""Parses the output of a sandbox: JSON and text that an attacker may have written."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, cast

from retouch.sandbox.values import Failure, JsonValue, Limits, SandboxResult

if TYPE_CHECKING:
    from retouch.sandbox.values import Kind

MESSAGE_CHARACTERS = 300
LAST_LINE = 1_000_000
REPORTED = {"runtime", "memory", "not_serializable", "output_too_large", "unsupported", "syntax", "missing_function"}
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)
# CSI, then OSC and the other strings up to their end, then two-character escapes.
_ESCAPES = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.?", re.DOTALL)


class _Refused(Exception):
    """The text is JSON that is not accepted."""


def read_answer(text: bytes | str, limits: Limits) -> SandboxResult:
    """Return the JSON value in `text`, or the reason why it is refused.

    Refused are: too many bytes, too deep nesting, duplicate keys, numbers that are not finite or have thousands of
    digits, and invalid Unicode.
    """
    if len(text) > limits.output_bytes:
        return _refusal("output_too_large", f"the answer is longer than {limits.output_bytes:,} bytes of JSON")
    try:
        read = text if isinstance(text, str) else text.decode("utf-8")  # json would guess other encodings
        if _is_deeper(read, limits.depth):
            return _too_deep(limits)
        value: JsonValue = json.loads(
            read, object_pairs_hook=_unique, parse_constant=_refuse_constant, parse_float=_finite
        )
        is_writable = _is_writable(value)
    except RecursionError:  # the caller allows more levels than this Python can parse
        return _too_deep(limits)
    except _Refused as refused:
        return _refusal("not_serializable", str(refused))
    except ValueError as error:
        return _refusal("not_serializable", f"the answer is not JSON: {error}")
    if not is_writable:
        return _refusal("not_serializable", "the answer contains a lone surrogate, which cannot be written as UTF-8")
    return SandboxResult(value=value)


def _is_deeper(text: str, most: int) -> bool:
    """Return whether objects and arrays are nested more than `most` levels deep.

    This is counted before parsing, because the nesting limit of Python's parser and its error differ by version.
    """
    depth = 0
    for found in _STRING_OR_BRACKET.finditer(text):
        first = found[0][0]
        depth += (first in "[{") - (first in "]}")
        if depth > most:
            return True
    return False


def _is_writable(value: JsonValue) -> bool:
    """Return whether every string in `value` can be encoded as UTF-8."""
    if isinstance(value, str):
        return _is_unicode(value)
    if isinstance(value, dict):
        return all(_is_unicode(key) and _is_writable(item) for key, item in value.items())
    return not isinstance(value, list) or all(map(_is_writable, value))


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Refused(f"the answer has a duplicate key: {twice!r}")
    return found


def _refuse_constant(name: str) -> float:
    raise _Refused(f"the answer contains {name}, which is not valid JSON")


def _finite(text: str) -> float:
    number = float(text)
    if number in {float("inf"), float("-inf")}:
        raise _Refused(f"the answer contains {text[:40]}, which is too large for a number")
    return number


def _is_unicode(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _too_deep(limits: Limits) -> SandboxResult:
    return _refusal("output_too_large", f"the answer is nested deeper than {limits.depth} levels")


def _refusal(kind: Kind, message: str) -> SandboxResult:
    return SandboxResult(error=failure(kind, message))


def failure(kind: Kind, message: str, *, line: int | None = None, feature: str | None = None) -> Failure:
    """Return a failure with printable strings only."""
    return Failure(kind=kind, message=plain_line(message), line=line, feature=plain_line(feature) if feature else None)


def not_run(limits: Limits) -> Failure:
    """Return the failure of a call that was not started."""
    return failure("timeout", f"not run: the batch took longer than {limits.batch_s:g} s")


def plain_line(text: str) -> str:
    """Return `text` as one line of printable characters without terminal escapes, cut to 300 characters."""
    return _printable(text[: 8 * MESSAGE_CHARACTERS], keep="")[:MESSAGE_CHARACTERS]


def plain_text(raw: bytes) -> str:
    """Return printed output without terminal escapes and unprintable characters. Line breaks are preserved."""
    return _printable(raw.decode("utf-8", "replace"), keep="\n")


def _printable(text: str, *, keep: str) -> str:
    bare = _ESCAPES.sub("", text)
    shown = (c if c.isprintable() or c in keep else " " if c.isspace() else "" for c in bare)
    return "".join(shown).strip()


def read_failure(text: bytes) -> Failure:
    """Return the failure that the sandboxed process reports. If the report is malformed, the details are dropped."""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        parsed = None
    found = cast("dict[str, object]", parsed) if isinstance(parsed, dict) else {}
    kind, message, line, feature = (found.get(key) for key in ("kind", "message", "line", "feature"))
    if not isinstance(kind, str) or kind not in REPORTED or not isinstance(message, str):
        return failure("crashed", "the process wrote something that is not an answer")
    return failure(
        cast("Kind", kind),
        message,
        line=line if isinstance(line, int) and 0 < line < LAST_LINE else None,
        feature=feature if isinstance(feature, str) else None,
    )
