"""What is read-only is changed by no tool. A sentence is refused if a tool may change it in a way that is not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.recipes.policy.english.meanings import TEXT, frame_of, meaning_of, told

if TYPE_CHECKING:
    from retouch.recipes.policy.language.policy import Policy

CHAT = frame_of(
    "slack",
    {
        "conversations_add_message": ("Add a message to a channel", {"channel_id": TEXT, "payload": TEXT}),
        "attachment_get_data": ("Download an attachment's content by file ID.", {"file_id": TEXT}),
        "usergroups_list": ("List all user groups", {}),
        "usergroups_create": ("Create a new user group", {"name": TEXT}),
        "usergroups_users_update": ("Replace all members of a user group", {"usergroup_id": TEXT, "users": TEXT}),
        "reactions_remove": ("Remove an emoji reaction from a message.", {"channel_id": TEXT, "emoji": TEXT}),
    },
)
CODE = frame_of(
    "github",
    {
        "get_issue": ("Get an issue", {"owner": TEXT, "repo": TEXT, "number": TEXT}),
        "create_issue": ("Create an issue", {"owner": TEXT, "repo": TEXT, "title": TEXT}),
        "add_issue_comment": ("Add a comment to an issue", {"owner": TEXT, "repo": TEXT, "body": TEXT}),
        "push_files": ("Push files to a repository", {"owner": TEXT, "repo": TEXT, "files": TEXT}),
        "create_repository": ("Create a repository", {"name": TEXT}),
        "list_gists": ("List gists", {}),
        "create_gist": ("Create a gist", {"text": TEXT}),
    },
    roles={"owner": "github-owner", "repo": "github-repo"},
)
WIKI = frame_of(
    "notion",
    {
        "API-retrieve-a-page": ("Notion | Retrieve a page", {"page_id": TEXT}),
        "API-post-page": ("Notion | Create a page", {"title": TEXT}),
        "API-patch-page": ("Notion | Update page properties", {"page_id": TEXT}),
        "API-post-search": ("Notion | Search by title", {"query": TEXT}),
        "API-patch-block-children": (
            "Notion | Append block children",
            {"block_id": told("Identifier for a block. Also accepts a page ID.")},
        ),
    },
)
BASE = frame_of(
    "supabase",
    {
        "list_branches": ("List branches", {}),
        "delete_branch": ("Delete a branch", {"branch_id": TEXT}),
        "execute_sql": ("Executes raw SQL in the Postgres database", {"query": TEXT}),
    },
    roles={"query": "executes-code"},
)
CHANGES_OF_CHAT = "deny conversations_add_message reactions_remove usergroups_create usergroups_users_update"
OFFICE = frame_of(
    "office",
    {
        "wiki_get_page": ("Get a page of the wiki", {"page_id": TEXT}),
        "wiki_create_page": ("Create a page of the wiki", {"title": TEXT, "content": TEXT}),
        "wiki_delete_page": ("Delete a page of the wiki", {"page_id": TEXT}),
        "task_get_one": ("Get a task", {"task_id": TEXT}),
        "task_create_one": ("Create a task", {"title": TEXT}),
        "task_add_note": ("Add a note to a task", {"task_id": TEXT, "content": TEXT}),
    },
)
CLOUD = frame_of(
    "cloud",
    {
        "list_projects": ("List projects", {}),
        "create_project": ("Create a project", {"name": TEXT}),
        "pause_project": ("Pause a project", {"project_id": TEXT}),
        "delete_branch": ("Delete a branch", {"branch_id": TEXT}),
        "execute_sql": ("Executes raw SQL in the Postgres database", {"project_id": TEXT, "query": TEXT}),
    },
    roles={"query": "executes-code"},
)
OF_ONE_PROJECT = (
    "delete_branch",  # it may be one of this project
    "execute_sql project_id is k3x9qz query is SQL other than SELECT",
    "pause_project project_id is k3x9qz",
)
REPO = "github-owner is acme github-repo is api"


@pytest.mark.parametrize(
    ("frame", "wanted", "text"),
    [
        (CHAT, {"deny usergroups_create usergroups_users_update"}, "User groups are read-only."),
        (CHAT, {"deny reactions_remove"}, "Reactions must stay read-only."),
        (
            CHAT,
            {"deny conversations_add_message reactions_remove usergroups_create usergroups_users_update"},
            "Slack is read-only for you.",
        ),
        (CODE, {"deny add_issue_comment create_issue"}, "Issues are read-only."),
        (CODE, {"deny add_issue_comment create_issue create_repository push_files"}, "Repositories are read-only."),
        (CODE, {f"deny add_issue_comment create_issue push_files {REPO}"}, "Treat acme/api as read-only."),
        (CODE, {f"deny add_issue_comment create_issue push_files {REPO}"}, "The acme/api repo is read-only for you."),
        (WIKI, {"deny API-patch-block-children API-patch-page API-post-page"}, "Notion is read-only."),
        (WIKI, set[str](), "Pages are read-only."),  # a block of a page may be changed
        (BASE, {"deny delete_branch", "deny execute_sql query is SQL other than SELECT"}, "Supabase is read-only."),
        (
            BASE,
            {"deny delete_branch", "deny execute_sql query is SQL other than SELECT"},
            "Treat everything as read-only.",
        ),
        (CHAT, {CHANGES_OF_CHAT}, "Everything is read-only for you."),
        (OFFICE, {"deny wiki_create_page wiki_delete_page"}, "Wiki is read-only."),
        (OFFICE, {"deny wiki_create_page wiki_delete_page wiki_get_page"}, "Wiki is off limits."),
        (OFFICE, {"deny task_add_note task_create_one"}, "Task is read-only."),
        (CLOUD, {f"deny {one}" for one in OF_ONE_PROJECT}, "Project k3x9qz is read-only."),
        (BASE, set[str](), "Branches are read-only."),
        (CHAT, set[str](), "Old messages are read-only."),
        (CHAT, set[str](), "Emoji are read-only."),
    ],
)
def test_what_is_read_only_is_changed_by_no_tool(frame: Policy, wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, frame)
