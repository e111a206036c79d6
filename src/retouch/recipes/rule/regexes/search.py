"""What the pattern of a field finds in a text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from retouch.recipes.rule.regexes.cost import longest_safe
from retouch.recipes.rule.regexes.linear import linear_search
from retouch.recipes.rule.regexes.parsing import parse_regex
from retouch.recipes.rule.regexes.python import python_regex

if TYPE_CHECKING:
    from collections.abc import Callable


@lru_cache(maxsize=1_024)
def regex_find(text: str) -> Callable[[str], str | None]:
    """Return a function from a text to what the pattern finds in it, None when it finds nothing.

    It finds group 1 of the leftmost match, or the whole match when there is no group; a group that took no part finds
    nothing. Its time is bounded: Python's `re` searches where backtracking cannot take long, a linear engine elsewhere.

    Raises:
        PartError: the pattern is not one that rules may use.
    """
    regex = parse_regex(text)
    search = re.compile(python_regex(regex.tree)).search
    group = min(regex.groups, 1)
    longest = longest_safe(regex.tree)
    slowly = linear_search(regex.tree)

    def find(value: str) -> str | None:
        if len(value) > longest:
            spans = slowly(value)
            span = spans and spans[group]
            return value[span[0] : span[1]] if span else None
        found = search(value)
        return found[group] if found else None

    return find
