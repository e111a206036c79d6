"""Sentences about invoices, tickets and pages in a browser reach every way to do it, and leave the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, meaning_of, told

if TYPE_CHECKING:
    from retouch.recipes.policy.language.policy import Policy

CURRENCY = told("The currency of the price")
DESK = frame_of(
    "desk",
    {
        "create_ticket_comment": ("Add a comment to a ticket", {"ticket_id": NUMBER, "comment": TEXT, "public": FLAG}),
        "update_ticket": ("Update a ticket", {"id": NUMBER, "comment": TEXT, "priority": TEXT}),
        "get_ticket": ("Get a ticket", {"id": NUMBER}),
        "list_tickets": ("List tickets", {"per_page": NUMBER}),
        "create_article": ("Create an article", {"title": TEXT, "draft": FLAG}),
    },
    required={
        "create_ticket_comment": ["ticket_id", "comment"],
        "update_ticket": ["id"],
        "get_ticket": ["id"],
        "list_tickets": [],
        "create_article": ["title"],
    },
)
BILLS = frame_of(
    "bills",
    {
        "create_price": ("Create a price", {"unit_amount": told("The amount in cents"), "currency": CURRENCY}),
        "create_invoice": (
            "Create an invoice",
            {"customer": TEXT, "days_until_due": told("The number of days until the invoice is due", NUMBER)},
        ),
        "finalize_invoice": ("Finalize an invoice", {"invoice": TEXT}),
        "list_payment_intents": ("List payment intents", {"customer": TEXT}),
        "update_dispute": ("Update a dispute", {"dispute": TEXT}),
    },
)
BROWSER = frame_of(
    "browser",
    {
        "browser_click": ("Click on a web page", {"element": TEXT, "ref": TEXT}),
        "browser_type": ("Type text", {"element": TEXT, "text": TEXT, "submit": FLAG}),
        "browser_fill_form": ("Fill form fields", {"fields": {"type": "array"}}),
        "browser_press_key": ("Press a key", {"key": TEXT}),
        "browser_evaluate": ("Evaluate JavaScript", {"function": TEXT}),
        "browser_snapshot": ("Take a snapshot of the page", {}),
    },
    required={
        "browser_click": ["element"],
        "browser_type": ["element", "text"],
        "browser_fill_form": ["fields"],
        "browser_press_key": ["key"],
        "browser_evaluate": ["function"],
        "browser_snapshot": [],
    },
    roles={"function": "executes-code"},
)
PUBLIC = {"deny create_ticket_comment unless public is False", "deny update_ticket comment is given"}
SOON = {"deny create_invoice days_until_due < 14"}
LATE = SOON | {"deny create_invoice days_until_due > 60"}


@pytest.mark.parametrize(
    ("frame", "wanted", "text"),
    [
        (DESK, PUBLIC, "Never post a public reply on a ticket; internal notes are fine."),
        (DESK, PUBLIC, "All comments must be internal."),
        (DESK, PUBLIC, "Only add internal notes."),
        (DESK, {one.replace("deny", "escalate") for one in PUBLIC}, "Ask me before you reply to a customer."),
        (DESK, {"deny create_article unless draft is True"}, "Don't publish articles."),
        (DESK, {"escalate create_article unless draft is True"}, "No article gets published without my approval."),
        (DESK, {"deny list_tickets per_page > 50"}, "Never list more than 50 tickets at once."),
        (DESK, set[str](), "Never list more than 50 articles at once."),
        (BILLS, SOON, "Give customers at least 14 days to pay an invoice."),
        (BILLS, SOON, "The payment term must be at least 14 days."),
        (BILLS, LATE, "Do not give a customer less than 14 or more than 60 days to pay an invoice."),
        (BILLS, LATE, "Customers must always get between 14 and 60 days to pay."),
        (BILLS, {"deny finalize_invoice", "allow create_invoice"}, "You can draft invoices but not finalize them."),
        (BILLS, {"allow list_payment_intents"}, "You may look up payments."),
        (BILLS, {"deny update_dispute"}, "Disputes are off limits, I answer the bank myself."),
        (BILLS, set[str](), "Never change disputes, I want to approve that myself."),
    ],
)
def test_what_is_said_of_tickets_and_invoices_reaches_each_call_that_does_it(
    frame: Policy, wanted: set[str], text: str
) -> None:
    assert wanted == meaning_of(text, frame)


@pytest.mark.parametrize(
    ("tools", "text"),
    [
        ({"browser_click", "browser_evaluate", "browser_press_key", "browser_type"}, "Never submit a form."),
        ({"browser_click", "browser_evaluate", "browser_press_key", "browser_type"}, "Submitting forms is forbidden."),
        (
            {"browser_evaluate", "browser_fill_form", "browser_press_key", "browser_type"},
            "Don't fill in password fields, I do that myself.",
        ),
        ({"browser_evaluate", "browser_fill_form", "browser_press_key", "browser_type"}, "Never fill in passwords."),
    ],
)
def test_what_a_page_gets_is_restricted_for_every_tool_that_acts_on_it(tools: set[str], text: str) -> None:
    found: Any = meaning_of(text, BROWSER)
    assert tools == {word for line in found for word in line.split() if word.startswith("browser_")}
    assert any("unless key" in line or "key like *enter*" in line for line in found)


def test_outside_of_a_time_and_not_internal_must_both_hold() -> None:
    found = meaning_of("Never reply to customers outside office hours (9 to 5).", DESK)
    assert not any(" unless public is False unless " in line for line in found)
    assert any("00:00-09:00" in line or "between 00:00 and 09:00" in line for line in found)


@pytest.mark.parametrize("text", ["Never type my password anywhere.", "Don't enter passwords."])
def test_what_no_description_of_a_field_shows_is_refused(text: str) -> None:
    assert meaning_of(text, BROWSER) == set()
