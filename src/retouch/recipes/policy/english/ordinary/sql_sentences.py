"""Reads sentences about SQL: what kinds of statements may be run, and of which tables, if only SQL can do it.

"Never drop a table", "Run only SELECT queries", "Ask before any DELETE or UPDATE", "The salaries table is off limits".
Where a server has tools of their own for rows and tables, other readers read such sentences.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.limits.telling_times import rest_of_times, time_tests
from retouch.recipes.policy.english.ordinary.read_only import may_change
from retouch.recipes.policy.english.ordinary.sql_deeds import STORED, SqlDeed, on_anything, sql_deeds
from retouch.recipes.policy.english.stances.framing import framed
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.tools.sql_tools import CHANGING, sql_argument, statements
from retouch.recipes.policy.english.words.lexicon import singular
from retouch.recipes.policy.english.words.rates import AT_MOST, PERIOD, number_of
from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart
from retouch.recipes.policy.english.words.tokens import tokens_of
from retouch.recipes.policy.language.values import PERIOD_S, SQL_KINDS, Limit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retouch.recipes.policy.english.stances.framing import How
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.acts import Qualifier
    from retouch.recipes.policy.language.values import Period, SqlKind

_RUN = r"(?:run|execute|use|issue|send|do|perform|make)"
_ALL_KINDS: frozenset[SqlKind] = frozenset(SQL_KINDS)
_OF_TABLES = (["table"], ["table", "name"], ["object", "name"], ["relation"])
_OF_SCHEMAS = (["schema"], ["schemas"], ["schema", "name"])
_ONLY = re.compile(
    r"(?:only (?:run|execute|use|issue|send|write)|(?:run|execute|use|issue) only|stick to|limit yourself to|just run) "
    r"(?P<said>.+)"
)
_MUST_BE = re.compile(
    r"(?:all |any |your |every )?(?:sql |database )?(?:sql|quer(?:y|ies)|statements?) (?:must|should|have to|has to) "
    r"(?:always )?be (?:read-?only|read only|readonly|selects?)"
)
_READ_ONLY = re.compile(
    r"(?:(?P<things>(?:the |our |my |this )?(?:database|db|data)|(?:everything|all(?: the)? (?:data|tables)|anything) "
    r"in the (?:database|db))|(?:the |our |my )?(?P<table>[a-z_][a-z0-9_.]*) table) (?:is|are|stays?) read[ -]only"
    r"(?: for you)?|(?:you (?:have|get)|treat (?:the |our |my )?(?:database|db) as) read[ -]only"
    r"(?: access (?:to|on) (?:the |our |my )?(?:database|db|data))?"
)
_BOTH = re.compile(
    r"(?P<first>[^,;]+?)(?:,|;|,? but|,? and) (?:you (?:must|may|can|should) )?(?:never|not|do not|don't) "
    r"(?P<second>[^,;]+)",
    re.IGNORECASE,
)
_RATE = re.compile(
    rf"(?:(?:(?:never|do not|don't|you must not|you may not) (?:ever )?{_RUN} more than|(?:please )?(?:{_RUN} )?"
    rf"(?:{'|'.join(one for one in AT_MOST if one != 'only')}))) (?P<number>[\w-]+) (?P<what>[a-z ]+?) "
    rf"(?P<period>{PERIOD})"
)
_PERIOD_WORDS: Mapping[Period, re.Pattern[str]] = {
    one: re.compile(rf"\b{one if one != 'day' else '(?:day|dai)'}(?:ly)?\b") for one in PERIOD_S
}
_REST = re.compile(
    r"(?P<first>[^,;]+?)(?:,|;|,? but|,? and|,? while)(?: for)? (?P<second>(?:please )?(?:ask [^,;]* "
    r")?(?:for |about |before )?"
    r"(?:everything|anything) else(?: [^,;]+)?)",
    re.IGNORECASE,
)
_QUERYING = frozenset({"execute", "run", "query", "sql"})
_ENDED: frozenset[SqlKind] = frozenset({"delete", "drop", "truncate"})
_ENDING = frozenset({"delete", "drop", "destroy", "remove", "reset"})
_HOLDERS = frozenset({"database", "branch", "project", "schema", "cluster"})  # whoever deletes one deletes its tables
_OTHERS = frozenset({"everything else", "anything else"})
_MUST_HAVE = re.compile(
    r"(?:every|any|all|each)? ?(?P<verbs>(?:update|delete|updates|deletes)(?:(?: and | or |, |/)(?:update|"
    r"delete|updates|"
    r"deletes))*)(?: statements?| queries| query| commands?)? (?:always )?(?:must|should|needs? to|has to|"
    r"have to|needs?|requires?) "
    r"(?:always )?(?:(?:have|include|contain|use|come with|carry) )?(?:a |an )?where(?: clause| condition| filter)?"
)


@dataclass(frozen=True)
class _Said:
    """How a sentence is meant, what it is about, and at which times, or outside of which.

    `rate`: only calls beyond this number are meant.
    """

    how: How
    deed: SqlDeed
    times: tuple[Qualifier, ...] = ()
    outside: bool = False
    rate: Limit | None = None


def sql_meaning(text: str, toolbox: Toolbox) -> Meaning | None:
    """Return what a sentence about SQL means for the tools that run it. None if it is no such sentence."""
    tools = {one: arg for one in toolbox.tools if (arg := sql_argument(one))}
    if not tools or any(map(_handles_rows, toolbox.tools)):
        return None
    found = _widest(_sayings(text, toolbox))
    if len(found) == 1:
        return _meaning(found.pop(), tools, toolbox)
    return None if found else _of_rest(text, tools, toolbox) or _of_two(text, tools, toolbox)


def _of_rest(text: str, tools: Mapping[KnownTool, str], toolbox: Toolbox) -> Meaning | None:
    """Return what "SELECTs are fine, everything else needs my approval" means, if SQL is all that changes anything."""
    both = _REST.fullmatch(text.strip().rstrip(".!").replace("\u2019", "'"))
    if both is None or not _all_read(tools, toolbox):
        return None
    first = _widest(_sayings(both["first"], toolbox))
    rest = {
        one.how for one in framed(tokens_of(both["second"]), toolbox.words) if one.said in _OTHERS and not one.times
    }
    if len(first) != 1 or rest != {"ask"}:
        return None
    (one,) = first
    if one.how != "permit" or not one.deed.is_plain:
        return None
    found = [_meaning(each, tools, toolbox) for each in (one, _Said("ask", SqlDeed(_ALL_KINDS - one.deed.kinds)))]
    return found[0] | found[1] if found[0] is not None and found[1] is not None else None


def _of_two(text: str, tools: Mapping[KnownTool, str], toolbox: Toolbox) -> Meaning | None:
    """Return what "inserts are fine, but never delete anything" means. None if it is no such sentence."""
    both = _BOTH.fullmatch(text.strip().rstrip(".!").replace("\u2019", "'"))
    if both is None:
        return None
    first = _widest(_sayings(both["first"], toolbox))
    second = {
        _Said("forbid", deed) for one in framed(tokens_of(f"never {both['second']}"), toolbox.words)
        for deed in sql_deeds(on_anything(one.said)) if one.how == "forbid" and not one.times
    }  # fmt: skip
    if len(first) != 1 or len(second) != 1:
        return None
    (one,), (other,) = first, second
    if one.how == "ask" or (one.how == "permit" and one.deed.kinds & other.deed.kinds):
        return None
    found = [_meaning(each, tools, toolbox) for each in (one, other)]
    return found[0] | found[1] if found[0] is not None and found[1] is not None else None


def _meaning(said: _Said, tools: Mapping[KnownTool, str], toolbox: Toolbox) -> Meaning | None:
    """Return what one saying means. None for a permission of which no test shows all."""
    parts = frozenset(_parts(said.deed, one, arg) for one, arg in tools.items())
    if said.how == "permit":
        return None if said.times else _permitted(said.deed, parts, tools, toolbox)
    beside = [one for one in toolbox.tools if one not in tools]
    parts |= {part_of(one) for one in beside if one.code}
    parts |= {part for one in beside for part in _beside(said.deed, one)}
    known = {one.key: one for one in toolbox.tools}
    timed = frozenset(each for part in parts for each in _at_times(part, said, known[part.server, part.tool], toolbox))
    return Meaning(ask=timed) if said.how == "ask" else Meaning(never=timed)


def _permitted(
    deed: SqlDeed, parts: frozenset[ToolPart], tools: Mapping[KnownTool, str], toolbox: Toolbox
) -> Meaning | None:
    """Return what a permission of some statements permits: by queries, and not by migrations."""
    known = {one.key: one for one in tools}
    queries = frozenset(part for part in parts if not _QUERYING.isdisjoint(known[part.server, part.tool].words))
    if deed.is_plain:
        return Meaning(allow=queries)
    others = frozenset(part_of(one) for one in toolbox.tools if one not in tools)
    return Meaning(allow=queries | others) if deed.reading and _all_read(tools, toolbox) else None


def _sayings(text: str, toolbox: Toolbox) -> Iterator[_Said]:
    """Yield what a sentence says of SQL, in each way in which it can be split."""
    plain = " ".join(text.strip().rstrip(".!").replace("\u2019", "'").replace("`", "").split()).lower()
    for one in framed(tokens_of(text), toolbox.words):
        for deed in sql_deeds(one.said):
            yield from _limited(_Said(one.how, deed, one.times))
    if (found := _ONLY.fullmatch(plain)) is not None:
        yield from (said for deed in sql_deeds(found["said"]) for said in _limited(_Said("only", deed)))
    if _MUST_BE.fullmatch(plain) is not None:
        yield _Said("forbid", SqlDeed(frozenset(CHANGING)))
    if (found := _READ_ONLY.fullmatch(plain)) is not None:
        tables = (found["table"].rpartition(".")[2],) if found["table"] else ()
        yield _Said("forbid", SqlDeed(frozenset(CHANGING), tables=tables))
    yield from _rated(plain)
    if (found := _MUST_HAVE.fullmatch(plain)) is not None:
        yield from (_Said("forbid", deed) for deed in sql_deeds(f"{found['verbs']} without where"))


def _rated(plain: str) -> Iterator[_Said]:
    """Yield what "run at most 20 queries per hour" forbids."""
    found = _RATE.fullmatch(plain)
    number = number_of(found["number"]) if found is not None else None
    said = found["period"] if found is not None else ""
    period: Period | None = next((one for one in PERIOD_S if _PERIOD_WORDS[one].search(said)), None)
    if found is not None and number is not None and period is not None:
        limit = Limit(count="calls", per=period, above=number)
        yield from (_Said("forbid", deed, rate=limit) for deed in sql_deeds(found["what"]) if deed.whole)


def _limited(said: _Said) -> Iterator[_Said]:
    """Yield a limit as what it forbids: "only SELECT" forbids all other kinds of statements."""
    if said.how != "only":
        yield said
    elif said.deed.whole and len(said.times) == 1:
        others = rest_of_times(said.times)
        yield _Said("forbid", said.deed, said.times if others is None else (others,), outside=others is None)
    elif said.deed.is_plain and not said.times and said.deed.kinds <= _ALL_KINDS:
        yield _Said("forbid", SqlDeed(_ALL_KINDS - said.deed.kinds))


def _widest(found: Iterator[_Said]) -> set[_Said]:
    """Return the sayings without those that leave out the time that others have, or an approval."""
    known = set(found)
    asked = {one for one in known if one.how == "ask"}
    return {
        one
        for one in known
        if not any(one.deed == other.deed and set(other.times) > set(one.times) for other in known)
        and not (one.how == "forbid" and asked)
    }


def _all_read(tools: Mapping[KnownTool, str], toolbox: Toolbox) -> bool:
    """Return whether all tools but those for SQL only read."""
    return not any(may_change(one) for one in toolbox.tools if one not in tools)


def _handles_rows(one: KnownTool) -> bool:
    """Return whether a tool that runs no SQL changes rows or tables, so that it may be meant as well."""
    own = {*map(singular, one.words)} | {singular(word) for arg in one.tool.args for word in split_name(arg)}
    return not (one.code or one.reads) and not own.isdisjoint(STORED - {"data", "index", "view", "database"})


def _parts(deed: SqlDeed, one: KnownTool, arg: str) -> ToolPart:
    """Return the calls of a tool that runs SQL which do what is said."""
    kinds = statements(arg, deed.kinds)
    migrates = deed.migrating and "migration" in one.words
    if deed.tables:
        name = Limit(arg=arg, tables=deed.tables)
        return part_of(one, where=(name,) if deed.kinds == _ALL_KINDS else (name, kinds))
    return part_of(one, where=() if deed.whole or migrates else (kinds,))


def _at_times(part: ToolPart, said: _Said, one: KnownTool, toolbox: Toolbox) -> list[ToolPart]:
    """Return some calls of a tool at the times of a saying, as alternatives."""
    found = [part if said.rate is None else replace(part, where=(*part.where, said.rate))]
    for time in said.times:
        tests = time_tests(one, time, "run", toolbox, permits=False, exact=said.outside) or []
        if said.outside:
            tests = [replace(each, where=each.unless, unless=each.where) for each in tests]
        found = [
            replace(each, where=(*each.where, *other.where), unless=(*each.unless, *other.unless))
            for each in found
            for other in tests
        ]
    return found


def _beside(deed: SqlDeed, one: KnownTool) -> Iterator[ToolPart]:
    """Yield the calls of a tool that runs no SQL which do what is said: of a table, of all tables, of a migration."""
    for arg in one.tool.args if deed.tables and deed.kinds == _ALL_KINDS else ():
        if split_name(arg) in (_OF_SCHEMAS if deed.schema else _OF_TABLES):
            yield part_of(one, where=(Limit(arg=arg, among=deed.tables),))
    if deed.kinds & _ENDED and one.head in _HOLDERS and (one.verbs | one.done) & _ENDING:
        yield part_of(one)
    made = "create" in one.verbs
    if (
        deed.structural
        and not (one.reads or made)
        and re.search(r"\bmigrations?\b", one.tool.comment.lower()) is not None
    ):
        yield part_of(one)
