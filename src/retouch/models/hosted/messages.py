"""The error messages of providers and client libraries: short, on one line, without keys and control characters."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeGuard

from retouch.models.secrets import redacted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LONGEST = 300
_MOST_CHARS = 10_000  # characters; an HTML error page can be long
_EMPTY_MESSAGES = frozenset({"", "Connection error.", "Request timed out."})

STATUSES: Mapping[str, int] = {  # the statuses of named errors
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
    "validationexception": 400,
    "throttlingexception": 429,
    "serviceunavailableexception": 503,
}


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield `error`, its cause, and so on."""
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or one.__context__


def message_of(error: Exception) -> str:
    """Return the provider's message, or the message of the deepest cause if the error itself has none."""
    body: object = getattr(error, "body", None)
    text = _message_in(body)
    if not text and hasattr(error, "status_code"):  # a message of the library would hide that the server sent none
        says_nothing = not _is_object(body) or not body or "message" in body
        text = "without a message" if says_nothing else json.dumps(body, ensure_ascii=False, default=str)
    text = text or str(error)
    if text in _EMPTY_MESSAGES:
        found = list(causes(error))
        deepest = next((one for one in reversed(found) if isinstance(one, OSError)), found[-1])
        name = type(deepest).__name__
        text = " ".join(filter(None, (text, f"({name}: {deepest})" if str(deepest) not in _EMPTY_MESSAGES else name)))
    return one_line(text)


def one_line(text: str) -> str:
    """Return `text` on one line, cut to a displayable length, without keys and control characters."""
    plain = "".join(one if one.isprintable() else " " for one in redacted(text)[:_MOST_CHARS])
    line = " ".join(plain.split())
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "..."


def status_in(error: Mapping[str, Any]) -> int:
    """Return the HTTP status of an error in a response, from its number or name, else 500."""
    for name in ("status_code", "code", "status"):
        value = error.get(name)
        number = int(value) if isinstance(value, str) and value.isdecimal() else value
        if isinstance(number, int) and not isinstance(number, bool) and 400 <= number < 600:
            return number
    named = (str(error.get(name, "")).lower() for name in ("type", "code", "status"))
    return next((STATUSES[name] for name in named if name in STATUSES), 500)


def code_of(error: Exception) -> str:
    """Return the provider's code of the failure, or ""."""
    return _word_in(error, "code")


def kind_of(error: Exception) -> str:
    """Return the provider's type of the failure, or ""."""
    return _word_in(error, "type", unlike="error")


def _word_in(error: Exception, key: str, *, unlike: str = "") -> str:
    body: object = getattr(error, "body", None)
    while _is_object(body):
        if isinstance(word := body.get(key), str) and word != unlike:
            return word
        body = body.get("error")
    return ""


def _message_in(body: object) -> str:
    while _is_object(body):
        for name in ("message", "detail"):
            if isinstance(message := body.get(name), str):
                return message + _upstream_message(body.get("metadata"))
        body = body.get("error")
    return body if isinstance(body, str) else ""


def _upstream_message(metadata: object) -> str:
    """Return the message of the provider behind a router (OpenRouter), without the JSON around it."""
    if not _is_object(metadata):
        return ""
    raw, name = metadata.get("raw"), metadata.get("provider_name")
    if isinstance(raw, str):
        with suppress(ValueError, RecursionError):
            raw = json.loads(raw)
    upstream = raw if isinstance(raw, str) else _message_in(raw)
    return f" ({name}: {upstream})" if upstream and isinstance(name, str) else f" ({upstream})" if upstream else ""


def _is_object(value: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, dict)
