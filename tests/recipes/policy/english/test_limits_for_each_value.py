"""Limits for each value of an argument, and rates with their bound behind them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.meanings import NUMBER, TEXT, frame_of, meaning_of

LIST: dict[str, Any] = {"type": "array", "items": TEXT}
FRAME = frame_of(
    "desk",
    {
        "send_reminder": ("Send a reminder text to a patient.", {"patient_id": TEXT, "text": TEXT}),
        "push_branch": ("Push a branch to a remote.", {"branch": TEXT}),
        "add_comment": ("Add a comment to a ticket.", {"ticket_id": TEXT, "body": TEXT}),
        "send_email": ("Send an e-mail.", {"to": TEXT, "subject": TEXT, "body": TEXT}),
        "pay_supplier": ("Pay a supplier.", {"supplier": TEXT, "amount": NUMBER}),
        "publish_post": ("Publish a post on a social network.", {"network": TEXT, "text": TEXT}),
        "tag_people": ("Tag people in a photo.", {"people": LIST}),
        "fetch_page": ("Fetch a page of a website.", {"url": TEXT}),
    },
    roles={"to": "email-address", "url": "fetch-url"},
)


def _above(number: int, tool: str, *, per: str = "24 hours", same: str = "", then: str = "deny") -> str:
    each = f" with the same {same}" if same else ""
    return f"{then} {tool} the number of such calls{each} in any {per} > {number}"


@pytest.mark.parametrize(
    "words",
    [
        "up to three times a day", "three times a day at most", "three times a day", ", three a day at the very most",
        ", with a maximum of three a day", "at most three times on one day",
    ],
)  # fmt: skip
def test_a_bound_may_be_before_or_behind_a_rate(words: str):
    found = meaning_of(f"You may push branches {words}.".replace(" ,", ","), FRAME)
    assert {_above(3, "push_branch"), "allow push_branch"} == {one.strip() for one in found}


@pytest.mark.parametrize(("number", "words"), [(12, "a dozen"), (25, "twenty-five"), (70, "seventy"), (13, "thirteen")])
def test_numbers_are_read_as_words(number: int, words: str):
    found = meaning_of(f"You may push branches, {words} a day at most.", FRAME)
    assert _above(number, "push_branch") in found


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (_above(2, "send_reminder", same="patient_id"), "You may send reminders, two per patient per day at the most."),
        (_above(2, "send_reminder", same="patient_id"), "You may send at most two reminders per day per patient."),
        (_above(1, "send_reminder", same="patient_id"), "You may send reminders, once a day per patient."),
        (_above(5, "publish_post", same="network"), "You may publish up to five posts a day per network."),
        (_above(1, "pay_supplier", same="supplier"), "Never pay the same supplier twice on one day."),
        (_above(2, "pay_supplier", same="supplier"), "Never pay the same supplier more than twice a day."),
        (
            _above(15, "fetch_page", per="60 minutes", same="url"),
            "You may fetch at most 15 pages per hour from the same site.",
        ),
        (
            _above(2, "send_reminder", same="patient_id", then="escalate"),
            "Ask me before sending more than two reminders a day per patient.",
        ),
    ],
)
def test_a_limit_can_be_for_each_value(rule: str, text: str):
    assert rule in meaning_of(text, FRAME)


@pytest.mark.parametrize(
    "text",
    [
        "Never send reminders per patient.",
        "You may send two reminders per patient.",
        "You may send reminders, two per doctor per day at most.",
        "You may tag people, at most two per person per day.",
        "Never send more than two e-mails a week to anybody.",
        "Never pay the same supplier at most twice a day.",
        "Never publish a post twice a day.",
        "You may push branches, five a day.",
        "You may push branches, five comments a day at most.",
        "You may push branches at most ten times per calendar month.",
        "You may push branches, a couple a day at most.",
        "You may push branches once a day, not twice.",
    ],
)
def test_a_limit_that_may_mean_something_else_is_refused(text: str):
    assert set() == meaning_of(text, FRAME)


@pytest.mark.parametrize("words", ["50 euros tops", "50 euros at most", "up to 50 euros a pop", "50 euros or less"])
def test_an_amount_may_have_its_bound_behind_it(words: str):
    frame = frame_of("shop", {"pay_bill": ("Pay a bill.", {"bill_id": TEXT, "amount": NUMBER})})
    found = meaning_of(f"You may pay bills of {words}.".replace("of up", "up"), frame)
    assert any("amount >= 0 and <= 50" in one for one in found)
