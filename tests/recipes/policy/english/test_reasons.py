"""A reason at the end of a sentence changes nothing, and what may be a part of the rule is no reason."""

from __future__ import annotations

import pytest

from retouch.recipes.policy.english.compiling import compile_clauses
from retouch.recipes.policy.english.rewriting.reasons import without_reason
from tests.recipes.policy.english.meanings import TEXT, frame_of

MAIL = frame_of(
    "mail",
    {"send_email": ("Send an email", {"to": TEXT, "body": TEXT}), "delete_email": ("Delete an email", {"id": TEXT})},
)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Never delete emails, because we must keep our records for seven years.", "Never delete emails."),
        ("You can send email on weekdays, so that clients are not disturbed.", "You can send email on weekdays."),
        ("Ask before scaling above five, since it costs us money.", "Ask before scaling above five."),
        ("Never set it to Urgent, because only the team leads decide that.", "Never set it to Urgent."),
        ("No refunds, as mistakes are hard to undo.", "No refunds."),
        ("Never cancel an order, even if a customer asks for it.", "Never cancel an order."),
        ("Please don't delete emails.", "Don't delete emails."),
        ("No more than 5 refunds a day, please.", "No more than 5 refunds a day."),
    ],
)
def test_a_reason_is_left_out(text: str, rule: str) -> None:
    assert rule == without_reason(text)


@pytest.mark.parametrize(
    "text",
    [
        "Send replies, as the assistant of Ada.",
        "Never mail Tom, since Monday he is away.",
        "Never delete emails, since 2024 they are archived.",
        "You may send emails, because only internal ones go out.",
        "You may delete emails, even if they are from the boss.",
        "Ask before sending, because sending to acme needs approval.",
        "Never delete files, because of which you may move them.",
        "Never delete emails because they are old.",
        "Post in #dev, so that everyone sees it, unless it is private.",
        "Never merge, because I do it, and never push.",
        "Never merge, because it is slow, and delete old branches.",
        'Never answer "no, because it is late".',
    ],
)
def test_what_may_be_a_part_of_the_rule_stays(text: str) -> None:
    assert text == without_reason(text)


def test_the_rules_quote_the_sentence_with_its_reason() -> None:
    text = "Please never delete emails, because we must keep our records for seven years."
    made = compile_clauses(text, MAIL)
    assert [(("delete_email",), "deny", text)] == [(one.when.tool, one.then, one.principle) for one in made.rules]
