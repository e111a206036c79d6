"""A word for a kind of things is no name of one, and tools without descriptions of their arguments are seen."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.recipes.policy.annotating.proposing import ListedTool, propose_roles
from retouch.recipes.policy.english.compiling import compile_clauses
from tests.recipes.policy.english.meanings import NUMBER, TEXT, frame_of, meaning_of

HUB: dict[str, tuple[str, dict[str, Any]]] = {
    "create_branch": ("Create a branch in a repository", {"repo": TEXT, "branch": TEXT}),
    "create_repository": ("Create a repository", {"name": TEXT}),
    "delete_branch": ("Delete a branch of a repository", {"repo": TEXT, "branch": TEXT}),
    "sub_issue_write": ("Add or remove a sub-issue of an issue", {"issue_number": NUMBER}),
}


@pytest.mark.parametrize("what", ["a sub-issue", "sub-issues", "any hot-fix", "a pre-release without a review"])
def test_what_is_called_by_a_compound_word_is_not_taken_for_a_branch_of_this_name(what: str) -> None:
    assert set() == meaning_of(f"Never create {what}.", frame_of("hub", HUB))


def test_a_name_with_a_hyphen_is_still_a_name() -> None:
    assert {"deny delete_branch branch is release-two"} == meaning_of(
        "Never delete the branch release-two.", frame_of("hub", HUB)
    )


def roles_of(tool: str, description: str, *arguments: str) -> dict[str, tuple[str, ...]]:
    listed = ListedTool(
        name=tool, description=description, schema={"properties": dict.fromkeys(arguments, TEXT)}, hints={}
    )
    return {name: one.roles for name, one in propose_roles("shop", listed).items()}


def test_a_query_without_a_description_is_sql_if_the_tool_says_so() -> None:
    text = "Applies a migration to the database. Use this when executing DDL operations."
    assert ("executes-code",) == roles_of("apply_migration", text, "name", "query")["query"]
    assert ("none",) == roles_of("search_docs", "Search the documentation of SQL functions", "query")["query"]


SQL: dict[str, tuple[str, dict[str, Any]]] = {
    "execute_sql": ("Executes raw SQL in the database", {"query": TEXT}),
    "apply_migration": ("Applies a migration to the database, for DDL operations", {"name": TEXT, "query": TEXT}),
}


def test_a_migration_without_descriptions_of_its_arguments_drops_no_table() -> None:
    frame = frame_of("db", SQL, roles={"query": "executes-code"})
    assert {"deny apply_migration execute_sql query is SQL of DROP"} == meaning_of("Never drop a table.", frame)


def test_an_amount_of_a_service_that_counts_in_cents_is_not_guessed() -> None:
    refund = {"create_refund": ("Refund a payment", {"payment_intent": TEXT, "amount": NUMBER})}
    text = "Ask me before a refund over 100 dollars."
    assert set() == meaning_of(text, frame_of("stripe", refund))
    assert {"escalate create_refund amount > 100"} == meaning_of(text, frame_of("shop", {
        "create_refund": ("Refund an order", {"order": TEXT, "amount": NUMBER}),
    }))  # fmt: skip


def test_a_tool_that_opens_pages_in_tabs_is_not_left_open_beside_one_that_navigates() -> None:
    pages: dict[str, tuple[str, dict[str, Any]]] = {
        "browser_navigate": ("Navigate to a URL", {"url": TEXT}),
        "browser_tabs": ("List, create, close, or select a browser tab.", {"action": TEXT, "url": TEXT}),
        "browser_click": ("Click on an element", {"target": TEXT}),
        "browser_press_key": ("Press a key", {"key": TEXT}),
    }
    found = meaning_of("Never go to news.example.", frame_of("playwright", pages, roles={"url": "fetch-url"}))
    assert found == set() or any("browser_tabs" in line for line in found)


def test_what_a_value_inside_of_an_argument_does_is_not_left_open() -> None:
    kind = {"type": "string", "enum": ["add", "alter", "drop"]}
    changes = {"type": "array", "items": {"type": "object", "properties": {"type": kind, "columnName": TEXT}}}
    tools: dict[str, tuple[str, dict[str, Any]]] = {
        "alter_table": ("Modify a table", {"tableName": TEXT, "operations": changes}),
        "drop_column": ("Drop a column of a table", {"tableName": TEXT, "column": TEXT}),
    }
    assert set() == meaning_of("Never drop a column.", frame_of("db", tools))


FILES: dict[str, tuple[str, dict[str, Any]]] = {
    "read_file": ("Read a file", {"path": TEXT}),
    "delete_file": ("Delete a file", {"target": TEXT}),
}


@pytest.mark.parametrize("text", ["Only read ~/docs. Don't delete any.", "Only read ~/docs. Never delete one."])
def test_a_prohibition_after_a_limit_is_not_lost_in_it(text: str) -> None:
    frame = frame_of("disk", FILES, roles={"path": "read-path", "target": "delete-path"})
    made = compile_clauses(text, frame)
    assert made.refused or any("delete_file" in (one.when.tool or ()) for one in made.rules)


@pytest.mark.parametrize("unit", ["in euros, not cents", "in euros (not in cents)", "whole euros and no cents"])
def test_an_amount_that_is_not_in_cents_is_in_euros(unit: str) -> None:
    pay = {"pay": ("Pay a bill", {"payee": TEXT, "amount": {**NUMBER, "description": f"The amount {unit}"}})}
    assert {"deny pay amount > 50"} == meaning_of("Never pay more than 50 euros.", frame_of("bank", pay))
