"""Parses a reply to blocks, in any format, or refuses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.edits.apply import NO_BLOCKS
from retouch.edits.reader import read_parts
from retouch.edits.values import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch.edits.values import EditBlock


def read_blocks(reply: str, *, known: Iterable[str] = ()) -> list[EditBlock]:
    """Return the blocks of a reply in order, in any format that `read_reply` reads.

    Raises:
        Refusal: `no_blocks` if there is none, `malformed` if a part is not understood. No block is ever dropped.
    """
    blocks, issue = read_parts(reply, known=known)
    if issue is not None:
        raise Refusal(issue)
    if blocks:
        return blocks
    raise Refusal(NO_BLOCKS)
