"""Compiles globs to regular expressions that cannot backtrack exponentially.

In `*a*b` the first `a` is always as good as a later one. So the text between two stars is matched once, in an atomic
group, and never given back. The same holds for the directories between two `**`. Only the start of the last part is
tried at several positions, so the time is at most the length of the path times the length of the glob.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from retouch.recipes.rule.globs.parsing import RUN, OneOf

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retouch.recipes.rule.globs.parsing import Alternative, Glob, Segment, Token

_ANY_DIRECTORIES = "(?:[^/]+/)*"


@lru_cache(maxsize=256)
def glob_test(glob: Glob) -> Callable[[str | None, str], bool]:
    """Return a function from (path below the root or None, absolute path) to whether `glob` matches it.

    Both paths are normalised: the first has no leading `/`, the second has one. The first is None if the path is not
    below the root.
    """
    relative = _fullmatch([one for one in glob.alternatives if not one.absolute])
    from_top = _fullmatch([one for one in glob.alternatives if one.absolute])

    def test(below_root: str | None, absolute: str) -> bool:
        if relative is not None and below_root is not None and relative(below_root):
            return True
        return from_top is not None and from_top(absolute[1:]) is not None

    return test


def _fullmatch(alternatives: Sequence[Alternative]) -> Callable[[str], re.Match[str] | None] | None:
    if not alternatives:
        return None
    return re.compile("|".join(_path_pattern(one.segments) for one in alternatives), re.DOTALL).fullmatch


@lru_cache(maxsize=4_096)
def segment_test(segment: Segment, *, any_case: bool = False) -> Callable[[str], re.Match[str] | None]:
    """Return a function from the text of one segment to its match, or None if it does not match."""
    flags = re.DOTALL | (re.IGNORECASE if any_case else re.NOFLAG)
    return re.compile(_segment_pattern(segment.tokens or (RUN,)), flags).fullmatch


def _path_pattern(segments: Sequence[Segment]) -> str:
    groups: list[list[str]] = [[]]
    for segment in segments:
        if segment.tokens is None:
            groups.append([])
        else:
            groups[-1].append(_segment_pattern(segment.tokens))
    head, *middle = groups
    if not middle:
        return "/".join(head)
    last = middle.pop()
    between = "".join(f"(?>(?:[^/]+/)*?{_joined_directories(group)})" for group in middle if group)
    return _joined_directories(head) + between + (_ANY_DIRECTORIES + "/".join(last) if last else ".+")


def _joined_directories(parts: Sequence[str]) -> str:
    return "".join(f"{part}/" for part in parts)


def _segment_pattern(tokens: Sequence[Token]) -> str:
    """Return the expression of one segment, which must match from the start to the end of the segment."""
    if all(token == RUN for token in tokens):
        return "[^/]+"
    chunks: list[str] = [""]
    for token in tokens:
        if isinstance(token, OneOf):
            chunks[-1] += _char_pattern(token)
        else:
            chunks.append("")
    head, *middle = chunks
    if not middle:
        return head
    last = middle.pop()
    return head + "".join(f"(?>[^/]*?{chunk})" for chunk in middle) + f"[^/]*{last}"


def _char_pattern(token: OneOf) -> str:
    if not token.negated and len(token.ranges) == 1 and token.ranges[0][0] == token.ranges[0][1]:
        return re.escape(token.ranges[0][0])
    members = "".join(f"{re.escape(low)}-{re.escape(high)}" for low, high in token.ranges)
    if token.negated:
        return f"[^/{members}]"
    return f"(?:(?!/)[{members}])" if any(low <= "/" <= high for low, high in token.ranges) else f"[{members}]"
