"""The names of the specification can be imported from one module."""

from __future__ import annotations

from retouch.recipes.edit import compat

NAMES = {
    "DiffChange",
    "DiffParseResult",
    "apply_diff_changes",
    "build_diff_prompt",
    "detect_truncation",
    "is_large_file",
    "parse_diff_response",
}


def test_every_name_of_the_specification_is_offered_and_nothing_else():
    assert NAMES == set(compat.__all__)
    assert all(callable(getattr(compat, name)) for name in NAMES)
