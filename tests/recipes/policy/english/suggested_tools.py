"""Tools of made-up servers for sentences that are not understood, and the exact sentences that are suggested."""

from __future__ import annotations

from typing import Any

from retouch.recipes.policy.english.compiling import compile_clauses
from retouch.recipes.policy.english.suggesting.suggestions import suggestions
from retouch.recipes.policy.english.tools.toolbox import Toolbox
from tests.recipes.policy.english.joined_tools import listed
from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, told

MANY: dict[str, Any] = {"type": "array", "items": TEXT}
MONEY: dict[str, Any] = {
    "amount": told("Amount in the smallest currency unit", NUMBER),
    "currency": listed("usd", "eur", "gbp"),
}
BILLING = frame_of(
    "billing",
    {
        "create_refund": ("Refund a charge.", {"charge": TEXT, **MONEY}),
        "create_invoice": ("Create an invoice.", {"customer": TEXT, **MONEY}),
        "send_invoice": ("Send an invoice to the customer.", {"invoice": TEXT}),
        "create_payout": ("Pay out money to the bank account.", MONEY),
        "cancel_subscription": (
            "Cancel a subscription.",
            {"subscription": TEXT, "at_period_end": told("Cancel at the end of the period, not immediately", FLAG)},
        ),
    },
)
FILES = frame_of(
    "files",
    {
        "read_file": ("Read a file.", {"path": TEXT}),
        "write_file": ("Create a new file or overwrite an existing one.", {"path": TEXT, "content": TEXT}),
        "edit_file": ("Edit a file.", {"path": TEXT, "edits": TEXT}),
        "move_file": ("Move or rename a file.", {"path": TEXT, "destination": TEXT}),
        "delete_file": ("Delete a file.", {"path": TEXT}),
    },
    roles={"path": "read-path", "destination": "write-path"},
)
POST = frame_of(
    "mailbox",
    {
        "read_email": ("Read an e-mail.", {"id": TEXT}),
        "send_email": ("Send an e-mail.", {"to": MANY, "cc": MANY, "bcc": MANY, "subject": TEXT, "body": TEXT}),
        "reply_to_email": ("Reply to an e-mail.", {"id": TEXT, "body": TEXT}),
        "trash_email": ("Move an e-mail to the trash.", {"id": TEXT}),
        "delete_email": ("Delete an e-mail.", {"id": TEXT}),
        "batch_delete_emails": ("Delete several e-mails.", {"ids": MANY}),
        "create_filter": ("Create a filter.", {"query": TEXT, "action": listed("delete", "archive")}),
    },
    roles={"to": "email-address", "cc": "email-address", "bcc": "email-address"},
)
TRACKER = frame_of(
    "tracker",
    {
        "create_ticket": (
            "Create a ticket.",
            {"team": TEXT, "title": TEXT, "priority": listed("low", "medium", "urgent")},
        ),
        "close_ticket": ("Close a ticket.", {"id": TEXT}),
        "comment_on_ticket": ("Comment on a ticket.", {"id": TEXT, "body": TEXT}),
        "list_tickets": ("List tickets.", {"team": TEXT, "status": listed("open", "closed")}),
    },
)
TRADING = frame_of(
    "trading",
    {
        "place_order": (
            "Place an order to buy or sell shares.",
            {
                "symbol": told("Ticker symbol"),
                "side": listed("buy", "sell"),
                "quantity": told("Number of shares", NUMBER),
            },
        ),
        "get_quote": ("Get the price of a share.", {"symbol": told("Ticker symbol")}),
    },
)
BANK = frame_of(
    "bank",
    {
        "transfer_money": (
            "Transfer money to an account.",
            {"iban": told("IBAN"), "amount": told("Amount in EUR", NUMBER)},
        )
    },
)
FLIGHTS = frame_of(
    "flights",
    {
        "book_flight": ("Book a flight.", {"flight": TEXT, "cabin": listed("economy", "business", "first")}),
        "book_hotel": ("Book a hotel.", {"hotel": TEXT, "nights": NUMBER}),
    },
)
ROOMS = frame_of(
    "rooms",
    {
        "post_message": (
            "Post a message in a channel.",
            {"channel": told("Channel name, such as #general"), "text": TEXT},
        ),
        "delete_message": ("Delete a message.", {"message_id": TEXT}),
        "read_channel": ("Read the messages of a channel.", {"channel": told("Channel name, such as #general")}),
    },
)
SHOP = frame_of(
    "shop",
    {
        "ship_order": ("Ship an order.", {"order_id": TEXT, "country": told("Country"), "express": FLAG}),
        "cancel_order": ("Cancel an order immediately.", {"order_id": TEXT}),
        "refund_order": ("Refund an order.", {"order_id": TEXT, "amount": told("Amount in EUR", NUMBER)}),
    },
)
CODE = frame_of(
    "forge",
    {
        "merge_pull_request": (
            "Merge a pull request.",
            {"repo": TEXT, "number": NUMBER, "merge_method": listed("merge", "squash", "rebase")},
        ),
        "push_files": ("Push files to a branch.", {"repo": TEXT, "branch": TEXT, "files": TEXT}),
    },
    roles={"branch": "branch-name"},
)
HOUSE = frame_of(
    "house",
    {
        "turn_on_light": ("Turn on a light.", {"room": TEXT}),
        "turn_off_light": ("Turn off a light.", {"room": TEXT}),
        "set_temperature": (
            "Set the temperature of a room.",
            {"room": TEXT, "temperature": told("In degrees", NUMBER)},
        ),
        "set_salary": ("Set the salary of the housekeeper.", {"salary": told("Salary in euros", NUMBER)}),
    },
)


def suggested(text: str, frame: Any) -> list[str]:
    """Return the suggestions for all sentences of a text that are refused."""
    toolbox = Toolbox(frame)
    return [str(one) for clause in compile_clauses(text, frame).refused for one in suggestions(clause, toolbox)]
