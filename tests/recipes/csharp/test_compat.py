"""The names of the specification can be imported from one module."""

from __future__ import annotations

from retouch.recipes.csharp import compat

NAMES = {
    "PartialRegenResult",
    "assemble_cs",
    "check_staleness",
    "extract_type_block",
    "list_type_names",
    "partial_regenerate",
    "replace_type_block",
    "stitch_and_assemble",
    "validate_by_type",
    "wrap_type_block",
}


def test_every_name_of_the_specification_is_offered_and_nothing_else():
    assert NAMES == set(compat.__all__)
    assert all(callable(getattr(compat, name)) for name in NAMES)
