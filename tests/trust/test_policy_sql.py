"""What is forbidden to SQL is forbidden whatever a text looks like, and a `SELECT` is no deletion."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.options import RunOptions
from retouch.engine.verbs import generate
from retouch.models.offline import offline
from retouch.recipes.policy import Policy, ToolCall, evaluate
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english.compiling import compile_clauses
from retouch.recipes.policy.english.offline import answer
from retouch.recipes.policy.making.asking.source import policy_job
from retouch.recipes.policy.making.job import recipe
from tests.recipes.policy.english.meanings import NUMBER, TEXT, frame_of, told

if TYPE_CHECKING:
    from pathlib import Path

SQL: dict[str, Any] = told("The SQL query to run")
CODE = {"query": "executes-code"}
SHOP = frame_of(
    "shop",
    {
        "execute_sql": ("Run SQL in the Postgres database", {"project": TEXT, "query": SQL}),
        "apply_migration": ("Apply a migration", {"name": TEXT, "query": told("The SQL query to apply")}),
        "list_tables": ("List the tables", {"project": TEXT}),
        "delete_branch": ("Delete a branch of the project", {"branch": TEXT}),
        "pause_project": ("Pause a project", {"project": TEXT}),
    },
    roles=CODE,
)
ROWS = frame_of(
    "rows",
    {
        "run_sql": ("Run SQL in the Postgres database", {"query": SQL}),
        "delete_row": ("Delete a row of a table", {"table": TEXT, "id": NUMBER}),
    },
    roles=CODE,
)
GRAPH = frame_of("graph", {"run_query": ("Run a Cypher query", {"query": told("The Cypher query")})}, roles=CODE)
READS = "SELECT count(*) FROM orders WHERE day > '2026-01-01'"
ALL = "Allow using any tool of shop."


def _decided(text: str, query: str, *, tool: str = "execute_sql", frame: Policy = SHOP) -> str:
    return _of_call(text, tool, {"query": query}, frame)


def _of_call(text: str, tool: str, arguments: dict[str, Any], frame: Policy = SHOP) -> str:
    found = compile_clauses(text, frame)
    assert not found.refused, found.refused
    call = ToolCall(server=next(iter(frame.tools))[0], tool=tool, arguments=arguments)
    return evaluate(replace(frame, rules=found.rules), call, surroundings=LEXICAL).decision


@pytest.mark.parametrize(
    ("text", "query", "decision"),
    [
        ("Never drop a table.", "DROP TABLE orders", "deny"),
        ("Never drop a table.", "SELECT 1; drop\ttable orders", "deny"),
        ("Never drop a table.", "SELECT 1 -- '\n; DROP TABLE orders --'", "deny"),
        ("Never drop a table.", "DROP SCHEMA public CASCADE", "deny"),
        ("Never drop a table.", "DROP INDEX by_day", "allow"),
        ("Never drop a table.", "DELETE FROM orders", "allow"),
        ("Never drop a table.", "SELECT wipe_everything()", "deny"),
        ("Never drop or truncate tables.", "TRUNCATE orders", "deny"),
        ("Ask before deleting rows.", "DELETE FROM orders WHERE id = 1", "escalate"),
        ("Ask before deleting rows.", "TRUNCATE orders", "escalate"),
        ("Ask before deleting rows.", READS, "allow"),
        ("Run only SELECT queries.", READS, "allow"),
        ("Run only SELECT queries.", "WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone", "deny"),
        ("Run only SELECT queries.", "SELECT * INTO copied FROM orders", "deny"),
        ("Only run read-only queries.", "UPDATE orders SET day = now()", "deny"),
        ("Don't run SQL that changes data.", "INSERT INTO orders VALUES (1)", "deny"),
        ("No DELETE or UPDATE statements.", "UPDATE orders SET a = 1", "deny"),
        ("No DELETE or UPDATE statements.", "INSERT INTO orders VALUES (1)", "allow"),
        ("Ask before running anything other than SELECT.", "INSERT INTO orders VALUES (1)", "escalate"),
        ("The salaries table is off limits.", "SELECT * FROM hr.salaries", "deny"),
        ("The salaries table is off limits.", 'SELECT * FROM "Salaries"', "deny"),
        ("The salaries table is off limits.", "SELECT * FROM salaries_archive", "allow"),
        ("The salaries table is off limits.", "SELECT query_to_xml('select * from ' || 'sal' || 'aries')", "deny"),
        ("The salaries table is off limits.", "DROP SCHEMA hr CASCADE", "deny"),
        ("The salaries table is off limits.", "GRANT ALL ON ALL TABLES IN SCHEMA hr TO ada", "deny"),
        ("The salaries table is off limits.", "SHOW TABLES", "allow"),
        ("Never write to the orders table.", "DELETE FROM orders", "deny"),
        ("Never write to the orders table.", READS, "allow"),
        ("Never write to the orders table.", "DELETE FROM baskets", "allow"),
    ],
)
def test_a_sentence_about_statements_decides_every_text(text: str, query: str, decision: str) -> None:
    assert decision == _decided(f"{text}\n\n{ALL}", query)


@pytest.mark.parametrize("query", ["DROP TABLE orders", "DELETE FROM orders", "ALTER TABLE orders DROP COLUMN day"])
@pytest.mark.parametrize("tool", ["execute_sql", "apply_migration"])
def test_whoever_must_never_delete_anything_must_not_do_it_by_sql_or_by_a_migration(query: str, tool: str) -> None:
    assert _decided(f"Never delete anything.\n\n{ALL}", query, tool=tool) == "deny"


@pytest.mark.parametrize("text", ["Don't delete data.", "Never drop a table.", "Ask before deleting any rows."])
def test_whoever_deletes_a_branch_of_the_database_deletes_the_tables_and_rows_of_it(text: str) -> None:
    wanted = "escalate" if text.startswith("Ask") else "deny"
    assert wanted == _of_call(f"{text}\n\n{ALL}", "delete_branch", {"branch": "b"})
    assert "allow" == _of_call(f"{text}\n\n{ALL}", "pause_project", {"project": "p"})


def test_whoever_deletes_a_branch_of_the_database_inserts_nothing() -> None:
    assert "allow" == _of_call(f"Never insert rows.\n\n{ALL}", "delete_branch", {"branch": "b"})


def test_a_query_that_only_reads_deletes_nothing() -> None:
    assert _decided(f"Never delete anything.\n\n{ALL}", READS) == "allow"
    assert _decided(f"Never delete a branch.\n\n{ALL}", READS) == "allow"
    assert _decided(f"Ask before you pause a project.\n\n{ALL}", READS) == "allow"


def test_what_is_not_a_change_is_forbidden_to_sql_as_a_whole() -> None:
    assert _decided(f"Never list tables.\n\n{ALL}", READS) == "deny"


def test_a_permission_of_queries_is_none_of_other_statements_and_none_of_migrations() -> None:
    assert _decided("You may run SELECT queries.", READS) == "allow"
    assert _decided("You may run SELECT queries.", READS, tool="apply_migration") == "deny"
    assert _decided("You may run SELECT queries.", "SELECT 1; DELETE FROM orders") == "deny"
    assert _decided("You may run SELECT queries.", "SELECT lo_import('/etc/passwd')") == "deny"


def test_what_is_no_sql_has_no_kinds() -> None:
    text = "Never delete anything.\n\nAllow using any tool of graph."
    assert _decided(text, "MATCH (n) RETURN n", tool="run_query", frame=GRAPH) == "deny"


def test_where_another_tool_changes_rows_a_sentence_is_about_it_too() -> None:
    found = compile_clauses("Never delete rows.", ROWS)
    tools = {name for rule in found.rules for name in rule.when.tool or ()}
    assert {"run_sql", "delete_row"} <= tools


def test_a_table_that_is_off_limits_must_not_be_described_by_another_tool() -> None:
    base = frame_of(
        "base",
        {
            "execute_sql": ("Run SQL in the Postgres database", {"query": SQL}),
            "get_object_details": ("Show a table", {"schema_name": TEXT, "object_name": TEXT}),
        },
        roles=CODE,
    )
    found = compile_clauses("The salaries table is off limits.\n\nAllow using any tool of base.", base)
    assert not found.refused
    arguments = {"schema_name": "public", "object_name": "salaries"}
    call = ToolCall(server="base", tool="get_object_details", arguments=arguments)
    assert evaluate(replace(base, rules=found.rules), call, surroundings=LEXICAL).decision == "deny"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Run only SELECT queries.", "verified"),
        ("Never delete anything.", "verified"),
        ("The salaries table is off limits.", "verified"),
        ('Never use the tool execute_sql of shop if query is SQL of "drop".', "issues"),  # a migration can do it, too
    ],
)
def test_a_sentence_is_enforced_beside_allowed_sql_only_if_all_tools_that_run_sql_are_tested(
    tmp_path: Path, text: str, status: str
) -> None:
    stored: Any = SHOP.as_json()
    servers: Any = {"shop": {"tools": stored["annotations"]["servers"]["shop"]["tools"]}}
    job = policy_job(constitution=f"{text}\n\n{ALL}\n", annotations={"servers": servers}, base={"home": "/home/ada"})
    made = asyncio.run(generate(recipe, job, tmp_path / "made", offline(answer), RunOptions(concurrency=1)))
    assert status == made.status


@pytest.mark.parametrize(
    ("decision", "query"),
    [
        ("deny", "DELETE FROM logs"),
        ("deny", "delete from only public.logs;"),
        ("deny", "SELECT 1 WHERE true; DELETE FROM logs"),
        ("deny", "DELETE FROM logs WHERE 1 = 1"),
        ("deny", "UPDATE logs SET seen = (SELECT max(id) FROM t WHERE t.a = 1)"),
        ("deny", "WITH gone AS (DELETE FROM logs RETURNING id) SELECT * FROM gone WHERE id = 1"),
        ("deny", "DELETE FROM logs SELECT * FROM t WHERE id = 1"),
        ("deny", "DELETE FROM a WHERE id = 1; UPDATE b SET c = 2"),
        ("deny", "DELETE FROM logs -- WHERE id = 1"),
        ("deny", "CALL wipe()"),
        ("allow", "DELETE FROM logs WHERE created < '2025-01-01'"),
        ("allow", "UPDATE logs SET seen = true WHERE id IN (SELECT id FROM t)"),
        ("allow", "INSERT INTO logs VALUES (1) ON CONFLICT (id) DO UPDATE SET seen = true"),
        ("allow", "SELECT * FROM logs FOR UPDATE"),
        ("allow", "SELECT * FROM logs"),
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        "Never update or delete rows without a WHERE clause.",
        "Every UPDATE and DELETE must have a WHERE clause.",
        "Updates and deletes without a WHERE clause are forbidden.",
        "You must not run an UPDATE or DELETE that has no WHERE clause.",
    ],
)
def test_statements_without_a_condition_are_known_whatever_stands_around_them(
    text: str, decision: str, query: str
) -> None:
    assert decision == _decided(f"{text}\n\n{ALL}", query)


@pytest.mark.parametrize(
    ("decision", "text", "query"),
    [
        ("deny", "Never create database users or roles.", "create role bob login"),
        ("deny", "Never give anyone new database rights or create new users.", "GRANT SELECT ON t TO bob"),
        ("deny", "Never give anyone new database rights or create new users.", "ALTER ROLE bob SUPERUSER"),
        ("deny", "Never give anyone new database rights or create new users.", "CREATE USER bob"),
        ("allow", "Never give anyone new database rights or create new users.", "INSERT INTO logs VALUES ('user')"),
        ("escalate", "Any change to the table structure needs my approval first.", "ALTER TABLE t ADD a int"),
        ("allow", "Any change to the table structure needs my approval first.", "INSERT INTO t VALUES (1)"),
        ("allow", "Never modify the schema.", "UPDATE t SET a = 1"),
        ("deny", "No schema changes.", "CREATE TABLE t (a int)"),
        ("deny", "The hr schema is off limits.", "SELECT * FROM hr.salaries"),
        ("allow", "The hr schema is off limits.", "SELECT * FROM public.users"),
        ("deny", "Never delete all rows of a table.", "TRUNCATE t"),
        ("allow", "Never delete all rows of a table.", "DELETE FROM t WHERE id = 2"),
        ("escalate", "I want to approve every UPDATE and DELETE.", "UPDATE t SET a = 1 WHERE b = 2"),
        ("escalate", "No migrations without my approval.", "ALTER TABLE t ADD a int"),
        ("deny", "The database is read-only.", "UPDATE t SET a = 1"),
        ("allow", "The database is read-only.", "SELECT * FROM t"),
        ("deny", "No INSERT, UPDATE or DELETE.", "INSERT INTO t VALUES (1)"),
        ("allow", "Ask me before you change anything in the database.", "SELECT * FROM t"),
    ],
)
def test_what_is_said_of_a_database_reaches_the_statements_that_do_it_and_no_others(
    text: str, query: str, decision: str
) -> None:
    assert decision == _decided(f"{text}\n\n{ALL}", query)


def test_migrations_reach_all_tools_that_migrate() -> None:
    for tool in ("apply_migration", "merge_branch"):
        frame = frame_of(
            "shop",
            {
                "apply_migration": ("Apply a migration", {"query": told("The SQL query to apply")}),
                "execute_sql": ("Run SQL in the Postgres database", {"query": SQL}),
                "merge_branch": ("Merges migrations from a branch to production", {"branch_id": TEXT}),
                "list_migrations": ("List migrations", {}),
            },
            roles=CODE,
        )
        found = compile_clauses(f"Never run migrations.\n\n{ALL}", frame)
        assert not found.refused
        policy = replace(frame, rules=found.rules)
        arguments = {"query": "SELECT 1"} if tool == "apply_migration" else {"branch_id": "b"}
        call = ToolCall(server="shop", tool=tool, arguments=arguments)
        assert evaluate(policy, call, surroundings=LEXICAL).decision == "deny"
        listing = ToolCall(server="shop", tool="list_migrations", arguments={})
        assert evaluate(policy, listing, surroundings=LEXICAL).decision == "allow"


def test_a_project_is_no_thing_that_sql_reaches() -> None:
    assert _decided(f"Ask before you pause a project.\n\n{ALL}", "INSERT INTO projects VALUES (1)") == "allow"


@pytest.mark.parametrize("text", ["You may read the orders table.", "Only query tables in the public schema."])
def test_what_no_test_of_sql_shows_is_refused(text: str) -> None:
    assert compile_clauses(text, SHOP).refused
