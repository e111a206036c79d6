"""Dates: real days, read strictly, never guessed."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.recipes.rule.errors import PartError
from retouch.recipes.rule.language.dates import date_reader, usual_date


@pytest.mark.parametrize("text", ["2024-02-29", "20240229", "2024/02/29", "2024_02_29", "2024.02.29", "2024-2-29"])
def test_the_usual_ways_are_read(text: str):
    assert "2024-02-29" == usual_date(text)
    assert "2024-02-29" == date_reader("date_iso")(text)


@pytest.mark.parametrize(
    "text",
    [
        "2023-02-29",
        "0000-01-01",
        "2024-13-01",
        "2024-02/29",
        "2024229",
        "01-02-2024",
        "2024-01-15T10:00",
        "",
        " 20240229",
        "20240229\n",
        "\u0662\u0660\u0662\u0664-01-01",
        "24-01-01",
    ],
)
def test_what_is_no_day_in_a_usual_way_is_not_read(text: str):
    assert None is usual_date(text)


@pytest.mark.parametrize(
    ("form", "text", "day"),
    [
        ("%m-%d-%Y", "02-03-2024", "2024-02-03"),
        ("%d-%m-%Y", "02-03-2024", "2024-03-02"),
        ("%d-%m-%Y", "2-3-2024", "2024-03-02"),
        ("%d%m%Y", "02032024", "2024-03-02"),
        ("%d%m%Y", "232024", None),
        ("%Y%j", "2024060", "2024-02-29"),
        ("%Y%j", "2023366", None),
        ("%Y%j", "2023000", None),
        ("%d %b %y", "01 jan 69", "1969-01-01"),
        ("%d %B %y", "01 March 68", "2068-03-01"),
        ("%Y%m%dT%H%M%S", "20240131T235960", "2024-01-31"),
        ("%Y%m%dT%H%M%S", "20240131T245959", None),
        ("%%%Y.%m.%d", "%2024.01.31", "2024-01-31"),
    ],
)
def test_a_format_names_the_meaning_of_each_number(form: str, text: str, day: str | None):
    assert day == date_reader(form)(text)


@pytest.mark.parametrize(
    "form", ["", "%m-%d", "%Y-%m", "%Y-%d", "%Y %y-%m-%d", "%Y-%m-%m-%d", "%Y-%m-%d%", "%Q", "%Y%j%d"]
)
def test_a_format_that_names_no_single_day_is_refused(form: str):
    with pytest.raises(PartError, match=r"names no|no directive|given twice"):
        date_reader(form)


FORMS = st.permutations(["%Y", "%m", "%d"]).flatmap(
    lambda parts: st.sampled_from(["-", "_", "", " at "]).map(lambda between: between.join(parts))
)


@settings(max_examples=200, deadline=None)
@given(st.dates(min_value=date(1000, 1, 1)), FORMS)
def test_a_day_that_strftime_writes_is_read_back(day: date, form: str):
    assert day.isoformat() == date_reader(form)(day.strftime(form))


@settings(max_examples=300, deadline=None)
@given(st.text("0123456789-", min_size=5, max_size=11), st.sampled_from(["%Y-%m-%d", "%d-%m-%Y", "%Y-%j", "%Y%m%d"]))
def test_whatever_is_read_strptime_reads_the_same(text: str, form: str):
    found = date_reader(form)(text)
    if found is not None:
        assert datetime.strptime(text, form).date().isoformat() == found
