"""A tool whose arguments are described in its own text, as Python servers do it, is read like one with a schema."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch.recipes.policy.annotating.proposing import ListedTool, propose_roles
from retouch.recipes.policy.language.docstrings import plain_texts
from tests.recipes.policy.english.meanings import NUMBER, frame_of, meaning_of
from tests.recipes.policy.english.meanings import told as described

NAMES = ("sql", "limit", "event_id")
SCHEMA: dict[str, Any] = {"type": "object", "properties": {name: {"type": "string"} for name in NAMES}}

GOOGLE = """Run a statement.

    It waits for the result.

    Args:
        sql: The statement: one of them,
            without a semicolon
        limit (int, optional): Most rows
        ctx: The context

    Returns:
        The rows.
    """
NUMPY = """Run a statement.

    It waits for the result.

    Parameters
    ----------
    sql : str
        The statement: one of them,
        without a semicolon
    limit : int, optional
        Most rows

    Returns
    -------
    list
        The rows.
    """
SPHINX = """Run a statement.

    It waits for the result.

    :param str sql: The statement: one of them,
        without a semicolon
    :param limit: Most rows
    :return: The rows.
    """
MARKDOWN = """Run a statement.

It waits for the result.

**Parameters:**

- `sql` (required): The statement: one of them,
  without a semicolon
- `limit`: Most rows
"""


def told(description: str, schema: dict[str, Any] = SCHEMA) -> dict[str, str]:
    found: Any = plain_texts(description, schema)[1]["properties"]
    return {name: one["description"] for name, one in found.items() if "description" in one}


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, SPHINX, MARKDOWN])
def test_the_arguments_are_described_in_the_text_of_the_tool_in_four_manners(text: str) -> None:
    assert plain_texts(text, SCHEMA)[0] == "Run a statement.\n\nIt waits for the result."
    assert told(text) == {"sql": "The statement: one of them, without a semicolon", "limit": "Most rows"}


def test_what_the_schema_states_about_an_argument_is_kept() -> None:
    schema = {"properties": {"sql": {"type": "string", "description": "Own"}, "limit": {"type": "integer"}}}
    assert told(GOOGLE, schema) == {"sql": "Own", "limit": "Most rows"}


def test_what_follows_a_section_after_an_empty_line_is_part_of_the_description() -> None:
    text = "Run a statement.\n\nArgs:\n    sql: The statement\n\nIt cannot be undone."
    assert plain_texts(text, SCHEMA)[0] == "Run a statement.\n\nIt cannot be undone."


@pytest.mark.parametrize("text", ["Run sql: the statement", "Note: sql: is\nnothing: here", ":-)", "", "Args:"])
def test_a_text_without_sections_states_nothing_about_the_arguments(text: str) -> None:
    assert told(text) == {}


@pytest.mark.parametrize(
    "opening",
    [
        "This tool allows you to send",
        "Use this tool to send",
        "Use this tool when you need to send",
        "Tool to send",
        "A tool that sends",
        "This tool sends",
        "Allows the user to send",
        "[Slack] Send",
        "Slack | Send",
        "[Slack] This tool lets you send",
    ],
)
def test_an_opening_that_only_says_that_it_is_a_tool_is_left_out(opening: str) -> None:
    assert plain_texts(f"{opening} a message.", {})[0] in {"Send a message.", "Sends a message."}


@pytest.mark.parametrize("text", ["This tool is slow.", "This tool can only read.", "A tool for mail.", "Tooling: x"])
def test_a_sentence_about_the_tool_itself_stays(text: str) -> None:
    assert plain_texts(text, {})[0] == text


@given(text=st.text(alphabet="Args: \n-sql`*.:param()=[]|This tool ", max_size=80))
def test_any_text_is_read_once_and_for_all(text: str) -> None:
    does, schema = plain_texts(text, SCHEMA)
    properties: Any = schema["properties"]
    assert plain_texts(does, schema)[0] == plain_texts(plain_texts(does, schema)[0], schema)[0]
    assert {*NAMES} == {*properties}


def test_the_roles_of_arguments_are_proposed_by_the_text_of_the_tool() -> None:
    listed = ListedTool(name="apply_migration", description=GOOGLE.replace("The statement", "SQL"), schema={
        "properties": {"sql": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}, hints={})  # fmt: skip
    assert ("executes-code",) == propose_roles("shop", listed)["sql"].roles


STATED: dict[str, tuple[str, dict[str, Any]]] = {
    "create_refund": ("Refund a payment", {"amount": described("Amount in cents", NUMBER)}),
    "list_refunds": ("List refunds", {"page_size": described("Maximum number of results", NUMBER)}),
    "list_payments": ("List payments", {"page_size": described("Maximum number of results", NUMBER)}),
}


def in_docstrings(prefix: str = "") -> dict[str, tuple[str, dict[str, Any]]]:
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for name, (does, arguments) in STATED.items():
        lines = "\n".join(f"    {arg}: {one['description']}" for arg, one in arguments.items())
        text = f"This tool allows you to {does.lower()}.\n\nArgs:\n{lines}\n\nReturns:\n    The result."
        found[f"{prefix}{name}"] = (text, dict.fromkeys(arguments, NUMBER))
    return found


@pytest.mark.parametrize("prefix", ["", "shop_", "shop-"])
@pytest.mark.parametrize(
    "text", ["Ask me before a refund over 100 euros.", "Never fetch more than 50 results at a time.", "No refunds."]
)
def test_a_sentence_means_the_same_for_tools_with_docstrings_and_with_the_name_of_their_server(
    text: str, prefix: str
) -> None:
    expected = meaning_of(text, frame_of("shop", STATED))
    assert expected
    found = meaning_of(text, frame_of("shop", in_docstrings(prefix)))
    assert expected == {line.replace(prefix, "") if prefix else line for line in found}
