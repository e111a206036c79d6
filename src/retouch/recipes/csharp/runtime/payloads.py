"""Payloads that follow from the types of a source: boundary values, null, absent and unknown content."""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.errors import RetouchError
from retouch.recipes.csharp.language.vocabulary import UNION
from retouch.recipes.csharp.writing.unions import union_types

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.csharp.ir import CsField, CsType, Endpoint, TypeExample

# A number selects one alternative of each union, by its place among all of them.
Pick: TypeAlias = Literal["usual", "lowest", "highest", "unknown"] | int

_EDGES: Sequence[Pick] = ("lowest", "highest", "unknown")
_MOST_ABSENT = 3  # required properties of one class that are left out, one at a time
_DISCRIMINATOR = re.compile(r'^JsonPolymorphic\(TypeDiscriminatorPropertyName = ("(?:[^"\\]|\\.)*")')
_DERIVED = re.compile(r'^JsonDerivedType\(typeof\((\w+)\), ("(?:[^"\\]|\\.)*")\)')
_UNION = f"{UNION}<"
_MAP = "Dictionary<string, "
_EXTENSION_DATA = "JsonExtensionData"
EXAMPLE = "the example at "
_LEAST = "the required properties alone"
_OF_VARIANT = ", with its discriminator last"
_EACH_KIND: Sequence[JSON] = (True, 7.5, "a new text", [[None]], {"a new object": None})
_UNKNOWN = "a value that no document names"
_USUAL: Mapping[str, JSON] = {
    "string": 'a "text" \\ with \u00e9 and \u2028',
    "bool": True,
    "int": -7,
    "uint": 7,
    "long": 9007199254740993,
    "ulong": 9007199254740993,
    "double": 0.1,
    "float": 0.5,
    "decimal": 12.5,
    "Guid": "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    "Uri": "https://example.com/a%20b?c=d#e",
    "DateTime": "2024-02-29T23:59:59.123",
    "DateTimeOffset": "2024-02-29T23:59:59.1234567-03:30",
    "DateOnly": "2024-02-29",
    "TimeOnly": "23:59:59",
    "JsonElement": {"any": [1, None, "x"]},
    "object": {"any": [1, None, "x"]},
    "byte[]": "AAEC",
}
_LOWEST: Mapping[str, JSON] = {
    "string": "",
    "bool": False,
    "int": -(2**31),
    "uint": 0,
    "long": -(2**63),
    "ulong": 0,
    "double": -1.7976931348623157e308,
    "DateTimeOffset": "0001-01-02T00:00:00+14:00",
    "JsonElement": [],
}
_HIGHEST: Mapping[str, JSON] = {
    "int": 2**31 - 1,
    "uint": 2**32 - 1,
    "long": 2**63 - 1,
    "ulong": 2**64 - 1,
    "double": 5e-324,
    "DateTimeOffset": "9999-12-30T23:59:59-12:00",
    "JsonElement": 1e30,
}


@dataclass(frozen=True, kw_only=True)
class Payload:
    """One JSON value for a type. `may_be_refused` is set if the schema does not allow it.

    `contradicts` are places of an example of the document that its own schema does not allow. `is_advice` is set if the
    style refuses the value by design, so that a refusal is a warning.
    """

    unit: str
    what: str
    value: JSON
    may_be_refused: bool = False
    contradicts: tuple[str, ...] = ()
    is_advice: bool = False


class NoPayload(RetouchError):
    """A type has no finite value, or mentions a type that is not known."""


class _Endless(NoPayload):
    """A value would contain itself."""


def payloads_of(endpoint: Endpoint, unit: str) -> list[Payload]:
    """Return payloads for one type of the source. Most are valid by the schema and must be preserved unchanged.

    Raises:
        NoPayload: no payload can be made, for example because a type requires itself.
    """
    type_ = endpoint.by_name[unit]
    maker = _Maker(endpoint)
    examples = [one for one in endpoint.examples if one.type == unit]
    if type_.kind == "enum":
        found = [Payload(unit=unit, what=what, value=value) for what, value in _enum_payloads(type_)]
        if endpoint.style == "connector" and not type_.integer:
            found.append(Payload(unit=unit, what="an unknown value", value=_UNKNOWN, is_advice=True))
    else:
        found = [_selecting_itself(payload, type_) for payload in maker.class_payloads(type_)]
    return [*found, *(_example(one, found, _discriminator(type_)) for one in examples)]


def _example(one: TypeExample, made: Sequence[Payload], discriminator: str | None) -> Payload:
    """Return an example of the document. Examples of properties get the required ones that they lack.

    With a discriminator these are the ones of the variant that the examples name, or of any if they name none.
    """
    value: JSON = json.loads(one.json)
    least: JSON = next((payload.value for payload in made if payload.what == _LEAST), None)
    if one.partial and discriminator is not None and isinstance(value, dict):
        variants = [payload.value for payload in made if payload.what.endswith(_OF_VARIANT)]
        wanted = value.get(discriminator)
        fitting = [each for each in variants if isinstance(each, dict) and wanted in (None, each.get(discriminator))]
        least = fitting[0] if fitting else least
    if one.partial and isinstance(value, dict) and isinstance(least, dict):
        value = {**least, **value}
    return Payload(unit=one.type, what=f"{EXAMPLE}{one.where}", value=value, contradicts=one.contradicts)


def reached(endpoint: Endpoint, unit: str) -> set[str]:
    """Return all words in the types that a type leads to, such as `DateOnly`."""
    words: set[str] = set()
    waiting = [unit]
    while waiting:
        type_ = endpoint.by_name.get(waiting.pop())
        if type_ is None:
            continue
        texts = [type_.base, *type_.attributes, *(field.type for field in type_.fields)]
        found = {word for text in texts for word in re.findall(r"\w+", text)} - words
        words |= found
        waiting += found & endpoint.by_name.keys()
    return words


def omittable(endpoint: Endpoint) -> set[str]:
    """Return the JSON names of properties that may be null or absent, which C# cannot tell apart."""
    fields = [field for type_ in endpoint.types for field in type_.fields]
    return {field.json_name for field in fields if field.nullable and not field.required and not _never_null(field)}


def _never_null(field: CsField) -> bool:
    return any(attribute.startswith("JsonIgnore(") for attribute in field.attributes)


def _discriminator(type_: CsType) -> str | None:
    """Return the JSON name of the property that selects a variant of the type."""
    found = next(filter(None, map(_DISCRIMINATOR.match, type_.attributes)), None)
    return None if found is None else json.loads(found[1])


def _selecting_itself(payload: Payload, type_: CsType) -> Payload:
    """Return the payload of a base class with the discriminator value that selects the base class, if there is one."""
    selected = (match for match in map(_DERIVED.match, type_.attributes) if match and match[1] == type_.name)
    own, named = next(selected, None), _discriminator(type_)
    if own is None or named is None or not isinstance(payload.value, dict):
        return payload
    return replace(payload, value={named: json.loads(own[2]), **payload.value})


def _enum_payloads(type_: CsType) -> Iterator[tuple[str, JSON]]:
    for value in type_.values:
        yield f"the value {value.value!r}", value.value
    if type_.integer:
        known = {int(value.value) for value in type_.values}
        yield "an unknown number", next(number for number in range(1, len(known) + 2) if number not in known)
    elif type_.open:
        yield "an unknown value", _UNKNOWN


class _Maker:
    """Makes values of the types of one source."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._types = endpoint.by_name

    def class_payloads(self, type_: CsType) -> Iterator[Payload]:
        unit, fields = type_.name, self._fields(type_)
        required = {field.json_name for field in fields if field.required}
        usual = self._object(fields, "usual", (unit,))
        least = {name: value for name, value in usual.items() if name in required}
        yield Payload(unit=unit, what="every property", value=usual)
        yield Payload(unit=unit, what=_LEAST, value=least)
        nullable = {field.json_name: None for field in fields if field.nullable and not _never_null(field)}
        if nullable:
            yield Payload(unit=unit, what="null where it is allowed", value={**usual, **nullable})
        tried = {json.dumps(usual)}  # as text, since True equals 1
        for pick, what in self._picks(fields, unit):
            value = self._object(fields, pick, (unit,))
            if json.dumps(value) not in tried:
                tried.add(json.dumps(value))
                yield Payload(unit=unit, what=what, value=value)
        if any(_EXTENSION_DATA in field.attributes for field in self._all_fields(type_)):
            yield Payload(unit=unit, what="an unknown property", value={**usual, "x-unknown \u00e9": {"a": [1, None]}})
        for name in sorted(required)[:_MOST_ABSENT]:
            value = {other: inner for other, inner in usual.items() if other != name}
            yield Payload(unit=unit, what=f"without the required {name!r}", value=value, may_be_refused=True)
        for name, discriminated in self._variants(type_, (unit,)):
            yield Payload(unit=unit, what=f"a {name}{_OF_VARIANT}", value=discriminated)

    def _picks(self, fields: list[CsField], unit: str) -> Iterator[tuple[Pick, str]]:
        """Yield the ways to fill a class: each alternative of each union of its properties is in one of them."""
        for pick in _EDGES:
            yield pick, f"{pick} values"
        unions = (types for field in fields for types in union_types(field.type))
        most = max((len(self._alternatives(types, (unit,))) for types in unions), default=0)
        yield from ((number, f"alternative {number + 1} of its unions") for number in range(2, most - 1))

    def _all_fields(self, type_: CsType) -> tuple[CsField, ...]:
        base = self._types.get(type_.base)
        return type_.fields if base is None else (*base.fields, *type_.fields)

    def _fields(self, type_: CsType) -> list[CsField]:
        return [field for field in self._all_fields(type_) if _EXTENSION_DATA not in field.attributes]

    def _variants(self, type_: CsType, path: tuple[str, ...]) -> Iterator[tuple[str, JSON]]:
        named = _discriminator(type_)
        for match in filter(None, map(_DERIVED.match, type_.attributes if named is not None else ())):
            derived = self._types[match[1]]
            content = self._object(self._fields(derived), "usual", (*path, derived.name))
            yield match[1], {**content, named or "": json.loads(match[2])}

    def _object(self, fields: list[CsField], pick: Pick, path: tuple[str, ...]) -> dict[str, JSON]:
        found: dict[str, JSON] = {}
        for field in fields:
            needed = field.required or len(path) == 1
            if not needed:
                continue
            try:
                found[field.json_name] = self._value(field.type, pick, path)
            except _Endless:
                if field.required and not field.nullable:
                    raise
                found |= {field.json_name: None} if field.required else {}
        return found

    def _value(self, text: str, pick: Pick, path: tuple[str, ...]) -> JSON:
        text = text.removesuffix("?")
        if _is_array(text):
            return _list_of(text, self._at_most_one(text[:-2], pick, path))
        if text.startswith(_MAP):
            return _map_of(self._at_most_one(text[len(_MAP) : -1], pick, path))
        if text.startswith(_UNION):
            return self._union(next(union_types(text)), pick, path)
        type_ = self._types.get(text)
        if type_ is None:
            return _scalar(text, pick)
        if type_.kind == "enum":
            values = [value for what, value in _enum_payloads(type_) if (pick == "unknown") == ("unknown" in what)]
            return values[0] if values else type_.values[0].value
        if type_.name in path[1:]:
            raise _Endless(f"{type_.name!r} contains itself")
        variant = next(self._variants(type_, (*path, type_.name)), None)
        return self._object(self._fields(type_), pick, (*path, type_.name)) if variant is None else variant[1]

    def _at_most_one(self, text: str, pick: Pick, path: tuple[str, ...]) -> list[JSON]:
        """Return one value, or none if it would have no end: a list or a map that holds it may be empty."""
        try:
            return [self._value(text, pick, path)]
        except _Endless:
            return []

    def _union(self, types: Sequence[str], pick: Pick, path: tuple[str, ...]) -> JSON:
        """Return a value of one of the types, another one for each pick. An unknown value has a kind that none has."""
        made = self._alternatives(types, path)
        if pick == "unknown":
            kinds = {_json_kind(value) for value in made} | {dict for text in types if self._is_class(text)}
            return next(value for value in _EACH_KIND if _json_kind(value) not in kinds)
        if not made:
            raise _Endless(f"no value of the types {', '.join(types)} has an end")
        last = len(made) - 1
        index = pick if isinstance(pick, int) else {"usual": 0, "lowest": min(1, last), "highest": last}[pick]
        return made[index if index <= last else 0]

    def _is_class(self, text: str) -> bool:
        return text in self._types and self._types[text].kind != "enum"

    def _alternatives(self, types: Sequence[str], path: tuple[str, ...]) -> list[JSON]:
        """Return a value of each type, and of each type of the unions inside of them, except where they have no end."""
        found: list[JSON] = []
        for text in types:
            with contextlib.suppress(_Endless):
                found += self._each(text.removesuffix("?"), path)
        return found

    def _each(self, text: str, path: tuple[str, ...]) -> list[JSON]:
        type_ = self._types.get(text)
        if type_ is not None and type_.kind == "enum":
            return [self._value(text, "usual", path), self._value(text, "unknown", path)]
        if _UNION not in text:
            return [self._value(text, "usual", path)]
        if _is_array(text):
            return [_list_of(text, [value]) for value in self._each(text[:-2].removesuffix("?"), path)]
        if text.startswith(_UNION):
            return self._alternatives(next(union_types(text)), path)
        return [_map_of([value]) for value in self._each(text[len(_MAP) : -1].removesuffix("?"), path)]


def _is_array(text: str) -> bool:
    return text.endswith("[]") and text != "byte[]"


def _list_of(text: str, values: Sequence[JSON]) -> JSON:
    """Return two elements of an array type for a value, the second of them null if the elements may be."""
    return [inner for value in values for inner in (value, None if text.endswith("?[]") else value)]


def _map_of(values: Sequence[JSON]) -> JSON:
    return {"a key": values[0]} if values else {}


def _json_kind(value: JSON) -> type:
    return float if isinstance(value, int) and not isinstance(value, bool) else type(value)


def _scalar(text: str, pick: Pick) -> JSON:
    if text not in _USUAL:
        raise NoPayload(f"no value of the type {text!r} is known")
    special: Mapping[str, JSON] = _LOWEST if pick == "lowest" else _HIGHEST if pick == "highest" else {}
    return special.get(text, _USUAL[text])
