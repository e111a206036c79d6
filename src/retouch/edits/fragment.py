"""Decides whether a FIND that is only a part of its lines can be replaced there, or is a line that was cut.

A part that starts or ends inside a line is replaced as it is only if FIND and REPLACE share the token at that border,
which shows that the rest of the line is meant to stay. If REPLACE has the rest of the line already, the whole line is
replaced. Anything else is not certain.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.edits.values import is_blank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.edits.match import Match
    from retouch.edits.values import Lines

_TOKEN = re.compile(r"\w+|[^\w\s]")
_SPACE = re.compile(r"\s")
_PAIRS = {")": "(", "]": "[", "}": "{"}
_STRING = re.compile(r"\"(?:\\.|[^\"\\])*\"|`(?:\\.|[^`\\])*`|(?<!\w)'(?:\\.|[^'\\])*'")


def at_token_borders(text: str, start: int, end: int) -> bool:
    """Return whether no name and no number is cut at either end of the range."""
    return not _cuts(text, start) and not _cuts(text, end)


def fitted(match: Match, bodies: Sequence[str], find: Lines, new: Lines) -> tuple[Match, Lines] | None:
    """Return the match of a part of lines and its REPLACE, maybe extended to whole lines. None if it is not certain."""
    if match.columns is None:
        return match, new
    before = bodies[match.start][: match.columns[0]]
    after = bodies[match.stop - 1][match.columns[1] :]
    if _inside_string(bodies[match.start], match.columns[0]) or _inside_string(
        bodies[match.stop - 1], match.columns[1]
    ):
        return None
    edges = (not is_blank(before), not is_blank(after))  # whether the part starts and ends inside its line
    if not new:
        return (match, new) if all(edges) else None
    whole = bodies[match.start : match.stop]
    has_start = edges[0] and _starts_with(new[0], before) and not _starts_with(find[0], before)
    has_end = edges[1] and _ends_with(new[-1], after) and not _ends_with(find[-1], after)
    if (has_start, has_end) == edges:
        return _whole_line(match, before, after, new, whole)
    kept = _balance([before, *new, after]) == _balance(whole)
    return (match, new) if kept and _is_certain(edges, find, new) else None


def _whole_line(match: Match, before: str, after: str, new: Lines, whole: Sequence[str]) -> tuple[Match, Lines] | None:
    """Return the match of the whole lines, because REPLACE has the part of the line that FIND has not."""
    lead = before[: len(before) - len(before.lstrip())]
    first = new[0] if new[0].startswith(lead) else lead + new[0].lstrip()
    lines = (first, *new[1:])
    if _balance(lines) != _balance(whole):
        return None
    trailing = after[len(after.rstrip()) :]
    if trailing:
        lines = (*lines[:-1], lines[-1].rstrip() + trailing)
    return replace(match, tier="whole_line", columns=None), lines


def _is_certain(edges: tuple[bool, bool], find: Lines, new: Lines) -> bool:
    """Return whether the rest of the line is meant to stay.

    It is if the part is inside its line at both ends, if it is a single token that becomes a single word, or if FIND
    and REPLACE have the same token at the one border that is inside the line.
    """
    if edges == (True, True):
        return True
    old_tokens, new_tokens = _TOKEN.findall("\n".join(find)), _TOKEN.findall("\n".join(new))
    if not old_tokens or not new_tokens:
        return False
    if len(old_tokens) == 1:
        same = new_tokens[0 if edges[1] else -1] == old_tokens[0]
        return len(new_tokens) == 1 or (not same and len(new) == 1 and not _SPACE.search(new[0].strip()))
    if edges[0]:
        return old_tokens[0] == new_tokens[0]
    same_end = len(find) == len(new) or find[-1].strip() == new[-1].strip()
    return same_end and old_tokens[-1] == new_tokens[-1]


def _starts_with(line: str, part: str) -> bool:
    return line.lstrip().startswith(part.strip())


def _ends_with(line: str, part: str) -> bool:
    return line.rstrip().endswith(part.strip())


def _balance(lines: Sequence[str]) -> dict[str, int]:
    """Return how many brackets of each kind are open at the end, outside of strings."""
    counts = dict.fromkeys("([{", 0)
    for character in _STRING.sub("", "\n".join(lines)):
        if character in counts:
            counts[character] += 1
        elif character in _PAIRS:
            counts[_PAIRS[character]] -= 1
    return counts


def _inside_string(line: str, column: int) -> bool:
    return any(found.start() < column < found.end() for found in _STRING.finditer(line))


def _cuts(text: str, at: int) -> bool:
    """Return whether this offset is inside a name or a number."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if _is_word(left) and _is_word(right):
        return True
    if left == "." and right.isdigit():
        return at > 1 and text[at - 2].isdigit()
    if right == "." and left.isdigit():
        return at + 1 < len(text) and text[at + 1].isdigit()
    if right == "-":
        return _is_word(left) and at + 1 < len(text) and _is_word(text[at + 1])
    return left == "-" and _is_word(right) and at > 1 and _is_word(text[at - 2])


def _is_word(character: str) -> bool:
    return character.isalnum() or character in "_$"
