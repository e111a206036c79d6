"""What providers accept as the schema of an answer, by their documentation: the test server rejects everything else.

This is written apart from the code that rewrites schemas, so that the two can be compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from retouch.testing.wire import WireRefusal, is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SchemaSupport: TypeAlias = Literal["any", "documented", "json", "none"]
"""What a server accepts: every schema, the documented subset, only the request for JSON, or neither."""

_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
_COMMON = frozenset(
    ("type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "$ref", "$defs", "description")
)
_KEYWORDS = {
    "openai": _COMMON
    | {"const", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
    | {"minItems", "maxItems"},
    "anthropic": _COMMON | {"const", "allOf", "format", "default"},
    "google": _COMMON | {"format", "minimum", "maximum", "minItems", "maxItems", "prefixItems"},
}
_MOST_LEVELS, _MOST_PROPERTIES = 10, 5_000
_MOST_OPTIONAL, _MOST_UNIONS = 24, 16


def expect_supported(dialect: str, parameter: object, support: SchemaSupport) -> None:
    """Check the parameter of a body that holds the schema of the answer; None if there is none.

    Raises:
        WireRefusal: the server does not support it.
    """
    if parameter is None or support == "any":
        return
    schema = _schema_in(dialect, parameter)
    if support == "none" or (support == "json" and schema is not None):
        raise _refusal(dialect, "this model does not support it")
    if schema is not None and (dialect != "openai" or _is_strict(parameter)):
        _expect(dialect, schema)


def _schema_in(dialect: str, parameter: object) -> Mapping[str, Any] | None:
    """Return the schema, None if only JSON is requested."""
    if not is_object(parameter):
        raise _refusal(dialect, "it must be an object")
    if dialect == "openai":
        wrapped: Any = parameter.get("json_schema") or {}
        return wrapped.get("schema")
    schema: Any = parameter.get("schema" if dialect == "anthropic" else "responseJsonSchema")
    if schema is None and dialect == "anthropic":
        raise _refusal(dialect, "schema: Field required")
    return schema


def _is_strict(parameter: Any) -> bool:
    return parameter["json_schema"].get("strict") is True


def _refusal(dialect: str, why: str) -> WireRefusal:
    names = {"openai": "Invalid schema for response_format 'answer'", "anthropic": "output_config.format.schema"}
    kind = "INVALID_ARGUMENT" if dialect == "google" else "invalid_request_error"
    return WireRefusal(400, kind, f"{names.get(dialect, 'generation_config.response_json_schema')}: {why}")


def _expect(dialect: str, schema: Mapping[str, Any]) -> None:
    if dialect == "openai" and schema.get("type") != "object":
        raise _refusal(dialect, "schema must be a JSON Schema of 'type: \"object\"'")
    definitions: Any = schema.get("$defs", {})
    nodes = list(_nodes(dialect, schema, ()))
    for node, _ in nodes:
        _expect_node(dialect, node, definitions)
    if dialect != "openai" and _is_recursive(definitions):
        raise _refusal(dialect, "recursive schemas are not supported")
    properties = [(one, name not in node.get("required", ())) for node, _ in nodes for name, one in _named(node)]
    if dialect == "openai":
        levels = max((sum(key in {"properties", "items"} for key in path) for _, path in nodes), default=0)
        if levels > _MOST_LEVELS or len(properties) > _MOST_PROPERTIES:
            raise _refusal(dialect, "it has too many levels or properties")
    if dialect == "anthropic":
        unions = sum("anyOf" in one for one, _ in properties)
        if sum(optional for _, optional in properties) > _MOST_OPTIONAL or unions > _MOST_UNIONS:
            raise _refusal(dialect, "Schema is too complex for compilation")


def _nodes(dialect: str, node: object, path: tuple[str, ...]) -> Iterator[tuple[Mapping[str, Any], tuple[str, ...]]]:
    """Yield a schema and all schemas in it, each with the keys above it."""
    if not is_object(node):
        raise _refusal(dialect, f"a schema must be an object: {'.'.join(path)}")
    yield node, path
    for key in ("properties", "$defs"):
        for one in cast("Mapping[str, object]", node.get(key, {})).values():
            yield from _nodes(dialect, one, (*path, key) if key == "properties" else ())
    for key in ("anyOf", "allOf", "prefixItems"):
        for one in cast("list[object]", node.get(key, [])):
            yield from _nodes(dialect, one, (*path, key))
    if "items" in node:
        yield from _nodes(dialect, node["items"], (*path, "items"))


def _named(node: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield from node.get("properties", {}).items()


def _expect_node(dialect: str, node: Mapping[str, Any], definitions: Mapping[str, Any]) -> None:
    unknown = node.keys() - _KEYWORDS[dialect]
    if unknown:
        raise _refusal(dialect, f"{min(unknown)!r} is not permitted")
    target = node.get("$ref")
    if target is not None:
        if not str(target).startswith("#/$defs/") or str(target).removeprefix("#/$defs/") not in definitions:
            raise _refusal(dialect, f"reference {target!r} cannot be resolved")
        return
    if "format" in node and dialect != "google" and node["format"] not in _FORMATS | {"uri"}:
        raise _refusal(dialect, f"the format {node['format']!r} is not permitted")
    if not node.keys() & {"type", "anyOf", "allOf", "enum", "const"}:
        raise _refusal(dialect, "schema must have a 'type' key")
    if "enum" in node and (not is_list(node["enum"]) or not node["enum"]):
        raise _refusal(dialect, "enum must not be empty")
    if node.get("type") == "object":
        _expect_object(dialect, node)
    if node.get("type") == "array" and "items" not in node and "prefixItems" not in node:
        raise _refusal(dialect, "array schema missing items")


def _expect_object(dialect: str, node: Mapping[str, Any]) -> None:
    named: set[str] = set(node.get("properties", {}))
    required: set[str] = set(node.get("required", ()))
    if dialect != "google" and node.get("additionalProperties") is not False:
        raise _refusal(dialect, "'additionalProperties' is required to be supplied and to be false")
    if not required <= named or (dialect == "openai" and required != named):
        raise _refusal(dialect, "'required' is required to include every key in properties")


def _is_recursive(definitions: Mapping[str, Any]) -> bool:
    uses = {name: _used(one) for name, one in definitions.items()}
    for start, first in uses.items():
        seen, waiting = set[str](), list(first)
        while waiting:
            name = waiting.pop()
            if name == start:
                return True
            if name not in seen:
                seen.add(name)
                waiting += uses.get(name, ())
    return False


def _used(node: Any) -> set[str]:
    if is_object(node):
        own = {str(node["$ref"]).removeprefix("#/$defs/")} if "$ref" in node else set[str]()
        return own.union(*(_used(one) for one in node.values()))
    return set[str]().union(*(_used(one) for one in node)) if is_list(node) else set()
