"""Times and lengths in words, written in one way, and those with two readings, which stay as they are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.recipes.policy.english.words.clock_words import with_times


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("after 10 pm or before 7 am", "after ten at night or before seven in the morning"),
        ("before 7:30 am or after 6 pm", "before half seven in the morning or after six in the evening"),
        ("8:15 am", "quarter past eight in the morning"),
        ("8:45 pm", "quarter to nine in the evening"),
        ("10:30 am", "ten thirty in the morning"),
        ("midnight", "twelve at night"),
        ("between 1 am and 5 am", "between 1 and 5 at night"),
        ("between 10 pm and 6 am", "between 10 and 6 at night"),
        ("between 9 pm and 7 am", "between nine in the evening and seven"),
        ("between 8 pm and 10 pm", "between 8 and 10 in the evening"),
        ("from 1 pm to 5 pm", "from 1 to 5 pm"),
        ("between midnight and 6 am", "between 12 and 6 am"),
        ("from Friday 3 pm until Monday 8 am", "from Friday three in the afternoon till Monday eight in the morning"),
        ("no earlier than 10 am and no later than 4 pm", "no earlier than 10 and no later than 4 in the afternoon"),
        ("before 8:30 am or after 5 pm", "before 8:30 or after 5 pm"),
        ("before 9 am or after 5 pm", "before 9 or after 5"),
        ("before 9:00 or go on past 17:30", "before 9 or go on past 17:30"),
        ("between 22:00 and 6:00", "between 22 and 6"),
        ("Monday to Friday, 8:00 to 18:00", "Mon-Fri, 8 to 18"),
        ("outside Monday to Friday 9:00 to 17:00", "outside office hours (9 to 17, Monday to Friday)"),
        ("from 9:00 to 17:00, Monday to Friday", "during working hours (9 to 17, Monday to Friday)"),
        ("from 22:00 to 6:00", "at night (22:00 to 6:00)"),
        ("on weekdays between 8 am and 4 pm", "on weekdays between 8 and 4"),
        ("interviews only between 9 am and 5 pm", "interviews only between 9 and 5"),
        ("Saturday and Sunday", "Sat/Sun"),
        ("no meeting longer than 1 hour", "no meeting longer than an hour"),
        ("up to 90 minutes", "up to an hour and a half"),
        ("more than 30 minutes", "more than half an hour"),
        ("2 hours max", "two hours at a stretch max"),
        ("meetings, 1 hour at most", "meetings, an hour at the longest"),
        ("must not be longer than 1 hour", "must not last longer than an hour"),
    ],
)
def test_a_time_that_is_clear_is_written_in_one_way(written: str, said: str):
    assert written == with_times(said)


@pytest.mark.parametrize(
    "said",
    [
        "between 9 and 5",
        "on weekdays between 10 and 6",  # the day or the night
        "from 1:00 to 5 pm",  # may begin at night
        "between 10 and 22 degrees",
        "between 10 and 20.",
        "scale from 20 to 8 replicas",
        "no more than 5 or after 3",
        "no more than ten in one day",
        "before six",
        "before 8 or after 10",  # both may be in the morning
        "a lesson with 9 to 5 people",
        "three notifications an hour",
        "at most 3 emails a day max",
        'the folder "9 to 5 pm"',
        "the file `Mon-Fri`",
    ],
)
def test_what_may_be_something_else_stays(said: str):
    assert said == with_times(said)


WORDS = [
    "between", "and", "from", "to", "1", "5", "9", "10", "17", "at night", "pm", "am", "in the morning", "or after",
    "before", ",", "Mon", "Friday", "an hour", "half", "until",
]  # fmt: skip


@settings(max_examples=300)
@given(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join))
def test_a_time_that_is_written_in_one_way_stays(text: str):
    once = with_times(text)
    assert once == with_times(once)
