"""What a provider or a client library said about a failure: short, in one line, without keys and control characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

from retouch.models.secrets import redacted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LONGEST = 300
_LOOKED_AT = 10_000  # characters; a page for people can be long
_SAY_NOTHING = frozenset({"", "Connection error.", "Request timed out."})


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield `error`, what it was raised from, and so on."""
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or one.__context__


def said_by(error: Exception) -> str:
    """Return the provider's own words, or those of what lies at the bottom of an error that says nothing itself."""
    text = _message_in(getattr(error, "body", None)) or str(error)
    if text in _SAY_NOTHING:
        found = list(causes(error))
        deepest = next((one for one in reversed(found) if isinstance(one, OSError)), found[-1])
        name = type(deepest).__name__
        text = " ".join(filter(None, (text, f"({name}: {deepest})" if str(deepest) not in _SAY_NOTHING else name)))
    plain = "".join(one if one.isprintable() else " " for one in redacted(text)[:_LOOKED_AT])
    line = " ".join(plain.split())
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "..."


def code_of(error: Exception) -> str:
    """Return the provider's short name of the failure, "" when it gives none."""
    body: object = getattr(error, "body", None)
    while _is_object(body):
        if isinstance(code := body.get("code"), str):
            return code
        body = body.get("error")
    return ""


def _message_in(body: object) -> str:
    while _is_object(body):
        for name in ("message", "detail"):
            if isinstance(message := body.get(name), str):
                return message
        body = body.get("error")
    return body if isinstance(body, str) else ""


def _is_object(value: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, dict)
