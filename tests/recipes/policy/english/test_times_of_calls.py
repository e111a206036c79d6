"""Times of calls: alternatives, spans of several days, other times, and limits at the end of a sentence."""

from __future__ import annotations

import pytest

from tests.recipes.policy.english.meanings import frame_of, meaning_of, told

CI = frame_of("ci", {"deploy": ("Deploy a service.", {"service": told("Service")})})
WEEK = "mon or tue or wed or thu or fri"


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {"deny deploy the time is on fri between 15:00 and 00:00", "deny deploy the time is on sat or sun"},
            "Never deploy on a Friday after 3 pm or at the weekend.",
        ),
        (
            {"deny deploy the time is on fri between 15:00 and 00:00", "deny deploy the time is on sat or sun"},
            "Never deploy at the weekend or on Fridays after 3 pm.",
        ),
        (
            {
                "deny deploy the time is on fri between 15:00 and 24:00",
                "deny deploy the time is on sat or sun",
                "deny deploy the time is on mon between 00:00 and 08:00",
            },
            "Never deploy from Friday three in the afternoon till Monday eight in the morning.",
        ),
        ({"deny deploy the time is between 22:00 and 06:00"}, "Never deploy after 10 pm until 6 am."),
        ({"deny deploy the time is between 18:00 and 00:00"}, "Never deploy from 6 pm onwards."),
        (
            {"deny deploy the time is between 21:00 and 00:00", "deny deploy the time is on sat or sun"},
            "Never deploy on weekends and after 9 pm.",
        ),
        (
            {f"deny deploy unless the time is on {WEEK} between 09:00 and 17:00"},
            "Never deploy outside office hours (9 to 17, Monday to Friday).",
        ),
        (
            {f"deny deploy unless the time is on {WEEK} between 09:00 and 17:00"},
            "Deployments only on weekdays between 9 and 5.",
        ),
        ({f"deny deploy unless the time is on {WEEK}"}, "Deployments must happen on weekdays."),
        (
            {
                f"allow deploy the time is on {WEEK} between 09:00 and 17:00",
                f"deny deploy unless the time is on {WEEK} between 09:00 and 17:00",
            },
            "Deploy only on weekdays between 9:00 and 17:00.",
        ),
        (
            {f"allow deploy the time is on {WEEK}", f"deny deploy unless the time is on {WEEK}"},
            "You may deploy on weekdays only.",
        ),
        (
            {"allow deploy the time is between 09:00 and 12:00 or 14:00 and 18:00"},
            "You may deploy between 9:00 and 12:00 or between 14:00 and 18:00.",
        ),
        (
            {f"allow deploy the time is on {WEEK} between 08:00 and 18:00", "allow deploy the time is on sat"},
            "You may deploy on weekdays from 8 to 18 and on Saturdays.",
        ),
    ],
)
def test_the_time_of_a_call_is_read(wanted: set[str], text: str):
    assert wanted == meaning_of(text, CI)


@pytest.mark.parametrize(
    "text",
    [
        "Never deploy on Saturdays or on Sundays after 3 pm.",  # a whole Saturday?
        "Never deploy after 3 pm on Fridays or on Saturdays.",
        "You may deploy on Mondays and between 9:00 and 17:00.",  # both, or either
        "Never deploy outside 9:00 to 17:00 on weekdays.",  # and at the weekend?
        "Never deploy on Friday.",  # every Friday?
        "Never deploy on Fridays between 22:00 and 6:00.",
        "Never deploy from Friday until Monday.",
        "Never deploy from Friday 3:00 until Monday 8:00.",  # am or pm
        "You may deploy after 18:00 or on weekends.",  # until when?
        "Never deploy on Friday afternoons.",
        "Never deploy between 9 and 5.",
        "You may only deploy on weekends, never only after 9 pm.",
    ],
)
def test_a_time_with_two_readings_is_refused(text: str):
    assert set() == meaning_of(text, CI)


def test_only_at_several_times_forbids_all_others():
    found = meaning_of("You may only deploy on Mondays after noon until 6 pm or on Fridays.", CI)
    assert {"allow deploy the time is on fri", "allow deploy the time is on mon between 12:00 and 18:00"} <= found
    assert {"deny deploy the time is on mon between 00:00 and 12:00 or 18:00 and 24:00"} <= found
    assert 4 == len(found)


CHAT = frame_of(
    "chat",
    {
        "post_message": ("Post a message.", {"text": told("Text")}),
        "reply_to_thread": ("Reply to a thread.", {"text": told("Text")}),
    },
)


@pytest.mark.parametrize(
    "text",
    [
        "Never post on weekends or reply after 9 pm.",
        "Never post on weekends or reply.",
        "Never reply on Sundays or post.",
    ],
)
def test_a_time_between_two_actions_is_not_one_of_both(text: str):
    assert set() == meaning_of(text, CHAT)
