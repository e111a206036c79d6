"""A sentence that is not understood gets exact sentences to choose from, which say what they leave out."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.recipes.policy.english.compiling import compile_clauses
from retouch.recipes.policy.english.suggesting.suggestions import (
    MOST_CHARACTERS,
    nearest_sentences,
    suggestions,
    without_note,
)
from retouch.recipes.policy.english.tools.toolbox import Toolbox
from tests.recipes.policy.english.common_tools import CALENDARS, CODE, DATABASE, DRIVE, MAIL, WEB
from tests.recipes.policy.english.joined_tools import DEPOT, DESK, POST
from tests.recipes.policy.english.mcp_sentences import Expected, expected, frame

# Each is refused: its words are not those that the readers know.
UNREAD: list[tuple[Any, str]] = [
    (DESK, "Rent bills above 900 are for me to look at."),
    (DESK, "Whoever wants to void a line because of fraud waits for me."),
    (CALENDARS, "Sundays stay empty, so book nothing on a Sunday."),
    (DEPOT, "Two shipments a day will do."),
    (DEPOT, "Heavy parcels, say over 30 kg, go with Norpost."),
    (DATABASE, "Get my okay before any rows get wiped."),
    (WEB, "Whatever happens, keep clear of casino.example."),
    (CODE, "Spare main and develop when you push."),
    (DRIVE, "The Taxes folder stays as it is."),
    (MAIL, "Nothing of mine ever ends up in the bin for good."),
    (POST, "Letters to Hermes get sent, the others wait for me."),
]


def suggested(text: str, frame: Any) -> list[str]:
    """Return the suggestions for a sentence, which must be refused."""
    (clause,) = compile_clauses(text, frame).refused
    return [str(one) for one in suggestions(clause, Toolbox(frame))]


@pytest.mark.parametrize(
    ("wanted", "frame", "text"),
    [
        (
            'Never use the tool pay_bill of desk if category is "rent" and amount is more than 900.',
            DESK,
            "Rent bills above 900 are for me to look at.",
        ),
        (
            "Never use the tool create_event of calendar if start is on sun. <!-- leaves out: stay, empty -->",
            CALENDARS,
            "Sundays stay empty, so book nothing on a Sunday.",
        ),
    ],
)
def test_the_first_suggestion_has_the_tools_values_and_numbers_of_the_sentence(wanted: str, frame: Any, text: str):
    assert wanted == suggested(text, frame)[0]


@pytest.mark.parametrize(("frame", "text"), UNREAD)
def test_each_suggestion_is_read_without_its_note(frame: Any, text: str):
    for line in suggested(text, frame):
        made = compile_clauses(line, frame)
        assert {} == made.refused
        assert made.rules == compile_clauses(without_note(line), frame).rules


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (DESK, "Be patient with people who have lost their line."),
        (MAIL, "Be honest about what you do not know."),
        (DATABASE, "Think twice about what matters to me."),
        (CALENDARS, "I work in the Lisbon office three days a week."),
    ],
)
def test_what_no_tool_has_words_for_gets_no_suggestion(frame: Any, text: str):
    assert [] == suggested(text, frame)


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (DESK, "No bill over 50 gets paid that isn't about water, gas or the like."),
        (MAIL, "Nothing of mine ever ends up in the bin for good."),
        (DRIVE, "Hands off whatever lives in the Taxes folder."),
        (POST, "Never ever part with a letter that Hermes wrote."),
    ],
)
def test_a_prohibition_gets_no_suggestion_that_permits(frame: Any, text: str):
    assert not any("Allow" in line for line in suggested(text, frame))


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (DESK, "Feel free to hand out credits of at most 3 Zlotys to Mona Vance."),
        (DEPOT, "Yes to shipments for Aunt Ada."),
        (DEPOT, "Heavy parcels, say over 30 kg, go with Norpost."),
    ],
)
def test_nothing_is_permitted_that_leaves_out_a_name_a_number_or_several_words(frame: Any, text: str):
    assert not any("Allow" in line for line in suggested(text, frame))


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (POST, "Letters to Hermes get sent, the others wait for me."),
        (DESK, "No bill over 50 gets paid that isn't about water, gas or the like."),
        (DESK, "Only Mona closes tickets."),
        (DESK, "You are free to pay bills as long as it isn't rent."),
        (DESK, "You may pay bills provided they aren't above 50."),
        (DESK, "You may only not pay rent."),
        (DESK, "Pay bills under 50, not those over."),
        (DESK, "Newsletters to the press are a no; members yes."),
        (DESK, "Ask me before paying bills that aren't water."),
        (DESK, "You may pay bills after I sign them off somewhere."),
        (DESK, "Never suspend a line for any reason but fraud."),
        (DESK, "You needn't check with me for credits below 10."),
        (DESK, "Refrain from anything but closing tickets."),
        (MAIL, "Unless it is spam, never trash an email."),
        (MAIL, "It would be a mistake to delete filters."),
        (MAIL, "Nobody but tax@acme.example gets attachments."),
        (CALENDARS, "Decline to create events on Mondays."),
        (DATABASE, "Anything short of deleting rows is OK."),
        (DEPOT, "Instead of cancelling shipments, ask me."),
        (WEB, "Anything but casino.example is fine to visit."),
    ],
)
def test_there_is_no_suggestion_without_a_word_that_may_turn_the_meaning_around(frame: Any, text: str):
    assert [] == suggested(text, frame)


def test_a_time_that_no_test_shows_is_named():
    for line in suggested("Never pay bills on weekends, or at night.", DESK):
        assert "night" in line


@pytest.mark.parametrize("one", [one for one in expected() if one.unenforceable], ids=lambda one: one.text)
def test_suggestions_for_listed_servers_are_read_and_fit_into_an_answer(one: Expected):
    tools = frame(one.agent)
    for clause in compile_clauses(one.text, tools).refused:
        lines = nearest_sentences(clause, Toolbox(tools))
        assert len(lines) <= MOST_CHARACTERS
        for line in lines.splitlines():
            assert {} == compile_clauses(line, tools).refused
