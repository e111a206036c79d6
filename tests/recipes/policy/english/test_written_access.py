"""Other ways to write about repositories, channels, folders, mentions and what is made anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.recipes.policy.english.common_tools import CHAT
from tests.recipes.policy.english.meanings import NUMBER, TEXT, frame_of, meaning_of, told

if TYPE_CHECKING:
    from retouch.recipes.policy.language.policy import Policy

CODE = frame_of(
    "github",
    {
        "get_issue": ("Get an issue", {"owner": TEXT, "repo": TEXT, "number": TEXT}),
        "create_issue": ("Create an issue", {"owner": TEXT, "repo": TEXT, "title": TEXT}),
        "update_issue": (
            "Update an issue",
            {"owner": TEXT, "repo": TEXT, "number": TEXT, "state": {**TEXT, "enum": ["open", "closed"]}},
        ),
        "create_pull_request": ("Create a pull request", {"owner": TEXT, "repo": TEXT, "title": TEXT}),
    },
    roles={"owner": "github-owner", "repo": "github-repo"},
)
DISK = frame_of(
    "filesystem",
    {
        "read_file": ("Read a file", {"path": TEXT}),
        "read_multiple_files": ("Read the contents of multiple files", {"paths": {"type": "array", "items": TEXT}}),
        "list_directory": ("List a directory", {"path": TEXT}),
    },
    roles={"path": "read-path", "paths": "read-path"},
)
SHOP = frame_of(
    "shop",
    {
        "create_coupon": ("Create a coupon", {"name": TEXT, "percent_off": NUMBER}),
        "create_product": ("Create a product", {"name": TEXT}),
        "list_products": ("List products", {}),
    },
)
START, END = told("Start time, ISO 8601"), told("End time, ISO 8601")
PLANS = frame_of(
    "calendar",
    {
        "list_events": ("List events", {"calendar_id": TEXT}),
        "update_event": (
            "Update an event",
            {"calendar_id": TEXT, "event_id": TEXT, "summary": TEXT, "start": START, "end": END},
        ),
    },
    required={"list_events": ["calendar_id"], "update_event": ["calendar_id", "event_id"]},
)
MOVING = {"deny update_event end is given end like *", "deny update_event start is given start like *"}
API = "github-owner is acme github-repo is api"


@pytest.mark.parametrize(
    ("frame", "wanted", "text"),
    [
        (
            CODE,
            {"deny create_issue the number of such calls in any 24 hours > 3"},
            "Don't open more than 3 issues a day.",
        ),
        (CODE, {"escalate create_pull_request"}, "Ask me before opening a pull request."),
        (CODE, {"deny create_issue"}, "Never open issues."),
        (CODE, {"escalate create_issue update_issue"}, "Ask me before opening or updating an issue."),
        (CODE, set[str](), "Stay out of docs/internal."),  # a folder, and no repository
        (CODE, set[str](), "You may read open issues."),
        (CODE, set[str](), "You may read pull requests and open issues."),
        (CODE, {f"deny create_issue create_pull_request get_issue update_issue {API}"}, "Stay out of acme/api."),
        (CODE, {f"deny create_issue create_pull_request update_issue {API}"}, "acme/api is read-only."),
        (DISK, {"deny read_multiple_files the number of items of paths > 5"}, "Don't read more than 5 files at once."),
        (
            DISK,
            {"deny list_directory read_file path like */.*", "deny read_multiple_files paths like */.*"},
            "Hidden files and folders are off limits.",
        ),
        (
            DISK,
            {"deny read_file path like */.*", "deny read_multiple_files paths like */.*"},
            "Dotfiles are off limits.",
        ),
        (DISK, set[str](), "Hidden folders are off limits."),  # and what is in them
        (SHOP, {"deny create_coupon percent_off > 20"}, "No discounts above 20 percent."),
        (SHOP, {"escalate create_coupon create_product"}, "No new products or coupons without my approval."),
        (SHOP, {"allow list_products", "deny create_coupon create_product"}, "You may only list products."),
        (SHOP, set[str](), "You may only create coupons."),  # of all that is created, or of all that is done?
        (
            SHOP,
            {"allow list_products", "deny create_coupon create_product"},
            "You may read everything but change nothing.",
        ),
        (SHOP, {"allow list_products", "deny create_coupon create_product"}, "Look but don't touch."),
        (SHOP, {"allow list_products", "deny create_coupon create_product"}, "You have read-only access."),
        (PLANS, MOVING, "Don't move meetings."),
        (PLANS, {"allow update_event summary is left out"}, "You may move meetings."),
        (PLANS, {"allow list_events"}, "You may look at my calendar."),
        (PLANS, set[str](), "You may edit my calendar."),  # which has the events of others
        (CHAT, set[str](), "Never DM anyone from sales."),
    ],
)
def test_a_written_form_means_the_same_as_the_plain_one(frame: Policy, wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, frame)
