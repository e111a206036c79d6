"""Which kinds of statements a text of SQL has: as a database runs it, or nothing is said."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retouch.recipes.policy.deciding.sql_statements import SQL_KINDS, read_sql, sql_examples

KNOWN = [
    ("SELECT * FROM orders LIMIT 5;", {"select"}),
    ("SELECT count(*), lower(a) FROM t WHERE b IN (1, 2) AND c = 'it''s'", {"select"}),
    ("SELECT a::text, b->>'x', -1, .5, 0x1F, $1, ?, @b FROM t -- the end", {"select"}),
    ("(SELECT 1) UNION (SELECT 2) /* two */", {"select"}),
    ("SELECT replace(a, 'b', 'c') FROM t", {"select"}),
    ("WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x", {"select", "delete"}),
    ("SELECT 1 DROP TABLE x", {"select", "drop"}),
    ("SELECT 1 -- hi\n; DROP TABLE x", {"select", "drop"}),
    ("SELECT a FROM t FOR UPDATE", {"select", "update"}),
    ("BEGIN; UPDATE t SET a = 1; COMMIT;", {"select", "update"}),
    ("INSERT INTO t (a, b) VALUES (1, 'x') ON CONFLICT (a) DO UPDATE SET b = 2", {"insert", "update"}),
    ("INSERT INTO a SELECT * FROM b", {"insert", "select"}),
    ("REPLACE INTO t VALUES (1)", {"insert", "delete"}),
    ("MERGE INTO t USING s ON (t.a = s.a) WHEN MATCHED THEN DELETE", {"insert", "update", "delete"}),
    ("CREATE TABLE t (id serial primary key, name varchar(10))", {"create"}),
    ("ALTER TABLE t DROP COLUMN x", {"alter", "drop other"}),
    ("ALTER TABLE t ADD x int DROP TABLE y", {"alter", "drop"}),
    ("DROP INDEX i; DROP TABLE IF EXISTS t", {"drop other", "drop"}),
    ("DROP SCHEMA s CASCADE", {"drop"}),
    ("EXPLAIN ANALYZE DELETE FROM t", {"select", "delete"}),
    ("REVOKE ALL ON t FROM ada", {"grant"}),
    ("TRUNCATE t", {"truncate"}),
]
UNKNOWN = {
    "nothing at all": "",
    "a function that may do anything": "SELECT pg_read_file('/etc/passwd')",
    "a function by its quoted name": "SELECT \"lo_import\"('x')",
    "a function of a schema": "SELECT x.lower('a')",
    "a sequence": "SELECT nextval('s')",
    "a block": "DO $$ BEGIN END $$",
    "a program": "COPY t TO PROGRAM 'x'",
    "a procedure without a semicolon": "SELECT 1 EXEC xp_cmdshell 'dir'",
    "a procedure as a statement": "SELECT 1;;; xp_cmdshell 'x'",
    "a table that a query makes": "SELECT * INTO t2 FROM t",
    "a table that a query makes after an insertion": "INSERT INTO a VALUES (1) SELECT * INTO b FROM c",
    "an instruction in a comment": "/*!50000 DROP TABLE x */ SELECT 1",
    "a comment in a comment": "/* /* */ SELECT 1 */",
    "a comment that is none in MySQL": "SELECT 1 --'\n DROP TABLE x --'",
    "a comment that is one in Snowflake": "SELECT 1 // '\n; DROP TABLE x; //'",
    "a carriage return that ends a comment": "SELECT 1 -- x\r DROP TABLE t",
    "a quote in brackets": "SELECT [a'b], 'x' DROP TABLE t --'",
    "a quote in backticks": "SELECT `a'b`, 'c'",
    "a backslash before a quote": "SELECT 'a\\' ; DROP TABLE t; --'",
    "quotes of Oracle": "SELECT q'[a']'; DROP TABLE t; --'",
    "three quotes": "SELECT '''a' DROP TABLE t '''",
    "a number that runs into a word": "SELECT 1drop TABLE x",
    "an amount that runs into a word": "SELECT $1drop TABLE x",
    "a hexadecimal number that runs into a word": "SELECT 0x1drop TABLE t",
    "letters that are not ASCII": "SELECT \u00e9vil FROM x",
    "a name with escapes": "SELECT * FROM U&\"d!0061ta\" UESCAPE '!'",
    "an escape of ODBC": "SELECT a FROM t {fn x()}",
    "maintenance": "VACUUM",
}
PIECES = [
    *("SELECT", "1", "a", "t", "FROM", "WHERE", "INSERT INTO", "VALUES", "(1, 2)", "UPDATE", "SET", "a = 1", "DELETE"),
    *("DROP", "TABLE", "INDEX", "i", "CREATE", "x", "(a)", "WITH", "AS", "REPLACE", "ALTER", "RENAME TO", "PRAGMA"),
    *("user_version = 3", "ATTACH", "'m'", "VACUUM", "BEGIN", "COMMIT", "EXPLAIN", "IF EXISTS", "lower(a)", "count(*)"),
    *(
        "'",
        "''",
        '"',
        "`",
        "[",
        "]",
        "--",
        "-- ",
        "/*",
        "*/",
        "/*!",
        "\n",
        "\r",
        ";",
        ",",
        "(",
        ")",
        "*",
        "\\",
        "$$",
        "#",
    ),
    *("ON CONFLICT DO UPDATE SET b = 2", "RETURNING *", "UNION", "LIMIT 1", "\u00e9", "\t", "0x", "1e", ".", "::", "|"),
]
ACTIONS = {
    sqlite3.SQLITE_INSERT: {"insert"},
    sqlite3.SQLITE_UPDATE: {"update"},
    sqlite3.SQLITE_DELETE: {"delete"},
    sqlite3.SQLITE_CREATE_TABLE: {"create"},
    sqlite3.SQLITE_CREATE_INDEX: {"create"},
    sqlite3.SQLITE_CREATE_VIEW: {"create"},
    sqlite3.SQLITE_ALTER_TABLE: {"alter"},
    sqlite3.SQLITE_DROP_TABLE: {"drop"},
    sqlite3.SQLITE_DROP_INDEX: {"drop other"},
    sqlite3.SQLITE_DROP_VIEW: {"drop other"},
}
HARMLESS = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_TRANSACTION,
    sqlite3.SQLITE_RECURSIVE,
    sqlite3.SQLITE_REINDEX,
}


@pytest.mark.parametrize(("text", "kinds"), KNOWN)
def test_the_kinds_of_plain_statements_are_known(text: str, kinds: set[str]) -> None:
    found = read_sql(text)
    assert found is not None
    assert kinds == found.kinds


@pytest.mark.parametrize("why", UNKNOWN)
def test_nothing_is_said_of_what_databases_read_in_different_ways_or_may_run(why: str) -> None:
    assert read_sql(UNKNOWN[why]) is None


@pytest.mark.parametrize(
    "text", ["Salaries", "public.salaries", '"salaries"', "`salaries`", "[salaries]", "hr.salaries s"]
)
def test_the_names_of_tables_are_found_in_every_spelling(text: str) -> None:
    found = read_sql(f"SELECT a FROM {text}")
    assert found is not None
    assert "salaries" in found.names


def test_a_longer_name_and_a_text_are_other_names() -> None:
    found = read_sql("SELECT 'salaries' FROM salaries_2019")
    assert found is not None
    assert "salaries" not in found.names


def test_every_kind_has_an_example_that_is_only_of_that_kind() -> None:
    every = list(sql_examples([[kind] for kind in SQL_KINDS]))
    alone = [found.kinds for text in every[: len(SQL_KINDS)] if (found := read_sql(text)) is not None]
    assert {frozenset({kind}) for kind in SQL_KINDS} == set(alone)


def _done_by_sqlite(text: str) -> set[str]:
    """Return what a database does when it runs a text. "other" is everything that is no statement of a known kind."""
    base = sqlite3.connect(":memory:", isolation_level=None)
    base.executescript("CREATE TABLE t (a, b); CREATE INDEX i ON t (a); INSERT INTO t VALUES (1, 2)")
    done: set[str] = set()

    def watch(action: int, first: str | None, _second: str | None, _base: str | None, _inside: str | None) -> int:
        of_schema = (first or "").startswith("sqlite_") or action in HARMLESS
        if not of_schema:
            done.update(ACTIONS.get(action, {"other"}))
        return sqlite3.SQLITE_OK

    base.set_authorizer(watch)
    try:
        base.executescript(text)
    except (sqlite3.Error, ValueError):
        pass
    finally:
        base.close()
    return done


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=14), st.sampled_from([" ", ""]))
@example(["SELECT", "1", "--", "\n", ";", "DROP", "TABLE", "t"], " ")
@example(["SELECT", "'", ";", "DROP", "TABLE", "t", "--", "'"], " ")
@example(["PRAGMA", "user_version = 3"], " ")
def test_a_database_never_does_more_than_is_known(pieces: list[str], between: str) -> None:
    text = between.join(pieces)
    found = read_sql(text)
    if found is not None:
        with_rows = {"delete"} if "drop" in found.kinds else set[str]()  # SQLite reports the rows of a dropped table
        assert _done_by_sqlite(text) <= found.kinds | with_rows
