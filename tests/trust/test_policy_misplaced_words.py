"""Words of a restriction that name an argument, or the other side of a flag, or that a wrong tool has in its name."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.listed_servers import BRANCH, MAIN, TEXTS, listed_frame
from tests.recipes.policy.english.meanings import FLAG, TEXT, meaning_of, told

NOTES = listed_frame(
    "notes",
    {
        "update_page": ("Update a page", {"page_id": TEXT, "in_trash?": FLAG, "title?": TEXT}),
        "get_page": ("Retrieve a page", {"page_id": TEXT}),
    },
)
FORGE = listed_frame(
    "forge",
    {
        "update_pull_request": (
            "Update a pull request.",
            {**MAIN, "number": TEXT, "base?": told("New base branch name"), "head?": told("Name of the head branch")},
        ),
        "create_branch": ("Create a branch.", {**MAIN, "branch": BRANCH}),
        "push_files": ("Push several files in a single commit.", {**MAIN, "branch": BRANCH, "files": TEXTS}),
        "create_repository": (
            "Create a repository.",
            {"name": TEXT, "visibility?": {"type": "string", "enum": ["private", "public"]}},
        ),
        "update_issue": ("Update an issue.", {**MAIN, "issue": TEXT, "title?": TEXT, "confidential?": FLAG}),
    },
)
GROUPS = listed_frame(
    "chat",
    {
        "usergroups_create": ("Create a new user group.", {"name": TEXT, "handle?": TEXT}),
        "usergroups_users_update": ("Update the members of a user group.", {"usergroup_id": TEXT, "users": TEXT}),
    },
)
MAIL = listed_frame(
    "mail",
    {
        "create_label": ("Create a label", {"name": TEXT}),
        "delete_label": ("Delete a label", {"id": TEXT}),
        "modify_email": ("Modify labels", {"messageId": TEXT, "addLabelIds?": TEXTS, "removeLabelIds?": TEXTS}),
    },
)


@pytest.mark.parametrize(
    ("text", "frame"),
    [
        ("Never restore a page from trash.", NOTES),
        ("Ask before restoring a page from the trash.", NOTES),
        ("Never change the base branch.", FORGE),
        ("Never make an issue public.", FORGE),
        ("Don't make anything public.", FORGE),
    ],
)
def test_a_restriction_whose_words_mean_something_else_is_refused(text: str, frame: Any) -> None:
    assert meaning_of(text, frame) == set()


@pytest.mark.parametrize("text", ["Don't add anyone to user groups.", "Ask before adding people to a user group."])
def test_who_adds_somebody_to_a_group_makes_no_group(text: str) -> None:
    assert not any("usergroups_create" in line for line in meaning_of(text, GROUPS))


def test_the_base_branch_of_a_request_is_no_branch_of_that_name() -> None:
    assert not any("is base" in line for line in meaning_of("Ask before changing the base branch of a PR.", FORGE))


@pytest.mark.parametrize(
    ("text", "tests"),
    [
        ("Ask before adding labels.", {"create_label", "modify_email addLabelIds is given"}),
        ("Ask before removing labels.", {"delete_label", "modify_email removeLabelIds is given"}),
    ],
)
def test_labels_are_added_and_removed_by_arguments_of_these_names(text: str, tests: set[str]) -> None:
    assert meaning_of(text, MAIL) == {f"escalate {one}" for one in tests}


@pytest.mark.parametrize(
    ("text", "frame", "meaning"),
    [
        ("Never create public repositories.", FORGE, "deny create_repository visibility is public"),
        ("Never create user groups.", GROUPS, "deny usergroups_create"),
        ("Never trash a page.", NOTES, "deny update_page in_trash is given in_trash is True"),
    ],
)
def test_what_names_a_value_or_a_tool_is_still_read(text: str, frame: Any, meaning: str) -> None:
    assert meaning in meaning_of(text, frame)
