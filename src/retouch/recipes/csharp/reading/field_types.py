"""The C# type of a field: the smallest type that loses nothing of the schema."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.csharp.language.vocabulary import UNION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.csharp.shapes.shape import Body, Expr, Shape

_INTEGERS = {"int32": "int", "int8": "int", "int16": "int", "uint8": "int", "uint16": "int", "uint64": "ulong"}
_DECIMALS = frozenset({"decimal", "decimal128", "money", "currency", "int64"})
_INT_ENDS_AT = 2**31 - 1
_LONG_ENDS_AT = 2**63 - 1
_LONG_MAXIMUM_ROUNDED = 9_223_372_036_854_777_000  # documents often round it up to the next thousand
_OFFSET = r"(?:[Zz]|[+-]\d\d:\d\d)?"
_TEXTS = {
    "date-time": ("DateTime", re.compile(rf"\d{{4}}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{{1,7}})?)?{_OFFSET}")),
    "date": ("DateOnly", re.compile(r"\d{4}-\d\d-\d\d")),
    "time": ("TimeOnly", re.compile(r"\d\d:\d\d(?::\d\d(?:\.\d{1,7})?)?")),
    "uuid": ("Guid", re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")),
}

_NOWHERE = frozenset[str]()
_URIS = frozenset({"uri", "uri-reference", "url", "iri", "iri-reference"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldType:
    """A C# type as text, the endpoint's types in it, and notes for the reviewer."""

    text: str
    types: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def field_type(
    shape: Shape,
    names: Mapping[str, str],
    of: Callable[[Expr], Shape],
    *,
    unions: Callable[[Body], Sequence[Shape]] | None = None,
    inside: frozenset[str] = _NOWHERE,
) -> FieldType:
    """Return the C# type of a shape without its own `?`. `names` has the endpoint's types by place.

    The plain style gives `unions`, which returns the alternatives of a union of different JSON types. It has
    `DateTimeOffset` and `Uri`, and `JsonElement` for every free value. `inside` are the unions around the shape.
    """
    plain = unions is not None
    layers: list[str] = []
    body = shape.body
    seen: set[str] = set()
    nullable = False
    while body.kind in {"array", "map"} and body.item is not None and body.home.place not in seen:
        seen.add(body.home.place)
        layer = "{}[]" if body.kind == "array" else "Dictionary<string, {}>"
        layers.append(f"{layer}?" if nullable else layer)
        inner = of(body.item)
        body, nullable = inner.body, inner.nullable
    if body.home.place in seen:
        bottom = FieldType(text="JsonElement", notes=("holds values of its own kind without end",))
    elif unions is not None and body.variants and body.home.place not in inside:
        around = inside | {body.home.place}
        written = [field_type(one, names, of, unions=unions, inside=around) for one in unions(body)]
        bottom = _union(written) or _bottom(body, names, plain=plain)
    else:
        bottom = _bottom(body, names, plain=plain)
    text = bottom.text + ("?" if nullable and layers else "")
    if text == "JsonElement" and not plain and layers and layers[-1].startswith("Dictionary"):
        text = "object"
    for layer in reversed(layers):
        text = layer.replace("{}", text)
    return FieldType(text=text, types=bottom.types, notes=bottom.notes)


def _union(written: Sequence[FieldType]) -> FieldType | None:
    """Return the type of a union of the given types, or None if there are none, or one of them is a free value."""
    texts = [one.text for one in written]
    if not texts or "JsonElement" in texts:
        return None
    return FieldType(
        text=f"{UNION}<{', '.join(texts)}>",
        types=tuple(dict.fromkeys(name for one in written for name in one.types)),
        notes=tuple(dict.fromkeys(note for one in written for note in one.notes)),
    )


def _bottom(body: Body, names: Mapping[str, str], *, plain: bool) -> FieldType:
    if body.is_class or body.is_enum:
        name = names[body.home.place]
        return FieldType(text=name, types=(name,))
    if body.kind == "array":
        return FieldType(text="JsonElement[]", notes=("the elements are not described",))
    if body.kind == "map":
        return FieldType(text=f"Dictionary<string, {'JsonElement' if plain else 'object'}>")
    if body.kind == "string":
        return _text(body, plain=plain)
    if body.kind == "integer":
        return FieldType(text=_integer(body))
    if body.kind == "number":
        return FieldType(text="decimal" if body.format in _DECIMALS else "double")
    return FieldType(text="bool" if body.kind == "boolean" else "JsonElement")


def _integer(body: Body) -> str:
    lowest, most = body.limits.get("minimum"), body.limits.get("maximum")
    numbers = [example for example in body.examples if isinstance(example, (int, float))]
    highest = max(numbers, default=0)
    if highest > _LONG_ENDS_AT or (isinstance(most, (int, float)) and most > _LONG_MAXIMUM_ROUNDED):
        fits = isinstance(lowest, (int, float)) and lowest >= 0 and highest < 2**64
        return "ulong" if fits and (not isinstance(most, (int, float)) or most <= 2**64 * 1.001) else "decimal"
    name = _INTEGERS.get(body.format, "long")
    highest = max(highest, most) if isinstance(most, (int, float)) else highest
    return "long" if name == "int" and highest > _INT_ENDS_AT else name


def _text(body: Body, *, plain: bool) -> FieldType:
    if plain and body.format in _URIS and all(one is None or isinstance(one, str) for one in body.examples):
        return FieldType(text="Uri")
    if body.format in {"byte", "binary", "base64"}:
        return FieldType(text="string", notes=("review: file content does not belong in a data object",))
    if body.format not in _TEXTS:
        return FieldType(text="string")
    name, pattern = _TEXTS[body.format]
    odd = next((example for example in body.examples if not _matches(example, pattern)), None)
    own_form = body.limits.get("pattern")
    if odd is not None:
        return FieldType(text="string", notes=(f"text, since {name} cannot hold the example {odd!r}"[:120],))
    if isinstance(own_form, str) and "Date" in own_form:
        return FieldType(text="string", notes=("text, since the pattern asks for another form of date",))
    if plain and name == "DateTime" and not any(map(_has_no_offset, body.examples)):
        name = "DateTimeOffset"
    return FieldType(text=name)


def _has_no_offset(example: JSON) -> bool:
    return isinstance(example, str) and example[-1:] not in {"Z", "z"} and example[-6:-5] not in {"+", "-"}


def _matches(example: JSON, pattern: re.Pattern[str]) -> bool:
    return example is None or (isinstance(example, str) and pattern.fullmatch(example) is not None)
