"""The tests of what the command line of a shell runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.deciding.shell_tests import READS, WELL_KNOWN
from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.tools.shell_tools import CHOOSING, is_typed, shell_argument
from retouch.recipes.policy.english.tools.sql_tools import only_changes
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart

_SHELLS = ("bash", "sh", "zsh", "dash")
_KNOWN_SHELLS = tuple(f"{folder}{one}" for one in _SHELLS for folder in ("", "/bin/", "/usr/bin/"))


def _other_shells(one: KnownTool) -> Iterator[ToolPart]:
    """Yield the calls that choose another shell than those whose command lines can be read."""
    for arg in one.tool.args:
        if arg.lower() in CHOOSING:
            given = Limit(arg=arg, state="present")
            yield part_of(one, where=(given,), unless=(Limit(arg=arg, among=_KNOWN_SHELLS),))


def restricted_runs(one: KnownTool, patterns: tuple[str, ...], *, where: tuple[Limit, ...] = ()) -> Iterator[ToolPart]:
    """Yield the calls of a shell that may run some commands, if the tests of `where` hold."""
    arg = shell_argument(one)
    yield part_of(one, where=(*where, Limit(arg=arg, runs=patterns)))
    if is_typed(arg):
        yield part_of(one, where=where, unless=(Limit(arg=arg, runs=(WELL_KNOWN,)),))
    for other in _other_shells(one):
        yield part_of(one, where=(*where, *other.where), unless=other.unless)


def other_runs(one: KnownTool, patterns: tuple[str, ...]) -> Iterator[ToolPart]:
    """Yield the calls of a shell that may run anything else than some commands."""
    yield part_of(one, unless=(Limit(arg=shell_argument(one), runs=patterns),))
    yield from _other_shells(one)


def permitted_runs(one: KnownTool, patterns: tuple[str, ...]) -> Iterator[ToolPart]:
    """Yield the calls of a shell that only run some commands."""
    runs = Limit(arg=shell_argument(one), runs=patterns)
    choosing = [arg for arg in one.tool.args if arg.lower() in CHOOSING]
    if not choosing:
        yield part_of(one, where=(runs,))
    for arg in choosing[:1]:
        yield part_of(one, where=(runs, Limit(arg=arg, state="absent")))
        yield part_of(one, where=(runs, Limit(arg=arg, among=_KNOWN_SHELLS)))


def changing_runs(one: KnownTool, verbs: Collection[str]) -> tuple[ToolPart, ...]:
    """Return the calls of a shell that may do what some verbs say: all but those that surely only read.

    () if the tool is no shell, or reading may do it.
    """
    if not verbs or not shell_argument(one) or not all(map(only_changes, verbs)):
        return ()
    return tuple(other_runs(one, (READS,)))


def with_whole_shells(meaning: Meaning) -> Meaning:
    """Return a prohibition of all command lines of shells, also of those that only read."""
    spared = {one for one in meaning.never if any(each.runs for each in one.unless)}
    return replace(meaning, never=(meaning.never - spared) | {replace(one, unless=()) for one in spared})
