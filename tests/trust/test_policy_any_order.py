"""Sentences in any order that were read as less than they forbid, or as more than they permit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.recipes.policy.english.meanings import frame_of, meaning_of, told

FLAG = {"type": "boolean"}
DESK = replace(
    frame_of(
        "desk",
        {
            "push_branch": ("Push a branch.", {"branch": told("Branch"), "force": told("Force push", FLAG)}),
            "create_refund": (
                "Refund a payment.",
                {
                    "payment": told("Payment id"),
                    "amount_eur": told("Amount in euros", {"type": "number"}),
                    "reason": told("Why", {"type": "string", "enum": ["duplicate", "fraudulent", "other"]}),
                },
            ),
            "create_payout": ("Pay out to the bank.", {"amount_eur": told("Amount in euros", {"type": "number"})}),
            "export_report": (
                "Export a report.",
                {
                    "kind": told("Kind of report", {"type": "string", "enum": ["medical", "yearly"]}),
                    "format": told("Format", {"type": "string", "enum": ["pdf", "csv"]}),
                },
            ),
        },
        roles={"branch": "branch-name"},
    ),
    time_zone="Europe/Lisbon",
)


@pytest.mark.parametrize(
    "text",
    [
        "Don't force push or push to main.",  # each is forbidden, and not only both at once
        "Ask before pushing to main or force pushing.",
        "Don't refund on weekends or over 100 euros.",
        "Don't refund duplicates or anything over 100 euros.",
        "Never force push or push to production branches.",
        "Medical reports are off limits, as pdf too.",  # as csv as well
        "Refunds are off limits, also on weekends.",
        "Pushing to main is off limits, with force too.",
        "Payouts over 1000 euros ask me, never on weekends.",  # are smaller ones?
        "Refunds up to 100 euros are fine, on weekends ask me.",
        "After 6 pm no payouts, refunds are fine.",  # before 6 pm as well?
        "Between 18 and 20 no payouts.",  # of how much, or when?
    ],
)
def test_what_may_forbid_less_or_permit_more_than_it_says_is_refused(text: str):
    assert set() == meaning_of(text, DESK)


def test_values_of_one_argument_may_be_joined_with_or():
    wanted = {"deny create_refund reason is duplicate", "deny create_refund reason is fraudulent"}
    assert wanted == meaning_of("Never refund duplicate or fraudulent payments.", DESK)
