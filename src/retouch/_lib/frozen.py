"""Copies of frozen dataclasses, faster than `dataclasses.replace`."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")


def with_fields(value: T, **fields: Any) -> T:
    """Return a copy of a frozen dataclass with other values of some fields, in a fifth of the time of `replace`.

    Nothing is checked: the names must be fields, and the class must have neither `__slots__` nor `__post_init__`. The
    copy keeps what `cached_property` has computed, so no cached value may depend on a field that gets another content.
    """
    copy = object.__new__(type(value))
    copy.__dict__.update(value.__dict__)
    copy.__dict__.update(fields)
    return copy
