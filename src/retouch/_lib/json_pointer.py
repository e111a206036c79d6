"""JSON Pointers (RFC 6901): the value and the schema at a place of a JSON document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias, cast

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON

Schema: TypeAlias = "Mapping[str, Any]"
_MOST_REFERENCES = 32
_ANNOTATIONS = frozenset({"$ref", "title", "description", "default", "examples"})


def keys_of(pointer: str) -> list[str]:
    """Return the keys of a pointer: "/rows/0/a~1b" gives "rows", "0" and "a/b".

    Raises:
        ValueError: it is neither empty nor starts with "/".
    """
    if pointer and not pointer.startswith("/"):
        raise ValueError(f"{pointer!r} is no JSON Pointer: it must begin with '/'")
    return [key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:]]


def pointer_of(keys: Iterable[str | int]) -> str:
    """Return the pointer with these keys."""
    return "".join(f"/{str(key).replace('~', '~0').replace('/', '~1')}" for key in keys)


def value_at(document: JSON, pointer: str) -> tuple[JSON, ...] | None:
    """Return the value at a pointer as a tuple of one, () for a missing key of an object, None if there is no place."""
    keys = keys_of(pointer)
    for number, key in enumerate(keys, 1):
        if isinstance(document, dict):
            if key not in document:
                return () if number == len(keys) else None
            document = document[key]
        elif isinstance(document, list) and _is_index(key) and int(key) < len(document):
            document = document[int(key)]
        else:
            return None
    return (document,)


def with_value_at(document: JSON, pointer: str, value: JSON) -> JSON:
    """Return `document` with another value at a pointer, without changing the given one.

    Raises:
        ValueError: the document has no such place. A missing key of an object is one.
    """
    return _with_value(document, keys_of(pointer), pointer, value)


def _with_value(document: JSON, keys: list[str], pointer: str, value: JSON) -> JSON:
    if not keys:
        return value
    key, rest = keys[0], keys[1:]
    if isinstance(document, dict) and (key in document or not rest):
        return {**document, key: _with_value(document.get(key), rest, pointer, value)}
    if isinstance(document, list) and _is_index(key) and int(key) < len(document):
        index = int(key)
        return [*document[:index], _with_value(document[index], rest, pointer, value), *document[index + 1 :]]
    raise ValueError(f"the document has no place {pointer!r}")


def _is_index(key: str) -> bool:
    return key.isascii() and key.isdecimal() and (key == "0" or not key.startswith("0"))


def schema_at(schema: Schema, pointer: str) -> Schema | None:
    """Return the schema of the values at a pointer, or None if it cannot be determined without other parts of the
    document.

    References are followed if they point into `$defs` or `definitions`. The result may contain such references.
    """
    found: Schema | None = _resolved(schema, schema)
    for key in keys_of(pointer):
        if found is None:
            return None
        found = _below(found, key)
        found = None if found is None else _resolved(found, schema)
    return found


def _below(schema: Schema, key: str) -> Schema | None:
    if any(word in schema for word in _DEPEND_ON_OTHERS):
        return None
    properties = _mapping(schema.get("properties"))
    if properties is not None and key in properties:
        return _mapping(properties[key])
    if properties is not None or "additionalProperties" in schema:
        return _mapping(schema.get("additionalProperties"))
    items, first = schema.get("items"), schema.get("prefixItems")
    if not _is_index(key):
        return None
    if isinstance(first, list) and int(key) < len(cast("list[Any]", first)):
        return _mapping(cast("list[Any]", first)[int(key)])
    return _mapping(items)


_DEPEND_ON_OTHERS = ("allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas", "$dynamicRef")


def _mapping(value: object) -> Schema | None:
    return cast("Schema", value) if isinstance(value, Mapping) else None


def _resolved(schema: Schema, root: Schema) -> Schema | None:
    """Return the schema behind references, None if one is remote or has other constraints."""
    found: Schema | None = schema
    for _ in range(_MOST_REFERENCES):
        if found is None or "$ref" not in found:
            return found
        keys = keys_of(str(found["$ref"]).removeprefix("#")) if str(found["$ref"]).startswith("#/") else []
        if found.keys() - _ANNOTATIONS or len(keys) != 2 or keys[0] not in ("$defs", "definitions"):
            return None
        found = _mapping((_mapping(root.get(keys[0])) or {}).get(keys[1]))
    return None


@cache
def schema_validator() -> Callable[[Schema, JSON], bool] | None:
    """Return a predicate that checks a value against a schema, or None if no library for it is installed."""
    try:
        return import_module("jsonschema_rs").is_valid
    except ImportError:
        pass
    try:
        validators = import_module("jsonschema.validators")
    except ImportError:
        return None

    def is_valid(schema: Schema, value: JSON) -> bool:
        return validators.validator_for(schema, validators.Draft202012Validator)(schema).is_valid(value)

    return is_valid
