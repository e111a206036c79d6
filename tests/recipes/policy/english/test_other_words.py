"""Words that say what a tool does otherwise: a value as a verb, an adverb for a flag, a code for a country."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, meaning_of, told


def one_of(*values: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


GATES, SIDES, EUROS = one_of("north_gate", "harbour"), one_of("buy", "sell"), told("Amount in EUR", NUMBER)
SHOP = frame_of(
    "bazaar",
    {
        "control_gate": (
            "Open or shut a gate.",
            {"gate": one_of("north_gate", "harbour"), "action": one_of("open", "shut")},
        ),
        "place_bid": (
            "Place an order to buy or sell coins.",
            {"symbol": told("Ticker symbol"), "side": one_of("buy", "sell")},
        ),
        "issue_voucher": (
            "Give a voucher to a guest.",
            {"guest_id": TEXT, "amount": NUMBER, "reason": one_of("delay", "wrong_dish")},
        ),
        "erase_note": ("Erase a note.", {"note_id": TEXT, "permanent": FLAG}),
        "send_sms": ("Send a text message to a guest.", {"phone": TEXT, "text": TEXT}),
        "ship_crate": ("Ship a crate.", {"crate_id": TEXT, "destination_country": TEXT, "weight_kg": NUMBER}),
        "shift_crates": (
            "Move crates from one hall to another.",
            {"from_hall": one_of("east", "west"), "to_hall": one_of("east", "west"), "quantity": NUMBER},
        ),
        "send_invoice": ("Send an invoice.", {"invoice_id": TEXT, "email": TEXT}),
        "refund_payment": (
            "Refund a payment to the guest's card.",
            {"payment_id": TEXT, "amount": told("Amount in EUR", NUMBER)},
        ),
        "stop_engine": ("Stop an engine.", {"engine_name": TEXT}),
        "book_cruise": ("Book a cruise.", {"carrier": told("Name of the carrier"), "date": TEXT}),
    },
    roles={"email": "email-address"},
)
NORWAY = "Norway or norway or NO or no or NOR"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "Never open the north gate or the harbour.",
            {"deny control_gate action is open gate is north_gate or harbour"},
        ),
        ("Never sell any of my coins.", {"deny place_bid side is sell"}),
        ("You may buy coins.", {"allow place_bid side is buy"}),
        ("You can give a guest a voucher of up to 20.", {"allow issue_voucher amount >= 0 and <= 20"}),
        ("Never issue vouchers for wrong dishes.", {"deny issue_voucher reason is wrong_dish"}),
        ("Never erase a note permanently.", {"deny erase_note permanent is True"}),
        ("Never text guests.", {"deny send_sms"}),
        ("Text guests as often as you like.", {"allow send_sms"}),
        (
            "Don't send more than 5 text messages in an hour.",
            {"deny send_sms the number of such calls in any 60 minutes > 5"},
        ),
        ("Never ship crates to Norway.", {f"deny ship_crate destination_country is {NORWAY}"}),
        ("You may move crates from east to west.", {"allow shift_crates from_hall is east to_hall is west"}),
        (
            "You may move crates to west, but never more than 200 at once.",
            {"allow shift_crates to_hall is west", "deny shift_crates to_hall is west quantity > 200"},
        ),
        (
            "Invoices may only go to bills@acme.example.",
            {
                "allow send_invoice email-address to bills@acme.example",
                "deny send_invoice unless email-address to bills@acme.example",
            },
        ),
        (
            "Invoices may go to my adviser at bills@acme.example.",
            {"allow send_invoice email-address to bills@acme.example"},
        ),
        ("Invoices may go to Ada (ada@acme.example).", {"allow send_invoice email-address to ada@acme.example"}),
        ("You can refund guests up to 50 euros.", {"allow refund_payment amount >= 0 and <= 50"}),
        ("Never stop pump-2 or pump-3.", {"deny stop_engine engine_name is pump-2 or pump-3"}),
        ("Never book a cruise with Hapag.", {"deny book_cruise carrier is Hapag or hapag"}),
    ],
)
def test_other_words_mean_the_same(text: str, wanted: set[str]):
    assert wanted == meaning_of(text, SHOP)
