"""The notation in which `docs/reference/run.md` says what keys JSON has, and whether a value has them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_TOKEN = re.compile(r'"([\w-]+)"(\?)?|([A-Z_]+)|([{}\[\]:,])')
_BLOCK = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ENTRY = re.compile(r"^(\S.*)\n((?: {4}.*\n)+)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Shape:
    """An object, a list, or anything at all; an object may take up those that `spread` names."""

    kind: str = "any"
    keys: Mapping[str, Shape] = field(default_factory=dict[str, "Shape"])
    absent: frozenset[str] = frozenset()
    spread: tuple[str, ...] = ()
    inner: Shape | None = None
    name: str = ""


def shapes(page: str) -> dict[str, Shape]:
    """Return the shapes of a page by what stands in the line above them; `a | b` are two with one shape."""
    found: dict[str, Shape] = {}
    for block in _BLOCK.findall(page):
        for names, text in _ENTRY.findall(block):
            tokens = list(_TOKEN.finditer(text))
            assert re.sub(r"\s+", "", text) == "".join(one[0] for one in tokens), names
            shape, rest = _value(tokens)
            assert not rest, names
            found |= dict.fromkeys((name.removeprefix("retouch ") for name in names.split(" | ")), shape)
    return found


def _value(tokens: list[re.Match[str]]) -> tuple[Shape, list[re.Match[str]]]:
    first, rest = tokens[0], tokens[1:]
    if first[0] == "[":
        inner, rest = _value(rest)
        return Shape(kind="list", inner=inner), rest[1:]
    if first[0] != "{":
        return Shape(kind="named", name=first[3]), rest
    if rest[1][0] == ":" and rest[0][3]:
        inner, rest = _value(rest[2:])
        return Shape(kind="map", inner=inner), rest[1:]
    keys: dict[str, Shape] = {}
    absent: set[str] = set()
    spread: list[str] = []
    while first[0] != "}":
        first, rest = rest[0], rest[1:]
        if first[3]:
            spread.append(first[3])
        elif first[1]:
            absent |= {first[1]} if first[2] else set()
            keys[first[1]] = Shape()
            if rest[0][0] == ":":
                keys[first[1]], rest = _value(rest[1:])
    return Shape(kind="object", keys=keys, absent=frozenset(absent), spread=tuple(spread)), rest


def differences(shape: Shape, value: Any, named: Mapping[str, Shape], at: str = "") -> Iterator[str]:
    """Yield where `value` has not the keys that `shape` says; a name that is not defined may be anything."""
    seen = _kind(value)
    if shape.kind == "named":
        yield from differences(named[shape.name], value, named, at) if shape.name in named else ()
    elif shape.kind == "any":
        yield from [f"{at}: has keys that are not told: {list(value)}"] if seen == "object" and value else ()
    elif value is None:
        return
    elif seen != shape.kind.replace("map", "object"):
        yield f"{at}: a {seen} in place of the {shape.kind}"
    elif shape.kind == "object":
        yield from _of_object(shape, value, named, at)
    else:
        parts: Iterable[tuple[Any, Any]]
        parts = enumerate(cast("list[Any]", value)) if seen == "list" else cast("dict[str, Any]", value).items()
        for name, one in parts:
            place = f"{at}[{name}]" if seen == "list" else f"{at}.{name}"
            yield from differences(shape.inner or Shape(), one, named, place)


def _kind(value: object) -> str:
    return "list" if isinstance(value, list) else "object" if isinstance(value, dict) else "value"


def _of_object(shape: Shape, value: Mapping[str, Any], named: Mapping[str, Shape], at: str) -> Iterator[str]:
    keys, absent = dict(shape.keys), set(shape.absent)
    for name in shape.spread:
        keys |= named[name].keys
        absent |= named[name].absent
    yield from (f"{at}.{key}: missing" for key in keys if key not in value and key not in absent)
    for key, one in value.items():
        yield from differences(keys[key], one, named, f"{at}.{key}") if key in keys else (f"{at}.{key}: not told",)
