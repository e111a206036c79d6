"""Sentences that limit the length of texts and the number of things in one call, with tools of a pottery."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.meanings import NUMBER, TEXT, frame_of, meaning_of, told

LIST: dict[str, Any] = {"type": "array", "items": TEXT}
TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "paint_sign": ("Paint a sign.", {"wording": TEXT, "text": TEXT, "colors": LIST}),
    "publish_leaflet": ("Publish a leaflet.", {"headline": TEXT, "body": TEXT, "photos": LIST}),
    "send_letter": ("Send a letter.", {"to": LIST, "cc": LIST, "subject": TEXT, "body": TEXT}),
    "create_tour": ("Create a tour.", {"name": TEXT, "guests": told("E-mail addresses to invite", LIST)}),
    "delete_glazes": ("Delete glazes.", {"glaze_ids": LIST}),
    "add_pots": ("Add pots to a shelf.", {"shelf": told("Name of the shelf"), "codes": LIST}),
    "fetch_orders": ("Fetch orders.", {"limit": told("Maximum number of orders", NUMBER)}),
    "erase_lines": ("Erase lines of a ledger.", {"count": told("Number of lines to erase", NUMBER)}),
    "draft_bill": ("Draft a bill.", {"from": TEXT, "payers": LIST}),
    "list_kilns": ("List kilns.", {"columns": LIST}),
    "write_diary": ("Write a diary page.", {"page": TEXT}),
}
OPTIONAL = {"guests", "cc", "photos"}
FRAME = frame_of(
    "pottery",
    TOOLS,
    required={name: set(args) - OPTIONAL for name, (_, args) in TOOLS.items()},
    roles=dict.fromkeys(("to", "cc", "guests", "from", "payers"), "email-address"),
)
BODY, PHOTOS = "publish_leaflet the number of characters of body", "publish_leaflet the number of items of photos"
CODES, LETTER = "add_pots the number of items of codes", "send_letter the number of items of email-address"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Signs must not be longer than 90 characters.", {"deny paint_sign the number of characters of text > 90"}),
        ("Leaflets must not exceed 900 characters.", {f"deny {BODY} > 900"}),
        ("Never publish leaflets longer than 900 characters.", {f"deny {BODY} > 900"}),
        ("Leaflets must have at least 50 characters.", {f"deny publish_leaflet unless {BODY.partition(' ')[2]} >= 50"}),
        ("You may publish leaflets of up to 900 characters.", {f"allow {BODY} <= 900"}),
        (
            "The headline of a leaflet must be shorter than 60 characters.",
            {"deny publish_leaflet the number of characters of headline >= 60"},
        ),
        (
            "Headlines must not be longer than 60 characters.",
            {"deny publish_leaflet the number of characters of headline > 60"},
        ),
        ("Never publish a leaflet with more than 4 photos.", {f"deny {PHOTOS} > 4 photos is given"}),
        ("A leaflet must have at least 2 photos.", {"deny publish_leaflet unless the number of items of photos >= 2"}),
        ("Do not send a letter to more than 12 recipients.", {f"deny {LETTER} > 12"}),
        ("If a letter goes to more than 12 people, ask me first.", {f"escalate {LETTER} > 12"}),
        (
            "Never invite more than 8 people to a tour.",
            {"deny create_tour the number of items of guests > 8 guests is given"},
        ),
        ("Never delete more than 5 glazes at once.", {"deny delete_glazes the number of items of glaze_ids > 5"}),
        ("You may add at most 6 pots at once.", {f"allow {CODES} <= 6", f"deny {CODES} > 6"}),
        ("Never fetch more than 40 orders at once.", {"deny fetch_orders limit > 40"}),
        ("Never erase more than 7 lines at once.", {"deny erase_lines count > 7"}),
    ],
)
def test_a_size_is_the_one_of_the_argument_that_the_sentence_counts(text: str, wanted: set[str]):
    assert wanted == meaning_of(text, FRAME)


@pytest.mark.parametrize(
    "text",
    [
        "Never list more than 20 kilns at a time.",  # its columns are no kilns
        "Leaflets must not be longer than 300 words.",
        "Never add more than 6 pots to a shelf.",  # in one call, or in all
        "Never add more than 6 pots per day.",  # a call can be about several
        "Do not draft a bill to more than 3 people.",  # the sender has an address too
        "Diary pages must not be longer than 900 pages.",
        "Signs must not be longer than 90 characters or lines.",
    ],
)
def test_a_size_that_no_argument_certainly_has_is_refused(text: str):
    assert set() == meaning_of(text, FRAME)
