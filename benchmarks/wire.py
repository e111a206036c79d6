"""Finds values that System.Text.Json would lose or reject when a payload is deserialised into an endpoint's types."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import TYPE_CHECKING, cast
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from retouch._lib.json_text import JSON
    from retouch.recipes.csharp.ir import CsField, CsType, Endpoint

_DURATION = re.compile(r"-?(\d+\.)?\d{2}:\d{2}:\d{2}(\.\d{1,7})?")


@dataclass(frozen=True, kw_only=True)
class Loss:
    """One value that would be lost: its place in the payload and the reason."""

    path: str
    why: str


def losses(endpoint: Endpoint, payload: JSON) -> list[Loss]:
    """Return the values of `payload` that the endpoint's types would lose or reject.

    The endpoint's root is the type of the payload, or of each element if the payload is an array. A root that wraps a
    plain value holds it in its one property `value`.
    """
    types = {type_.name: type_ for type_ in endpoint.types}
    fields = [field.json_name for field in endpoint.root.fields]
    made = fields == ["value"] and any("a class made for it" in note for note in endpoint.notes)
    listed = any("an array of these" in note for note in endpoint.notes)

    def found(value: JSON, path: str) -> Iterator[Loss]:
        if isinstance(value, list) and (listed or not made):
            for index, item in enumerate(value):
                yield from found(item, f"{path}/{index}")
        else:
            yield from _class(types, endpoint.root, {"value": value} if made else value, path)

    return list(found(payload, ""))


def _value(types: Mapping[str, CsType], cs_type: str, value: JSON, path: str) -> Iterator[Loss]:
    bare = cs_type.removesuffix("?")
    if value is None:
        if bare == cs_type and bare not in {"object", "JsonElement"}:
            yield Loss(path=path, why=f"null for {cs_type}")
    elif bare.endswith("[]") and bare != "byte[]":
        yield from _list(types, bare.removesuffix("[]"), value, path)
    elif bare.startswith("Dictionary<string,"):
        yield from _map(types, bare.removeprefix("Dictionary<string,").removesuffix(">").strip(), value, path)
    elif bare.startswith("List<"):
        yield from _list(types, bare.removeprefix("List<").removesuffix(">"), value, path)
    elif bare in types:
        read = _class if types[bare].kind == "class" else _enum
        yield from read(types, types[bare], value, path)
    else:
        yield from _scalar(bare, value, path)


def _class(types: Mapping[str, CsType], type_: CsType, value: JSON, path: str) -> Iterator[Loss]:
    if not isinstance(value, dict):
        yield Loss(path=path, why=f"{_kind(value)} for class {type_.name}")
        return
    fields = {field.json_name: field for field in type_.fields}
    rest = next((field for field in type_.fields if "JsonExtensionData" in field.attributes), None)
    for name, item in value.items():
        place = f"{path}/{name}"
        field = fields.get(name)
        if field is not None and field is not rest:
            yield from _field(types, field, item, place)
        elif rest is None:
            yield Loss(path=place, why=f"no property {name!r} in {type_.name}")
    for field in type_.fields:
        if field.required and field is not rest and field.json_name not in value:
            yield Loss(path=f"{path}/{field.json_name}", why=f"{type_.name} requires {field.json_name!r}")


def _field(types: Mapping[str, CsType], field: CsField, value: JSON, path: str) -> Iterator[Loss]:
    if isinstance(value, str) and any("AllowReadingFromString" in each for each in field.attributes):
        try:
            value = cast("JSON", json.loads(value))
        except ValueError:
            yield Loss(path=path, why=f"{value[:40]!r} holds no number")
            return
    yield from _value(types, field.type + ("?" if field.nullable else ""), value, path)


def _enum(_types: Mapping[str, CsType], type_: CsType, value: JSON, path: str) -> Iterator[Loss]:
    known = [each.value for each in type_.values]
    if not any(value == each and type(value) is type(each) for each in known):
        yield Loss(path=path, why=f"{value!r} is no value of {type_.name}")


def _map(types: Mapping[str, CsType], element: str, value: JSON, path: str) -> Iterator[Loss]:
    if not isinstance(value, dict):
        yield Loss(path=path, why=f"{_kind(value)} for a dictionary")
        return
    for name, item in value.items():
        yield from _value(types, element, item, f"{path}/{name}")


def _list(types: Mapping[str, CsType], element: str, value: JSON, path: str) -> Iterator[Loss]:
    if not isinstance(value, list):
        yield Loss(path=path, why=f"{_kind(value)} for an array")
        return
    for index, item in enumerate(value):
        yield from _value(types, element, item, f"{path}/{index}")


def _scalar(cs_type: str, value: JSON, path: str) -> Iterator[Loss]:
    accepts = _SCALARS.get(cs_type)
    if accepts is None:
        yield Loss(path=path, why=f"the type {cs_type!r} is not known")
    elif not accepts(value):
        yield Loss(path=path, why=f"{str(value)[:40]!r} ({_kind(value)}) for {cs_type}")


def _integer(low: int, high: int) -> Callable[[JSON], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _number(value: JSON) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, float) or int(float(value)) == value


def _parsed(parse: Callable[[str], object]) -> Callable[[JSON], bool]:
    def accepts(value: JSON) -> bool:
        try:
            parse(cast("str", value))
        except (ValueError, TypeError, AttributeError):
            return False
        return True

    return accepts


def _moment(text: str) -> datetime:
    if not re.match(r"\d{4}-\d{2}-\d{2}([T]\d{2}:\d{2}|$)", text):
        raise ValueError(text)
    return datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", text))


def _span(text: str) -> None:
    if not _DURATION.fullmatch(text):
        raise ValueError(text)


def _any(_value: JSON) -> bool:
    return True


_SCALARS: Mapping[str, Callable[[JSON], bool]] = {
    "string": lambda value: isinstance(value, str),
    "bool": lambda value: isinstance(value, bool),
    "int": _integer(-(2**31), 2**31 - 1),
    "long": _integer(-(2**63), 2**63 - 1),
    "ulong": _integer(0, 2**64 - 1),
    "double": _number,
    "float": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "decimal": lambda value: isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 7.9e28,
    "Guid": _parsed(UUID),
    "DateTime": _parsed(_moment),
    "DateTimeOffset": _parsed(_moment),
    "DateOnly": _parsed(date.fromisoformat),
    "TimeOnly": _parsed(time.fromisoformat),
    "TimeSpan": _parsed(_span),
    "byte[]": _parsed(lambda text: base64.b64decode(text, validate=True)),
    "object": _any,
    "JsonElement": _any,
}


def _kind(value: JSON) -> str:
    names: dict[type, str] = {bool: "boolean", int: "integer", float: "number", str: "string"}
    return names.get(type(value), "array" if isinstance(value, list) else "object" if value is not None else "null")
