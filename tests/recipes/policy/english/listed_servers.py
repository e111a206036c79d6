"""Tools as common servers list them, with the roles that `retouch policy annotate` proposes for their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch.recipes.policy.annotating.proposing import ListedTool, annotations_of
from retouch.recipes.policy.language.policy import Policy
from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, told

if TYPE_CHECKING:
    from collections.abc import Mapping

TEXTS: dict[str, Any] = {"type": "array", "items": TEXT}
PATH = told("Path of the file")
FOLDER = told("Path of the directory")
OWNER = told("Repository owner (username or organization)")
REPO = told("Repository name")
BRANCH = told("Name of the branch")
MAIN: dict[str, Any] = {"owner": OWNER, "repo": REPO}


def listed_frame(server: str, tools: Mapping[str, tuple[str, dict[str, Any]]]) -> Policy:
    """Return a policy without rules for tools of a server. Arguments whose names end in `?` may be left out."""
    found = tuple(
        ListedTool(
            name=name,
            description=comment,
            schema={
                "type": "object",
                "properties": {arg.rstrip("?"): schema for arg, schema in args.items()},
                "required": [arg for arg in args if not arg.endswith("?")],
            },
            hints={},
        )
        for name, (comment, args) in tools.items()
    )
    value: Any = {"semantics": 3, "home": "/home/ada", "rules": [], "servers": {}, "timeZone": "UTC"}
    return Policy.of_json(value | {"annotations": annotations_of(server, found)})


FILE_TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "read_file": (
        "Read the contents of a file as text. Only works within allowed directories.",
        {"path": PATH},
    ),
    "read_multiple_files": ("Read the contents of multiple files simultaneously.", {"paths": TEXTS}),
    "write_file": (
        "Create a new file or completely overwrite an existing file. Only works within allowed directories.",
        {"path": PATH, "content": TEXT},
    ),
    "edit_file": ("Make line-based edits to a text file.", {"path": PATH, "edits": TEXTS}),
    "create_directory": (
        "Create a new directory or ensure a directory exists.",
        {"path": FOLDER},
    ),
    "list_directory": (
        "Get a listing of all files and directories in a path.",
        {"path": FOLDER},
    ),
    "move_file": (
        "Move or rename files and directories. If the destination exists, the operation will fail.",
        {"source": told("Path of what is moved"), "destination": told("New path")},
    ),
    "delete_file": ("Delete a file.", {"path": PATH}),
    "search_files": (
        "Recursively search for files and directories matching a pattern. Returns full paths to all matching items.",
        {"path": told("Directory to start from"), "pattern": TEXT, "excludePatterns?": TEXTS},
    ),
}
FILES = listed_frame("files", FILE_TOOLS)
CODE_TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "get_file_contents": (
        "Get the contents of a file or directory from a GitHub repository",
        {**MAIN, "path": told("Path to file/directory")},
    ),
    "create_or_update_file": (
        "Create or update a single file in a GitHub repository.",
        {
            **MAIN,
            "path": told("Path of the file"),
            "content": TEXT,
            "message": told("Commit message"),
            "branch": BRANCH,
        },
    ),
    "delete_file": (
        "Delete a file from a GitHub repository",
        {**MAIN, "path": told("Path to the file to delete"), "message": told("Commit message"), "branch": BRANCH},
    ),
    "push_files": (
        "Push multiple files to a GitHub repository in a single commit",
        {
            **MAIN,
            "branch": BRANCH,
            "files": {
                "type": "array",
                "items": {"type": "object", "properties": {"path": told("path to the file"), "content": TEXT}},
            },
            "message": told("Commit message"),
        },
    ),
    "create_branch": ("Create a new branch in a GitHub repository", {**MAIN, "branch": BRANCH}),
    "list_issues": ("List issues in a GitHub repository.", MAIN),
    "create_issue": ("Create a new issue in a GitHub repository.", {**MAIN, "title": TEXT}),
    "add_issue_comment": (
        "Add a comment to a specific issue in a GitHub repository.",
        {**MAIN, "issue_number": NUMBER, "body": TEXT},
    ),
    "create_pull_request": (
        "Create a new pull request in a GitHub repository.",
        {
            **MAIN,
            "title": TEXT,
            "head": told("Branch containing changes"),
            "base": told("Branch to merge into"),
            "draft?": told("Create as draft PR", FLAG),
        },
    ),
    "search_code": ("Search for code across GitHub repositories", {"q": told("Search query in code search syntax")}),
    "create_repository": (
        "Create a new GitHub repository in your account or specified organization",
        {"name": REPO, "private?": told("Whether repo should be private", FLAG)},
    ),
    "fork_repository": ("Fork a GitHub repository to your account or specified organization", MAIN),
}
CODE = listed_frame("coding", CODE_TOOLS)
BROWSER_TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "browser_navigate": ("Navigate to a URL", {"url": told("The URL to navigate to")}),
    "browser_snapshot": ("Capture accessibility snapshot of the current page", {}),
    "browser_take_screenshot": (
        "Take a screenshot of the current page.",
        {"type?": TEXT, "filename?": told("File name to save the screenshot to.")},
    ),
    "browser_click": ("Perform click on a web page", {"element": TEXT, "ref": TEXT}),
    "browser_type": ("Type text into editable element", {"element": TEXT, "text": TEXT, "submit?": FLAG}),
    "browser_file_upload": ("Upload one or multiple files", {"paths?": TEXTS}),
    "fetch": (
        "Fetches a URL from the internet and optionally extracts its contents as markdown.",
        {
            "url": told("URL to fetch"),
            "max_length?": {**NUMBER, "description": "Maximum number of characters to return.", "default": 5000},
        },
    ),
}
BROWSER = listed_frame("browser", BROWSER_TOOLS)
