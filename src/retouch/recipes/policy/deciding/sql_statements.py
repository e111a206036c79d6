"""Reads which kinds of statements a text of SQL contains, for any database, or says that it does not know.

Databases differ in quotes, comments and the ends of statements, and a reader that follows one of them can be misled for
another. So a text is only known if all of them agree about it: no backslashes, no comments with instructions, no quotes
inside of names, no functions but those that only compute. A word such as `DROP` outside of quotes counts wherever it
stands, because some databases need nothing between two statements.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from retouch.recipes.policy.deciding.sql_rows import aspects_of
from retouch.recipes.policy.language.values import SQL_KINDS, SQL_PARTS, SqlKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

_NOT_PLAIN = re.compile(r"[\\\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_TOKEN = re.compile(
    r"(?P<gap>[ \t\n]+|--(?:[ \t][^\n]*)?(?=\n|\Z)|/\*(?![!+M])(?:[^*/]|\*(?!/)|/(?!\*))*\*/)"
    r"|(?P<text>(?:(?:[nxbe]|date|time|timestamp|interval)(?='))?'(?:[^'\\]|'')*')"
    r'|(?P<name>"[^"\\\x00]*"|`[\w .-]*`|\[[\w .:,-]*\])'
    r"|(?P<word>[a-z_][\w$.]*(?<!\.)(?![\w$'\"`]))"
    r"|(?P<number>(?:0x[0-9a-f]+|\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+|\$\d+|@\w+)(?![\w$.'\"`])|\?)"
    r"|(?P<end>;)"
    r"|(?P<open>\()"
    r"|(?P<sign>-(?!-)|/(?![*/])|::|&(?![\"'])|[+*%<>=!~^|),.:])",
    re.ASCII | re.IGNORECASE,
)
_WORDS: Mapping[str, tuple[str, ...]] = {
    "select": ("select",),
    "insert": ("insert",),
    "update": ("update",),
    "delete": ("delete",),
    "merge": ("insert", "update", "delete"),
    "upsert": ("insert", "update"),
    "replace": ("insert", "delete"),
    "truncate": ("truncate",),
    "create": ("create",),
    "alter": ("alter",),
    "rename": ("alter",),
    "drop": ("drop",),
    "grant": ("grant",),
    "revoke": ("grant",),
}
_STARTS: Mapping[str, tuple[str, ...]] = {
    **_WORDS,
    **dict.fromkeys(("with", "values", "table", "show", "describe", "desc", "explain"), ("select",)),
}
_EXAMPLES: Mapping[str, str] = {
    "select": "SELECT 1 FROM example",
    "insert": "INSERT INTO example VALUES (1)",
    "update": "UPDATE example SET example = 1 WHERE example = 2",
    "delete": "DELETE FROM example WHERE example = 2",
    "truncate": "TRUNCATE TABLE example",
    "create": "CREATE TABLE example (example int)",
    "alter": "ALTER TABLE example ADD example int",
    "drop": "DROP TABLE example",
    "drop other": "DROP INDEX example",
    "grant": "GRANT example TO example",
    "update all": "UPDATE example SET example = 1",
    "delete all": "DELETE FROM example",
    "user": "CREATE ROLE example",
}
_MOST_COMBINED = 6
_OTHER_WORDS = """
    aggregate cast collation column constraint conversion default domain event expression extension foreign function
    identity index key materialized not operator policy primary procedure publication role routine rule sequence
    statistics subscription type user view
"""
_DROPPED_OTHER = frozenset(_OTHER_WORDS.split())
_OF_ALL_TABLES = frozenset({"schema", "database", "tables", "tablespace", "owned"})
_WITH_ROWS = frozenset({"table", "database", "schema", "partition", "partitions"})
_AROUND = frozenset({"begin", "commit", "begin transaction", "start transaction", "commit transaction"})
# What runs something else, wherever it stands: some databases need no ";" between two statements.
_RUNNING_WORDS = """
    backup bulk call dbcc deny dumpfile exec execute kill load openquery opendatasource openrowset outfile
    pragma reconfigure restore shutdown trigger updatetext use waitfor writetext
"""
_RUNNING = frozenset(_RUNNING_WORDS.split())
_PLAIN_WORDS = """
    all and any as between by case check columns cross cube distinct else except exists filter from full group
    grouping having if ilike in index inner intersect into is join key left like limit not offset on or order
    outer over partition primary references returning right rollup select set sets similar some table then to
    union unique using values view when where window with within array bigint bit blob char character date
    datetime decimal double float int integer json jsonb nchar number numeric nvarchar real row serial smallint
    text time timestamp timestamptz varbinary varchar varying
"""
_PURE_WORDS = """
    abs age array_agg array_length array_to_string avg bool_and bool_or btrim cast ceil ceiling char_length
    coalesce concat concat_ws convert count cume_dist current_date current_timestamp date date_add date_diff
    date_format date_part date_sub date_trunc dateadd datediff datename datepart day dense_rank exp extract
    first_value floor format greatest group_concat hour ifnull iif initcap instr isnull json_agg
    json_array_length json_build_object json_extract json_object json_object_agg jsonb_agg jsonb_array_length
    jsonb_build_object julianday lag last_value lcase lead least left len length listagg ln localtimestamp
    locate log lower lpad ltrim make_date max md5 min minute mod month monthname now ntile nullif nvl overlay
    percent_rank percentile_cont percentile_disc pi position power quarter random rank replace reverse right
    round row_number rpad rtrim second sign split_part sqrt stddev stddev_pop stddev_samp strftime string_agg
    strpos substr substring sum sysdate timestampdiff to_char to_date to_number to_timestamp total translate
    trim trunc ucase unix_timestamp unnest upper var_pop var_samp variance week weekday year yearweek
"""
_BEFORE_BRACKETS = frozenset(f"{_PLAIN_WORDS} {_PURE_WORDS}".split())


@dataclass(frozen=True)
class Statements:
    """The kinds of statements in a text of SQL (`SQL_KINDS`), and the names in it, in lower case.

    `aspects`: it also changes or deletes every row of a table, or is about users (`SQL_PARTS`).
    `is_wide`: it may change tables that it does not name, as `DROP SCHEMA` and `GRANT ... ON ALL TABLES` do.
    """

    kinds: frozenset[str]
    names: frozenset[str]
    is_wide: bool
    aspects: frozenset[SqlKind] = frozenset()


def read_sql(text: str) -> Statements | None:
    """Return the kinds of statements in a text of SQL, and its names. None if it is not certain what it does.

    Everything that only reads is `select`. A statement can be of several kinds: `select` and `update` for `SELECT ...
    FOR UPDATE`. To drop a table, or what has tables, is `drop`. To drop an index, a column or the like is `drop other`.

    Example:
        >>> sorted(read_sql("SELECT * FROM t; DELETE FROM t WHERE id = 'x'").kinds)
        ['delete', 'select']
        >>> read_sql("SELECT pg_read_file('x')") is None
        True
    """
    tokens = _tokens(text)
    found = None if tokens is None else [_kinds_of(one) for one in _statements(tokens)]
    if not tokens or not found or None in found:
        return None
    named = (part for kind, one in tokens if kind in {"word", "name"} for part in one.strip('"`[]').split("."))
    kinds = frozenset(kind for one in found for kind in one or ())
    words = {one for kind, one in tokens if kind == "word"}
    wide = not kinds <= {"select"} and not words.isdisjoint(_OF_ALL_TABLES)
    aspects: frozenset[SqlKind] = frozenset(part for one in _statements(tokens) for part in aspects_of(one))
    return Statements(kinds, frozenset(part.strip() for part in named), is_wide=wide, aspects=aspects)


def sql_examples(tested: Iterable[Collection[str]], tables: Iterable[str] = ()) -> Iterator[str]:
    """Yield a text for every combination of kinds that tests distinguish, each test being about some kinds.

    If tests distinguish more than six groups of kinds, each group, every two, and all together. Each text comes also
    with each of `tables`, and with all of them.
    """
    sets = [frozenset(one) for one in tested]
    told = {kind: (SQL_PARTS.get(kind, kind), kind) for kind in (*SQL_PARTS, *reversed(SQL_KINDS))}
    groups = {
        tuple((whole in one, part in one or whole in one) for one in sets): _EXAMPLES[kind]
        for kind, (whole, part) in told.items()
    }
    texts = [*groups.values()][::-1]
    sizes = range(1, len(texts) + 1) if len(texts) <= _MOST_COMBINED else (1, 2, len(texts))
    for text in ("; ".join(found) for size in sizes for found in combinations(texts, size)):
        named = [text.replace("example", f'"{table}"') for table in dict.fromkeys(tables)]
        yield from dict.fromkeys((text, *named, "; ".join(named) or text))
        yield from (f"{text}; DROP SCHEMA example",) if named else ()


def _tokens(text: str) -> list[tuple[str, str]] | None:
    """Return the kind and the text of each token, without gaps. None if databases may read the text in two ways."""
    text = text.replace("\r\n", "\n")
    if "'''" in text or '"""' in text or _NOT_PLAIN.search(text) is not None:
        return None
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            return None
        at = match.end()
        if match.lastgroup != "gap":
            found.append((match.lastgroup or "", match[0].lower()))
    return found


def _statements(tokens: list[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """Yield the tokens of each statement that is not empty."""
    own: list[tuple[str, str]] = []
    for token in (*tokens, ("end", ";")):
        if token[0] != "end":
            own.append(token)
        elif own:
            yield own
            own = []


def _kinds_of(tokens: list[tuple[str, str]]) -> frozenset[str] | None:
    words = [text for kind, text in tokens if kind == "word"]
    if len(words) == len(tokens) and " ".join(words) in _AROUND:
        return frozenset({"select"})
    first = next((text for kind, text in tokens if kind != "open"), "")
    if first not in _STARTS or not _RUNNING.isdisjoint(words) or not _calls_only_pure(tokens):
        return None
    called = {text for (_, text), (after, _) in pairwise(tokens) if after == "open"}
    found = {*_STARTS[first]}
    found |= {kind for word in words if word != "replace" or word not in called for kind in _WORDS.get(word, ())}
    if "drop" in found:
        dropped = (after for word, after in pairwise((*words, "")) if word == "drop")
        found = (found - {"drop"}) | {_kind_of_drop(words[0], one) for one in dropped}
    if words.count("into") > sum(word in {"insert", "merge", "replace"} for word in words):
        return None  # a table or file that a query makes
    return frozenset(found)


def _kind_of_drop(first: str, dropped: str) -> SqlKind:
    """Return whether a table or what has tables is dropped: `ALTER TABLE t DROP x` drops a column."""
    other = dropped in _DROPPED_OTHER or (first == "alter" and dropped not in _WITH_ROWS)
    return "drop other" if other else "drop"


def _calls_only_pure(tokens: list[tuple[str, str]]) -> bool:
    """Return whether no function is called, or only those that compute."""
    for at in range(1, len(tokens)):
        (kind, text), before = tokens[at - 1], tokens[at - 2][1] if at > 1 else ""
        if tokens[at][0] != "open" or kind in {"sign", "open", "number"}:
            continue
        of_table = before in {"into", "table", "exists", "references", "on"} and kind in {"word", "name"}
        if not of_table and not (kind == "word" and text in _BEFORE_BRACKETS):
            return False
    return True
