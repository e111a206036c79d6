"""OpenAPI endpoint -> C# data objects: the recipe, and the public functions of its design. Loaded when used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retouch.recipes.csharp.assembly import (
        assemble_cs,
        extract_type_block,
        list_type_names,
        replace_type_block,
        stitch_and_assemble,
        wrap_type_block,
    )
    from retouch.recipes.csharp.job import recipe

_HOMES = {
    "assemble_cs": "assembly",
    "extract_type_block": "assembly",
    "list_type_names": "assembly",
    "recipe": "job",
    "replace_type_block": "assembly",
    "stitch_and_assemble": "assembly",
    "wrap_type_block": "assembly",
}

__all__ = [
    "assemble_cs",
    "extract_type_block",
    "list_type_names",
    "recipe",
    "replace_type_block",
    "stitch_and_assemble",
    "wrap_type_block",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
