"""OpenAPI endpoint -> C# data objects: the recipe, and the public functions of its design. Loaded when used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._faces import lazily

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
    from retouch.recipes.csharp.seed import PartialRegenResult, check_staleness, partial_regenerate, validate_by_type

_HOMES = {
    "PartialRegenResult": "seed",
    "assemble_cs": "assembly",
    "check_staleness": "seed",
    "extract_type_block": "assembly",
    "list_type_names": "assembly",
    "partial_regenerate": "seed",
    "recipe": "job",
    "replace_type_block": "assembly",
    "stitch_and_assemble": "assembly",
    "validate_by_type": "seed",
    "wrap_type_block": "assembly",
}

__all__ = [
    "PartialRegenResult",
    "assemble_cs",
    "check_staleness",
    "extract_type_block",
    "list_type_names",
    "partial_regenerate",
    "recipe",
    "replace_type_block",
    "stitch_and_assemble",
    "validate_by_type",
    "wrap_type_block",
]

__getattr__ = lazily(__name__, {name: f".{home}" for name, home in _HOMES.items()})
