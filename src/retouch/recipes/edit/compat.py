"""The names of the specification, for programs that were written against it."""

from __future__ import annotations

from retouch.edits.compat import (
    DiffChange,
    DiffParseResult,
    apply_diff_changes,
    build_diff_prompt,
    is_large_file,
    parse_diff_response,
)
from retouch.edits.stop import detect_truncation

__all__ = [
    "DiffChange",
    "DiffParseResult",
    "apply_diff_changes",
    "build_diff_prompt",
    "detect_truncation",
    "is_large_file",
    "parse_diff_response",
]
