"""Sentences that look as if they were about a tool or an argument, and are about another one, or about more.

Each was once enforced with a wrong decision: a tool was missing, a stranger was meant, a word had no effect, or a
value was tested in the wrong argument, unit or direction. Now it is refused.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, meaning_of, told

LIST: dict[str, Any] = {"type": "array", "items": TEXT}
ANY: dict[str, Any] = {"type": "object"}


def one_of(*values: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


HOME = frame_of(
    "home",
    {
        "turn_on_light": ("Turn on a light.", {"room": TEXT}),
        "turn_off_light": ("Turn off a light.", {"room": TEXT}),
        "disable_camera": ("Turn a camera off.", {"camera": TEXT}),
        "set_heating": ("Set the mode of the heating.", {"mode": one_of("heat", "cool", "off")}),
        "set_siren": ("Turn the siren on or off.", {"enabled": told("On or off", FLAG)}),
        "set_lock": ("Lock or unlock a door.", {"door": TEXT, "locked": told("Locked or not", FLAG)}),
        "set_volume": ("Set the volume of a speaker.", {"speaker": TEXT, "volume": NUMBER}),
        "play_music": ("Play music on a speaker.", {"query": TEXT, "volume": NUMBER}),
    },
)
BANK = frame_of(
    "bank",
    {
        "pay_bill": ("Pay a bill.", {"payee": told("Payee"), "amount": told("Amount in EUR", NUMBER), "account": TEXT}),
        "send_wire": (
            "Send an international wire.",
            {"iban": told("IBAN of the recipient"), "amount": NUMBER, "country": TEXT},
        ),
        "transfer_money": ("Transfer money.", {"to_account": TEXT, "amount": told("Amount in EUR", NUMBER)}),
        "buy_stock": (
            "Buy shares.",
            {"symbol": told("Ticker symbol"), "shares": NUMBER, "order_type": one_of("market", "limit")},
        ),
        "sell_stock": (
            "Sell shares.",
            {"symbol": told("Ticker symbol"), "shares": NUMBER, "order_type": one_of("market", "limit")},
        ),
        "charge_guest": ("Charge the card of a guest.", {"booking": TEXT, "amount": told("Amount in EUR", NUMBER)}),
    },
)
CRM = frame_of(
    "crm",
    {
        "update_lead": (
            "Update a lead.",
            {"lead_id": TEXT, "owner": TEXT, "status": one_of("new", "qualified", "lost")},
        ),
        "assign_owner": ("Assign a record to another owner.", {"record_id": TEXT, "owner": TEXT}),
        "create_offer": ("Create an offer.", {"title": TEXT, "discount": NUMBER}),
    },
    required={"update_lead": ["lead_id"], "assign_owner": ["record_id", "owner"], "create_offer": ["title"]},
)
SHOP = frame_of(
    "shop",
    {
        "update_price": ("Set the price of a product.", {"product_id": TEXT, "price": told("Price in USD", NUMBER)}),
        "update_product": ("Change a product.", {"product_id": TEXT, "fields": ANY}),
        "create_product": ("Add a product to the catalogue.", {"title": TEXT}),
        "adjust_inventory": ("Add or remove stock of a product.", {"product_id": TEXT, "delta": NUMBER}),
        "place_order": ("Order products for a customer.", {"customer_id": TEXT, "total": told("Total in USD", NUMBER)}),
        "issue_refund": ("Refund an order.", {"order_id": TEXT, "amount": told("Amount in USD", NUMBER)}),
        "buy_now": ("Buy one item at once.", {"item_id": TEXT, "quantity": NUMBER, "max_price": NUMBER}),
        "checkout": ("Buy everything in the cart.", {"address": TEXT, "tip": told("Tip in USD", NUMBER)}),
        "return_item": ("Return an item.", {"item_id": TEXT}),
        "subscribe_item": ("Subscribe to regular deliveries of an item.", {"item_id": TEXT}),
        "cancel_subscription": ("Cancel a subscription.", {"subscription_id": TEXT}),
    },
)
MAIL = frame_of(
    "mail",
    {
        "search_emails": ("Search the mailbox.", {"query": TEXT, "folder": told("Folder to search, e.g. inbox")}),
        "read_email": ("Read one email.", {"message_id": TEXT}),
        "send_email": ("Send an email.", {"to": TEXT, "body": TEXT, "attachments": LIST}),
        "sms_send": ("Send a text message.", {"phone": TEXT, "text": TEXT}),
        "post_message": ("Post a message to a channel.", {"channel": TEXT, "text": TEXT}),
        "move_email": ("Move an email to another folder.", {"message_id": TEXT, "folder": told("Target folder")}),
        "trash_email": ("Move an email to the trash.", {"message_id": TEXT}),
        "share_record": ("Share a patient's record with another provider.", {"patient_id": TEXT}),
        "refer_patient": ("Refer a patient to a specialist.", {"patient_id": TEXT}),
        "add_user_to_group": ("Add a user to a group.", {"username": TEXT, "group": TEXT}),
        "create_user": ("Create a user.", {"username": TEXT, "role": TEXT, "groups": LIST}),
    },
    roles={"to": "email-address"},
)
HOTEL = frame_of(
    "hotel",
    {
        "book_room": ("Book a room.", {"room_type": one_of("single", "suite"), "nights": NUMBER}),
        "upgrade_room": ("Upgrade a booking.", {"booking_id": TEXT, "room_type": one_of("single", "suite")}),
        "block_room": ("Block a room.", {"room_number": TEXT}),
        "schedule_cleaning": ("Schedule the cleaning of a room.", {"room_number": TEXT}),
        "arrange_transfer": (
            "Arrange a transfer.",
            {"booking_id": TEXT, "vehicle": one_of("shuttle", "taxi", "limousine")},
        ),
        "reserve_table": ("Reserve a table.", {"guests": NUMBER}),
        "stop_machine": ("Stop a machine.", {"machine_id": TEXT}),
        "delete_bucket": ("Delete a bucket.", {"name": TEXT}),
        "delete_object": ("Delete an object of a bucket.", {"bucket": TEXT, "key": TEXT}),
    },
)


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (HOME, "Cameras may be turned on."),
        (HOME, "The door must never be unlocked."),
        (HOME, "Never set the volume above 50."),
        (BANK, "Bills from Acme may be paid."),
        (BANK, "Wires to DE89370400440532013000 may be sent."),
        (BANK, "Transfers over 500 dollars need my approval."),
        (BANK, "You may pay bills of up to 200 dollars."),
        (BANK, "Orders of more than 10 shares need my approval."),
        (BANK, "Shares of Tesla must never be bought."),
        (CRM, "Owners must never be changed."),
        (CRM, "Lost leads may be updated."),
        (CRM, "Qualified leads must never be updated."),
        (SHOP, "Never change prices."),
        (SHOP, "Price changes need my approval."),
        (SHOP, "Products may be added to the stock."),
        (SHOP, "Inventory must never be adjusted by more than 100."),
        (SHOP, "Anything over 100 USD needs my approval."),
        (SHOP, "Never buy more than 3 of an item."),
        (SHOP, "You may spend up to 50 dollars."),
        (SHOP, "Buying items needs my approval."),
        (MAIL, "Emails may be searched in the inbox."),
        (MAIL, "Emails with attachments need my approval."),
        (MAIL, "Never send messages."),
        (MAIL, "Never move emails to the trash."),
        (MAIL, "Patient records must never be shared with attachments."),
        (MAIL, "Users may only be added to the group dev."),
        (HOTEL, "Suites may be upgraded."),
        (HOTEL, "Blocked rooms must not be booked."),
        (HOTEL, "Only single rooms may be booked."),
        (HOTEL, "Reservations need my approval."),
        (HOTEL, "Machines named prod-1 must never be stopped."),
        (HOTEL, "Buckets must never be deleted."),
    ],
)
def test_a_sentence_that_is_about_something_else_or_more_is_refused(frame: Any, text: str):
    assert set() == meaning_of(text, frame)


@pytest.mark.parametrize(
    ("frame", "text", "wanted"),
    [
        (HOME, "Lights may be turned on.", {"allow turn_on_light"}),
        (HOME, "Lights must never be turned off.", {"deny turn_off_light"}),
        (HOME, "Never switch the siren off.", {"deny set_siren enabled is False"}),
        (HOME, "You can turn lights on and off.", {"allow turn_off_light turn_on_light"}),
        (HOME, "You may turn on the siren.", {"allow set_siren enabled is True"}),
        (BANK, "Market orders are forbidden.", {"deny buy_stock sell_stock order_type is market"}),
        (BANK, "Bills over 500 euros need my approval.", {"escalate pay_bill amount > 500"}),
        (SHOP, "Subscriptions need my approval.", {"escalate cancel_subscription subscribe_item"}),
        (MAIL, "Never share records.", {"deny share_record"}),
        (HOTEL, "Transfers must be by shuttle or taxi.", {"deny arrange_transfer unless vehicle is shuttle or taxi"}),
        (HOTEL, "Never book suites.", {"deny book_room room_type is suite"}),
    ],
)
def test_a_sentence_beside_them_is_read(frame: Any, text: str, wanted: set[str]):
    assert wanted == meaning_of(text, frame)
