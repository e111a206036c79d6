"""Small forms of written English that rule nothing by themselves, and their look-alikes, which rule something."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.meanings import NUMBER, TEXT, frame_of, meaning_of

WIKI = frame_of(
    "wiki",
    {
        "create_page": ("Create a page.", {"title": TEXT, "format": {"type": "string", "enum": ["draft", "public"]}}),
        "archive_page": ("Archive a page.", {"page_id": TEXT}),
        "delete_page": ("Delete a page.", {"page_id": TEXT}),
        "search_pages": ("Search pages.", {"query": TEXT}),
    },
    required={
        "create_page": ["title", "format"],
        "archive_page": ["page_id"],
        "delete_page": ["page_id"],
        "search_pages": ["query"],
    },
)
PAYOUTS = frame_of(
    "payouts",
    {
        "create_payout": ("Pay money out.", {"amount": NUMBER, "currency": {"type": "string", "enum": ["eur", "usd"]}}),
        "list_payouts": ("List the payouts.", {}),
    },
    required={"create_payout": ["amount", "currency"], "list_payouts": []},
)


@pytest.mark.parametrize(
    ("frame", "wanted", "text"),
    [
        (WIKI, {"deny delete_page"}, "Never delete pages, archive them instead."),
        (WIKI, {"deny delete_page"}, "Don't delete a page, just archive it."),
        (WIKI, {"deny archive_page delete_page"}, "Archiving pages and deleting pages are both forbidden."),
        (WIKI, {"deny delete_page"}, "Deleting pages is off limits for the agent."),
        (
            WIKI,
            {"deny search_pages the number of such calls in any 60 minutes > 5"},
            "Five searches an hour is the limit.",
        ),
        (WIKI, {"deny create_page format is draft"}, "Draft pages are not for you to create."),
        (PAYOUTS, {"deny create_payout"}, "Never pay out money."),
    ],
)
def test_small_words_are_read_as_what_they_mean(frame: Any, wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, frame)


@pytest.mark.parametrize(
    "text",
    [
        "Never delete pages, ask me instead.",
        "Never delete pages, archive at most 3 instead.",
        "Never delete pages, but archive them.",
        "Never delete pages, archive them only on Mondays.",
    ],
)
def test_advice_that_may_rule_something_is_not_dropped(text: str) -> None:
    assert {"deny delete_page"} != meaning_of(text, WIKI)
