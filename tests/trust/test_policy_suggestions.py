"""No suggestion means something else than its sentence: it permits no more, turns nothing, and names what it lacks."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.recipes.policy.english.meanings import TEXT, frame_of
from tests.recipes.policy.english.suggested_tools import (
    BANK,
    BILLING,
    CODE,
    FILES,
    FLIGHTS,
    HOUSE,
    POST,
    ROOMS,
    SHOP,
    TRACKER,
    TRADING,
    suggested,
)


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (BILLING, "You may cancel subscriptions at the end of the period."),
        (FILES, "You may create but not overwrite files in ~/drafts."),
        (FILES, "You can edit, but not delete, files in ~/work."),
        (POST, "You may read emails and, if I agree, trash them."),
        (POST, "You may delete one email."),
        (POST, "Normally you may delete emails."),
        (POST, "You may delete emails, right?"),
        (POST, "You may delete emails that I wrote."),
        (TRACKER, "You may close tickets you have commented on."),
        (TRACKER, "You may create tickets in team web, but not in team ops."),
        (TRACKER, "You may create each team 2 tickets a day."),
        (SHOP, "You may refund orders abroad."),
    ],
)
def test_nothing_is_permitted_without_its_condition_name_or_number(frame: Any, text: str):
    assert not [line for line in suggested(text, frame) if "Allow using" in line]


def test_a_suggestion_to_ask_asks_before_code_that_does_it_too():
    rows = frame_of(
        "rows",
        {
            "delete_rows": ("Delete rows of a table.", {"table": TEXT}),
            "query": ("Run an SQL statement.", {"sql": TEXT}),
        },
        required={"delete_rows": ["table"], "query": ["sql"]},
    )
    found = suggested("Ask me first when you delete a lot of rows.", rows)
    assert found
    assert all("query" in line for line in found)


@pytest.mark.parametrize(
    "text",
    ["Never:\n\n- delete emails", "## Forbidden\n\n- Delete emails.", "Not allowed:\n\n- Trash emails\n- Send emails"],
)
def test_a_command_is_not_suggested_as_a_permission_because_its_heading_may_forbid_it(text: str):
    assert not [line for line in suggested(text, POST) if "Allow using" in line]


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (BILLING, "Refunds under 50 euros are fine, everything above needs approval."),
        (POST, "You may send emails to acme.example addresses, but never with anything in bcc."),
        (ROOMS, "Ask before posting in #general on weekdays; on weekends it is forbidden."),
        (TRACKER, "You may not create tickets with a priority higher than medium."),
        (POST, "Never create filters that delete emails."),
        (BANK, "Transfers must not exceed 1000 in total per week."),
        (BILLING, "Never refund more than 20 dollars per day."),
        (BILLING, "Never pay out more than 500 euros in any week."),
        (HOUSE, "Never change a salary by more than 5 percent."),
        (CODE, "Merges are mine."),
        (BANK, "Never transfer more than 500 EUR at a time or 1000 a week."),
        (BILLING, "Refunds above 100 euros are mine, below that go ahead."),
        (BILLING, "Never cancel subscriptions before the end of the period."),
        (HOUSE, "Never set the temperature below 16 or above 24 degrees."),
    ],
)
def test_there_is_no_suggestion_with_another_stance_number_or_action(frame: Any, text: str):
    assert [] == suggested(text, frame)


@pytest.mark.parametrize(
    ("frame", "text", "wrong"),
    [
        (CODE, "You may merge pull requests if they are squashed.", '"merge"'),
        (CODE, "Never push to branches named release/*.", 'branch is "release'),
        (CODE, "Never push to branches named release/*.", '"named"'),
        (TRADING, "You may buy, but not sell.", "Allow using the tool place_order of trading."),
        (TRADING, "Buy at most 100 shares at a time.", "Allow"),
        (TRADING, "You may buy up to 10 shares of MSFT per day.", "number of such calls"),
        (POST, "You may send emails to anyone except eve@evil.example.", "if to is"),
        (ROOMS, "Never post in #general!", '#general!"'),
        (HOUSE, "Never turn on the light at night.", "turn_off_light"),
        (CODE, "Never push to branches that begin with release/ hastily.", '"hastily'),
        (FILES, "You may edit .md files only.", '".md"'),
        (HOUSE, "Setting the temperature to zero is forbidden.", '"zero"'),
    ],
)
def test_a_suggestion_has_no_tool_or_value_that_the_sentence_does_not_mean(frame: Any, text: str, wrong: str):
    assert not [line for line in suggested(text, frame) if wrong in line]


@pytest.mark.parametrize(
    ("frame", "text", "lost"),
    [
        (SHOP, "Ship express only to Germany.", "express"),
        (BILLING, "Never cancel a subscription immediately.", "immediately"),
        (SHOP, "Never refund an order twice.", "twice"),
        (ROOMS, "Never post in both #general and #random.", "both"),
        (ROOMS, "Never post in #general first.", "first"),
        (ROOMS, "Never post directly in #general.", "directly"),
        (POST, "Never send an email with more than 2 people in cc.", "cc"),
        (FLIGHTS, "Never book the first flight.", "first"),
    ],
)
def test_each_word_that_narrows_a_prohibition_is_tested_or_named(frame: Any, text: str, lost: str):
    for line in suggested(text, frame):
        exact, _, note = line.partition(" <!-- leaves out: ")
        assert re.search(rf"\b{lost}\b", note) or re.search(rf"\b{lost}\b", exact.partition(" if ")[2])
