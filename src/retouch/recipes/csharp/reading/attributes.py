"""Further attributes of a property: the limits of its schema, and a mark for sensitive values."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from retouch.recipes.csharp.language.literals import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch._lib.json_text import JSON
    from retouch.recipes.csharp.shapes.shape import Body

_LENGTHS = {"minLength": "MinLength", "maxLength": "MaxLength"}
_COUNTS = {"minItems": "MinItems", "maxItems": "MaxItems"}
_BOUNDS = {
    "minimum": "Minimum",
    "maximum": "Maximum",
    "exclusiveMinimum": "ExclusiveMinimum",
    "exclusiveMaximum": "ExclusiveMaximum",
    "multipleOf": "MultipleOf",
}
_UINT_ENDS_AT = 2**32
_LONGEST_PATTERN = 1000

_SENSITIVE = re.compile(
    r"\b(?:password|passwd|passphrase|secret|credentials?|api key|access key|private key|access token|auth token"
    r"|refresh token|bearer token|client secret|ssn|social security|national id|passport|driver s? ?licen[cs]e"
    r"|tax id|tax number|tax identifier|vat number|iban|bank account|account number|routing number"
    r"|sort code|card number|credit card|cvv|cvc|salary|wages?|pay rate|hourly rate|compensation"
    r"|birth date|date of birth|birthday|dob|gender|sex|ethnicity|religion|nationality|marital status|diagnosis"
    r"|blood type|e ?mails?|email address|phone|phone number|mobile number|fax|fax number|street|street address"
    r"|home address|address line ?\d?|postal code|zip code|first name|last name|middle name|surname"
    r"|ip|ip address|ipv4 address|ipv6 address|mac address)\b"
)
_SENSITIVE_FORMATS = {"password": "password", "email": "e-mail address", "ipv4": "IP address", "ipv6": "IP address"}
_BETWEEN_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z0-9]+")


def limit_attributes(body: Body, type_text: str) -> tuple[list[str], list[str]]:
    """Return the validation attributes of the schema for a property of this C# type, and notes.

    Lengths and patterns are only used for `string`, because on dates and enums they would apply to another text.
    """
    limits = body.limits
    if not limits:
        return [], []
    if type_text == "string":
        return _text_limits(limits)
    if body.kind == "array":
        found = [f"{name}({limits[key]})" for key, name in _COUNTS.items() if _is_count(limits.get(key))]
        return [*found, *(["UniqueItems(true)"] if limits.get("uniqueItems") is True else [])], []
    if body.kind in {"integer", "number"} and not body.is_enum:
        return _number_limits(limits), []
    return [], []


def _is_count(value: JSON) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _UINT_ENDS_AT


def _text_limits(limits: Mapping[str, JSON]) -> tuple[list[str], list[str]]:
    found = [f"{name}({limits[key]})" for key, name in _LENGTHS.items() if _is_count(limits.get(key))]
    pattern = limits.get("pattern")
    if not isinstance(pattern, str):
        return found, []
    if len(pattern) > _LONGEST_PATTERN:
        return found, [f"review: a pattern of {len(pattern)} characters is left out"]
    return [*found, f"Pattern({quoted(pattern)})"], []


def _number_limits(limits: Mapping[str, JSON]) -> list[str]:
    """Return attributes for bounds. In OpenAPI 3.0 `exclusiveMinimum: true` makes `minimum` exclusive."""
    found: list[str] = []
    for key, name in _BOUNDS.items():
        value = limits.get(key)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        sharpened = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}.get(key, "")
        written = _number(value)
        if written:
            found.append(f"{'Exclusive' if limits.get(sharpened) is True else ''}{name}({written})")
    return found


def _number(value: float) -> str:
    """Return the number as a C# constant that converts to double, or "" if there is none."""
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return str(value)
    try:
        as_double = float(value)
    except OverflowError:
        return ""
    return repr(as_double) if math.isfinite(as_double) else ""


def why_sensitive(json_name: str, body: Body) -> str:
    """Return why a property's value is probably personal, secret or financial, from its name and format, or "".

    Only strings and arrays are considered: `email_verified` (bool) and `max_tokens` (integer) are harmless.
    """
    if body.kind not in {"string", "array"} or body.is_enum:
        return ""
    if body.format in _SENSITIVE_FORMATS:
        return _SENSITIVE_FORMATS[body.format]
    words = " ".join(_BETWEEN_WORDS.sub(" ", json_name).lower().split())
    found = _SENSITIVE.search(words)
    return f"{found.group()!r} in its name" if found and not words.endswith((" url", " uri", " id", " type")) else ""
