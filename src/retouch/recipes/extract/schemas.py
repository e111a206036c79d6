"""JSON Schemas of values: reading one, validating values, and the schema of a whole answer."""

from __future__ import annotations

import importlib
import json
import sys
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from retouch._lib.disk import read_text
from retouch._lib.json_pointer import keys_of, pointer_of, value_at
from retouch.errors import BadInput, MissingTool
from retouch.recipes.extract.pointers import ABSENT
from retouch.recipes.extract.unchecked import unchecked_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

    from retouch._lib.json_text import JSON

MAX_ERRORS = 50  # of one value; a model that is shown more repairs no better
_SIMPLE = frozenset({"string", "integer", "number", "boolean"})
_OPEN = frozenset(
    {"anyOf", "oneOf", "allOf", "if", "$dynamicRef", "patternProperties", "prefixItems", "dependentSchemas"}
)
_HINT = "Give a file with a JSON Schema, or a pydantic model as MODULE:NAME."


@dataclass(frozen=True, kw_only=True)
class SchemaError:
    """One violation of a schema: where, the failed keyword, a message, and the part of the schema that was violated.

    `pointer` names the part to replace: for a missing property, the property itself.
    """

    pointer: str
    keyword: str
    message: str
    schema: Mapping[str, JSON]
    names: tuple[str, ...] = ()


class AnswerShape:
    """A compiled JSON Schema of values. Formats such as `date` are checked. Nothing is fetched from a network.

    With `quotes`, `answer_schema` is that of an object with the value and its quotations.
    """

    def __init__(self, schema: Mapping[str, JSON], *, quotes: bool = False) -> None:
        self.schema = schema
        self.quotes = quotes
        self._validator = _compiled(schema)

    def errors(self, value: JSON) -> list[SchemaError]:
        """Return the violations of a value, at most `MAX_ERRORS`, in the order of the schema."""
        if self._validator.is_valid(value):
            return []
        found: list[SchemaError] = []
        for error in self._validator.iter_errors(value):
            found.append(self._error(error))
            if len(found) == MAX_ERRORS:
                break
        return found

    def is_valid(self, value: JSON) -> bool:
        """Return whether a value satisfies the schema."""
        return bool(self._validator.is_valid(value))

    @property
    def answer_schema(self) -> dict[str, JSON]:
        """The JSON Schema of an answer."""
        if not self.quotes:
            return dict(self.schema)
        texts: JSON = {"type": "object", "additionalProperties": {"type": "string", "maxLength": 500}}
        names: list[JSON] = ["value", "quotes"]
        return {
            "type": "object",
            "properties": {"value": {"$ref": "#/$defs/value"}, "quotes": texts},
            "required": names,
            "additionalProperties": False,
            "$defs": {"value": _rebased(dict(self.schema), "#/$defs/value")},
        }

    @cached_property
    def property_names(self) -> frozenset[str]:
        """The names of properties that any part of the schema has."""
        return frozenset(_property_names(dict(self.schema)))

    @cached_property
    def unchecked(self) -> tuple[str, ...]:
        """A line for each part of the schema that looks like a constraint and is not checked."""
        return unchecked_parts(self.schema)

    def _error(self, error: Any) -> SchemaError:
        kind = error.kind
        where = list(error.instance_path)
        name = getattr(kind, "property", None)
        if isinstance(name, str):
            where.append(name)
        unexpected = getattr(kind, "unexpected", None) or ()
        within = _at(self.schema, list(error.schema_path)[:-1])
        part = _property_schema(within, name) if isinstance(name, str) else within
        return SchemaError(
            pointer=pointer_of(where),
            keyword=str(kind.name),
            message=str(error.message),
            schema=part,
            names=tuple(str(one) for one in unexpected),
        )


def load_schema(place: str) -> dict[str, JSON]:
    """Return the JSON Schema in the file at `place`, or of the pydantic model that `place` names as `module:Model`.

    Raises:
        BadInput: there is none, or it is not a JSON Schema.
    """
    return schema_of(model_named(place)) if names_model(place) else _from_file(Path(place))


def names_model(place: str) -> bool:
    """Return whether `place` is the name of a pydantic model, `module:Model`, and not a file."""
    return ":" in place and not Path(place).is_file()


def model_named(place: str) -> object:
    """Return the pydantic model that `place` names as `module:Model`.

    Raises:
        BadInput: there is none.
    """
    module, _, name = place.partition(":")
    found: object = _imported(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found or _no_model(place)


def name_of_model(model: object) -> str:
    """Return `module:Model` if the model can be imported again by this name, else ""."""
    module, name = getattr(model, "__module__", ""), getattr(model, "__qualname__", "")
    found: object = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"{module}:{name}" if found is model and model is not None and module != "__main__" else ""


def schema_of(model: Any) -> dict[str, JSON]:
    """Return the JSON Schema of a pydantic model or another annotated type, or a copy of a schema that is given.

    Raises:
        BadInput: pydantic knows no schema of it.
    """
    from pydantic import PydanticSchemaGenerationError, TypeAdapter
    from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUserError

    if isinstance(model, dict):
        return expect_schema(cast("dict[str, JSON]", model), "the schema")
    try:
        schema = TypeAdapter[Any](model).json_schema()
    except (PydanticSchemaGenerationError, PydanticInvalidForJsonSchema, PydanticUserError, TypeError) as error:
        first = str(error).partition("\n")[0]
        raise BadInput(f"{model!r} has no JSON Schema: {first}", hint=_HINT) from error
    return expect_schema(schema, repr(model))


def expect_schema(schema: object, name: str) -> dict[str, JSON]:
    """Return `schema`, a valid JSON Schema that is an object and refers to nothing outside of itself.

    Raises:
        BadInput: it is not.
    """
    if not isinstance(schema, dict):
        raise BadInput(f"{name} is not a JSON Schema: it is not an object", hint=_HINT)
    _compiled(cast("dict[str, JSON]", schema), name)
    return cast("dict[str, JSON]", schema)


def validators() -> ModuleType:
    """Return the library that validates.

    Raises:
        MissingTool: it is not installed.
    """
    try:
        return importlib.import_module("jsonschema_rs")
    except ImportError as error:
        hint = "Install it: pip install 'retouch[extract]'."
        raise MissingTool("the recipe 'extract' needs the package jsonschema-rs", hint=hint) from error


def _compiled(schema: Mapping[str, JSON], name: str = "the schema") -> Any:
    library = validators()
    try:
        return library.validator_for(dict(schema), validate_formats=True, offline=True)
    except (library.ValidationError, library.ReferencingError, ValueError) as error:
        first = str(error).partition("\n")[0]
        hint = 'Correct the schema. References to other documents are not fetched: put them under "$defs".'
        raise BadInput(f"{name} is not a usable JSON Schema: {first}", hint=hint) from error


def _from_file(path: Path) -> dict[str, JSON]:
    try:
        data: object = json.loads(read_text(path))
    except OSError as error:
        raise BadInput(f"{str(path)!r} cannot be read: {error.strerror}", hint=_HINT) from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{str(path)!r} is not JSON: {error}", hint=_HINT) from error
    return expect_schema(data, repr(str(path)))


def _imported(module: str) -> ModuleType:
    sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(module)
    except (Exception, SystemExit) as error:
        message = f"the module {module!r} of the schema cannot be imported: {type(error).__name__}: {error}"
        raise BadInput(message, hint=_HINT) from error
    finally:
        sys.path.pop(0)


def _no_model(place: str) -> object:
    module, _, name = place.partition(":")
    raise BadInput(f"the module {module!r} has no {name!r}", hint=_HINT)


def may_have(schema: Mapping[str, JSON], pattern: str) -> bool:
    """Return whether values may have the part at a JSON Pointer, in which `*` matches every element or property.

    A schema that lists the properties of an object has no other properties, unless it defines them. Everything that is
    not as simple as that may have the part.
    """
    part: JSON = dict(schema)
    for name in keys_of(pattern):
        node = _resolved(part, schema)
        if node is None or not _OPEN.isdisjoint(node) or node.get("additionalProperties"):
            return True
        properties = node.get("properties")
        if name == "*" or not isinstance(properties, dict):
            part = node.get("items")
        elif name in properties:
            part = properties[name]
        else:
            return False
    return True


def _resolved(part: JSON, schema: Mapping[str, JSON]) -> dict[str, JSON] | None:
    """Return the schema that a part of `schema` refers to in the end, or is, None if it is no object."""
    seen = set[str]()
    while isinstance(part, dict):
        reference = part.get("$ref")
        if not isinstance(reference, str) or reference in seen:
            return part
        seen.add(reference)
        target = value_at(dict(schema), reference[1:]) if reference.startswith("#") else None
        part = target[0] if target else None
    return None


def column_types(schema: Mapping[str, JSON]) -> dict[str, str]:
    """Return the properties of a schema at its top level, and the one simple type that each can have besides null.

    It is "string", "integer", "number" or "boolean"; "" if there are several types, or an array or object.
    """
    properties = schema.get("properties")
    found = properties.items() if isinstance(properties, dict) else ()
    return {name: types.pop() if len(types := _simple_types(one, schema, set())) == 1 else "" for name, one in found}


def _simple_types(part: JSON, schema: Mapping[str, JSON], seen: set[str]) -> set[str]:
    """Return the types that a part of a schema allows besides null; "" represents everything that is not simple."""
    if not isinstance(part, dict):
        return {""}
    reference = part.get("$ref")
    if isinstance(reference, str):
        target = value_at(dict(schema), reference[1:]) if reference.startswith("#") and reference not in seen else None
        return _simple_types(target[0], schema, {*seen, reference}) if target else {""}
    options = part.get("anyOf") or part.get("oneOf")
    if isinstance(options, list):
        return {kind for one in options for kind in _simple_types(one, schema, seen)}
    kind = part.get("type")
    if kind is None and ("enum" in part or "const" in part):
        values = part.get("enum", [part.get("const")])
        return {_type_of(one) for one in cast("list[JSON]", values) if one is not None}
    kinds = {str(one) for one in (kind if isinstance(kind, list) else [kind]) if one != "null"}
    return {one if one in _SIMPLE else "" for one in kinds}


def _type_of(value: JSON) -> str:
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, (int, float)) else ""


def _at(schema: object, path: Sequence[str | int]) -> Mapping[str, JSON]:
    for part in path:
        if isinstance(schema, dict):
            schema = cast("dict[str, object]", schema).get(str(part), ABSENT)
        elif isinstance(schema, list):
            items = cast("list[object]", schema)
            schema = items[int(part)] if int(part) < len(items) else ABSENT
    return cast("dict[str, JSON]", schema) if isinstance(schema, dict) else {}


def _property_names(schema: JSON) -> Iterator[str]:
    if isinstance(schema, list):
        yield from chain.from_iterable(map(_property_names, schema))
    elif isinstance(schema, dict):
        properties = schema.get("properties")
        yield from properties if isinstance(properties, dict) else ()
        yield from chain.from_iterable(map(_property_names, schema.values()))


def _property_schema(schema: Mapping[str, JSON], name: str) -> Mapping[str, JSON]:
    properties = schema.get("properties")
    found = properties.get(name) if isinstance(properties, dict) else None
    return found if isinstance(found, dict) else {}


def _rebased(schema: JSON, prefix: str) -> JSON:
    """Return a schema whose references to itself start with `prefix`, so that it can be a part of another."""
    if isinstance(schema, list):
        return [_rebased(one, prefix) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: prefix + one[1:]
        if name == "$ref" and isinstance(one, str) and one.startswith("#")
        else _rebased(one, prefix)
        for name, one in schema.items()
    }
