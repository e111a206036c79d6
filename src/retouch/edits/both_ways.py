"""Decides whether REPLACE lost its indentation together with FIND, or only FIND did.

If FIND matches lines that are indented by another step, REPLACE usually has the same error and moves with it. But a
model may also quote FIND without its indentation and write REPLACE right. Lines that REPLACE shares with FIND or with
the file show which it is. If there is none, the result is parsed both ways.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.edits.indent import indentation
from retouch.edits.lineindex import filled
from retouch.edits.rewrite import rewritten, span_of
from retouch.edits.style import Unmappable
from retouch.edits.syntax import first_fault
from retouch.edits.values import is_blank

if TYPE_CHECKING:
    from retouch.edits.filelines import FileLines
    from retouch.edits.locate import LocatedBlock

_UNCLEAR = "it is unclear whether REPLACE lacks the same indentation as FIND"
_MOST_PARSED = 2_000_000  # characters of a file that is parsed both ways


def with_settled_indentation(path: str, lines: FileLines, located: LocatedBlock) -> LocatedBlock:
    """Return the block unchanged, or with REPLACE treated as already correct.

    Raises:
        Unmappable: it is not certain which of the two is meant.
    """
    match, new = located.match, located.replace
    if match.indent is None or not match.indent.is_shift or not filled(new):
        return located
    bodies = tuple(lines.bodies[match.start : match.stop])
    moved = {line for line, body in zip(located.find, bodies, strict=True) if line != body and not is_blank(line)}
    if not moved:
        return located
    right = replace(located, match=replace(match, indent=None), find=bodies)
    first = indentation(filled(new)[0])
    like_find = first == indentation(filled(located.find)[0])
    like_file = first == indentation(filled(bodies)[0])
    as_quoted = any(line in moved for line in new)
    as_in_file = any(line in set(bodies) - set(located.find) and not is_blank(line) for line in new)
    if like_find and not like_file and not as_in_file:
        return located
    if like_find != like_file and (first_fault(path, lines.text) is not None or len(lines.text) > _MOST_PARSED):
        if like_file and as_quoted:
            raise Unmappable(_UNCLEAR)
        return located if like_find else right
    moved_parses, right_parses = (_parses(path, lines, one) for one in (located, right))
    if like_find != like_file and (moved_parses if like_find else right_parses and not as_quoted):
        return located if like_find else right
    if moved_parses != right_parses and (moved_parses or not as_quoted):
        return located if moved_parses else right
    raise Unmappable(_UNCLEAR)


def _parses(path: str, lines: FileLines, located: LocatedBlock) -> bool:
    """Return whether the file with this edit parses. It counts as if it does if there is no parser."""
    try:
        text = rewritten(lines, located.match, located.find, located.replace)
    except Unmappable:
        return False
    start, stop = span_of(lines, located.match)
    return first_fault(path, lines.text[:start] + text + lines.text[stop:]) is None
