"""Reads sentences about SQL: what kinds of statements may be run, and of which tables, if only SQL can do it.

"Never drop a table", "Run only SELECT queries", "Ask before any DELETE or UPDATE", "The salaries table is off limits".
Where a server has tools of their own for rows and tables, other readers read such sentences.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from retouch.recipes.policy.deciding.sql_statements import SQL_KINDS
from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.tools.sql_tools import CHANGING, sql_argument, statements
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.language.values import SqlKind

_STORED = word_set("table row record column index view schema data database entry")
_WITH_TABLES = word_set("table schema database data")
_ASKING = (
    r"(?:please )?(?:always )?(?:ask|check with|get my (?:ok|okay|approval|permission))(?: me)?(?: for (?:permission|"
    r"approval|confirmation))?(?: first)? before (?:you )?(?:ever )?"
)
_NEVER = r"(?:please )?(?:you (?:must|may|can|should) )?(?:never|don't|do not|not) (?:ever )?"
_MAY = r"(?:you (?:may|can)|you are allowed to|feel free to) "
_ONLY_RUN = r"(?:only (?:run|execute|use|issue|send|write)|(?:run|execute|use|issue) only|stick to|limit yourself to)"
_ANY = r"(?:(?:any|all|a|an|the|our|my|existing|whole|entire|new|other|of) )*"
_SQL = r"(?: sql)?(?: (?:quer(?:y|ies)|statements?|commands?|sql))?"
_PLACE = (
    r"(?: (?:in|on|from|of|to|into|inside) (?:the |our |my |any |this |a )?(?:tables?|databases?|db|postgres(?:ql)?|"
    r"supabase|mysql|sqlite|schema))?"
)
_VERBS: Mapping[str, str] = {
    "drop": "drop",
    "truncate": "truncate",
    "update": "update",
    **dict.fromkeys(("delete", "remove", "erase", "wipe", "destroy"), "delete"),
    **dict.fromkeys(("insert", "add", "create", "make"), "create"),
    **dict.fromkeys(("change", "modify", "edit", "overwrite"), "change"),
    **dict.fromkeys(("alter", "rename"), "alter"),
}
_VERB = rf"(?:{'|'.join(_VERBS)})"
_DOING = {f"{one.removesuffix('e')}ing": one for one in _VERBS} | {"dropping": "drop", "droping": "drop"}
_LIST = r"(?P<verbs>{one}(?:(?:, or |, and |, | or | and ){one})*)"
_NOUNS = r"(?P<nouns>[a-z]+(?: (?:or|and|,) [a-z]+)*)"
_NAMES = rf"(?:{'|'.join(one for one in SQL_KINDS if ' ' not in one)}|ddl|dml)"
_KIND_LIST = rf"(?P<kinds>{_NAMES}(?:(?:, or |, and |, | or | and | nor |/){_NAMES})*)"
_KINDS_OF_NAMES: Mapping[str, tuple[SqlKind, ...]] = {
    **{one: (one,) for one in SQL_KINDS},
    "drop": ("drop", "drop other"),
    "ddl": ("create", "alter", "drop", "drop other", "truncate", "grant"),
    "dml": ("insert", "update", "delete"),
}
_ALL_KINDS: frozenset[SqlKind] = frozenset(SQL_KINDS)
_WITHOUT_GRANTS: tuple[SqlKind, ...] = tuple(one for one in CHANGING if one != "grant")
_ANYTHING_BUT = r"(?:anything (?:but|other than|except|besides)|other (?:queries|statements) than)"
_READ_ONLY = r"(?:read-?only|read only|readonly|select(?:-only)?)"
_TABLE = r"[\"'`\u201c]?(?P<table>[a-z_][a-z0-9_.]*)[\"'`\u201d]?"

_About = TypeVar("_About")


@dataclass(frozen=True)
class _Said:
    """How a sentence is meant (`never`, `ask` or `allow`), the kinds of statements, and the table if one is named."""

    how: str
    kinds: frozenset[SqlKind]
    table: str = ""


def sql_meaning(text: str, toolbox: Toolbox) -> Meaning | None:
    """Return what a sentence about SQL means for the tools that run it. None if it is no such sentence."""
    tools = {one: arg for one in toolbox.tools if (arg := sql_argument(one))}
    if not tools or any(map(_handles_rows, toolbox.tools)):
        return None
    plain = " ".join(text.strip().rstrip(".!").replace("\u2019", "'").replace("`", "").split()).lower()
    found = {said for read in _READERS for said in read(plain)}
    if len(found) != 1:
        return None
    (said,) = found
    parts = frozenset(part for one, arg in tools.items() for part in _parts(said, one, arg))
    if said.how == "allow":
        return Meaning(allow=frozenset(part for part in parts if _is_for_queries(tools, part))) or None
    parts |= {part_of(one) for one in toolbox.tools if one.code and one not in tools}
    parts |= {part for one in toolbox.tools if one not in tools for part in _naming(said, one)}
    return Meaning(ask=parts) if said.how == "ask" else Meaning(never=parts)


def _handles_rows(one: KnownTool) -> bool:
    """Return whether a tool that runs no SQL changes rows or tables, so that it may be meant as well."""
    own = {*map(singular, split_name(one.tool.name))} | {
        singular(word) for arg in one.tool.args for word in split_name(arg)
    }
    return not (one.code or one.reads) and not own.isdisjoint(_STORED - {"data", "index", "view", "database"})


def _is_for_queries(tools: Mapping[KnownTool, str], part: ToolPart) -> bool:
    """Return whether a tool is for queries, and not for migrations."""
    one = next(each for each in tools if each.key == (part.server, part.tool))
    return not {"execute", "run", "query", "sql"}.isdisjoint(split_name(one.tool.name))


def _parts(said: _Said, one: KnownTool, arg: str) -> Iterator[ToolPart]:
    kinds = statements(arg, said.kinds)
    if not said.table:
        yield part_of(one, where=(kinds,))
    else:
        name = Limit(arg=arg, tables=(said.table.rpartition(".")[2],))
        yield part_of(one, where=(name,) if said.kinds == _ALL_KINDS else (name, kinds))


def _naming(said: _Said, one: KnownTool) -> Iterator[ToolPart]:
    """Yield the calls of a tool that runs no SQL which name a table that must be left alone."""
    for arg in one.tool.args if said.table and said.kinds == _ALL_KINDS else ():
        if split_name(arg) in (["table"], ["table", "name"], ["object", "name"], ["relation"]):
            yield part_of(one, where=(Limit(arg=arg, among=(said.table.rpartition(".")[2],)),))


def _fitting(text: str, forms: Iterable[tuple[str, _About, str]]) -> Iterator[tuple[str, _About, re.Match[str]]]:
    """Yield how each form of a sentence that fits is meant, what it is about, and its words."""
    for how, about, pattern in forms:
        match = re.fullmatch(pattern, text)
        if match is not None:
            yield how, about, match


def _of_verbs(text: str) -> Iterator[_Said]:
    """Yield what "never drop a table" and "ask before deleting rows" mean."""
    own, doing = _LIST.format(one=_VERB), _LIST.format(one=f"(?:{'|'.join(_DOING)})")
    for how, pattern in (
        ("never", rf"{_NEVER}{own} {_ANY}{_NOUNS}{_PLACE}"),
        ("ask", rf"{_ASKING}(?:you )?(?:{own}|{doing.replace('verbs', 'doing')}) {_ANY}{_NOUNS}{_PLACE}"),
        ("never", rf"no {doing} (?:of )?{_ANY}{_NOUNS}{_PLACE}"),
    ):
        match = re.fullmatch(pattern, text)
        named = {} if match is None else {key: _words_in(text) for key, text in match.groupdict().items() if text}
        nouns = frozenset[str](map(singular, named.get("nouns", ())))
        if not nouns or not _STORED.issuperset(nouns):
            continue
        verbs = {_VERBS[_DOING.get(word, word)] for word in (*named.get("verbs", ()), *named.get("doing", ()))}
        yield _Said(how, frozenset(kind for verb in verbs for kind in _kinds(verb, nouns)))


def _words_in(text: str) -> list[str]:
    """Return the words of a list without "and" and "or"."""
    return [word for word in re.findall("[a-z]+", text) if word not in {"or", "and", "nor"}]


def _kinds(verb: str, nouns: frozenset[str]) -> tuple[SqlKind, ...]:
    """Return the kinds of statements that do something to rows, tables or columns."""
    rows = bool(nouns & {"row", "record", "data", "entry"})
    if verb == "change":
        return _WITHOUT_GRANTS
    known: Mapping[str, tuple[SqlKind, ...]] = {
        "drop": ("drop",) if nouns & _WITH_TABLES else ("drop other",),
        "truncate": ("truncate",),
        "delete": ("delete", "truncate", "drop") if rows else ("drop",) if nouns & _WITH_TABLES else ("drop other",),
        "create": ("insert",) if rows else ("alter",) if nouns == frozenset({"column"}) else ("create",),
        "update": ("update",) if rows else ("update", "alter"),
    }
    return known.get(verb, ("alter",))


def _of_kinds(text: str) -> Iterator[_Said]:
    """Yield what is said of statements by their names: "no DELETE or TRUNCATE", "run only SELECT queries"."""
    run = r"(?:run|execute|use|issue|send|do)"
    running = r"(?:running|executing|using|issuing|sending|doing)"
    forms = (
        ("never", False, rf"(?:{_NEVER}{run}|no) {_ANY}{_KIND_LIST}{_SQL}{_PLACE}"),
        ("never", False, rf"{_KIND_LIST}{_SQL} (?:is|are) (?:off limits|off-limits|forbidden|not allowed|prohibited)"),
        ("ask", False, rf"{_ASKING}(?:you )?(?:(?:{run}|{running}) )?{_ANY}{_KIND_LIST}{_SQL}{_PLACE}"),
        ("ask", True, rf"{_ASKING}(?:you )?(?:{run}|{running}) {_ANYTHING_BUT} {_ANY}{_KIND_LIST}{_SQL}{_PLACE}"),
        ("never", True, rf"{_NEVER}{run} {_ANYTHING_BUT} {_ANY}{_KIND_LIST}{_SQL}{_PLACE}"),
        ("never", True, rf"{_ONLY_RUN} {_ANY}{_KIND_LIST}{_SQL}{_PLACE}"),
        ("never", True, rf"only {_KIND_LIST}{_SQL}(?: (?:is|are) (?:allowed|ok|okay|permitted|fine))?"),
        ("allow", False, rf"{_MAY}{run} {_ANY}{_KIND_LIST}{_SQL}{_PLACE}"),
    )
    for how, others, match in _fitting(text, forms):
        named: frozenset[SqlKind] = frozenset(
            kind for one in _words_in(match["kinds"]) for kind in _KINDS_OF_NAMES[one]
        )
        yield _Said(how, _ALL_KINDS - named if others else named)


def _of_reading(text: str) -> Iterator[_Said]:
    """Yield what is said of queries that only read: "only run read-only queries", "no writes to the database"."""
    run, running = r"(?:run|execute|use|issue|send)", r"(?:run|running|execute|executing)"
    query = r"(?:sql|quer(?:y|ies)|statements?)"
    data = r"(?:the |our |my |any )?(?:database|db|data|rows|tables)"
    changes = rf"that (?:chang|modif|writ|delet|alter|updat|edit)(?:e|es|s|ies|y)?(?: to)? (?:anything|it|{data})"
    for how, pattern in (
        ("never", rf"{_ONLY_RUN} {_ANY}{_READ_ONLY}{_SQL}{_PLACE}"),
        ("never", rf"(?:all |any |your )?(?:sql |database )?{query} (?:must|should|have to) be {_READ_ONLY}"),
        ("never", rf"(?:{_NEVER}{run}|no) {_ANY}{query} {changes}"),
        ("never", rf"no (?:sql )?writes(?: to {data})?"),
        ("ask", rf"{_ASKING}(?:you )?{running} {_ANY}(?:{query}|anything) {changes}"),
        ("ask", rf"{_ASKING}(?:you )?(?:writing|write) (?:anything )?to {data}"),
    ):
        if re.fullmatch(pattern, text) is not None:
            yield _Said(how, frozenset(CHANGING))


def _of_tables(text: str) -> Iterator[_Said]:
    """Yield what is said of one table: "the salaries table is off limits", "never write to the orders table"."""
    table = rf"(?:the |our |my )?{_TABLE} table"
    inside = r"(?:(?:anything|rows?|data|records?|entries) (?:in|from|of) )?"
    change = r"(?:change|modify|edit|update|alter|write to|delete from|insert into|overwrite)"
    changing = r"(?:changing|modifying|editing|updating|altering|writing to|deleting from|inserting into|overwriting)"
    touch = r"(?:touch|read|query|access|use|look at|look into|open|read from|select from|go into)"
    touching = r"(?:touching|reading|querying|accessing|using|looking at|looking into|opening|reading from)"
    forms = (
        ("never", SQL_KINDS, rf"{table} (?:is|stays) (?:off[ -]limits|taboo|private|secret|forbidden)"),
        ("never", SQL_KINDS, rf"{_NEVER}{touch} {inside}{table}"),
        ("never", SQL_KINDS, rf"(?:keep|stay) (?:out of|away from) {table}"),
        ("never", SQL_KINDS, rf"leave {table} (?:alone|untouched)"),
        ("ask", SQL_KINDS, rf"{_ASKING}(?:you )?(?:{touch}|{touching}) {inside}{table}"),
        ("never", CHANGING, rf"{_NEVER}{change} {inside}{table}"),
        ("never", CHANGING, rf"{table} (?:is|stays) read[ -]only"),
        ("ask", CHANGING, rf"{_ASKING}(?:you )?(?:{change}|{changing}) {inside}{table}"),
    )
    for how, kinds, match in _fitting(text, forms):
        yield _Said(how, frozenset(kinds), table=match["table"])


_READERS: tuple[Callable[[str], Iterator[_Said]], ...] = (_of_verbs, _of_kinds, _of_reading, _of_tables)
