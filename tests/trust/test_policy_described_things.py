"""Tools whose name says "item" or "permission", and whose description says what that is: a file or folder."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.listed_servers import listed_frame
from tests.recipes.policy.english.meanings import NUMBER, TEXT, meaning_of, told

ROLE = {"type": "string", "enum": ["reader", "commenter", "writer"]}
PEOPLE = {"type": "string", "enum": ["user", "group", "domain", "anyone"]}
DRIVE = listed_frame(
    "gdrive",
    {
        "search": ("Search for files in Google Drive", {"query": told("Search query")}),
        "createFolder": ("Create a new folder in Google Drive", {"name": TEXT, "parent?": TEXT}),
        "deleteItem": ("Move a file or folder to trash (can be restored from Google Drive trash)", {"itemId": TEXT}),
        "renameItem": ("Rename a file or folder", {"itemId": TEXT, "newName": TEXT}),
        "moveItem": ("Move a file or folder", {"itemId": TEXT, "destinationFolderId?": TEXT}),
        "copyFile": ("Creates a copy of a Google Drive file or document", {"fileId": TEXT, "newName?": TEXT}),
        "getGoogleDocContent": ("Get content of a Google Doc", {"documentId": TEXT}),
        "addPermission": (
            "Share a file or folder with a user, group, domain, or anyone",
            {"fileId": TEXT, "type": told("Who", PEOPLE), "role": told("Role", ROLE), "emailAddress?": TEXT},
        ),
        "removePermission": ("Remove a permission from a file or folder", {"fileId": TEXT, "permissionId": TEXT}),
    },
)
STATES = listed_frame(
    "jira",
    {
        "delete_issue": ("Delete an existing Jira issue.", {"issue_key": TEXT}),
        "transition_issue": ("Transition a Jira issue to a new status.", {"issue_key": TEXT, "transition_id": TEXT}),
    },
)
PROCESSES = listed_frame(
    "terminal",
    {
        "force_terminate": ("Force terminate a running terminal session.", {"pid": NUMBER}),
        "kill_process": ("Terminate a running process by PID.", {"pid": NUMBER}),
        "list_sessions": ("List all active terminal sessions.", {}),
    },
)
REPOSITORIES = listed_frame(
    "github",
    {
        "issue_write": (
            "Create a new or update an existing issue in a GitHub repository.",
            {
                "method": told("Write operation to perform", {"type": "string", "enum": ["create", "update"]}),
                "owner": told("Repository owner"),
                "repo": told("Repository name"),
                "title?": TEXT,
            },
        ),
        "add_issue_comment": (
            "Add a comment to a specific issue in a GitHub repository.",
            {"owner": told("Repository owner"), "repo": told("Repository name"), "issue_number": NUMBER, "body": TEXT},
        ),
    },
)
MEANINGS: tuple[tuple[str, set[str]], ...] = (
    ("Never delete files.", {"deny deleteItem"}),
    ("Never delete any folder.", {"deny deleteItem"}),
    ("You may move files.", {"allow moveItem"}),  # the trash is no other place
    ("You may move files and folders.", {"allow moveItem"}),
    ("You may rename folders.", {"allow renameItem"}),
    ("Ask before you rename files.", {"escalate renameItem"}),
    ("You may create folders.", {"allow createFolder"}),  # who shares a folder creates none
    ("Never create folders.", {"deny createFolder"}),
    ("You may share files.", {"allow addPermission"}),
    ("Ask me before you share a file.", {"escalate addPermission"}),
    ("You may search files.", {"allow search"}),
    ("You may search Drive.", {"allow search"}),
    ("You may read files.", set()),  # who searches for files reads none
    ("Never delete anything from my Drive.", {"deny deleteItem removePermission"}),
)


@pytest.mark.parametrize(("text", "wanted"), MEANINGS)
def test_a_description_says_which_things_an_item_is(text: str, wanted: set[Any]) -> None:
    assert wanted == meaning_of(text, DRIVE)


def test_who_transitions_issues_deletes_none() -> None:
    assert {"deny delete_issue"} == meaning_of("Never delete issues.", STATES)
    assert {"deny transition_issue"} == meaning_of("Never close issues.", STATES)


def test_what_takes_a_pid_is_about_processes() -> None:
    assert {"escalate force_terminate kill_process"} == meaning_of("Ask before killing any process.", PROCESSES)
    assert {"deny force_terminate kill_process"} == meaning_of("Never kill processes.", PROCESSES)


def test_who_opens_an_issue_creates_it_by_its_method() -> None:
    there = "github-owner is ada github-repo is dotfiles"
    assert {"allow issue_write method is create"} == meaning_of("You may open issues.", REPOSITORIES)
    assert {f"allow issue_write method is create {there}"} == meaning_of(
        "You may open issues in ada/dotfiles.", REPOSITORIES
    )


def test_new_things_are_counted_and_not_their_updates() -> None:
    limit = "issue_write method is create the number of such calls in any 24 hours > 5"
    assert {f"deny {limit}"} == meaning_of("No more than 5 new issues per day.", REPOSITORIES)
    assert {f"escalate {limit}"} == meaning_of("No more than 5 new issues per day without my approval.", REPOSITORIES)
