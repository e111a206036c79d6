"""Dates that several parts of a path make together: proposed, asked about if the order is open, and never assumed."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from retouch.recipes.rule import apply_rule, recipe
from retouch.recipes.rule.asking.table import table_of
from retouch.recipes.rule.detecting.candidates import RuleCandidate, detect
from tests.recipes.rule.rounds_scene import job

DAYS = [date(2022, 1, 4) + timedelta(37 * number) for number in range(30)]
EARLY = [date(2020 + number % 5, number % 12 + 1, number % 11 + 2) for number in range(30)]


def at(form: str, days: list[date] = DAYS) -> list[str]:
    return [f"data/{day:{form}}_{number % 3}.csv" for number, day in enumerate(days)]


def dates(found: RuleCandidate) -> dict[str, bool]:
    return {one.key: one.open for one in found.assumptions if one.kind == "date"}


@pytest.mark.parametrize(
    ("form", "proposed", "path", "wanted"),
    [
        ("%Y-%m/%d", "join:date", "data/2025-03/05_1.csv", "2025-03-05"),
        ("%Y/%j/x", "join:date", "data/2025/064/x_1.csv", "2025-03-05"),
        ("%Y/%m%d", "join:date", "data/2025/0305_1.csv", "2025-03-05"),
    ],
)
def test_a_date_over_several_parts_is_proposed_and_becomes_a_field_if_accepted(
    form: str, proposed: str, path: str, wanted: str
) -> None:
    paths = at(form)
    assert {proposed: False} == {key: one for key, one in dates(detect(paths)[0]).items() if key.startswith("join")}
    assert "date" not in {field.name for field in detect(paths)[0].rule.fields}
    rule = table_of(job(*paths, accepted=(proposed,))).candidate.rule
    assert wanted == apply_rule(rule, path).values["date"]


@pytest.mark.parametrize(
    ("form", "path"),
    [
        ("%Y/%m/%d/x", "data/2025/03/05/x_1.csv"),
        ("year=%Y/month=%m/day=%d/x", "data/year=2025/month=03/day=05/x_1.csv"),
        ("y=%Y/m=%m/d=%d/x", "data/y=2025/m=03/d=05/x_1.csv"),
        ("y=%Y/m=%m/d=%d/h=07/m=00/x", "data/y=2025/m=03/d=05/h=07/m=00/x_1.csv"),
        ("%d/%m/%Y/x", "data/05/03/2025/x_1.csv"),
        ("%m/%d/%Y/x", "data/03/05/2025/x_1.csv"),
    ],
)
def test_the_day_of_three_directories_is_a_field_beside_its_parts(form: str, path: str) -> None:
    found = apply_rule(detect(at(form))[0].rule, path).values
    assert "2025-03-05" == found["date"]
    assert all(one in found.values() for one in (2025, 3, 5))


def test_a_day_and_a_time_make_one_time() -> None:
    keyed = [f"in/dt={day}/hour={number * 47 % 24:02}/part-{number}.json" for number, day in enumerate(DAYS)]
    clocks = [f"in/{day}/{number * 47 % 24:02}{number * 31 % 60:02}.json" for number, day in enumerate(DAYS)]
    parted = [f"in/{day:%Y/%m/%d}/{number * 47 % 24:02}/part-{number}.json" for number, day in enumerate(DAYS)]
    for paths, path, wanted in (
        (keyed, "in/dt=2025-03-05/hour=09/part-7.json", "2025-03-05T09:00:00"),
        (clocks, "in/2025-03-05/0930.json", "2025-03-05T09:30:00"),
        (parted, "in/2025/03/05/09/part-7.json", "2025-03-05T09:00:00"),
    ):
        rule = table_of(job(*paths, accepted=("join:timestamp",))).candidate.rule
        assert wanted == apply_rule(rule, path).values["timestamp"]
    assert "0930" == apply_rule(detect(clocks)[0].rule, "in/2025-03-05/0930.json").values["time"]


def test_numbers_that_count_up_below_a_day_are_no_times() -> None:
    paths = [f"in/{day}/{number:04}.json" for number, day in enumerate(DAYS)]
    found = detect(paths)[0]
    assert {} == {key: one for key, one in dates(found).items() if key.startswith("join")}
    assert "time" not in {field.name for field in found.rule.fields}


def test_an_order_that_the_samples_leave_open_is_asked_about() -> None:
    paths = at("%d/%m/%Y/x", EARLY)
    found = detect(paths)[0]
    (key,) = (key for key, is_open in dates(found).items() if is_open)
    assert "day first or month first" in next(one.question for one in found.assumptions if one.key == key)
    last = recipe.tiers(job(*paths)) if recipe.tiers is not None else ()
    assert "day first" in " ".join(one.why for one in last)
    for order, wanted in (("day-first", "2025-03-05"), ("month-first", "2025-05-03")):
        table = table_of(job(*paths, dates=(order,)))
        assert wanted == apply_rule(table.candidate.rule, "data/05/03/2025/x_1.csv").values["date"]
        assert key not in {one.key for one in table.open_assumptions(())}
    assert {"day", "month", "year", "date"} <= {
        field.name for field in table_of(job(*paths, dates=("day-first",))).candidate.rule.fields
    }


def test_a_year_before_a_day_and_a_month_is_never_taken_without_a_question() -> None:
    assert {"join:date": True} == dates(detect(at("%Y/%d/%m/x"))[0])


def test_directories_that_are_no_calendar_days_are_no_date() -> None:
    paths = [f"in/2024/{number % 12 + 1:02}/{number % 2 + 30:02}/x_{number}.csv" for number in range(30)]
    assert "join:date" not in dates(detect(paths)[0])


def test_an_example_shows_a_date_over_several_directories() -> None:
    paths = at("%Y/%m/%d/x")
    found = detect(paths, examples={paths[0]: {"taken": DAYS[0].isoformat()}})[0]
    assert () == found.unlabelled
    assert "2025-03-05" == apply_rule(found.rule, "data/2025/03/05/x_1.csv").values["taken"]
