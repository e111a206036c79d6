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


MANY = "send_email the number of items of email-address >"


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({f"escalate {MANY} 10"}, "No email may go to more than ten recipients without my approval."),
        ({f"deny {MANY} 5"}, "Never send one email to more than 5 people."),
        ({f"deny {MANY} 3"}, "Don't put more than three people in an email."),
        ({f"deny {MANY} 20"}, "An email may have at most 20 recipients."),
        ({f"deny {MANY} 5"}, "No more than five recipients per email."),
        ({f"escalate {MANY} 3"}, "Emails to more than 3 recipients need my approval."),
        ({f"escalate {MANY} 10"}, "Ask me before sending an email to more than 10 people."),
    ],
)
def test_the_recipients_of_all_arguments_count(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, GMAIL)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {"deny send_email", "deny create_filter action is forward"},
            "Never send an email yourself, just leave it in my drafts.",
        ),
        ({"deny send_email", "deny create_filter action is forward"}, "Don't send anything, just save drafts."),
        ({"deny send_email", "deny create_filter action is forward"}, "Drafts only: never send a mail."),
        (
            {
                "escalate send_email email-address to ada@acme.example",
                "escalate create_filter action is forward action like ada@acme.example",
            },
            "My boss ada@acme.example must never get an email from you without my approval.",
        ),
        ({f"escalate send_email {WITH}"}, "Emails with attachments always need my okay before they go out."),
        (
            {f"deny send_email {WITH} unless attachments like *.pdf or *.PDF"},
            "Please don't send attachments of any kind unless they are PDF files.",
        ),
        ({f"deny send_email {WITH} unless attachments like *.pdf or *.PDF"}, "Only attach PDFs."),
    ],
)
def test_what_is_sent_and_to_whom(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, GMAIL)


FORWARDED = "create_filter action is forward"
STARRED = {
    "deny batch_modify_emails modify_email addLabelIds is given addLabelIds is STARRED",
    "deny batch_modify_emails modify_email removeLabelIds is given removeLabelIds is STARRED",
    "deny create_filter action is STARRED",
}


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({f"deny {FORWARDED}"}, "Never set up a filter that forwards my mail to another address."),
        ({f"deny {FORWARDED}"}, "No forwarding filters, please."),
        ({f"deny {FORWARDED}"}, "Don't auto-forward my mail."),
        ({f"escalate {FORWARDED}"}, "Ask me before setting up automatic forwarding."),
        ({"deny create_filter action is TRASH"}, "No filters that delete mail."),
        (set[str](), "Never create a filter that forwards mail to ada@acme.example."),
        (STARRED, "Never add or remove the STARRED label, since I use stars to track my approvals."),
        (STARRED, "Leave the STARRED label alone."),
        (set[str](), "Never remove the Invoices label."),  # a call has its id
    ],
)
def test_filters_and_labels_are_known_by_what_a_call_names(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, GMAIL)
