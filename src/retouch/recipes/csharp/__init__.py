"""OpenAPI endpoint -> C# data objects: the recipe, and the functions of its specification.

The subpackages in the order of the work: `document` and `shapes` parse an OpenAPI document. `naming` and `reading` turn
one endpoint into the recipe's source (`ir`). `asking` cuts the source into prompts. `parsing` parses the answers,
`checking` checks them in tiers 1 and 2, `fixes` applies automatic fixes, `writing` builds the files, and `compilers`
checks them in tier 3. `answering` has the offline model and the faults. All of them use `language`, the rules of C#.
`job` builds the recipe, and `compat` has the functions with the names of the specification. Names are imported on first
use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._lib.lazy import lazy_attributes

if TYPE_CHECKING:
    from retouch.recipes.csharp.compat import PartialRegenResult, check_staleness, partial_regenerate, validate_by_type
    from retouch.recipes.csharp.document.document import load_document
    from retouch.recipes.csharp.job import recipe
    from retouch.recipes.csharp.reading.catalogue import list_endpoints
    from retouch.recipes.csharp.reading.endpoint import ReadingOptions, read_endpoint
    from retouch.recipes.csharp.writing.blocks import (
        assemble_cs,
        extract_type_block,
        list_type_names,
        replace_type_block,
        wrap_type_block,
    )
    from retouch.recipes.csharp.writing.files import stitch_and_assemble

_HOMES = {
    "PartialRegenResult": "compat",
    "ReadingOptions": "reading.endpoint",
    "assemble_cs": "writing.blocks",
    "check_staleness": "compat",
    "extract_type_block": "writing.blocks",
    "list_endpoints": "reading.catalogue",
    "list_type_names": "writing.blocks",
    "load_document": "document.document",
    "partial_regenerate": "compat",
    "read_endpoint": "reading.endpoint",
    "recipe": "job",
    "replace_type_block": "writing.blocks",
    "stitch_and_assemble": "writing.files",
    "validate_by_type": "compat",
    "wrap_type_block": "writing.blocks",
}

__all__ = [
    "PartialRegenResult",
    "ReadingOptions",
    "assemble_cs",
    "check_staleness",
    "extract_type_block",
    "list_endpoints",
    "list_type_names",
    "load_document",
    "partial_regenerate",
    "read_endpoint",
    "recipe",
    "replace_type_block",
    "stitch_and_assemble",
    "validate_by_type",
    "wrap_type_block",
]

__getattr__ = lazy_attributes(__name__, {name: f".{home}" for name, home in _HOMES.items()})
