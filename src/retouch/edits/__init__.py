"""Applies FIND/REPLACE edits, each at exactly one place, all or none. Independent of the engine and of models.

`read_reply` recognizes the edits of a model's reply in any format, and names the parts that it does not understand.
`apply_reply` applies them to files in memory. `apply_to_folder` writes the result to a directory, all files or none.
`changes_between` and `render_blocks` write edits that `apply_reply` can parse.
"""

from __future__ import annotations

from retouch.edits.apply import apply_blocks, apply_reply, text_sha256
from retouch.edits.compat import (
    DiffChange,
    DiffParseResult,
    apply_diff_changes,
    build_diff_prompt,
    is_large_file,
    parse_diff_response,
)
from retouch.edits.diff import unified_diff
from retouch.edits.executable import ExecutableSurface, executable_surfaces
from retouch.edits.folder import apply_to_folder, read_files, take_back, tried_in_folder
from retouch.edits.inside import DirectoryError, DirectoryFailure
from retouch.edits.reader import read_reply
from retouch.edits.render import changes_between, fence_for, render_blocks
from retouch.edits.stop import detect_truncation
from retouch.edits.syntax import first_fault, with_syntax_checked
from retouch.edits.values import Edit, EditBlock, EditIssue, EditResult, Remainder, ReplyReading

__all__ = [
    "DiffChange",
    "DiffParseResult",
    "DirectoryError",
    "DirectoryFailure",
    "Edit",
    "EditBlock",
    "EditIssue",
    "EditResult",
    "ExecutableSurface",
    "Remainder",
    "ReplyReading",
    "apply_blocks",
    "apply_diff_changes",
    "apply_reply",
    "apply_to_folder",
    "build_diff_prompt",
    "changes_between",
    "detect_truncation",
    "executable_surfaces",
    "fence_for",
    "first_fault",
    "is_large_file",
    "parse_diff_response",
    "read_files",
    "read_reply",
    "render_blocks",
    "take_back",
    "text_sha256",
    "tried_in_folder",
    "unified_diff",
    "with_syntax_checked",
]
