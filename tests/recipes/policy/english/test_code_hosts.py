"""Sentences about repositories and files on a disk, for tools like those of GitHub's, GitLab's and a file server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, meaning_of, told

if TYPE_CHECKING:
    from retouch.recipes.policy.language.policy import Policy

REPO: dict[str, Any] = {"owner": TEXT, "repo": TEXT}
PLACE: dict[str, Any] = {**REPO, "path": TEXT, "message": TEXT, "branch": TEXT}
FILES: dict[str, Any] = {
    "type": "array",
    "items": {"type": "object", "properties": {"path": TEXT, "content": TEXT}, "required": ["path", "content"]},
}
STATE: dict[str, Any] = {**TEXT, "enum": ["open", "closed"]}
EVENT: dict[str, Any] = {**TEXT, "enum": ["APPROVE", "REQUEST_CHANGES", "COMMENT"]}
METHOD: dict[str, Any] = {**TEXT, "enum": ["create", "update"]}
HOST = frame_of(
    "github",
    {
        "get_file_contents": ("Get the contents of a file from a GitHub repository", {**REPO, "path": TEXT}),
        "list_issues": ("List issues in a GitHub repository.", {**REPO, "state": STATE}),
        "issue_write": (
            "Create a new or update an existing issue in a GitHub repository.",
            {"method": METHOD, **REPO, "issue_number": NUMBER, "title": TEXT, "state": STATE},
        ),
        "create_pull_request": (
            "Create a new pull request in a GitHub repository.",
            {**REPO, "title": TEXT, "head": TEXT, "base": TEXT, "draft": FLAG},
        ),
        "merge_pull_request": ("Merge a pull request in a GitHub repository.", {**REPO, "pullNumber": NUMBER}),
        "pull_request_review_write": (
            "Create and/or submit, delete review of a pull request.",
            {"method": METHOD, **REPO, "pullNumber": NUMBER, "event": EVENT},
        ),
        "create_branch": ("Create a new branch in a GitHub repository", {**REPO, "branch": TEXT, "from_branch": TEXT}),
        "create_or_update_file": (
            "Create or update a single file in a GitHub repository.",
            {**PLACE, "content": TEXT},
        ),
        "push_files": (
            "Push multiple files to a GitHub repository in a single commit",
            {**REPO, "branch": TEXT, "files": FILES, "message": TEXT},
        ),
        "delete_file": ("Delete a file from a GitHub repository", PLACE),
        "create_repository": ("Create a new GitHub repository", {"name": TEXT, "private": FLAG}),
    },
    roles={"owner": "github-owner", "repo": "github-repo", "branch": "branch-name", "from_branch": "branch-name"},
    required={
        "get_file_contents": REPO,
        "list_issues": REPO,
        "issue_write": ["method", *REPO],
        "create_pull_request": [*REPO, "title", "head", "base"],
        "merge_pull_request": [*REPO, "pullNumber"],
        "pull_request_review_write": ["method", *REPO, "pullNumber"],
        "create_branch": [*REPO, "branch"],
        "create_or_update_file": [*PLACE, "content"],
        "push_files": [*REPO, "branch", "files", "message"],
        "delete_file": PLACE,
        "create_repository": ["name"],
    },
)
PROJECT = told("Project ID or URL-encoded path")
PROJECTS = frame_of(
    "gitlab",
    {
        "get_file_contents": ("Get the contents of a file", {"project_id": PROJECT, "file_path": TEXT}),
        "push_files": (
            "Push multiple files to a GitLab project in a single commit",
            {"project_id": PROJECT, "branch": TEXT, "files": FILES, "commit_message": TEXT},
        ),
        "create_branch": ("Create a new branch in a GitLab project", {"project_id": PROJECT, "branch": TEXT}),
        "create_issue": ("Create a new issue in a GitLab project", {"project_id": PROJECT, "title": TEXT}),
    },
    roles={"branch": "branch-name"},
)
DISK = frame_of(
    "filesystem",
    {
        "read_text_file": ("Read the contents of a file as text.", {"path": TEXT}),
        "write_file": ("Create a new file or overwrite an existing file.", {"target": TEXT, "content": TEXT}),
        "create_directory": ("Create a new directory.", {"target": TEXT}),
    },
    roles={"path": "read-path", "target": "write-path"},
)
TASKS = frame_of(
    "tasks",
    {"create_task": ("Create a task.", {"title": TEXT, "assignee_ids": {"type": "array", "items": NUMBER}})},
    required={"create_task": ["title"]},
)
FILES_BY_ID = frame_of(
    "drive",
    {
        "rename_item": ("Rename a file or folder", {"item_id": TEXT, "new_name": TEXT}),
        "move_item": ("Move a file or folder", {"item_id": TEXT, "folder_id": TEXT}),
        "delete_item": ("Move a file or folder to trash", {"item_id": TEXT}),
    },
)
PUSHING = "create_or_update_file delete_file push_files"
CHANGING = {"deny create_directory write_file"}
READING = {"allow read_text_file", *CHANGING}
MAIN = {f"deny {PUSHING} branch-name is main"}
OTHER_THAN_MAIN = {f"escalate {PUSHING} branch-name is main"}
SPELLED = "project_id is acme/api or acme%2Fapi or acme%2fapi"
NO_NUMBER = "unless project_id like */* or *%2F* or *%2f*"


@pytest.mark.parametrize(
    ("frame", "wanted", "text"),
    [
        (HOST, MAIN, "Never push to main."),
        (HOST, MAIN, "Never commit to main."),
        (HOST, MAIN, "Never commit or push anything directly to main."),
        (HOST, MAIN, "No direct pushes to the main branch."),
        (HOST, MAIN, "Nothing may be pushed to main."),
        (HOST, MAIN, "Don't make any commits on main."),
        (HOST, MAIN, "Direct commits to main are forbidden."),
        (HOST, MAIN, "Never commit or push anything directly to main; feature branches are fine."),
        (HOST, MAIN, "Never push to main, pull requests are fine."),
        (HOST, OTHER_THAN_MAIN, "Pushes to main need my approval."),
        (HOST, OTHER_THAN_MAIN, "Please don't push code to main without asking me."),
        (HOST, {f"deny {PUSHING} branch-name is release/2.0"}, "Don't push to release/2.0."),
        (HOST, set[str](), "No changes to main."),  # who merges changes it, too
        (HOST, set[str](), "Never push to main; main is fine."),
        (HOST, {"deny pull_request_review_write event is APPROVE"}, "Never approve a pull request."),
        (
            HOST,
            {"deny pull_request_review_write event is APPROVE"},
            "No approving pull requests on my behalf, comments and change requests are okay.",
        ),
        (HOST, {"escalate issue_write state is given state is closed"}, "Ask me before closing an issue."),
        (HOST, {"deny create_repository"}, "Please don't create any new repositories."),
        (
            HOST,
            {"allow get_file_contents list_issues github-owner is acme"},
            "You may read any repository in the acme organization.",
        ),
        (
            PROJECTS,
            {f"deny create_branch create_issue get_file_contents push_files {one}" for one in (SPELLED, NO_NUMBER)},
            "Stay out of acme/api.",
        ),
        (
            PROJECTS,
            {f"deny create_branch create_issue get_file_contents push_files {one}" for one in (SPELLED, NO_NUMBER)},
            "Please stay out of the acme/api project, and do not even read it.",
        ),
        (
            PROJECTS,
            {f"deny create_branch create_issue push_files {one}" for one in (SPELLED, NO_NUMBER)},
            "acme/api is read-only.",
        ),
        (PROJECTS, {f"allow create_issue {SPELLED}"}, "You can open issues in acme/api."),
        (PROJECTS, {"deny push_files branch-name is main"}, "Never push to main."),
        (DISK, CHANGING, "Everything is read-only for you."),
        (DISK, CHANGING, "All my files are read-only."),
        (DISK, CHANGING, "My whole computer is read-only."),
        (DISK, CHANGING, "My disk is read-only for you: no writing or creating."),
        (DISK, READING, "You only have read access."),
        (DISK, READING, "You may look but not touch."),
        (DISK, READING, "You can only read, never write."),
        (DISK, READING, "Only reading is allowed."),
        (DISK, READING, "You may read files but not change them."),
        (HOST, set[str](), "My files are read-only."),  # issues are no files
        (DISK, {"deny read_text_file path like *.env"}, "No reading of .env files, wherever they are."),
        (DISK, {"deny read_text_file path like *.pdf"}, "Never read PDFs."),
        (DISK, {"deny write_file target like *.md or *.markdown"}, "Don't edit Markdown files."),
        (DISK, {"deny read_text_file path like */.bashrc"}, "Never read my .bashrc."),
        (
            DISK,
            {"deny read_text_file path like *.env", "deny read_text_file read-path within ~/.ssh"},
            "Don't read .env files or anything in ~/.ssh.",
        ),
        (HOST, {"deny delete_file"}, "Never delete anything."),
        (HOST, {"escalate delete_file"}, "Ask before deleting anything."),
        (HOST, set[str](), "Never change the base branch of a pull request."),
        (
            HOST,
            {"allow create_pull_request", "deny merge_pull_request"},
            "You can open pull requests, but don't merge them.",
        ),
        (
            TASKS,
            {"deny create_task assignee_ids is given the number of items of assignee_ids > 0"},
            "Don't assign tasks to anyone.",
        ),
        (FILES_BY_ID, {"deny rename_item"}, "Don't rename my files."),
        (FILES_BY_ID, {"escalate delete_item"}, "Ask before moving files to the trash."),
    ],
)
def test_what_an_owner_says_of_repositories_and_files(frame: Policy, wanted: set[str], text: str) -> None:
    assert meaning_of(text, frame) == wanted
