"""Reads a model's reply in any format: the edits, and the parts that look like edits and were not understood."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.edits.formats import read_blocks
from retouch.edits.values import Refusal, Remainder, ReplyReading

if TYPE_CHECKING:
    from collections.abc import Iterable


def read_reply(reply: str, *, known: Iterable[str] = ()) -> ReplyReading:  # noqa: ARG001 - used by more formats
    """Return the edits of a reply in order, and the parts that look like edits and were not understood.

    The reply may mix formats. `known` are the paths of files that exist; they help to recognize a path on a line of its
    own. A reply without any edit gives an empty reading. Nothing is matched against a file.

    For example:
        >>> read_reply("FIND:\\n~~~\\na\\n~~~\\nREPLACE WITH:\\n~~~\\nb\\n~~~\\n").edits[0].format
        'change'
    """
    try:
        return ReplyReading(edits=tuple(read_blocks(reply)))
    except Refusal as refusal:
        if refusal.issue.code == "no_blocks":
            return ReplyReading()
        line = refusal.issue.reply_line or 1
        text = reply.split("\n")[line - 1].strip()[:80]
        return ReplyReading(unread=(Remainder(line=line, text=text, why=refusal.issue.message),))
