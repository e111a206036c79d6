"""What a provider or a client library said about a failure: short, in one line, without keys and control characters."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeGuard

from retouch.models.secrets import redacted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LONGEST = 300
_LOOKED_AT = 10_000  # characters; a page for people can be long
_SAY_NOTHING = frozenset({"", "Connection error.", "Request timed out."})

STATUSES: Mapping[str, int] = {  # the statuses for which the names of errors stand
    "invalid_request_error": 400,
    "invalid_argument": 400,
    "authentication_error": 401,
    "unauthenticated": 401,
    "billing_error": 402,
    "insufficient_quota": 402,
    "permission_error": 403,
    "permission_denied": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "resource_exhausted": 429,
    "api_error": 500,
    "unavailable": 503,
    "timeout_error": 504,
    "overloaded_error": 529,
}


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
    return one_line(text)


def one_line(text: str) -> str:
    """Return `text` in one line, cut to a length that can be shown, without keys and control characters."""
    plain = "".join(one if one.isprintable() else " " for one in redacted(text)[:_LOOKED_AT])
    line = " ".join(plain.split())
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "..."


def status_in(error: Mapping[str, Any]) -> int:
    """Return the HTTP status that an error in an answer stands for, by its number or name; else 500."""
    for name in ("status_code", "code", "status"):
        value = error.get(name)
        number = int(value) if isinstance(value, str) and value.isdecimal() else value
        if isinstance(number, int) and not isinstance(number, bool) and 400 <= number < 600:
            return number
    named = (str(error.get(name, "")).lower() for name in ("type", "code", "status"))
    return next((STATUSES[name] for name in named if name in STATUSES), 500)


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
                return message + _from_behind(body.get("metadata"))
        body = body.get("error")
    return body if isinstance(body, str) else ""


def _from_behind(metadata: object) -> str:
    """Return what the provider behind a router (OpenRouter) said: its own message, not the JSON around it."""
    if not _is_object(metadata):
        return ""
    raw, name = metadata.get("raw"), metadata.get("provider_name")
    if isinstance(raw, str):
        with suppress(ValueError, RecursionError):
            raw = json.loads(raw)
    said = raw if isinstance(raw, str) else _message_in(raw)
    return f" ({name}: {said})" if said and isinstance(name, str) else f" ({said})" if said else ""


def _is_object(value: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, dict)
