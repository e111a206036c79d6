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
PROJECT: Any = {**TEXT, "description": "Project ID or path, e.g. group/project"}
HOST = frame_of(
    "host",
    {
        "create_issue": ("Create an issue.", {"project_id": PROJECT, "title": TEXT}),
        "create_note": (
            "Add a comment.",
            {"project_id": PROJECT, "noteable_type": {"type": "string", "enum": ["issue", "commit"]}, "body": TEXT},
        ),
        "create_merge_request": ("Open a merge request.", {"project_id": TEXT, "title": TEXT}),
        "merge_merge_request": ("Merge a merge request.", {"project_id": TEXT, "iid": NUMBER}),
        "send_report": ("Send a report.", {"report_id": TEXT}),
    },
    required={
        "create_issue": ["project_id", "title"],
        "create_note": ["project_id", "noteable_type", "body"],
        "create_merge_request": ["project_id", "title"],
        "merge_merge_request": ["project_id", "iid"],
        "send_report": ["report_id"],
    },
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
        (WIKI, {"deny delete_page"}, "Deleting pages is forbidden; archive them instead."),
        (
            HOST,
            {"deny send_report the number of such calls in any 60 minutes > 2"},
            "Send out no more than two reports in one hour.",
        ),
        (HOST, {"deny send_report"}, "Never send out reports."),
        (HOST, {"escalate merge_merge_request"}, "Ask me before merging a merge request."),
        (HOST, {"allow create_issue project_id is acme/site"}, "You may create issues in the acme/site project."),
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
