"""Reads JSON values of unknown type: each function returns a value of the wanted type, or an empty one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping


def object_in(value: object) -> Mapping[str, Any]:
    """Return `value` if it is an object, else an empty one."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def objects_in(value: object) -> list[Mapping[str, Any]]:
    """Return the non-empty objects in `value` if it is a list, else none."""
    values = cast("list[object]", value) if isinstance(value, list) else []
    return [found for one in values if (found := object_in(one))]


def string_in(value: object) -> str:
    """Return `value` if it is a string, else ""."""
    return value if isinstance(value, str) else ""


def amount_in(value: object) -> float | None:
    """Return `value` if it is a number from 0 to 1e15, else None: "NaN" is a number for `json`, and no amount."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15:
        return float(value)
    return None


def number_in(*values: object) -> int:
    """Return the first of `values` that is a number of 0 or more, as an integer, or 0."""
    return next((int(amount) for value in values if (amount := amount_in(value)) is not None), 0)
