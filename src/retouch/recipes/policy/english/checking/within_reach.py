"""Reads a refused restriction for the tools that can be tested for it, so that it is enforced in part."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.toolbox import Toolbox
from retouch.recipes.policy.english.words.scanning import UNTESTED, Unclear
from retouch.recipes.policy.english.words.sentences import ANYWHERE, CallAction, UseAction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from retouch.recipes.policy.english.words.sentences import Sentence

_MOST = 6
# Why a sentence is refused because of a single tool.
_OF_TOOL = re.compile(
    r"(?:^|: )(?:[^\s/:]+/)?([^\s/:]+) (?:may take a directory, and no call shows|may be meant as well)"
)


def within_reach(
    read: Callable[[Toolbox], tuple[Sentence, ...]], toolbox: Toolbox, why: str
) -> tuple[tuple[Sentence, ...], str, frozenset[tuple[str, str]]]:
    """Return what a refused restriction means without some tools, why it is refused for each, and these tools.

    A sentence that permits something is not read so: what it permits may be one of those tools.
    """
    whys, frame = [why], toolbox.frame
    while (found := _OF_TOOL.search(whys[-1]) or UNTESTED.search(whys[-1])) and len(whys) <= _MOST:
        name = found[1]
        frame = replace(frame, tools={key: one for key, one in frame.tools.items() if key[1] != name})
        try:
            sentences = read(Toolbox(frame, elsewhere=toolbox.other_servers))
        except Unclear as error:
            whys.append(error.why)
            continue
        if any(one.mood == "allow" for one in sentences):
            break
        gone = frozenset(toolbox.frame.tools.keys() - frame.tools.keys())
        return sentences, "; ".join(whys) if sentences else why, gone
    return (), why, frozenset()


def forbidden_wholly(sentences: Iterable[Sentence]) -> frozenset[tuple[str, str]]:
    """Return the tools of which sentences forbid every call, so that no other sentence has to reach them."""
    found: set[tuple[str, str]] = set()
    for action in (one.action for one in sentences if one.mood == "never" and not one.excepted):
        if isinstance(action, UseAction) and action.members is None and action.place == ANYWHERE:
            found |= {(action.server, tool) for tool in action.tools or ()}
        elif isinstance(action, CallAction):
            found |= {(part.server, part.tool) for part in action.parts if not part.where and not part.unless}
    return frozenset(found)
