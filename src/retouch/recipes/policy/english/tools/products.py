"""Products that a server is for: its own name, or the first word of the names of some tools, as in `jira_get_issue`."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.name_parts import ALL_VERBS, split_name
from retouch.recipes.policy.english.tools.toolbox import Toolbox

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.policy.english.tools.known_tools import KnownTool

_FEWEST = 3  # tools whose names begin with a product
_LEAST = 4  # letters of a server's name beside other words


def tools_of_product(words: Sequence[str], toolbox: Toolbox) -> list[KnownTool]:
    """Return the tools of the server or product with this name. Empty if there is none.

    A server may be named after its product and something else: `work-notion`. If several products share a server, the
    name of each begins the names of its tools.
    """
    only = {one.words[0] for one in toolbox.tools}
    if len(words) == 1 and (words[0] in products_of(toolbox) or only == {words[0]} - ALL_VERBS):
        return [one for one in toolbox.tools if one.words[:1] == [words[0]]]
    named = {one.tool.server for one in toolbox.tools if _is_named(split_name(one.tool.server), [*words])}
    return [one for one in toolbox.tools if one.tool.server in named]


def products_of(toolbox: Toolbox) -> frozenset[str]:
    """Return the first words of tools' names that name one of several products of a server."""
    first = Counter(one.words[0] for one in toolbox.tools if len(one.words) > 2)
    found = {word for word, number in first.items() if number >= _FEWEST and word not in ALL_VERBS}
    return frozenset(found) if len(found) > 1 else frozenset()


def of_named_product(text: str, toolbox: Toolbox) -> Toolbox:
    """Return the tools that a sentence can be about, if it names one of several products of a server.

    Tools of other products stay if their description names it: a link from an issue to a page of Confluence.
    """
    named = products_of(toolbox) & set(re.findall(r"[a-z]+", text.lower()))
    if len(named) != 1:
        return toolbox
    (product,) = named
    kept = {
        one.key: one.tool
        for one in toolbox.tools
        if product in re.findall(r"[a-z]+", f"{' '.join(one.words)} {one.tool.comment.lower()}")
    }
    return Toolbox(replace(toolbox.frame, tools=kept), elsewhere=toolbox.other_servers)


def _is_named(server: list[str], words: list[str]) -> bool:
    """Return whether a server has this name, or ends with it."""
    ends = server[-len(words) :] == words and len("".join(words)) >= _LEAST
    return "".join(server) == "".join(words) or ends
