"""Tools of several made-up servers for sentences of two and three parts."""

from __future__ import annotations

from typing import Any

from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, told


def listed(*values: str) -> dict[str, Any]:
    """Return the schema of an argument that is one of some values."""
    return {"type": "string", "enum": list(values)}


POST = frame_of(
    "sorting",
    {
        "move_letter": ("Move a letter to another folder.", {"letter_id": TEXT, "folder": told("Name of the folder")}),
        "delete_letter": ("Delete a letter.", {"letter_id": TEXT, "permanently": FLAG}),
        "send_letter": ("Send a letter.", {"recipient": told("Name of the recipient"), "body": TEXT}),
        "read_letter": ("Read a letter.", {"letter_id": TEXT}),
    },
)
DEPOT = frame_of(
    "depot",
    {
        "create_shipment": (
            "Book a shipment with a carrier.",
            {"carrier": listed("Norpost", "Velox", "Kite"), "weight_kg": NUMBER, "fragile": FLAG},
        ),
        "cancel_shipment": ("Cancel a shipment.", {"shipment_id": TEXT}),
        "create_invoice": (
            "Create an invoice for a customer.",
            {"customer": told("Name of the customer"), "amount_eur": told("Amount in euros", NUMBER)},
        ),
        "delete_invoice": ("Delete an invoice.", {"invoice_id": TEXT}),
    },
)
DESK = frame_of(
    "desk",
    {
        "create_ticket": (
            "Create a ticket.",
            {"title": TEXT, "queue": listed("network", "billing", "repairs"), "priority": listed("low", "urgent")},
        ),
        "close_ticket": ("Close a ticket.", {"ticket_id": TEXT}),
        "suspend_line": (
            "Suspend a line.",
            {"line_number": TEXT, "reason": listed("lost", "stolen", "fraud", "unpaid")},
        ),
        "pay_bill": ("Pay a bill.", {"bill_id": TEXT, "category": listed("water", "rent", "power"), "amount": NUMBER}),
        "send_newsletter": ("Send a newsletter.", {"list": listed("press", "members", "testers"), "body": TEXT}),
        "issue_credit": ("Issue a credit to a customer.", {"customer_id": TEXT, "amount": NUMBER}),
    },
)
FRAMES = {"post": POST, "depot": DEPOT, "desk": DESK}
