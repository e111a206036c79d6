"""What must not be read is not shown by a search or an overview of everything either."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.meanings import FLAG, TEXT, decision_of, frame_of, told

CHANNEL = told("Name of the channel")
CHAT = frame_of(
    "chat",
    {
        "conversations_history": ("Get messages from the channel.", {"channel": CHANNEL}),
        "conversations_unreads": ("Get unread messages across all channels.", {"include_messages": FLAG}),
        "post_message": ("Post a message to a channel.", {"channel": CHANNEL, "text": TEXT}),
        "list_users": ("List the users.", {}),
    },
)
WIKI = frame_of(
    "wiki",
    {
        "get_page": ("Get a page.", {"title": TEXT, "space_key": told("Key of the space")}),
        "wiki_search": (
            "Search wiki content using simple terms.",
            {"query": TEXT, "spaces_filter": told("Comma-separated list of space keys")},
        ),
    },
    required={"get_page": ["title", "space_key"], "wiki_search": ["query"]},
)
DESK = frame_of(
    "desk",
    {
        "get_ticket": ("Get a ticket by its id.", {"id": TEXT}),
        "list_tickets": ("List the tickets.", {}),
        "search": ("Search across all data.", {"query": TEXT}),
        "create_ticket": ("Create a ticket.", {"subject": TEXT}),
    },
)
CODE = frame_of(
    "code",
    {
        "get_file": ("Get a file of a repository.", {"owner": TEXT, "repo": TEXT, "path": TEXT}),
        "push_files": ("Push files to a repository.", {"owner": TEXT, "repo": TEXT, "files": TEXT}),
        "search_code": ("Search code across all repositories.", {"query": TEXT}),
    },
    roles={"owner": "github-owner", "repo": "github-repo"},
)


@pytest.mark.parametrize(
    ("frame", "text", "tool", "arguments"),
    [
        (CHAT, "Never read #hr.", "conversations_unreads", {"include_messages": True}),
        (WIKI, "Never read pages in the HR space.", "wiki_search", {"query": "salary"}),
        (WIKI, "Never read pages in the HR space.", "wiki_search", {"query": "salary", "spaces_filter": "OPS,HR"}),
        (DESK, "Never read tickets.", "search", {"query": "type:ticket"}),
        (CODE, "acme/prod is off limits.", "search_code", {"query": "org:acme password"}),
        (CODE, "acme/prod is off limits.", "search_code", {"query": "password"}),
        (CODE, "acme/prod is off limits.", "search_code", {"query": "password repo:acme/prod"}),
        (CODE, "acme/prod is off limits.", "search_code", {"query": "password -repo:acme/web"}),
    ],
)
def test_a_search_or_overview_shows_no_more_than_may_be_read(
    frame: Any, text: str, tool: str, arguments: dict[str, Any]
) -> None:
    assert decision_of(text, frame, tool, **arguments) in {"deny", "refused"}


@pytest.mark.parametrize(
    ("frame", "text", "tool", "arguments"),
    [
        (CHAT, "Never read #hr.", "list_users", {}),
        (CHAT, "Never post in #hr.", "conversations_unreads", {"include_messages": True}),
        (WIKI, "Never read pages in the HR space.", "wiki_search", {"query": "plan", "spaces_filter": "OPS"}),
        (DESK, "Never create tickets.", "search", {"query": "type:ticket"}),
        (CODE, "acme/prod is off limits.", "search_code", {"query": "repo:acme/web product"}),
    ],
)
def test_other_searches_stay_allowed(frame: Any, text: str, tool: str, arguments: dict[str, Any]) -> None:
    assert decision_of(text, frame, tool, **arguments) == "allow"
