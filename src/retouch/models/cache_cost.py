"""The input cost of prompts with a cache, in uncached input tokens: the formulas of a cache plan.

S is the shared system text, U a page's own first text, A an answer, F a turn with a correction, k the turns of a
conversation, N the pages. w and r are the price of a written and a read token.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from retouch.models.cache_facts import CacheFacts

Marks: TypeAlias = Literal["none", "system", "moving", "moving, not on last"]


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """The tokens of one page's conversation, and its number of turns."""

    shared: int
    own: int
    answer: int = 0
    feedback: int = 0
    turns: int = 1


def conversation_cost(talk: Conversation, facts: CacheFacts, marks: Marks) -> float:
    """Return the input cost of one conversation that starts with an empty cache."""
    first, more, turns = talk.shared + talk.own, talk.answer + talk.feedback, talk.turns
    uncached = turns * first + more * turns * (turns - 1) / 2
    write, read = facts.write, facts.read
    if marks == "none":
        return uncached
    if marks == "system":
        return uncached - turns * talk.shared + write * talk.shared + (turns - 1) * read * talk.shared
    moving = (
        (write + (turns - 1) * read) * first + write * (turns - 1) * more + read * more * (turns - 1) * (turns - 2) / 2
    )
    last_written = more if turns > 1 else first
    return moving - (write - 1) * last_written if marks == "moving, not on last" else moving


def pages_cost(pages: int, talk: Conversation, facts: CacheFacts, *, writers: int = 1) -> float:
    """Return the input cost of single-turn pages with a marked shared text. The first `writers` of them write it."""
    writing = min(max(writers, 1), pages)
    shared = (writing * facts.write + (pages - writing) * facts.read) * talk.shared
    return shared + pages * talk.own


def pays(probability: float, facts: CacheFacts) -> bool:
    """Return whether a marker saves money if its entry is read once more with `probability`."""
    return probability * (1 - facts.read) > facts.write - 1
