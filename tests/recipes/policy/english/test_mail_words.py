"""Attachments, copies and people of a mailbox in the words that people use for them."""

from __future__ import annotations

import pytest

from tests.recipes.policy.english.gmail_tools import GMAIL
from tests.recipes.policy.english.meanings import meaning_of

WITH = "attachments is given the number of items of attachments > 0"


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({f"deny send_email {WITH}"}, "No attachments in the emails you send."),
        ({f"deny draft_email send_email {WITH}"}, "No attachments."),
        ({f"deny send_email {WITH}"}, "Don't send attachments."),
        (
            {f"deny send_email {WITH} unless email-address to *@acme.example"},
            "Attachments must never be sent to people outside acme.example.",
        ),
        ({f"escalate send_email {WITH}"}, "Ask me before sending an attachment."),
        ({f"escalate send_email {WITH}"}, "Sending attachments needs my approval."),
        (set[str](), "No attachments over 5 MB."),
        (set[str](), "Attachments may only be sent to ada@acme.example."),
        (set[str](), "You may send attachments."),  # and emails without any?
        (set[str](), "Never send the attachment of a mail to anyone."),
    ],
)
def test_an_attachment_is_sent_with_an_email(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, GMAIL)


def test_a_copy_is_not_even_put_in_a_draft() -> None:
    wanted = {"deny draft_email send_email bcc is given the number of items of bcc > 0"}
    assert wanted == meaning_of("Do not put anyone in bcc, not even in a draft.", GMAIL)


def test_our_own_people_are_people_of_the_domain() -> None:
    assert {"allow send_email email-address to *@acme.example"} == meaning_of(
        "You may send emails to our own people at acme.example.", GMAIL
    )
