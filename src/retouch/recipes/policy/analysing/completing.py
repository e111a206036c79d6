"""Completes example calls of regions with the arguments that the tool's schema requires."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from retouch.recipes.policy.analysing.spaces import FRESH, OUTSIDE, UNLISTED
from retouch.recipes.policy.analysing.states import with_history
from retouch.recipes.policy.deciding.json_schema import has_only, keyword_values
from retouch.recipes.policy.language.values import ToolCall
from retouch.recipes.policy.resources.roles import PATH_ROLES, URL_ROLES
from retouch.recipes.policy.scenarios.filters import fell_to_default, schema_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.values import Tool


def completed(tool: Tool, request: ToolCall) -> ToolCall | None:
    """Return the call with all arguments that the tool's schema requires, in a known mode of the tool.

    None if no such call can be built.
    """
    found = accepted_call(tool, request)
    return None if found is None or fell_to_default(tool, found.arguments) else found


def accepted_call(tool: Tool, request: ToolCall) -> ToolCall | None:
    """Return the call with all arguments that the tool's schema requires. None if no valid call can be built."""
    schema, properties = tool.input_schema or {}, tool.schemas
    arguments = {name: _as_schema_type(properties.get(name), value) for name, value in request.arguments.items()}
    for name in cast("list[str]", schema.get("required") or []):
        if name not in arguments:
            roles = tool.args[name].all_roles if name in tool.args else ()
            arguments[name] = _as_schema_type(
                properties.get(name), _role_sample(roles) or _schema_sample(properties.get(name))
            )
    found = ToolCall(server=request.server, tool=request.tool, arguments=arguments)
    found = with_history(found, request.state)
    return None if schema_errors(tool, arguments) else found


def _role_sample(roles: Iterable[str]) -> str | None:
    """Return a sample value for an argument with these roles."""
    if PATH_ROLES.intersection(roles):
        return OUTSIDE
    return f"https://{UNLISTED}" if URL_ROLES.intersection(roles) else None


def _as_schema_type(schema: JSON, value: JSON) -> JSON:
    """Wrap the value in a list if the schema requires an array, and texts in objects if its items are objects."""
    if not has_only(schema, "array"):
        return value
    values: list[JSON] = value if isinstance(value, list) else [value]
    items = schema.get("items") if isinstance(schema, dict) else None
    if not (isinstance(items, dict) and has_only(items, "object")):
        return values
    objects: list[JSON] = [_as_object(items, one) if isinstance(one, str) else one for one in values]
    return objects


def _as_object(schema: Mapping[str, JSON], text: str) -> JSON:
    """Return an object with a text as its path, or else as the first text that it must have: `{"email": text}`.

    The text itself if it has no such.
    """
    properties, required = schema.get("properties"), schema.get("required")
    known = properties if isinstance(properties, dict) else {}
    names = [*map(str, required)] if isinstance(required, list) and required else [*known]
    texts = [one for one in names if has_only(known.get(one), "string") and not keyword_values(known.get(one), "enum")]
    if not texts:
        return text
    sample = {name: _schema_sample(known.get(name)) for name in names}
    return {**sample, "path" if "path" in texts else texts[0]: text}


def _schema_sample(schema: JSON) -> JSON:
    """Return a sample value for a simple schema."""
    found = schema if isinstance(schema, dict) else {}
    if "const" in found:
        return found["const"]
    for key in ("enum", "examples", "anyOf", "oneOf"):
        choices = found.get(key)
        if isinstance(choices, list) and choices:
            return _schema_sample(choices[0]) if key.endswith("Of") else choices[0]
    wanted = next((one for one in sorted(keyword_values(schema, "type")) if one in _SAMPLES), "string")
    return _SAMPLES[wanted](found)


def _object_sample(schema: Mapping[str, JSON]) -> JSON:
    properties, required = schema.get("properties"), schema.get("required")
    known = properties if isinstance(properties, dict) else {}
    names = map(str, required if isinstance(required, list) else [])
    return {name: _schema_sample(known.get(name)) for name in names}


def _array_sample(schema: Mapping[str, JSON]) -> JSON:
    return [_schema_sample(schema.get("items"))] if schema.get("minItems") else []


def _text_sample(schema: Mapping[str, JSON]) -> JSON:
    least, form, pattern = schema.get("minLength"), schema.get("format"), schema.get("pattern")
    if isinstance(form, str) and form in _FORMATS:
        return _FORMATS[form]
    if isinstance(pattern, str):
        return next((one for one in _texts(schema) if _fits(pattern, one)), FRESH)
    return FRESH.ljust(least, "x") if isinstance(least, int) else FRESH


def _texts(schema: Mapping[str, JSON]) -> Iterator[str]:
    """Yield strings that a pattern may be for: the examples of the description, and common codes and numbers."""
    told = schema.get("description")
    for found in _EXAMPLE.finditer(told if isinstance(told, str) else ""):
        yield found["quoted"] or found["bare"]
    yield from (FRESH, *_FORMATS.values(), *_CODES)


def _fits(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return False


_EXAMPLE = re.compile(r"['\"`](?P<quoted>[^'\"`]{1,60})['\"`]|e\.g\.,? (?P<bare>[^\s,;()]+)")
_FORMATS: Mapping[str, str] = {
    "date": "2024-01-08",
    "date-time": "2024-01-08T10:00:00Z",
    "time": "10:00:00Z",
    "email": "someone@example.com",
    "uri": f"https://{UNLISTED}",
    "uuid": "0b5f9a1c-6f0e-4a52-9a57-3c1d2e4f5a6b",
    "ipv4": "192.0.2.1",
    "hostname": UNLISTED,
}
_CODES = (
    *("A", "AB", "ABC", "ABCD", "a", "ab", "abc", "1", "12", "123", "1234", "12345", "123456"),
    *("A1", "AB1", "ABC-1", "ABC-123", "a1", "a-1", "2024", "2024-01", "10:00", "+15550100"),
    *("#1", "#general", "1.0.0", "v1.0.0", "example/example"),
)

_SAMPLES: Mapping[str, Callable[[Mapping[str, JSON]], JSON]] = {
    "integer": lambda schema: schema.get("minimum", 1),
    "number": lambda schema: schema.get("minimum", 1),
    "boolean": lambda _: False,
    "array": _array_sample,
    "object": _object_sample,
    "string": _text_sample,
}
