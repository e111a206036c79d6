"""Validates a value against a JSON Schema: the part of the standard that tool schemas use.

`format` is not checked, which is the standard's default. References must point into the same schema. The rules of a
schema for unevaluated items and properties are read as rules for additional ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from retouch.recipes.policy.deciding.modes import same

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON

Schema = Mapping[str, Any]
Found = Iterator[tuple[str, str]]
DEEPEST = 64
_EXACT = Decimal(10) ** 20
_COMBINING = frozenset({"allOf", "anyOf", "oneOf", "if", "$ref", "dependentSchemas"})
_ESCAPED_OR_END = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\$", re.DOTALL)
_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "integer": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool) and value % 1 == 0,
}


def violations(schema: JSON, value: JSON) -> list[str]:
    """Return the violations of `schema` by `value`, one sentence each. Empty if the value is valid."""
    found = _violations(schema, value, "$", 0, schema)
    return [f"{path}: {words}" for path, words in found]


def keyword_values(schema: object, keyword: str, depth: int = 0) -> frozenset[str]:
    """Return the values of a keyword such as `type` or `format`: one, a list, or those of the schema's alternatives.

    The type null is left out, because an argument that may be null is used like any other.

    For example:
        >>> sorted(keyword_values({"anyOf": [{"type": ["integer", "null"]}, {"type": "string"}]}, "type"))
        ['integer', 'string']
    """
    if not isinstance(schema, dict) or depth > DEEPEST:
        return frozenset()
    node = cast("dict[str, object]", schema)
    found = set[str]()
    for one in _list(node.get(keyword)):
        if isinstance(one, str) and one != "null":
            found.add(one)
    for alternative in (*_list(node.get("anyOf")), *_list(node.get("oneOf"))):
        found |= keyword_values(alternative, keyword, depth + 1)
    return frozenset(found)


def has_only(schema: object, *types: str) -> bool:
    """Return whether a schema names the types of its values, and no other types than these and null."""
    found = keyword_values(schema, "type")
    return bool(found) and found <= {*types}


def fields_of(schema: object) -> Mapping[str, JSON]:
    """Return the properties that a schema of objects declares. Empty for other values, and for objects of any kind."""
    declared = cast("Schema", schema).get("properties") if has_only(schema, "object") else None
    return cast("Mapping[str, JSON]", declared) if isinstance(declared, dict) else {}


def plain_items(value: JSON, schema: JSON) -> JSON:
    """Return a list of objects as the list of their texts, if each has only one: `ada@a.example` of `{"email": ...}`.

    Names of properties are not part of the value if the schema declares them, and neither are flags.
    """
    items = schema.get("items") if isinstance(schema, dict) else None
    declared = items.get("properties") if isinstance(items, dict) else None
    if not isinstance(value, list) or not isinstance(declared, dict):
        return value
    texts = [_only_text(one, declared) for one in value]
    return value if None in texts else [*texts]


def _only_text(value: JSON, declared: Mapping[str, JSON]) -> str | None:
    """Return the only value of an object besides flags. None if there are others, or names that are not declared."""
    if not isinstance(value, dict) or not declared.keys() >= value.keys():
        return None
    found = [one for one in value.values() if one is not None and not isinstance(one, bool)]
    only = found[0] if len(found) == 1 else None
    return only if isinstance(only, str) else None


def _list(value: object) -> list[object]:
    """Return what a keyword names: the items of a list, its one value, or nothing if it is missing."""
    return cast("list[object]", value) if isinstance(value, list) else [] if value is None else [value]


def _violations(schema: JSON, value: JSON, path: str, depth: int, root: JSON) -> Found:
    for node in _referred(schema, root):
        if node is False or depth > DEEPEST:
            yield path, "no value is allowed here" if node is False else "it is nested too deeply"
        if not isinstance(node, dict) or depth > DEEPEST:
            return
        yield from _plain(node, value, path)
        if isinstance(value, dict):
            yield from _object(node, value, path, depth, root)
        elif isinstance(value, list):
            yield from _array(node, value, path, depth, root)
        yield from _combined(node, value, path, depth, root)


def _referred(schema: JSON, root: JSON) -> Iterator[JSON]:
    """Yield a schema, the one that it refers to, and so on: keywords next to a reference apply, too."""
    node, seen = schema, 0
    while isinstance(node, dict) and isinstance(node.get("$ref"), str) and seen < DEEPEST:
        yield node
        node, seen = _target(cast("str", node["$ref"]), root), seen + 1
    yield node


def _target(reference: str, root: JSON) -> JSON:
    node = root
    for token in reference.removeprefix("#").split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if not isinstance(node, dict) or key not in node:
            return False  # a reference that cannot be resolved forbids everything
        node = node[key]
    return node if reference.startswith("#") else False


def _plain(node: Schema, value: JSON, path: str) -> Found:
    names = _list(node.get("type"))
    if names and not any(_TYPES[name](value) for name in names if isinstance(name, str) and name in _TYPES):
        yield path, f"it is not {' or '.join(map(str, names))}"
        return
    if "enum" in node and not any(_equal(value, one) for one in node["enum"]):
        yield path, f"{value!r:.60} is not one of {', '.join(f'{one!r:.40}' for one in node['enum'][:12])}"
    if "const" in node and not _equal(value, node["const"]):
        yield path, f"{value!r:.60} is not {node['const']!r:.60}"
    if isinstance(value, str):
        yield from _text(node, value, path)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from _number(node, value, path)


def _equal(one: JSON, other: JSON) -> bool:
    if isinstance(one, (list, dict)) or isinstance(other, (list, dict)):
        return one == other
    return same(one, other)


def _text(node: Schema, value: str, path: str) -> Found:
    if len(value) < node.get("minLength", 0):
        yield path, f"it is shorter than {node['minLength']} characters"
    if len(value) > node.get("maxLength", len(value)):
        yield path, f"it is longer than {node['maxLength']} characters"
    if "pattern" in node and _searches(node["pattern"], value) is False:
        yield path, f"it does not match {node['pattern']!r}"


def _searches(pattern: str, value: str) -> bool | None:
    compiled = _compiled(pattern)
    return None if compiled is None else compiled.search(value) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str] | None:
    """Return a pattern as JavaScript reads it: `$` is only the end, `\\d` is ASCII. None for other dialects."""
    ends = _ESCAPED_OR_END.sub(lambda found: r"\Z" if found[0] == "$" else found[0], pattern)
    try:
        return re.compile(re.sub(r"\(\?<(?![=!])", "(?P<", ends), re.ASCII)
    except re.error:
        return None  # it is ignored


def _number(node: Schema, value: float, path: str) -> Found:
    low, high = node.get("minimum"), node.get("maximum")
    under, over = node.get("exclusiveMinimum"), node.get("exclusiveMaximum")
    if low is not None and (value < low or (under is True and value == low)):
        yield path, f"it is less than the minimum {low}"
    if high is not None and (value > high or (over is True and value == high)):
        yield path, f"it is more than the maximum {high}"
    if isinstance(under, (int, float)) and not isinstance(under, bool) and value <= under:
        yield path, f"it is not more than {under}"
    if isinstance(over, (int, float)) and not isinstance(over, bool) and value >= over:
        yield path, f"it is not less than {over}"
    step = node.get("multipleOf")
    if isinstance(step, (int, float)) and step > 0 and _is_no_multiple(value, step):
        yield path, f"it is not a multiple of {step}"


def _is_no_multiple(value: float, step: float) -> bool:
    whole, part = Decimal(str(value)), Decimal(str(step))
    return not whole.is_finite() or bool(whole % part if abs(whole / part) < _EXACT else 0)


def _sizes(node: Schema, count: int, path: str) -> Found:
    if count < node.get("minProperties", 0):
        yield path, f"it has fewer than {node['minProperties']} properties"
    if count > node.get("maxProperties", count):
        yield path, f"it has more than {node['maxProperties']} properties"


def _object(node: Schema, value: dict[str, JSON], path: str, depth: int, root: JSON) -> Found:
    yield from _sizes(node, len(value), path)
    yield from ((path, f"{name!r} is missing") for name in node.get("required", ()) if name not in value)
    for name, needed in {**node.get("dependencies", {}), **node.get("dependentRequired", {})}.items():
        if name in value and isinstance(needed, list):
            yield from (
                (path, f"{one!r} is missing beside {name!r}") for one in cast("list[str]", needed) if one not in value
            )
    for name in value if "propertyNames" in node else ():
        yield from _violations(node["propertyNames"], name, f"{path}.{name}", depth + 1, root)
    known = cast("Mapping[str, JSON]", node.get("properties", {}))
    patterns = cast("Mapping[str, JSON]", node.get("patternProperties", {}))
    rest = node.get(
        "additionalProperties", True if _COMBINING & node.keys() else node.get("unevaluatedProperties", True)
    )
    for name, item in value.items():
        schemas = [known[name]] if name in known else []
        schemas += [schema for pattern, schema in patterns.items() if _searches(pattern, name)]
        if not schemas and rest is False:
            yield path, f"{name!r} is not a known property"
        for schema in schemas or [rest]:
            if schema is not False:
                yield from _violations(schema, item, f"{path}.{name}", depth + 1, root)


def _array(node: Schema, value: list[JSON], path: str, depth: int, root: JSON) -> Found:
    if len(value) < node.get("minItems", 0):
        yield path, f"it has fewer than {node['minItems']} items"
    if len(value) > node.get("maxItems", len(value)):
        yield path, f"it has more than {node['maxItems']} items"
    if node.get("uniqueItems") is True and len({_as_key(one) for one in value}) < len(value):
        yield path, "it has duplicate items"
    if "contains" in node and not any(
        not any(_violations(node["contains"], one, path, depth + 1, root)) for one in value
    ):
        yield path, "it does not contain what it must"
    items = node.get("items", True)
    older = isinstance(items, list)  # before draft 2020-12
    first = cast("list[JSON]", items if older else node.get("prefixItems", []))
    rest = node.get("additionalItems", True) if older else items
    for index, item in enumerate(value):
        schema = first[index] if index < len(first) else rest
        yield from _violations(schema, item, f"{path}[{index}]", depth + 1, root)


def _as_key(value: JSON) -> str:
    """Return a text that is the same for equal values: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, list):
        return f"[{','.join(map(_as_key, value))}]"
    if isinstance(value, dict):
        return f"{{{','.join(f'{json.dumps(key)}:{_as_key(one)}' for key, one in sorted(value.items()))}}}"
    return json.dumps(value)


def _combined(node: Schema, value: JSON, path: str, depth: int, root: JSON) -> Found:
    for schema in node.get("allOf", ()):
        yield from _violations(schema, value, path, depth + 1, root)
    fits = {
        word: [not any(_violations(one, value, path, depth + 1, root)) for one in node[word]]
        for word in ("anyOf", "oneOf")
        if word in node
    }
    if not any(fits.get("anyOf", [True])) or not any(fits.get("oneOf", [True])):
        yield path, "it matches none of the alternatives"
    if sum(fits.get("oneOf", [])) > 1:
        yield path, "it matches more than one of the alternatives"
    if "if" in node:
        applies = not any(_violations(node["if"], value, path, depth + 1, root))
        yield from _violations(node.get("then" if applies else "else", True), value, path, depth + 1, root)
    if "not" in node and not any(_violations(node["not"], value, path, depth + 1, root)):
        yield path, "it matches the excluded schema"
