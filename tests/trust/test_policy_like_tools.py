"""A restriction reaches the tools that are like those that it names: batches, other readers, what has no noun."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.recipes.policy.english.compiling import compile_clauses
from tests.recipes.policy.english.meanings import NUMBER, TEXT, frame_of

LISTED: dict[str, Any] = {"type": "array", "items": TEXT}
MACHINE = frame_of(
    "machine",
    {
        "kill_process": ("Terminate a running process", {"pid": NUMBER}),
        "force_terminate": ("Force terminate a running terminal", {"pid": NUMBER}),
        "list_processes": ("List all running processes", {}),
    },
)
CHAT = frame_of(
    "chat",
    {
        "get_channel_history": ("Get recent messages from a channel", {"channel_id": TEXT}),
        "get_thread_replies": ("Get all replies in a message thread", {"channel_id": TEXT, "thread": TEXT}),
        "list_channels": ("List the channels", {}),
    },
)
HUB = frame_of(
    "github",
    {
        "create_or_update_file": ("Create or update a file", {"path": TEXT, "content": TEXT, "branch": TEXT}),
        "push_files": ("Push several files", {"branch": TEXT, "files": LISTED, "message": TEXT}),
        "delete_file": ("Delete a file", {"path": TEXT, "branch": TEXT}),
        "get_file": ("Get a file", {"path": TEXT, "branch": TEXT}),
        "pull_request_read": ("Read a pull request", {"number": NUMBER}),
        "pull_request_review_write": ("Write a review of a pull request", {"number": NUMBER, "event": TEXT}),
        "list_pull_requests": ("List pull requests", {"state": TEXT}),
    },
)
CRM = frame_of(
    "crm",
    {
        "update_contact": ("Update a contact", {"id": TEXT, "email": TEXT}),
        "batch_update_objects": ("Update several objects of one type", {"object_type": TEXT, "inputs": LISTED}),
    },
)
DESK = frame_of(
    "desk",
    {
        "create_ticket_comment": ("Create a comment on a ticket", {"ticket": NUMBER, "comment": TEXT}),
        "update_ticket": ("Update a ticket", {"ticket": NUMBER, "status": TEXT, "comment": TEXT}),
        "suspend_user": ("Suspend a user", {"id": NUMBER}),
        "mark_ticket_as_spam": ("Mark a ticket as spam and suspend the requester", {"ticket": NUMBER}),
    },
    required={
        "create_ticket_comment": ["ticket", "comment"],
        "update_ticket": ["ticket"],
        "suspend_user": ["id"],
        "mark_ticket_as_spam": ["ticket"],
    },
)
TASKS = frame_of("tasks", {"save_issue": ("Save an issue", {"title": TEXT, "priority": NUMBER})})


@pytest.mark.parametrize(
    ("text", "frame", "tools"),
    [
        ("Never kill processes.", MACHINE, {"kill_process", "force_terminate"}),
        ("Never read messages.", CHAT, {"get_channel_history", "get_thread_replies"}),
        ("Never write to the main branch.", HUB, {"create_or_update_file", "push_files", "delete_file"}),
        ("Ask before reading pull requests.", HUB, {"pull_request_read", "list_pull_requests"}),
        ("Never add comments to tickets.", DESK, {"create_ticket_comment", "update_ticket"}),
    ],
)
def test_a_restriction_reaches_what_is_like_the_tools_that_it_names(text: str, frame: Any, tools: set[str]) -> None:
    made = compile_clauses(text, frame)
    assert not made.refused
    assert tools == {name for rule in made.rules for name in rule.when.tool or ()}


@pytest.mark.parametrize(
    ("text", "frame", "tool"),
    [
        ("Never update contacts.", CRM, "batch_update_objects"),
        ("Never edit contacts.", CRM, "batch_update_objects"),
        ("Never review pull requests.", HUB, "pull_request_review_write"),
        ("Never suspend users.", DESK, "mark_ticket_as_spam"),
        ("Never save urgent issues.", TASKS, "save_issue"),
    ],
)
def test_a_restriction_is_refused_if_it_is_not_certain_that_it_reaches_such_a_tool(
    text: str, frame: Any, tool: str
) -> None:
    made = compile_clauses(text, frame)
    assert any(tool in why for why in made.refused.values()) or not made.rules
    assert made.refused


BLOCKS = frame_of(
    "notes",
    {
        "update_block": (
            "Update a block",
            {"id": TEXT, "text": TEXT, "archived": {"type": "boolean", "description": "True to archive (delete) it"}},
        ),
        "delete_block": ("Delete a block", {"id": TEXT}),
    },
    required={"update_block": ["id"], "delete_block": ["id"]},
)


def test_a_permission_to_change_things_is_none_to_delete_them_by_a_flag() -> None:
    (rule,) = compile_clauses("You may edit blocks.", BLOCKS).rules
    assert [("archived", "absent")] == [(one.arg, one.state) for one in rule.when.where]


def test_whoever_must_never_delete_anything_must_not_do_it_by_a_flag() -> None:
    made = compile_clauses("Never delete anything.", BLOCKS)
    assert {"update_block", "delete_block"} == {name for rule in made.rules for name in rule.when.tool or ()}


CODE = frame_of(
    "github",
    {
        "get_file_contents": ("Get a file of a repository", {"owner": TEXT, "repo": TEXT, "path": TEXT}),
        "search_code": ("Search code in all repositories", {"query": TEXT}),
    },
    roles={"owner": "github-owner", "repo": "github-repo"},
)


def test_a_repository_that_is_off_limits_must_not_be_searched_by_its_name() -> None:
    made = compile_clauses("The acme/payroll repository is off limits.", CODE)
    searches = [rule.when for rule in made.rules if rule.when.tool == ("search_code",)]
    assert any("*/payroll*" in one.like for when in searches for one in when.where)
    assert any(one.like == ("*repo:*",) for when in searches for one in when.unless)  # all repositories at once
