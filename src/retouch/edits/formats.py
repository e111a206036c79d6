"""Parses a reply to blocks. Its first structural line determines the format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.edits.parse_change import is_pair_start, looks_like_change, read_changes
from retouch.edits.parse_markers import START, looks_like_marker, read_markers
from retouch.edits.parse_patch import BEGIN, read_patch
from retouch.edits.values import EditIssue, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retouch.edits.values import EditBlock

    Reader = Callable[[Sequence[str]], list[EditBlock]]


def read_blocks(reply: str) -> list[EditBlock]:
    """Return the blocks of a reply in order: CHANGE / FIND / REPLACE WITH, SEARCH/REPLACE markers or apply-patch.

    Raises:
        Refusal: `no_blocks` if there is none, `malformed` if a part of one is missing. No block is ever dropped.
    """
    if "\0" in reply:
        raise Refusal(EditIssue(code="malformed", message="The reply contains a NUL byte.", fix="Send plain text."))
    lines = [line.removesuffix("\r") for line in reply.removeprefix("\ufeff").split("\n")]
    reader = _reader(lines)
    blocks = reader(lines) if reader else []
    if blocks:
        return blocks
    raise Refusal(
        EditIssue(
            code="no_blocks",
            message="The reply contains no edit block.",
            fix="Write each change as FIND and REPLACE WITH, each followed by a fenced block.",
        )
    )


def _reader(lines: Sequence[str]) -> Reader | None:
    hint: Reader | None = None
    for number, line in enumerate(lines):
        if not line or line[0] not in "<-*#FD \t>+~`R":
            continue
        if START.match(line):
            return read_markers
        if BEGIN.match(line):
            return read_patch
        if is_pair_start(lines, number):
            return read_changes
        if hint is None and looks_like_change(line):
            hint = read_changes
        if hint is None and looks_like_marker(line):
            hint = read_markers
    return hint
