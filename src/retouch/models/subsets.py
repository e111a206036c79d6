"""Rewrites a JSON Schema to the subset that a provider accepts.

`rewritten` may drop constraints, because every answer is checked by its recipe anyway. It may forbid properties that
the schema does not name, which is what providers do. It never allows a value that the schema forbids on purpose, such
as null for an optional property, and it never forbids data that the schema requires, such as the entries of a map. If
this is not possible, there is no rewritten schema.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Schema = dict[str, Any]

_NOTES = ("description",)
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_STRINGS = ("pattern", "minLength", "maxLength")
_PRIMITIVE = (str, int, float, bool, type(None))
_TYPES = ("object", "array", "string", "integer", "number", "boolean", "null")
_DEEPEST = 60  # levels of a schema


@dataclass(frozen=True, kw_only=True)
class Subset:
    """The part of JSON Schema that a provider accepts.

    keywords      the constraints of strings, numbers and arrays that are kept; all other keywords are dropped
    formats       the formats of strings that are kept
    closed        objects must name all properties
    all_required  objects must require all properties; a property that may be null is required, as null means absent
    has_null      optional properties may be null; False drops the null, which then means the same as leaving it out
    object_root   the schema must describe an object, without alternatives
    recursive     definitions may refer to themselves
    const         the keyword `const` is kept, instead of an `enum` of one value
    most_levels, most_properties, most_optional, most_unions
                  the limits of nested objects, of properties, of optional properties, of properties with alternatives;
                  0 means no limit
    """

    keywords: frozenset[str] = frozenset()
    formats: frozenset[str] = frozenset()
    closed: bool = True
    all_required: bool = False
    has_null: bool = True
    object_root: bool = False
    recursive: bool = True
    const: bool = True
    most_levels: int = 0
    most_properties: int = 0
    most_optional: int = 0
    most_unions: int = 0


_FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})
OPENAI = Subset(
    keywords=frozenset({"pattern", *_NUMBERS, "minItems", "maxItems"}),
    formats=_FORMATS,
    all_required=True,
    object_root=True,
    most_levels=10,
    most_properties=5_000,
)
ANTHROPIC = Subset(
    formats=_FORMATS | {"uri"}, has_null=False, recursive=False, most_optional=24, most_unions=16, most_properties=1_000
)
GOOGLE = Subset(
    keywords=frozenset({"minimum", "maximum", "minItems", "maxItems"}),
    closed=False,
    has_null=False,
    recursive=False,
    const=False,
)
CORE = Subset(  # what grammars of local servers support
    keywords=frozenset({"minLength", "maxLength", "minItems", "maxItems"}), closed=False, has_null=False
)


class _NoSubset(Exception):
    """The subset cannot express the schema."""


def rewritten(schema: Mapping[str, Any], subset: Subset) -> Schema | None:
    """Return `schema` in a provider's subset, or None if the subset cannot express it.

    assert {"type": "string"} == rewritten({"type": "string", "maxLength": 9}, ANTHROPIC)
    """
    try:
        return _Rewriter(schema, subset).whole()
    except (_NoSubset, RecursionError):
        return None


class _Rewriter:
    """Rewrites one schema. Definitions are moved to `$defs`, and only those that are used are kept."""

    def __init__(self, schema: Mapping[str, Any], subset: Subset) -> None:
        self._root, self._subset = schema, subset
        self._definitions: dict[str, Schema] = {}
        self._open: list[str] = []
        self._properties = self._optional = self._unions = 0

    def whole(self) -> Schema:
        """Return the rewritten schema."""
        found = self._node(self._root, ())
        seen = set[str]()
        while "$ref" in found:  # providers expect the type of the answer at the top
            if found["$ref"] in seen:
                raise _NoSubset
            seen.add(found["$ref"])
            found = self._definitions[_name_in(found["$ref"])]
        subset = self._subset
        counts = ((self._properties, subset.most_properties), (self._optional, subset.most_optional))
        if any(limit and count > limit for count, limit in (*counts, (self._unions, subset.most_unions))):
            raise _NoSubset
        if subset.object_root and found.get("type") != "object":
            raise _NoSubset
        return {**found, "$defs": self._definitions} if self._definitions else found

    def _node(self, schema: object, path: tuple[str, ...]) -> Schema:
        """Return one rewritten schema. `path` are the keys above it."""
        if not isinstance(schema, dict) or not schema or len(path) > _DEEPEST:
            raise _NoSubset
        node = cast("Schema", schema)
        notes = {key: node[key] for key in _NOTES if isinstance(node.get(key), str)}
        if "$ref" in node:
            return self._reference(node["$ref"], path)
        if "allOf" in node:
            return self._node(_merged(node, self._target), path)
        for key in ("anyOf", "oneOf"):
            if key in node:
                return {**self._alternatives(node, key, path), **notes}
        kinds = _types_of(node)
        if len(kinds) > 1:
            return {"anyOf": [self._typed(node, kind, path) for kind in kinds], **notes}
        if "enum" in node or "const" in node:
            return {**self._values(node, kinds), **notes}
        return {**self._typed(node, kinds[0], path), **notes}

    def _reference(self, target: object, path: tuple[str, ...]) -> Schema:
        name = _name_in(target)
        if name in self._open and not self._subset.recursive:
            raise _NoSubset
        if name not in self._definitions:
            self._definitions[name] = {}
            self._open.append(name)
            self._definitions[name] = self._node(self._target(target), (*path, "$ref"))
            self._open.pop()
        elif name in self._open and not self._definitions[name] and path and path[-1] == "$ref":
            raise _NoSubset  # a definition that is only itself
        return {"$ref": f"#/$defs/{name}"}

    def _target(self, reference: object) -> object:
        """Return the schema that a reference names."""
        name = _name_in(reference)
        for key in ("$defs", "definitions"):
            definitions: Any = self._root.get(key)
            if isinstance(definitions, dict) and name in definitions:
                return cast("Any", definitions[name])
        raise _NoSubset

    def _alternatives(self, node: Schema, key: str, path: tuple[str, ...]) -> Schema:
        """Return the alternatives of a schema. Constraints next to them are part of each."""
        rest = {name: one for name, one in node.items() if name != key}
        given: Any = node[key]
        if not isinstance(given, list) or not given:
            raise _NoSubset
        shared = {name: one for name, one in rest.items() if name in {"type", "properties", "required", "enum"}}
        shared |= {"additionalProperties": rest["additionalProperties"]} if "additionalProperties" in rest else {}
        options = [_both(one, shared, self._target) if shared else one for one in cast("list[object]", given)]
        return {"anyOf": [self._node(one, (*path, key)) for one in options]}

    def _values(self, node: Schema, kinds: list[str]) -> Schema:
        given = node["enum"] if "enum" in node else [node["const"]]
        if not isinstance(given, list) or not given:
            raise _NoSubset
        values = cast("list[object]", given)
        if not all(isinstance(one, _PRIMITIVE) for one in values) or set(kinds) & {"object", "array"}:
            raise _NoSubset
        kinds = kinds or sorted({_type_of_value(one) for one in values})
        kind = {"type": kinds[0]} if len(kinds) == 1 else {}
        return {**kind, "const": values[0]} if self._subset.const and "enum" not in node else {**kind, "enum": values}

    def _typed(self, node: Schema, kind: str, path: tuple[str, ...]) -> Schema:
        """Return the part of a schema that is about values of one type."""
        if kind not in _TYPES:
            raise _NoSubset
        if kind == "object":
            return self._object(node, path)
        if kind == "array":
            return {"type": "array", "items": self._items(node, path), **self._kept(node, ("minItems", "maxItems"))}
        if kind == "string":
            form = node.get("format")
            return {"type": "string", **self._kept(node, _STRINGS)} | (
                {"format": form} if form in self._subset.formats else {}
            )
        return {"type": kind} | (self._kept(node, _NUMBERS) if kind in {"integer", "number"} else {})

    def _kept(self, node: Schema, names: Iterable[str]) -> Schema:
        found = {name: node[name] for name in names if name in node and name in self._subset.keywords}
        if "(?" in str(found.get("pattern", "")):  # look-around and flags are supported nowhere
            del found["pattern"]
        if isinstance(found.get("exclusiveMinimum"), bool) or isinstance(found.get("exclusiveMaximum"), bool):
            found = {name: one for name, one in found.items() if not name.startswith("exclusive")}  # of draft 4
        return found

    def _items(self, node: Schema, path: tuple[str, ...]) -> Schema:
        if "prefixItems" in node or isinstance(node.get("items"), list):
            raise _NoSubset
        return self._node(node.get("items"), (*path, "items"))

    def _object(self, node: Schema, path: tuple[str, ...]) -> Schema:
        subset = self._subset
        if subset.most_levels and sum(key in {"properties", "items"} for key in path) >= subset.most_levels:
            raise _NoSubset
        given: Any = node.get("properties", {})
        extra: Any = node.get("additionalProperties")
        is_map = bool(extra) or (extra is None and not given) or bool(node.get("patternProperties"))
        required: Any = node.get("required", [])
        if not isinstance(given, dict) or not isinstance(required, list):
            raise _NoSubset
        properties, names = cast("Schema", given), cast("list[str]", required)
        if not set(names) <= set(properties):
            raise _NoSubset
        if is_map:
            return self._map(node, properties)
        found = {name: self._property(name, one, names, path) for name, one in properties.items()}
        self._properties += len(found)
        every = list(found) if subset.all_required else [name for name in found if name in names]
        return {"type": "object", "properties": found, "required": every, "additionalProperties": False}

    def _map(self, node: Schema, given: Schema) -> Schema:
        """Return an object with names of its own. Their values may have any type, since constraints can be dropped."""
        if self._subset.closed or given or node.get("patternProperties"):
            raise _NoSubset
        return {"type": "object"}

    def _property(self, name: str, schema: object, required: list[str], path: tuple[str, ...]) -> Schema:
        subset, optional = self._subset, name not in required
        if optional and not subset.has_null:
            schema = _without_null(schema)
        found = self._node(schema, (*path, "properties"))
        if optional and subset.all_required and not self._admits_null(found):
            raise _NoSubset
        self._optional += optional and not subset.all_required
        self._unions += "anyOf" in found
        return found

    def _admits_null(self, found: Schema) -> bool:
        if found.get("type") == "null" or None in found.get("enum", ()):
            return True
        if "$ref" in found:
            return self._admits_null(self._definitions[_name_in(found["$ref"])])
        return any(self._admits_null(one) for one in found.get("anyOf", ()))


def _name_in(reference: object) -> str:
    """Return the name of the definition that a local reference names."""
    parts = str(reference).split("/")
    if len(parts) != 3 or parts[0] != "#" or parts[1] not in {"$defs", "definitions"}:
        raise _NoSubset
    return parts[2].replace("~1", "/").replace("~0", "~")


def _type_of_value(value: object) -> str:
    names: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
    return names[type(value)]


def _types_of(node: Schema) -> list[str]:
    """Return the types of a schema, [] if only its values determine them."""
    given = node.get("type")
    if isinstance(given, str):
        return [given]
    if isinstance(given, list) and given and all(isinstance(one, str) for one in cast("list[object]", given)):
        kinds = cast("list[str]", given)
        return [] if "enum" in node or "const" in node else kinds
    if "enum" in node or "const" in node:
        return []
    if "properties" in node or "required" in node or "additionalProperties" in node:
        return ["object"]
    if "items" in node:
        return ["array"]
    raise _NoSubset


def _without_null(schema: object) -> object:
    """Return the schema of an optional property without the null that means the same as leaving it out."""
    if not isinstance(schema, dict):
        return schema
    node = cast("Schema", schema)
    found = dict(node)
    kinds: Any = node.get("type")
    if isinstance(kinds, list) and len(cast("list[object]", kinds)) > 1:
        rest = [one for one in cast("list[object]", kinds) if one != "null"]
        found["type"] = rest[0] if len(rest) == 1 else rest
    if isinstance(node.get("enum"), list) and len(node["enum"]) > 1:
        found["enum"] = [one for one in cast("list[object]", node["enum"]) if one is not None]
    for key in ("anyOf", "oneOf"):
        options: Any = node.get(key)
        if isinstance(options, list):
            rest = [one for one in cast("list[object]", options) if one != {"type": "null"}]
            if len(rest) == 1 and isinstance(rest[0], dict):
                others = {name: one for name, one in found.items() if name != key}
                return _without_null({**others, **cast("Schema", rest[0])})
            found[key] = rest or options
    return found


def _merged(node: Schema, target: Any) -> Schema:
    """Return a schema with `allOf` as one without."""
    parts: Any = node["allOf"]
    if not isinstance(parts, list) or not parts:
        raise _NoSubset
    found = {name: one for name, one in node.items() if name != "allOf"}
    for part in cast("list[object]", parts):
        found = _both(part, found, target)
    return found


def _both(one: object, other: Schema, target: Any) -> Schema:
    """Return the schema of values that match both. Only objects with different properties can be joined."""
    seen = 0
    while isinstance(one, dict) and "$ref" in one and seen < _DEEPEST:
        one, seen = target(cast("Schema", one)["$ref"]), seen + 1
    if not isinstance(one, dict):
        raise _NoSubset
    left = cast("Schema", one)
    if "allOf" in left:
        left = _merged(left, target)
    found = {**other, **left}
    for name in left.keys() & other.keys() - {*_NOTES, "$schema", "$defs", "definitions", "$id", "id"}:
        mine, theirs = left[name], other[name]
        if mine == theirs:
            continue
        if name == "properties" and not mine.keys() & theirs.keys():
            found[name] = {**theirs, **mine}
        elif name == "required":
            found[name] = list(dict.fromkeys([*theirs, *mine]))
        else:
            raise _NoSubset
    return found
