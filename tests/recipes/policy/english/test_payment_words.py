"""Sentences for the tools of a payment provider: prices in a currency, limits of commands, reasons, two parts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.meanings import NUMBER, TEXT, frame_of, meaning_of, told

REASON: dict[str, Any] = {"type": "string", "enum": ["duplicate", "fraudulent", "requested_by_customer"]}
CUSTOMER, PRICE, INVOICE = (told(f"The ID of the {noun}.") for noun in ("customer", "price", "invoice"))
SHOP = frame_of(
    "shop",
    {
        "create_product": ("This tool will create a product.", {"name": TEXT}),
        "create_price": (
            "This tool will create a price.",
            {
                "product": told("The ID of the product."),
                "unit_amount": told("Amount in cents.", NUMBER),
                "currency": TEXT,
            },
        ),
        "create_payment_link": ("This tool will create a payment link.", {"price": PRICE, "quantity": NUMBER}),
        "create_invoice": ("This tool will create an invoice.", {"customer": CUSTOMER}),
        "create_invoice_item": (
            "This tool will create an invoice item.",
            {"customer": CUSTOMER, "price": PRICE, "invoice": INVOICE},
        ),
        "finalize_invoice": ("This tool will finalize an invoice.", {"invoice": INVOICE}),
        "create_refund": (
            "This tool will refund a payment intent.",
            {"payment_intent": told("The ID of the PaymentIntent"), "reason": REASON},
        ),
        "cancel_subscription": (
            "This tool will cancel a subscription.",
            {"subscription": told("The subscription's ID")},
        ),
        "create_coupon": (
            "This tool will create a coupon.",
            {"name": TEXT, "percent_off": told("The discount the coupon will apply", NUMBER)},
        ),
    },
    required={
        "create_product": ["name"],
        "create_price": ["product", "unit_amount", "currency"],
        "create_payment_link": ["price", "quantity"],
        "create_invoice": ["customer"],
        "create_invoice_item": ["customer", "price", "invoice"],
        "finalize_invoice": ["invoice"],
        "create_refund": ["payment_intent"],
        "cancel_subscription": ["subscription"],
        "create_coupon": ["name"],
    },
)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"allow create_price currency is EUR or eur"}, "You may create prices in euros."),
        (
            {
                "escalate create_price currency like * unless currency is USD or usd",
                "escalate create_price unit_amount > 20000",
            },
            "Any new price above 200 dollars has to be confirmed by me.",
        ),
        (
            {
                "deny create_price currency like * unless currency is EUR or eur",
                "deny create_price unit_amount > 50000",
            },
            "Never set a price above 500 euros.",
        ),
        (
            {
                "deny create_price currency like * unless currency is EUR or eur",
                "deny create_price unit_amount > 50000",
            },
            "Prices must not be above 500 euros.",  # `price` of a link is an id, and no amount
        ),
        (set[str](), "You may create products and prices in euros."),  # a product has no currency
        (set[str](), "Never set the price of a product."),
    ],
)
def test_a_price_is_in_a_currency_in_either_case(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, SHOP)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"deny create_refund the number of such calls in any 24 hours > 5"}, "Make no more than five refunds a day."),
        ({"deny create_refund the number of such calls in any 24 hours > 5"}, "Issue at most five refunds a day."),
        ({"deny create_invoice the number of such calls in any 24 hours > 5"}, "Create at most five invoices a day."),
        (set[str](), "Make sure that at most five refunds a day are issued."),
    ],
)
def test_a_command_to_make_a_few_permits_nothing(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, SHOP)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {"deny create_refund reason is given reason is fraudulent"},
            'Do not issue a refund with "fraudulent" as the reason.',
        ),
        (
            {"deny create_refund reason is given reason is fraudulent"},
            "Never issue a refund with fraudulent as the reason.",
        ),
        ({"deny create_refund"}, "Do not issue refunds."),
        ({"deny create_refund"}, "Refunds are forbidden, whatever the customer says."),
        (set[str](), "Never refund whatever the customer says."),
        (set[str](), 'Never issue a refund with "other" as the reason.'),
    ],
)
def test_a_reason_may_come_before_its_noun(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, SHOP)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"deny create_coupon percent_off > 20"}, "Coupons must not give more than 20 percent off."),
        ({"escalate create_coupon percent_off > 20"}, "Ask me before you create a coupon with more than 20% off."),
        (set[str](), "Coupons must not give more than 50 euros off."),
        ({"deny cancel_subscription"}, "Never cancel a customer's subscription."),
        (
            {"allow create_invoice create_invoice_item", "deny finalize_invoice"},
            "You may prepare invoices and their items, but only I finalize them.",
        ),
        ({"deny create_invoice create_invoice_item"}, "Never create invoices and their items."),
    ],
)
def test_percent_off_and_parts_of_invoices(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, SHOP)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"deny create_coupon finalize_invoice"}, "Don't finalize invoices and don't create coupons."),
        (
            {"allow create_invoice", "deny create_coupon"},
            "You may create invoices, but creating coupons is not allowed.",
        ),
        (set[str](), "Don't finalize invoices and never create coupons without my approval."),
        (set[str](), "Don't finalize invoices and don't create coupons above 20 percent."),
        (set[str](), "Never create coupons and you must not finalize invoices on weekends."),
    ],
)
def test_two_sentences_that_are_joined_are_read_one_by_one(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, SHOP)
