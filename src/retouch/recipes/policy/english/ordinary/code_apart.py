"""Restrictions of files and things, apart for tools that run code of which it can be told what it does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.limits.shell_limits import changing_runs
from retouch.recipes.policy.english.ordinary.cluster_sentences import cluster_meaning
from retouch.recipes.policy.english.ordinary.shell_sentences import shell_meaning
from retouch.recipes.policy.english.tools.shell_tools import shell_argument
from retouch.recipes.policy.english.tools.sql_tools import sql_tests
from retouch.recipes.policy.english.words.sentences import ANYWHERE, CallAction, PathAction

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Meaning, Sentence


def meaning_of_code(text: str, toolbox: Toolbox) -> Meaning | None:
    """Return what a sentence about commands of a shell, or about a cluster, means. None if it is no such sentence.

    Raises:
        Unclear: it is one, but its time cannot be tested.
    """
    return shell_meaning(text, toolbox) or cluster_meaning(text, toolbox)


def with_code_apart(sentence: Sentence, toolbox: Toolbox | None) -> tuple[Sentence, ...]:
    """Return a sentence, with another one for what SQL and shells do that it restricts: `DROP`, and no `SELECT`."""
    action = sentence.action
    if toolbox is None or sentence.mood == "allow" or not isinstance(action, PathAction) or "read" in action.deeds:
        return (sentence,)
    verbs = {"set"} if "write" in action.deeds else {"delete"}
    parts = tuple(part for one in toolbox.tools for part in changing_runs(one, verbs))
    if action.noun == "anything" and action.place == ANYWHERE:
        tests = {one: sql_tests(one, verbs) for one in toolbox.tools}
        parts += tuple(part_of(one, where=found) for one, found in tests.items() if found)
    if not parts:
        return (sentence,)
    apart = frozenset((one.server, one.tool) for one in parts)
    return replace(sentence, action=replace(action, apart=apart)), replace(sentence, action=CallAction(parts=parts))


def calls_others(sentence: Sentence, toolbox: Toolbox) -> bool:
    """Return whether a sentence is about calls of tools that are no shells."""
    shells = {one.key for one in toolbox.tools if shell_argument(one)}
    parts = sentence.action.parts if isinstance(sentence.action, CallAction) else ()
    return any((one.server, one.tool) not in shells for one in parts)
