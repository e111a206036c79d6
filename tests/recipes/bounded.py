"""What holds for every answer schema of a recipe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import jsonschema

from retouch.models.subsets import ANTHROPIC, CORE, GOOGLE, OPENAI, rewritten

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def nodes(schema: object) -> Iterator[dict[str, Any]]:
    """Yield a schema and all schemas in it."""
    if isinstance(schema, dict):
        node = cast("dict[str, Any]", schema)
        if "type" in node or "$ref" in node or "anyOf" in node:
            yield node
        for one in node.values():
            yield from nodes(one)
    elif isinstance(schema, list):
        for one in cast("list[Any]", schema):
            yield from nodes(one)


def unbounded(schema: object) -> list[dict[str, Any]]:
    """Return the texts and lists in which a model could repeat itself without end."""
    limit = {"string": "maxLength", "array": "maxItems"}
    found = [node for node in nodes(schema) if isinstance(node.get("type"), str)]
    return [node for node in found if node["type"] in limit and limit[node["type"]] not in node]


def providers_with_a_form(schema: Mapping[str, Any]) -> list[str]:
    """Return the providers that can enforce a schema."""
    subsets = {"openai": OPENAI, "anthropic": ANTHROPIC, "google": GOOGLE, "local": CORE}
    return [name for name, subset in subsets.items() if rewritten(schema, subset) is not None]


def fits(schema: Mapping[str, Any], value: object) -> bool:
    """Return whether a value satisfies a schema."""
    validator: Any = jsonschema.Draft202012Validator(dict(schema))
    return validator.is_valid(value)
