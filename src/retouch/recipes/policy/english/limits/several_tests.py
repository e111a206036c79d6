"""Tests that stand for several arguments or tools: texts, people who are not some, amounts, and tools that run code."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.argument_tests import TEXTS, limit_of, part_of, repository_tests
from retouch.recipes.policy.english.limits.binding import other_values, several_arguments
from retouch.recipes.policy.english.limits.meant_tools import argument_of
from retouch.recipes.policy.english.limits.pattern_tests import with_ids
from retouch.recipes.policy.english.limits.shell_limits import changing_runs
from retouch.recipes.policy.english.limits.sized_arguments import named_text
from retouch.recipes.policy.english.limits.telling_times import clock_tests
from retouch.recipes.policy.english.tools.amount_tests import setting_given
from retouch.recipes.policy.english.tools.known_tools import PEOPLE, nouns_of_argument, split_name
from retouch.recipes.policy.english.tools.sql_tools import is_beyond_sql, sql_argument, sql_tests
from retouch.recipes.policy.english.tools.timed_arguments import length_given
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.acts import ANYTHING
from retouch.recipes.policy.english.words.lexicon import LEAVE_ALONE, word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.english.words.sentences import Meaning
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from retouch.recipes.policy.english.tools.amount_tests import Side
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.acts import Act, Qualifier
    from retouch.recipes.policy.english.words.clock_times import NamedTime
    from retouch.recipes.policy.english.words.sentences import ToolPart

_TEXT_OF = re.compile(r"(?:the )?(?:new )?(?:text|body|content|contents)(?: of|$|[.,;])|new text", re.IGNORECASE)
_NO_TEXT = word_set("type types format formats encoding id ids ts timestamp key mode language length limit count")
_VALUES = frozenset({"chosen", "named", "value", "bare"})
_CODE = frozenset({"command", "code", "script", "program", "statement", "query", "shell"})
_ON_ALL = frozenset({"use", "touch", "change", "modify", "alter", "write", "delete", LEAVE_ALONE})


def code_parts(
    tools: Iterable[KnownTool],
    whens: Sequence[NamedTime],
    zone: str | None,
    verbs: Collection[str] = (),
    nouns: Collection[str] = (),
) -> frozenset[ToolPart]:
    """Return the tools that run code, at some times: they can do what is restricted then.

    Of SQL only the statements that may do what `verbs` say, if these are known to change something, and none if all
    `nouns` are things that SQL does not reach. Of a shell no commands that surely only read.
    """
    found: set[ToolPart] = set()
    beyond = bool(nouns) and all(map(is_beyond_sql, nouns))
    for one in (known for known in tools if known.code and not (beyond and sql_argument(known))):
        for times in product(*(clock_tests(one, when, zone) for when in whens)):
            where = tuple(limit for each in times for limit in each.where)
            unless = tuple(limit for each in times for limit in each.unless)
            changing = () if unless else changing_runs(one, verbs)
            found |= {part_of(one, where=(*where, *each.where), unless=each.unless) for each in changing}
            if not changing:
                found.add(part_of(one, where=(*where, *sql_tests(one, verbs)), unless=unless))
    return frozenset(found)


def beside(code: frozenset[ToolPart], parts: frozenset[ToolPart]) -> frozenset[ToolPart]:
    """Return the tools that run code and have no tests of their own: a question about them has its limits."""
    tested = {(one.server, one.tool) for one in parts}
    return frozenset(one for one in code if (one.server, one.tool) not in tested)


def without_whole(parts: frozenset[ToolPart], code: frozenset[ToolPart]) -> frozenset[ToolPart]:
    """Return parts without whole shells of which only some command lines can do what is meant."""
    tested = {(one.server, one.tool) for one in code if any(each.runs for each in one.unless)}
    return frozenset(one for one in parts if one.where or one.unless or (one.server, one.tool) not in tested)


def restriction(
    parts: frozenset[ToolPart], toolbox: Toolbox, *, asks: bool, verbs: Collection[str] = ("set",)
) -> Meaning:
    """Return the meaning of parts that are asked about or forbidden by verbs, with the tools that run code."""
    code = code_parts(toolbox.tools, (), toolbox.frame.time_zone, verbs)
    return Meaning(ask=parts | beside(code, parts)) if asks else Meaning(never=parts | code)


def without_covered(act: Act, parts: frozenset[ToolPart], code: frozenset[ToolPart]) -> frozenset[ToolPart]:
    """Return parts without those that tools which run code have anyway, if an act is not about running something.

    "Change nothing in production" is about all that is there, and a tool that runs commands is forbidden as a whole.
    """
    named = not act.verbs and all(one.named and _CODE.isdisjoint(one.nouns) for one in act.things)
    if not named and (act.things not in {(), (ANYTHING,)} or not set(act.verbs) <= _ON_ALL):
        return parts
    return frozenset(
        one
        for one in parts
        if not any(
            (one.server, one.tool) == (other.server, other.tool)
            and set(other.where) <= set(one.where)
            and not other.unless
            for other in code
        )
    )


def never_gets(
    one: KnownTool,
    tested: Sequence[Qualifier],
    tools: Iterable[KnownTool],
    tests_of: Callable[[KnownTool, Sequence[Qualifier]], list[ToolPart] | None],
) -> bool:
    """Return whether another tool for the same things takes the value that they get, and this one has no such argument.

    To move a ticket to Closed is no work for `update_issue(summary)` beside `transition_issue(status)`.
    """
    got = [each for each in tested if each.kind in _VALUES and {each.word, each.arg} & {"to", "as", "into"}]
    if not got or len(got) < len(tested) or one.has_free_fields:
        return False
    own = {noun for arg in one.tool.args for noun in nouns_of_argument(one, arg)}
    for other in tools:
        parts = tests_of(other, got) if other.head == one.head else None
        args = {limit.arg for part in parts or () for limit in part.where}
        nouns = {noun for arg in args if arg for noun in nouns_of_argument(other, arg)}
        if parts and args and not nouns & own:
            return True
    return False


def is_for_somebody(one: KnownTool, tested: Sequence[Qualifier]) -> bool:
    """Return whether a sentence is about channels, and a tool writes to a person: a direct message is in no channel."""
    in_channels = bool(tested) and all("channel" in {each.word, each.arg} for each in tested)
    person = any(not PEOPLE.isdisjoint(split_name(arg)) for arg in one.required)
    texts = (one.tool.comment, *one.tool.args, *map(one.described, one.tool.args))
    return in_channels and person and not any(re.search("channel|#", text, re.IGNORECASE) for text in texts)


def tests_unless(one: KnownTool, unless: tuple[Limit, ...]) -> list[ToolPart]:
    """Return the tests of calls that do not pass some tests."""
    people = [limit for limit in unless if limit.role == "email-address"]
    return outside_tests(one, people[0]) if len(people) == len(unless) == 1 else [part_of(one, unless=unless)]


def with_argument(act: Act, toolbox: Toolbox) -> Act:
    """Return "set a TTL below 300 seconds" with the argument that its amount is about.

    Raises:
        Unclear: it has no amount, so that every call that gives the argument is meant.
    """
    act = named_text(with_ids(act, toolbox.words.prefixes), toolbox)
    args = [arg for thing in act.things for arg in [argument_of(toolbox, thing)] if arg and act.verbs == ("set",)]
    if not args:
        return act
    if [one.kind for one in act.qualifiers] != ["amount"] or len(act.things) > 1 or act.exceptions:
        raise Unclear(f"it needs one limit for {args[0]!r}, such as 'below 300'")
    return replace(act, qualifiers=(replace(act.qualifiers[0], arg=args[0]),))


def argument_test(one: KnownTool, qualifier: Qualifier, side: Side, *, exact: bool) -> list[ToolPart] | None:
    """Return the tests of a value that arguments of a tool have, as alternatives. None if it has no such argument."""
    permits = side == "permit" or exact
    if qualifier.is_negated:
        left = other_values(one, qualifier, exact=exact)
        return None if left is None else [part_of(one, unless=(left,))]
    several = several_arguments(one, qualifier)
    if several:
        return [part_of(one, where=several)] if permits else [part_of(one, where=(limit,)) for limit in several]
    limit = limit_of(one, qualifier, side, exact=exact)
    if limit is None:
        return None
    if qualifier.kind == "outside":
        return outside_tests(one, limit)
    if permits and qualifier.kind == "sites" and any(name.startswith("https://") for name in qualifier.names):
        return [part_of(one, where=(limit, Limit(role=limit.role, like=("https://*",))))]
    given = () if permits else (*length_given(one, limit), *setting_given(one, limit))
    return [part_of(one, where=(*given, limit))]


def outside_tests(one: KnownTool, limit: Limit) -> list[ToolPart]:
    """Return the tests of all other values than those of a limit. A call for nobody is none of them."""
    named = [arg for arg, spec in one.tool.args.items() if limit.role in spec.all_roles]
    if not named or not one.required or set(named) & one.required:
        return [part_of(one, unless=(limit,))]
    return [part_of(one, where=(Limit(arg=arg, state="present"),), unless=(limit,)) for arg in named]


def several_tests(one: KnownTool, qualifier: Qualifier, side: Side, *, exact: bool) -> list[ToolPart] | None:
    """Return the tests of a repository, or of a word that a text must not contain."""
    if qualifier.kind == "contains":
        return _contained(one, qualifier) if side == "restrict" and not exact else None
    return repository_tests(one, qualifier, side, exact=exact)


def _contained(one: KnownTool, qualifier: Qualifier) -> list[ToolPart] | None:
    """Return the tests of a word in a text: in any text that the tool writes. None if it writes none."""
    args = [arg for arg in one.tool.args if one.takes_text(arg) and _is_text(one, arg)]
    coded = (f"<!{name[1:]}" for name in qualifier.names if name.lower() in lexicon.MENTIONS)  # as Slack writes it
    like = tuple(f"*{name}*" for name in (*qualifier.names, *coded))
    return [part_of(one, where=(Limit(arg=arg, like=like),)) for arg in args] or None


def _is_text(one: KnownTool, arg: str) -> bool:
    """Return whether an argument is a text that people read: `body`, or the "Text of the message"."""
    words = split_name(arg)
    if arg in one.listed or _NO_TEXT.intersection(words[-1:]):
        return False
    return not TEXTS.isdisjoint(words) or _TEXT_OF.match(one.described(arg)) is not None
