"""Priorities that a description explains, states that are free text, and assignments of a tracker of issues."""

from __future__ import annotations

import pytest

from tests.recipes.policy.english.meanings import MAY_BE_ID, NUMBER, TEXT, frame_of, meaning_of, told

PRIORITY = told("The issue priority. 0 = No priority, 1 = Urgent, 2 = High, 3 = Normal, 4 = Low.", NUMBER)
STATE = told("The issue state type, name, or ID")
USER = told('The user to assign the issue to. User ID, name, email, or "me"')
LABELS = told("Array of label names or IDs", {"type": "array", "items": TEXT})
TEAM = told("The team name or ID")
FIELDS = {"priority": PRIORITY, "state": STATE, "labels": LABELS, "assignee": USER}
ISSUES = frame_of(
    "tracker",
    {
        "get_issue": ("Retrieve detailed information about an issue", {"id": TEXT}),
        "create_issue": ("Create a new issue", {"title": TEXT, "team": TEAM, **FIELDS}),
        "update_issue": ("Update an existing issue", {"id": TEXT, "title": TEXT, **FIELDS}),
        "create_comment": ("Create a comment on a specific issue", {"issueId": TEXT, "body": TEXT}),
    },
    required={
        "get_issue": ["id"],
        "create_issue": ["title", "team"],
        "update_issue": ["id"],
        "create_comment": ["issueId", "body"],
    },
)
URGENT = "priority is given priority is 1"
ASSIGNED = "assignee is given assignee like *"


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({f"escalate create_issue {URGENT}"}, "Urgent issues may only be created after I have said yes."),
        ({f"deny create_issue {URGENT}"}, "Never create urgent issues."),
        ({f"deny create_issue update_issue {URGENT}"}, "Never set the priority of an issue to urgent."),
        (
            {"allow create_issue priority is 3 or 4", "deny create_issue unless priority is 3 or 4"},
            "You may only create issues with the priority low or normal.",
        ),
        (
            {"deny update_issue priority is given priority >= 0", "deny update_issue priority is given priority < 0"},
            "Never change the priority of an existing issue.",
        ),
        (set[str](), "Never change urgent issues."),  # what it was before
    ],
)
def test_a_number_has_the_names_of_its_description(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, ISSUES)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({f"escalate create_issue update_issue {ASSIGNED}"}, "Ask me before you assign an issue to somebody."),
        ({f"deny create_issue update_issue {ASSIGNED}"}, "Never assign issues to anyone."),
        (set[str](), "Never assign issues to anyone else."),
        ({"allow create_comment", "deny update_issue"}, "You may comment on issues, but you may not edit them."),
        (set[str](), "You may edit comments."),
        (
            {"allow create_issue team is Support labels is Bug"},
            "You can file issues for the Support team with the label Bug.",
        ),
    ],
)
def test_assigning_commenting_and_labels_of_issues(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, ISSUES)


@pytest.mark.parametrize("text", ["Never set an issue to Done.", "Never move issues to Done."])
def test_what_an_issue_is_set_to_is_its_state(text: str) -> None:
    (first, *more) = sorted(meaning_of(text, ISSUES), key=len)
    assert first.endswith("update_issue state is given state is Done or done")
    assert ["state is given" in one for one in more] == [True] * len(more)
    assert any(f"update_issue state is given state {MAY_BE_ID}" in one for one in more)


def test_a_new_issue_without_a_state_is_not_done() -> None:
    assert {
        "deny create_issue state is given state is Done or done",
        f"deny create_issue state is given state {MAY_BE_ID}",
    } == meaning_of("Never create issues in Done.", ISSUES)
