"""Leaves out the noun of a listed value: "with squash" for "with the method squash", "as CSV" for "in CSV format".

"Our Instagram account" is instagram, if the tools list it as a platform.

The value says which argument is meant, if all arguments that list it are named by this noun.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import nouns_of_argument

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_PLATFORMS = frozenset({"platform", "network", "site", "service", "social network"})


def with_bare_values(text: str, toolbox: Toolbox) -> str:
    """Return a sentence in which listed values stand without the nouns of their arguments."""
    for value, nouns in _named_values(toolbox):
        noun = rf"(?:{'|'.join(sorted(map(re.escape, nouns), key=len, reverse=True))})s?"
        before = rf"\b(?:the |an? )?{noun} (?:set to |of )?(?P<value>[\"`]?{re.escape(value)}[\"`]?)(?![\w-])"
        after = rf"\b(?:the |an? )?(?P<value>{re.escape(value)}) {noun}(?![\w-])"
        for pattern in (before, after):
            text = re.sub(pattern, lambda found: found["value"], text, flags=re.IGNORECASE)
        if not nouns.isdisjoint(_PLATFORMS) and "account" not in toolbox.words.given:
            owned = rf"(?P<in>\b(?:on|from|to|for|in) )(?:our|my|the|your) (?P<value>{re.escape(value)})"
            presence = rf"{owned} (?:account|page|profile|feed)(?![\w-])"
            text = re.sub(presence, lambda found: f"{found['in']}{found['value']}", text, flags=re.IGNORECASE)
    return text


def _named_values(toolbox: Toolbox) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each listed value with the nouns that all arguments have which list it, if there are some."""
    heads = {one.head for one in toolbox.tools}
    found: dict[str, list[frozenset[str]]] = defaultdict(list)
    for one in toolbox.tools:
        for arg, values in one.listed.items():
            for value in values:
                found[value.lower()].append(nouns_of_argument(one, arg) - heads)
    for value, nouns in found.items():
        shared = nouns[0].intersection(*nouns[1:])
        if shared:
            yield value, shared
