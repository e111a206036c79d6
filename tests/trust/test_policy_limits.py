"""A limit or a time in the text must be in the rules: otherwise the policy is not verified."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import BadInput, BrokenFile
from retouch.recipes.policy import Policy
from retouch.recipes.policy.english.clauses import clauses_of
from retouch.recipes.policy.english.compiling import compile_english
from retouch.recipes.policy.guard.counts import CallCounts
from retouch.recipes.policy.language.values import Limit, Rule, When
from retouch.recipes.policy.making.judging.clause_state import missing_state

if TYPE_CHECKING:
    from pathlib import Path

COUNTED = Limit(count="calls", per="day", above=3)
TIMED = Limit(days=("mon",))
HOURS = Limit(hours=("09:00-17:00",))


@pytest.mark.parametrize(
    ("text", "test", "settled"),
    [
        ("You may send at most 3 emails per day.", None, False),
        ("You may send at most 3 emails per day.", TIMED, False),
        ("You may send at most 3 emails per day.", COUNTED, True),
        ("Refund once a week.", None, False),
        ("Refund once a week.", Limit(count="calls", per="week", above=1), True),
        ("You may send at most 30 emails per day.", COUNTED, False),
        ("You may send at most 3 emails per week.", COUNTED, False),
        ("You may send at most 3 emails per day and at most 10 per week.", COUNTED, False),
        ("You may send fewer than 3 emails per day.", Limit(count="calls", per="day", above=2), True),
        ("You may send at most 3 emails per year.", COUNTED, False),
        ("You may send at most 3 emails per session.", COUNTED, False),
        ("You may send at most 3 emails in 2 days.", COUNTED, False),
        ("You may send at most 3 emails in 24 hours.", COUNTED, True),
        ("You may send at most 3 emails in total.", COUNTED, False),
        ("Per day, you may send at most 3 emails.", None, False),
        ("Refunds have a daily limit of 3.", None, False),
        ("Refunds have a daily limit of 3.", COUNTED, True),
        ("Spend at most 1,000 EUR per day.", Limit(sum="amount", per="day", above=1000), True),
        ("Spend at most ten thousand EUR per day.", Limit(sum="amount", per="day", above=10000), True),
        ("Never spend more than 100 EUR within 24 hours.", None, False),
        ("Deploy between 9:00 and 17:00.", COUNTED, False),
        ("Deploy between 9:00 and 17:00.", TIMED, False),
        ("Deploy between 9:00 and 17:00.", HOURS, True),
        ("Deploy between 9:00 and 18:00.", HOURS, False),
        ("Deploy only before noon.", None, False),
        ("Never deploy overnight.", None, False),
        ("Deploy on Mondays between 9:00 and 5:00 pm.", HOURS, False),
        ("Never deploy on weekends or holidays.", TIMED, False),
        ("Never deploy in December.", TIMED, False),
        ("Never deploy on Fridays.", None, False),
        ("Deploy only in business hours.", None, False),
        ("You may read my daily notes.", None, True),
        ("You may read 3 files.", None, False),
        ("You may read the 3 files in ~/Documents.", None, True),
    ],
)
def test_a_clause_with_a_limit_needs_a_rule_that_counts(text: str, test: Limit | None, *, settled: bool):
    where = () if test is None else (test,)
    rule = Rule(name="r", then="allow", when=When(where=where), principle=text)
    (clause,) = clauses_of(text)
    assert settled is (missing_state(clause.text, [rule]) == "")


def settled_by(text: str, *rules: Rule) -> bool:
    (clause,) = clauses_of(text)
    return missing_state(clause.text, [*rules]) == ""


def allowing(*tests: Limit, principle: str = "", **more: Any) -> Rule:
    return Rule(name="allow", then="allow", when=When(where=tests, **more), principle=principle)


def denying(*tests: Limit, principle: str = "", **more: Any) -> Rule:
    return Rule(name="deny", then="deny", when=When(where=tests, **more), principle=principle)


@pytest.mark.parametrize(
    ("text", "test", "settled"),
    [
        ("You may send at most 3 emails per day.", Limit(count="calls", per="day", above=2), False),
        ("You may send at most 3 emails per day.", Limit(count="calls", per="day", above=4), False),
        ("You may send at most 3 emails per day.", Limit(count="calls", per="day", at_most=3), True),
        ("You may send at most 3 emails per day.", Limit(count="calls", per="day", at_least=4), True),
        ("You may send fewer than 3 emails per day.", COUNTED, False),
        ("Refuse 3 or more emails per day.", COUNTED, False),
        ("Refuse 3 or more emails per day.", Limit(count="calls", per="day", at_least=3), True),
        ("Spend at most 1,000 EUR per day.", Limit(sum="amount", per="day", above=999), False),
        ("Spend at most 1,000 EUR per day.", Limit(sum="amount", per="day", at_least=1000), False),
        ("Spend at most ten thousand EUR per day.", Limit(sum="amount", per="day", above=1000), False),
        ("Send at most two dozen emails per day.", Limit(count="calls", per="day", above=24), True),
        ("Send at most two dozen emails per day.", Limit(count="calls", per="day", above=12), False),
        ("Spend at most 10k EUR per day.", Limit(sum="amount", per="day", above=10), False),
        ("Spend at most 10k EUR per day.", Limit(sum="amount", per="day", above=10_000), True),
        ("Refunds have a daily limit.", COUNTED, False),
        ("You may send 5 reports in at most 3 emails per day.", Limit(count="calls", per="day", above=5), False),
        ("Send at most 3 emails of at most 5 MB per day.", Limit(count="calls", per="day", above=5), False),
        ("Per day, send at most 3 emails.", COUNTED, True),
        ("Refunds under 50 are fine.", Limit(arg="amount", below=500), False),
        ("Refunds under 50 are fine.", Limit(arg="amount", at_most=50), False),
        ("Refunds under 50 are fine.", None, False),
        ("Refunds under 50 are fine.", Limit(arg="amount", at_least=0, below=50), True),
        ("Ask before paying more than 100 EUR.", Limit(arg="amount", at_least=100), False),
        ("Ask before paying more than 100 EUR.", Limit(arg="amount", above=100), True),
        ("Never open more than one pull request.", None, False),
        ("Small refunds are fine.", Limit(arg="amount", below=50), False),
        ("Toots have at most 90 characters.", Limit(arg="text", size="characters", above=90), True),
        ("Toots have fewer than 90 characters.", Limit(arg="text", size="characters", above=89), True),
        ("Toots have fewer than 90 characters.", Limit(arg="text", size="characters", above=90), False),
        ("Toots have at most 90 words.", Limit(arg="text", size="characters", above=90), False),
        ("Toots have at most 90 lines.", Limit(arg="text", size="items", above=90), False),
        ("Toots have at most 90 characters.", Limit(arg="text", size="items", above=90), False),
        ("Toots have at most 90 characters.", Limit(arg="text", above=90), False),
        ("Summaries have at most 90 characters.", Limit(arg="max_length", at_most=90), True),
        ("Tag no more than 5 people.", Limit(arg="people", size="items", above=5), True),
        ("Tag no more than 5 people.", Limit(arg="people", size="characters", above=5), False),
        ("Attach at most 5 MB.", Limit(arg="files", size="items", above=5), False),
    ],
)
def test_the_number_of_a_rule_is_the_one_of_its_clause(text: str, test: Limit | None, *, settled: bool):
    assert settled is settled_by(text, allowing(*((test,) if test else ()), principle=text))


@pytest.mark.parametrize(
    "text",
    [
        "Send half a dozen emails per day.",
        "Send a few emails a day.",
        "Send an email a day.",
        "Send only a handful of emails.",
        "Do not send too many emails.",
        "Email customers every other day.",
        "Wait two hours between emails.",
        "Deploy at most every 30 minutes.",
        "Deploy once every two weeks.",
        "Deploy nightly.",
        "Deploy thrice a day.",
        "Deploy three times/day.",
        "Deploy 3x a day.",
        "Pay no more than 1.000 EUR.",
        "Pay no more than 1 000 EUR.",
        "Pay no more than 2,5 EUR.",
        "Pay no more than EUR1000.",
        "Pay no more than 1000EUR.",
        "Pay no more than CHF 1000.",
        "Pay no more than 1e3 EUR.",
        "Pay no more than one and a half EUR.",
        "Pay no more than 5 billion EUR.",
        "Pay no more than 5 cents.",
        "Upload files up to 5 MB.",
        "Refund at most a third of the price.",
        "Pay invoices <= 100.",
        "Payments must stay within 100 EUR.",
        "The most you may pay is 100 EUR.",
        "Payments of 50+ EUR need my approval.",
        "Payments starting at 50 EUR need my approval.",
        "Pay 10-20 EUR.",
        "One email per customer.",
        "Only ever send one email.",
        "Deploy until half past six.",
        "Deploy between 9 and 5.",
        "Deploy before 18h.",
        "Deploy before six.",
        "Deploy after lunch.",
        "Deploy on Sat and Sun.",
        "Deploy on working days.",
        "Deploy until tomorrow.",
        "Deploy until 2026-12-31.",
        "Deploy after 1 Dec.",
        "Deploy in Q4.",
        "Deploy on the first of the month.",
    ],
)
@pytest.mark.parametrize("then", ["allow", "deny"])
def test_a_limit_in_words_that_are_not_read_is_no_sentence_without_a_limit(text: str, then: Any):
    """Neither a rule without a test nor one with the digits of the sentence enforces it."""
    tests = (
        None,
        Limit(arg="amount", at_most=1),
        Limit(arg="amount", at_most=5),
        Limit(count="calls", per="day", above=12),
    )
    for test in tests:
        assert not settled_by(text, Rule(name="r", then=then, when=When(where=(test,) if test else ()), principle=text))


@pytest.mark.parametrize(
    "text",
    [
        "You may read the two directories ~/a and ~/b.",
        "Allow reading files inside ~/Documents/2024.",
        "Never send mail to team-7@example.com.",
        "Once I have approved it, you may push.",
        "Ask me before each one.",
        "Never call 10.0.0.1:8080.",
        "Use 2FA everywhere.",
        "Never read `notes 3.md`.",
        "You may use Python 3.",
    ],
)
def test_a_sentence_without_a_limit_needs_no_rule_that_counts(text: str):
    assert settled_by(text, allowing(principle=text))


def test_every_limit_of_a_clause_is_in_the_rules_and_no_other():
    text = "You may send at most 3 emails per day and at most 10 per week."
    day, week = Limit(count="calls", per="day", at_most=3), Limit(count="calls", per="week", at_most=10)
    assert settled_by(text, allowing(day, week, principle=text))
    swapped = (Limit(count="calls", per="day", at_most=10), Limit(count="calls", per="week", at_most=3))
    assert not settled_by(text, allowing(*swapped, principle=text))
    assert not settled_by(text, allowing(day, week, Limit(count="calls", per="hour", at_most=3), principle=text))


def test_a_permission_that_a_limit_does_not_cover_is_a_way_around_it():
    text = "You may send at most 3 emails per day."
    limit = denying(COUNTED, tool=("send",), principle=text)
    assert settled_by(text, limit, allowing(tool=("send",), principle=text))
    assert not settled_by(text, limit, allowing(tool=("send", "send_all"), principle=text))
    assert not settled_by(text, allowing(tool=("send",), principle=text), limit)
    narrow = denying(COUNTED, Limit(arg="to", among=("a@b.example",)), tool=("send",), principle=text)
    assert not settled_by(text, narrow, allowing(tool=("send",), principle=text))


@pytest.mark.parametrize(
    ("text", "test", "settled"),
    [
        ("Deploy between 9:00 and 17:00.", Limit(hours=("21:00-05:00",)), False),
        ("Deploy from 9am to 5pm.", HOURS, True),
        ("Deploy from 9am to 5pm.", Limit(hours=("09:00-05:00",)), False),
        ("Deploy from 9pm to 5am.", HOURS, False),
        ("Deploy between 9:00 and 5:00 pm.", HOURS, False),
        ("Deploy between 9:00 and 17:00.", Limit(hours=("09:00-17:00", "20:00-21:00")), False),
        ("Deploy only in business hours.", HOURS, False),
        ("Never deploy overnight.", Limit(hours=("22:00-06:00",)), False),
        ("Never deploy at night.", Limit(hours=("22:00-06:00",)), False),
        ("Deploy whenever you like.", HOURS, False),
        ("Deploy on weekdays.", Limit(days=("mon", "tue", "wed", "thu", "fri")), True),
        ("Never deploy on weekdays.", Limit(days=("sat", "sun")), True),
        ("Deploy on weekdays.", Limit(days=("mon", "tue", "wed", "thu")), False),
        ("Deploy from Monday to Thursday.", Limit(days=("mon", "tue", "wed", "thu")), True),
        ("Never deploy on Fridays.", Limit(days=("sat", "sun")), False),
        ("Deploy between 9:00 and 17:00.", Limit(hours=("17:00-09:00",)), False),
        ("Never deploy between 9:00 and 17:00.", Limit(hours=("17:00-09:00",)), True),
        ("Never deploy between 9:00 and 17:00.", HOURS, False),
        ("Deploy only before noon.", Limit(hours=("00:00-12:00",)), True),
        ("Deploy only before noon.", Limit(hours=("12:00-24:00",)), False),
        ("Deploy on weekends.", Limit(days=("mon", "tue", "wed", "thu", "fri")), False),
        ("Deploy on the last Friday of the month.", Limit(days=("fri",)), False),
        ("Deploy between 9:00 and 17:00 Tokyo time.", HOURS, False),
    ],
)
def test_the_time_of_a_rule_is_the_one_of_its_clause(text: str, test: Limit, *, settled: bool):
    assert settled is settled_by(text, allowing(test, principle=text))


def test_several_hours_of_several_days_are_not_mixed():
    text = "Deploy on Tuesdays from 9:00 to 12:00 and on Thursdays from 13:00 to 17:00."
    hours = ("09:00-12:00", "13:00-17:00")
    assert not settled_by(text, allowing(Limit(hours=hours, days=("tue", "thu")), principle=text))


def test_a_night_of_a_day_has_a_morning_on_the_next_day_so_no_rule_settles_it():
    text = "Never deploy from 22:00 to 6:00 on Fridays."
    night, friday = Limit(hours=("22:00-06:00",)), Limit(days=("fri",))
    assert not settled_by(text, denying(night, friday, principle=text))
    assert not settled_by(text, denying(Limit(hours=("22:00-06:00",), days=("fri",)), principle=text))
    evening = "Never deploy from 22:00 to midnight on Fridays."
    assert settled_by(evening, denying(Limit(hours=("22:00-24:00",)), friday, principle=evening))
    with pytest.raises(BadInput, match="next day"):
        compile_english(text, deploying())


@pytest.mark.parametrize("hours", ["between 9:00 and 5:00 pm", "from 1:00 to 5pm"])
def test_a_time_with_pm_and_one_without_can_be_read_in_two_ways(hours: str):
    with pytest.raises(BadInput):
        compile_english(f"You may deploy {hours}.", deploying())


def deploying() -> Policy:
    tools: Any = {"servers": {"ci": {"tools": [{"toolName": "deploy", "args": {"service": ["none"]}}]}}}
    value: Any = {"semantics": 3, "home": "/home/ada", "rules": [], "annotations": tools, "servers": {}}
    return Policy.of_json(value | {"timeZone": "UTC"})


@pytest.mark.parametrize("amount", [-500, float("nan"), float("inf"), True, "1", [1]])
def test_a_line_of_counts_with_an_impossible_amount_denies(tmp_path: Path, amount: object):
    file = tmp_path / "counts"
    file.write_text(json.dumps({"at": 1.0, "counts": {"s": {"amount": amount}}}) + "\n", encoding="utf-8")
    with pytest.raises(BrokenFile), CallCounts(file).locked():
        pass


@pytest.mark.parametrize("at", [float("nan"), float("inf"), True, "1"])
def test_a_line_of_counts_with_an_impossible_time_denies(tmp_path: Path, at: object):
    file = tmp_path / "counts"
    file.write_text(json.dumps({"at": at, "counts": {"s": {"amount": 1}}}) + "\n", encoding="utf-8")
    with pytest.raises(BrokenFile), CallCounts(file).locked():
        pass
