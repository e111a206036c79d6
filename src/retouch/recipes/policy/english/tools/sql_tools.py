"""Tools that run SQL, and the kinds of statements that do what a verb says: to delete is no `SELECT`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import known_tool
from retouch.recipes.policy.english.words.lexicon import READ, VERBS, singular, word_set
from retouch.recipes.policy.language.values import SQL_KINDS, SQL_PARTS, Limit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.language.values import SqlKind, Tool

_ARGUMENTS = word_set("sql query statement sql_query sqlquery sql_statement")
_OF_PLATFORMS = word_set("project branch organization organisation")
_LISTS = word_set("queries statements sql_queries sql_statements")
_DATABASE = re.compile(
    r"\b(?:sql|ddl|mssql)\b|postgres|mysql|sqlite|mariadb|sql ?server|oracle|bigquery|snowflake|redshift|duckdb|"
    r"cockroach"
)
_OTHER_LANGUAGE = re.compile(r"graphql|cypher|promql|logql|mongo|elasticsearch|sparql|kql|nosql")
CHANGING: tuple[SqlKind, ...] = tuple(one for one in SQL_KINDS if one != "select")
_REMOVING: tuple[SqlKind, ...] = ("delete", "truncate", "drop", "drop other")
_KINDS_OF: Mapping[str, tuple[SqlKind, ...]] = {
    **dict.fromkeys(("delete", "remove", "erase", "destroy", "purge"), _REMOVING),
    "drop": ("drop", "drop other"),
    "truncate": ("truncate",),
    **dict.fromkeys(("create", "make", "add", "insert"), ("insert", "create", "alter")),
}
_MAY_READ = READ | word_set(
    "use touch access open run execute query visit download copy export print pull checkout import sync type click "
    "translate share fork test convert"
)


def runs_sql(tool: Tool) -> bool:
    """Return whether a tool runs the SQL that a call brings."""
    return bool(sql_argument(known_tool(tool)))


def is_beyond_sql(noun: str) -> bool:
    """Return whether a noun names what a platform has, and no SQL reaches: a project with databases, or a branch."""
    return singular(noun) in _OF_PLATFORMS


def sql_argument(one: KnownTool) -> str:
    """Return the argument of a tool that is SQL, its only one that is code. "" if there is none, or it is in doubt."""
    code = [arg for arg, spec in one.tool.args.items() if "executes-code" in spec.all_roles]
    code = code or [arg for arg in one.tool.args if one.code and arg.lower() in _LISTS and arg in one.lists]
    told = f"{one.tool.server} {one.tool.name} {one.tool.comment} {' '.join(map(one.described, code))} {' '.join(code)}"
    told = re.sub(r"[_-]", " ", told.lower())
    if len(code) != 1 or code[0].lower() not in _ARGUMENTS | _LISTS:
        return ""
    if not (one.takes_one_text(code[0]) or code[0] in one.lists):
        return ""
    return code[0] if _DATABASE.search(told) and not _OTHER_LANGUAGE.search(told) else ""


def sql_tests(one: KnownTool, verbs: Collection[str]) -> tuple[Limit, ...]:
    """Return the test of the statements that may do what one of these verbs says. () if all of them may."""
    arg = sql_argument(one)
    if not arg or not verbs or not all(map(only_changes, verbs)):
        return ()
    return (statements(arg, (kind for verb in verbs for kind in _KINDS_OF.get(verb, CHANGING))),)


def statements(arg: str, kinds: Iterable[SqlKind]) -> Limit:
    """Return the test of an argument for kinds of statements."""
    meant = frozenset(kinds)
    return Limit(arg=arg, sql=tuple(one for one in (*SQL_KINDS, *SQL_PARTS) if one in meant))


def only_changes(verb: str) -> bool:
    """Return whether nothing that only reads does what a verb says."""
    known = VERBS.get(verb)
    return verb not in _MAY_READ and known is not None and known.surely.isdisjoint(READ) and "read" not in known.deeds
