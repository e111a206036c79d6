"""Limits and times in ordinary sentences: what each means was written down before the grammar could read it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from retouch.recipes.policy import Policy, evaluate
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english.asserting import assert_policy
from retouch.recipes.policy.english.compiling import compile_clauses, compile_english
from retouch.recipes.policy.english.proposing import proposals
from retouch.recipes.policy.english.reading import Reading
from retouch.recipes.policy.scenarios.files import call_in

MONDAY = datetime(2026, 11, 23, 12, tzinfo=ZoneInfo("Europe/Berlin"))
SATURDAY = MONDAY + timedelta(days=5)
TOOLS: dict[str, Any] = {
    "gmail": {"send_email": {"to": ["email-address"], "body": ["email-body"]}, "search_emails": {"query": ["none"]}},
    "shop": {"issue_refund": {"order": ["none"], "amount": ["none"]}, "get_order": {"order": ["none"]}},
    "ci": {"deploy": {"service": ["none"]}, "push": {"branch": ["branch-name"]}},
    "files": {"write_file": {"path": ["write-path"]}, "read_file": {"path": ["read-path"]}},
}


def frame(server: str, zone: str | None = "Europe/Berlin") -> Policy:
    tools = [{"toolName": name, "args": args} for name, args in TOOLS[server].items()]
    value: Any = {
        "semantics": 3,
        "home": "/home/ada",
        "rules": [],
        "annotations": {"servers": {server: {"tools": tools}}},
    }
    return replace(Policy.of_json(value | {"servers": {}}), time_zone=zone)


def decided(text: str, call: str, at: datetime, earlier: list[tuple[str, float]]) -> str:
    """Return the decision about `tool key=value`, after calls (the same, hours ago). The second reading agrees."""
    tool, *pairs = call.split()
    server = next(name for name, tools in TOOLS.items() if tool in tools)
    made = compile_english(text, frame(server))
    of = replace(frame(server), rules=made.rules)
    before = [_call(server, *one.split()) | {"at": (at - timedelta(hours=age)).isoformat()} for one, age in earlier]
    value: Any = {**_call(server, tool, *pairs), "at": at.isoformat(), "earlier": before}
    whole = call_in(value)
    assert whole is not None
    found = evaluate(of, whole, surroundings=LEXICAL).decision
    second = Reading(made.sentences, frame(server)).about(whole).decision
    assert second in {found, None}
    return found


def _call(server: str, tool: str, *pairs: str) -> dict[str, Any]:
    values = (pair.partition("=") for pair in pairs)
    arguments = {name: float(value) if name == "amount" else value for name, _, value in values}
    return {"serverName": server, "toolName": tool, "arguments": arguments}


MAIL, REFUND = "send_email to=a@b.example", "issue_refund order=1 amount=40"


@pytest.mark.parametrize(
    ("text", "call", "times", "decision"),
    [
        ("You may send at most 3 emails per day.", MAIL, 2, "allow"),
        ("You may send at most 3 emails per day.", MAIL, 3, "deny"),
        ("Send up to three emails a day.", MAIL, 3, "deny"),
        ("You can send emails at most 3 times per day.", MAIL, 3, "deny"),
        ("You may send only 3 emails per day.", MAIL, 3, "deny"),
        ("You may send emails. Never send more than 3 emails per day.", MAIL, 2, "allow"),
        ("You may send emails. Never send more than 3 emails per day.", MAIL, 3, "deny"),
        ("You may send emails. Ask before sending more than 3 emails per day.", MAIL, 3, "escalate"),
        ("You may send at most 3 emails per day. Ask before sending more than 3 emails per day.", MAIL, 3, "escalate"),
        ("You may send at most 3 emails to a@b.example per day.", MAIL, 2, "allow"),
        ("You may send at most 3 emails to a@b.example per day.", MAIL, 3, "deny"),
        ("You may send an email once a day.", MAIL, 1, "deny"),
        ("You may issue refunds. No more than 3 refunds per day.", REFUND, 3, "deny"),
        ("You may issue refunds. At most 3 refunds per day are allowed.", REFUND, 2, "allow"),
        ("You may issue refunds. Limit refunds to 3 per day.", REFUND, 3, "deny"),
        ("You may issue refunds. Refunds are limited to 3 per day.", REFUND, 3, "deny"),
        ("You may issue refunds. Never refund more than 100 EUR per day.", REFUND, 1, "allow"),
        ("You may issue refunds. Never refund more than 100 EUR per day.", REFUND, 2, "deny"),
        ("You may refund up to $100 per day.", REFUND, 2, "deny"),
        ("You may refund up to $100 per day.", REFUND, 1, "allow"),
    ],
)
def test_a_limit_is_read_as_it_is_meant(text: str, call: str, times: int, decision: str):
    assert decision == decided(text, call, MONDAY, [(call, 1.0)] * times)


@pytest.mark.parametrize(
    ("text", "allowed", "denied"),
    [
        ("You may deploy between 9:00 and 17:00.", MONDAY, MONDAY.replace(hour=17)),
        ("You may deploy from 9am to 5pm.", MONDAY.replace(hour=16, minute=59), MONDAY.replace(hour=5)),
        ("You may deploy on weekdays.", MONDAY, SATURDAY),
        ("You may only deploy on weekdays between 9:00 and 17:00.", MONDAY, SATURDAY),
        ("You may deploy. Never deploy on weekends.", MONDAY, SATURDAY),
        ("You may deploy. Never deploy between 22:00 and 6:00.", MONDAY, MONDAY.replace(hour=2)),
        ("You may deploy. Do not deploy outside 9:00-17:00.", MONDAY, MONDAY.replace(hour=18)),
        ("You may deploy on Mondays and Fridays.", MONDAY, MONDAY + timedelta(days=1)),
        ("You may deploy from Monday to Friday.", MONDAY + timedelta(days=4), SATURDAY),
        ("Deploying is fine on weekdays.", MONDAY, SATURDAY),
    ],
)
def test_a_time_is_read_as_it_is_meant(text: str, allowed: datetime, denied: datetime):
    assert ("allow", "deny") == (
        decided(text, "deploy service=x", allowed, []),
        decided(text, "deploy service=x", denied, []),
    )


def test_only_at_some_time_forbids_other_times_whatever_else_is_allowed():
    text = "You may deploy. You may only deploy on weekdays."
    assert ("allow", "deny") == tuple(decided(text, "deploy service=x", at, []) for at in (MONDAY, SATURDAY))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("server", "text"),
    [
        ("gmail", "You may send at most 3 emails per customer."),
        ("gmail", "You may send at most 3 emails per day per recipient."),
        ("gmail", "You may send at most 3 emails."),
        ("gmail", "You may send emails per day."),
        ("gmail", "You may send more than 3 emails per day."),
        ("gmail", "Never send at most 3 emails per day."),
        ("gmail", "You may send not more than 3 emails per day unless they are urgent."),
        ("gmail", "You may send at least 3 emails per day."),
        ("gmail", "You may send about 3 emails per day."),
        ("shop", "Never refund more than 100 per day."),
        ("shop", "You may refund 100 EUR per day and order."),
        ("shop", "You may issue at most 3 refunds per day or 5 per week."),
        ("shop", "Never refund more than 10 percent per day."),
        ("ci", "You may deploy between 9 and 5."),
        ("ci", "You may deploy after 18:00."),
        ("ci", "You may deploy during business hours."),
        ("ci", "You may deploy on Monday."),
        ("ci", "You may deploy on weekdays except holidays."),
        ("ci", "You may deploy between 9:00 and 17:00 Eastern time."),
        ("ci", "You may deploy and push at most 3 times per day or on weekends."),
        ("ci", "You may deploy between 25:00 and 26:00."),
        ("files", "You may read and write at most 5 files in ~/work per day."),
    ],
)
def test_a_limit_that_cannot_be_kept_exactly_is_refused(server: str, text: str):
    found = compile_clauses(text, frame(server))
    assert found.refused
    assert () == found.rules


def test_hours_without_a_time_zone_are_refused_and_limits_of_one_of_several_servers_are_not():
    assert "time zone" in str(compile_clauses("You may deploy on weekdays.", frame("ci", None)).refused)
    for text in ("You may send at most 3 emails per day.", "You may send at most 3 emails with gmail per day."):
        assert not compile_clauses(text, frame("gmail"), elsewhere=["outlook"]).refused


def test_scenarios_of_a_limit_are_executed_with_earlier_calls():
    text = "You may send at most 3 emails per day."
    made = compile_english(text, frame("gmail"))
    first, _ = proposals(Reading(made.sentences, frame("gmail")), made.rules)
    rows = {(one.request.state is not None and bool(one.request.state.earlier), one.verdict.decision) for one in first}
    assert {(False, "allow"), (True, "deny")} <= rows


def test_an_assertion_about_a_limit_is_proved_or_refuted_with_earlier_calls():
    made = compile_english("You may send at most 3 emails per day.", frame("gmail"))
    of = replace(frame("gmail"), rules=made.rules)
    assert assert_policy(of, "Never send more than 3 emails per day.").holds
    assert assert_policy(of, "Never send more than 5 emails per day.").holds
    found = assert_policy(of, "Never send more than 2 emails per day.")
    assert found.counterexample is not None
    assert found.counterexample.state is not None
    assert 2 == sum(one.times for one in found.counterexample.state.earlier)
    assert not assert_policy(of, "Never send more than 3 emails per week.").holds
