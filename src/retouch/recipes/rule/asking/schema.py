"""The JSON Schema of an answer about columns. A null means the same as leaving the key out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch.recipes.rule.language.field_schema import MOST_DESCRIPTION, MOST_UNIT
from retouch.recipes.rule.language.values import NORMALIZERS, TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MOST_COLUMNS, _MOST_PARTS, _MOST_OF, _MOST_BEYOND = 60, 12, 8, 8


def _text(most: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": most}


def _list(items: Mapping[str, Any], most: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "maxItems": most}


def _or_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


def _object(properties: Mapping[str, Any], required: Sequence[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


_NAME, _YES = _text(60), {"type": "boolean"}
_VALUE = {
    "type": _or_null({"enum": list(TYPES)}),
    "format": _or_null(_text(40)),
    "normalize": _or_null({"enum": list(NORMALIZERS)}),
}
_PART = _object(
    {
        "name": _NAME,
        **_VALUE,
        "chars": _or_null({"type": "integer"}),
        "optional": _or_null(_YES),
        "before": _or_null(_text(40)),
        "after": _or_null(_text(40)),
    },
    ["name"],
)
_COLUMN = _object(
    {
        "of": _list(_text(12), _MOST_OF),
        "name": _or_null(_NAME),
        **_VALUE,
        "optional": _or_null(_YES),
        "parts": _or_null(_list({"anyOf": [_PART, _text(80)]}, _MOST_PARTS)),
        "drop": _or_null(_YES),
    },
    ["of"],
)
_JOINED = _object(
    {
        "of": _list(_text(12), _MOST_OF),
        "name": _NAME,
        "with": _or_null(_text(10)),
        "type": _VALUE["type"],
        "format": _VALUE["format"],
    },
    ["of", "name"],
)
_SHAPE = _object({"of": _NAME, "name": _NAME, "drop": _or_null(_YES)}, ["of", "name"])
_ABOUT = {"field": _NAME, "description": _text(MOST_DESCRIPTION), "unit": _text(MOST_UNIT)}
COLUMNS_SCHEMA: Mapping[str, Any] = _object(
    {
        "name": _NAME,
        "tag": _or_null(_NAME),
        "columns": _list(_COLUMN, _MOST_COLUMNS),
        "joined": _or_null(_list(_JOINED, _MOST_COLUMNS)),
        "constants": _or_null(_list(_object({"text": _text(80), "name": _NAME}, ["text", "name"]), _MOST_COLUMNS)),
        "shapes": _or_null(_list(_SHAPE, _MOST_PARTS)),
        "about": _or_null(_list(_object(_ABOUT, list(_ABOUT)), _MOST_COLUMNS)),
        "beyond": _or_null(_list(_text(300), _MOST_BEYOND)),
    },
    ["name", "columns"],
)
