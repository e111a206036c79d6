"""Writes a glob as the tree of a regular expression, and how a path is normalised before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.rule.globs.parsing import RUN, SCHEME, OneOf
from retouch.recipes.rule.regexes.tree import Assertion, Chars, Choice, Repeat, Sequence, merged

if TYPE_CHECKING:
    from collections.abc import Sequence as Items

    from retouch.recipes.rule.globs.parsing import Alternative, Glob, Token
    from retouch.recipes.rule.regexes.tree import Node

STEPS = ((f"^{SCHEME}", ""), (r"\\", "/"), (r"(^|/)(?:\.?/)+", r"\1"), (r"(?:/\.?|^\.)$", ""))
"""Patterns and what replaces all their matches in a path: they normalise it as `locate` does, without a leading `/`."""
_SLASH = (ord("/"), ord("/"))
_NO_SLASH = Chars(ranges=(_SLASH,), negated=True)
_ONE_OR_MORE = Repeat(body=_NO_SLASH, least=1, most=None)
_DIRECTORIES = Repeat(body=Sequence(parts=(_ONE_OR_MORE, Chars(ranges=(_SLASH,)))), least=0, most=None)


def glob_tree(glob: Glob) -> Node:
    """Return the expression of the normalised paths that a glob matches, from start to end.

    They have no leading `/`: below the root directory, absolute and relative globs mean the same.
    """
    paths = tuple(_path(one) for one in glob.alternatives)
    whole = paths[0] if len(paths) == 1 else Choice(parts=paths)
    return Sequence(parts=(Assertion(kind="start"), whole, Assertion(kind="end")))


def _path(alternative: Alternative) -> Node:
    parts: list[Node] = []
    *directories, name = alternative.segments
    for segment in directories:
        parts += [_DIRECTORIES] if segment.tokens is None else [_segment(segment.tokens), Chars(ranges=(_SLASH,))]
    parts += [_DIRECTORIES, _ONE_OR_MORE] if name.tokens is None else [_segment(name.tokens)]
    return Sequence(parts=tuple(parts))


def _segment(tokens: Items[Token]) -> Node:
    if all(token == RUN for token in tokens):
        return _ONE_OR_MORE
    any_text = Repeat(body=_NO_SLASH, least=0, most=None)
    return Sequence(parts=tuple(_char(token) if isinstance(token, OneOf) else any_text for token in tokens))


def _char(token: OneOf) -> Node:
    ranges = [(ord(low), ord(high)) for low, high in token.ranges]
    if token.negated:
        return Chars(ranges=merged([*ranges, _SLASH]), negated=True)
    outside = merged(ranges, negated=True)
    return Chars(ranges=merged([*outside, _SLASH], negated=True))
