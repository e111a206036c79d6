"""Finds where an example of a document contradicts its own schema, with a second, independent reading of the schema.

It does not use the reading that decides the C# types, so that a mistake there cannot excuse itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retouch._lib.json_text import JSON

Schema = dict[str, Any]
_DEEPEST = 60
_BITS = {"int32": 31, "int64": 63}
_FORMATS = {
    "date-time": r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)?",
    "date": r"\d{4}-\d\d-\d\d",
    "time": r"\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)?",
    "uuid": r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    "byte": r"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?",
}


_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Reads the schemas of one document. A reference to another file, or without a target, allows everything.

    With `described`, a property that the schema does not name is a contradiction, else only if the schema forbids it.
    With `rfc_3339`, a `date-time` needs seconds and an offset, as the format demands.
    """

    document: Mapping[str, JSON]
    described: bool = True
    rfc_3339: bool = False

    def contradictions(self, schema: JSON, value: JSON, path: str = "", depth: int = 0) -> frozenset[str]:
        """Return the places of `value`, as JSON pointers, that `schema` forbids or does not describe."""
        return frozenset(self._found(self._flat(schema), value, path, depth)) if depth < _DEEPEST else frozenset()

    def resolved(self, node: JSON) -> JSON:
        """Return the target of `node`'s reference, or `node` itself."""
        seen = 0
        while isinstance(node, dict) and isinstance(node.get("$ref"), str) and seen < _DEEPEST:
            node, seen = self._target(cast("str", node["$ref"])), seen + 1
        return node

    def _target(self, ref: str) -> JSON:
        node: JSON = cast("JSON", self.document)
        for token in unquote(ref.removeprefix("#")).split("/")[1:] if ref.startswith("#") else ["/"]:
            key = token.replace("~1", "/").replace("~0", "~")
            try:
                node = node[int(key)] if isinstance(node, list) else cast("dict[str, JSON]", node)[key]
            except (KeyError, IndexError, ValueError, TypeError):
                return {}
        return node

    def _flat(self, schema: JSON) -> Schema:
        """Return the schema with its `allOf` members merged into it. Properties of members are combined."""
        node = self.resolved(schema)
        flat: Schema = dict(node) if isinstance(node, dict) else {}
        choices = [{key: flat[key]} for key in ("oneOf", "anyOf") if key in flat]
        for member in flat.pop("allOf", []):
            part = self._flat(member)
            choices += part.pop("choices", [])
            flat["properties"] = {**part.get("properties", {}), **flat.get("properties", {})}
            flat["required"] = [*flat.get("required", []), *part.get("required", [])]
            flat = {**part, **flat}
        flat["choices"] = choices
        return flat

    def _found(self, schema: Schema, value: JSON, path: str, depth: int) -> Iterator[str]:
        if value is None:
            if not self._nullable(schema):
                yield path
            return
        if not _fits(schema, value) or (self.rfc_3339 and not _is_moment(schema, value)):
            yield path
        elif isinstance(value, dict):
            yield from self._members(schema, value, path, depth)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                yield from self.contradictions(cast("JSON", schema.get("items")), item, f"{path}/{index}", depth + 1)
            yield from self._chosen(schema, value, path, depth)
        else:
            yield from self._chosen(schema, value, path, depth)

    def _nullable(self, schema: Schema) -> bool:
        if schema.get("nullable") or schema.get("x-nullable") or "null" in _types(schema):
            return True
        if not _types(schema) and ("const" in schema or "enum" in schema):
            return None in schema.get("enum", [schema.get("const", "")])
        variants = [variant for choice in schema["choices"] for variant in _variants(choice)]
        return any(self._nullable(self._flat(variant)) for variant in variants) or not _described(schema)

    def _members(self, schema: Schema, value: dict[str, JSON], path: str, depth: int) -> Iterator[str]:
        variants = [self._variants(choice, value, path, depth) for choice in schema["choices"]]
        own = cast("dict[str, JSON]", schema.get("properties", {}))
        rest = schema.get("additionalProperties")
        patterns = cast("dict[str, JSON]", schema.get("patternProperties", {}))
        free = rest is True or rest == {} or (not own and rest is None and not variants)
        for name, item in value.items():
            place = f"{path}/{name}"
            if name in own:
                yield from self.contradictions(own[name], item, place, depth + 1)
            elif fitting := [one for pattern, one in patterns.items() if _matches(pattern, name)]:
                for one in fitting:
                    yield from self.contradictions(one, item, place, depth + 1)
            elif isinstance(rest, dict) and rest:
                yield from self.contradictions(cast("JSON", rest), item, place, depth + 1)
            elif not free and (self.described or rest is False) and not any(_describes(one, place) for one in variants):
                yield place
        missing = (name for name in schema.get("required", []) if name not in value)
        yield from (f"{path}/{name}" for name in missing if not self._is_sent_only(own.get(name)))
        for bad, _ in variants:
            yield from (place for place in bad if place.removeprefix(path).strip("/").split("/")[0] not in own)

    def _is_sent_only(self, member: JSON) -> bool:
        """Return whether a property may be absent from responses, although it is required."""
        return member is not None and bool(self._flat(member).get("writeOnly"))

    def _variants(self, choice: Schema, value: JSON, path: str, depth: int) -> tuple[frozenset[str], Schema]:
        """Return the contradictions of the best matching variant, and that variant."""
        flats = [self._flat(variant) for variant in _variants(choice)]
        judged = [(self.contradictions(flat, value, path, depth + 1), flat) for flat in flats]
        return min(judged, key=lambda pair: len(pair[0]))

    def _chosen(self, schema: Schema, value: JSON, path: str, depth: int) -> Iterator[str]:
        for choice in schema["choices"]:
            yield from self._variants(choice, value, path, depth)[0]


def _variants(choice: Schema) -> list[JSON]:
    return cast("list[JSON]", choice.get("oneOf") or choice.get("anyOf") or [{}])


def _describes(variant: tuple[frozenset[str], Schema], place: str) -> bool:
    return place not in variant[0]


def _described(schema: Schema) -> bool:
    return any(key in schema for key in ("type", "enum", "const", "properties", "items")) or bool(schema["choices"])


def _types(schema: Schema) -> list[str]:
    kind = schema.get("type")
    if kind is None and "properties" in schema:
        return ["object"]
    return cast("list[str]", kind) if isinstance(kind, list) else [kind] if isinstance(kind, str) else []


def _fits(schema: Schema, value: JSON) -> bool:
    types = _types(schema)
    if types and not any(kind != "null" and _is(kind, value) for kind in types):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if "const" in schema and value != schema["const"]:
        return False
    return _has_format(schema.get("format"), value)


def _matches(pattern: str, name: str) -> bool:
    """Return whether a name matches a pattern of the document. One that Python cannot read matches every name."""
    try:
        return re.search(pattern, name) is not None
    except re.error:
        return True


def _is_moment(schema: Schema, value: JSON) -> bool:
    return schema.get("format") != "date-time" or not isinstance(value, str) or _MOMENT.fullmatch(value) is not None


def _is(kind: str, value: JSON) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    wanted = {
        "boolean": bool,
        "string": str,
        "integer": int,
        "object": dict,
        "array": list,
        "number": (int, float),
    }.get(kind)
    return wanted is None or isinstance(value, wanted)


def _has_format(kind: str | None, value: JSON) -> bool:
    if isinstance(value, str) and kind in _FORMATS:
        return re.fullmatch(_FORMATS[kind], value) is not None and _exists(kind, value)
    if kind in _BITS and isinstance(value, int):
        return -(2 ** _BITS[kind]) <= value < 2 ** _BITS[kind]
    return True


def _exists(kind: str, value: str) -> bool:
    """Return whether a date is in the calendar, and an hour on the clock."""
    if kind == "time":
        return value[:2] < "24" and value[3:5] < "60"
    try:
        return kind not in ("date", "date-time") or bool(date.fromisoformat(value[:10]))
    except ValueError:
        return False
