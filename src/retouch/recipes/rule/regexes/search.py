"""Searches a text with the pattern of a field."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from retouch.recipes.rule.regexes.cost import longest_safe
from retouch.recipes.rule.regexes.linear import linear_search
from retouch.recipes.rule.regexes.parsing import parse_regex
from retouch.recipes.rule.regexes.writing import regex_text

if TYPE_CHECKING:
    from collections.abc import Callable


@lru_cache(maxsize=1_024)
def regex_find(text: str) -> Callable[[str], str | None]:
    """Return a function from a text to the text that the pattern finds in it, or None.

    The result is group 1 of the leftmost match, or the whole match if there is no group. If the group did not take part
    in the match, the result is None. The time is bounded: Python's `re` is used where backtracking is fast, else a
    linear engine.

    Raises:
        PartError: the pattern is not allowed in rules.
    """
    regex = parse_regex(text)
    search = re.compile(regex_text(regex.tree)).search
    group = min(regex.groups, 1)
    longest = longest_safe(regex.tree)
    search_linearly = linear_search(regex.tree)

    def find(value: str) -> str | None:
        if len(value) > longest:
            spans = search_linearly(value)
            span = spans and spans[group]
            return value[span[0] : span[1]] if span else None
        found = search(value)
        return found[group] if found else None

    return find
