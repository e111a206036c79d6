"""A tool with an argument that says what it does, or to which things, is read as one tool for each of its values."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.meanings import FLAG, TEXT, decision_of, frame_of, meaning_of


def chosen(*values: str, text: str = "") -> dict[str, Any]:
    return {"type": "string", "enum": list(values), "description": text}


Tools = dict[str, tuple[str, dict[str, Any]]]

TRACKER: Tools = {
    "delete-object": (
        "Delete a project, task, comment or label by its id",
        {"type": chosen("project", "task", "comment", "label", text="The kind"), "id": TEXT},
    ),
    "uncomplete-tasks": ("Reopen completed tasks", {"ids": {"type": "array", "items": TEXT}}),
    "add-tasks": ("Add tasks", {"titles": {"type": "array", "items": TEXT}}),
}
HUB: Tools = {
    "pull_request_review_write": (
        "Create, submit or delete a review of a pull request",
        {"pullNumber": TEXT, "event": chosen("APPROVE", "REQUEST_CHANGES", "COMMENT", text="Review action to perform")},
    ),
    "merge_pull_request": ("Merge a pull request", {"pullNumber": TEXT}),
}
DIARY: Tools = {
    "respond-to-event": (
        "Respond to an invitation to an event",
        {"eventId": TEXT, "response": chosen("accepted", "declined", "tentative", text="Your response")},
    ),
    "list-events": ("List events", {"day": TEXT}),
}
PAGES: Tools = {
    "handle_dialog": ("Handle a dialog", {"accept": {**FLAG, "description": "Whether to accept the dialog"}}),
    "manage_tabs": (
        "List, create, close or select a browser tab",
        {"action": chosen("list", "new", "close", "select", text="Operation to perform"), "index": TEXT},
    ),
}


@pytest.mark.parametrize(
    ("rules", "tools", "text"),
    [
        ({"deny delete-object type is label"}, TRACKER, "Never delete labels."),
        ({"deny delete-object type is project or task"}, TRACKER, "Never delete tasks or projects."),
        ({"escalate delete-object type is comment"}, TRACKER, "Ask before deleting a comment."),
        ({"allow delete-object type is label"}, TRACKER, "You may delete labels."),
        ({"deny pull_request_review_write event is APPROVE"}, HUB, "Never approve a pull request."),
        ({"escalate pull_request_review_write event is APPROVE"}, HUB, "Ask me before you approve pull requests."),
        ({"deny respond-to-event response is declined"}, DIARY, "Never decline an invitation."),
        ({"deny respond-to-event response is accepted"}, DIARY, "Don't accept meetings."),
        ({"deny handle_dialog accept is True"}, PAGES, "Never accept dialogs."),
        ({"deny handle_dialog accept is False"}, PAGES, "Don't dismiss a dialog."),
    ],
)
def test_a_value_of_an_argument_is_what_is_done_or_to_what(rules: set[str], tools: Tools, text: str) -> None:
    assert rules == meaning_of(text, frame_of("hub", tools))


def test_what_holds_the_things_goes_with_them() -> None:
    text = "Never delete tasks."
    tools = frame_of("hub", TRACKER)
    assert ["deny", "deny", "allow", "allow"] == [
        *(decision_of(text, tools, "delete-object", type=kind, id="7") for kind in ("task", "project", "label")),
        decision_of(text, tools, "uncomplete-tasks", ids=["7"]),
    ]


BULK: Tools = {"bulk_review": ("Approve several pull requests at once", {"numbers": TEXT})}
STATES: Tools = {
    "set_state": ("Set the state of a pull request", {"state": chosen("open", "approved"), "pullNumber": TEXT})
}


@pytest.mark.parametrize(
    ("rules", "more"),
    [
        ({"deny bulk_review"}, BULK),
        ({"deny set_state state is approved"}, STATES),
    ],
)
def test_another_tool_that_does_the_same_is_reached_as_well(rules: set[str], more: Tools) -> None:
    own = {"deny pull_request_review_write event is APPROVE"}
    assert own | rules == meaning_of("Never approve a pull request.", frame_of("hub", HUB | more))


def test_another_tool_that_may_do_the_same_makes_the_sentence_unclear() -> None:
    assert set() == meaning_of("Never decline an invitation.", frame_of("hub", DIARY | {
        "cancel_event": ("Cancel or decline an event", {"eventId": TEXT}),
    }))  # fmt: skip


@pytest.mark.parametrize(
    ("tools", "text"),
    [
        (HUB, "Never dismiss a review."),  # no value does this
        (DIARY, "Never decline a colleague."),  # of no invitation
        (PAGES, "Never close pages twice."),
        (TRACKER, "Never delete sections."),
    ],
)
def test_what_no_value_says_is_not_read(tools: Tools, text: str) -> None:
    assert set() == meaning_of(text, frame_of("hub", tools))


@pytest.mark.parametrize(
    "call", [{"resourceType": "pods,secrets"}, {"resourceType": "secrets/db"}, {"resourceType": "secret"}]
)
def test_a_kind_of_things_that_is_any_text_is_found_in_every_way_to_write_it(call: dict[str, Any]) -> None:
    kinds = {"type": "string", "description": "Type of resource (e.g., pods, deployments, secrets)"}
    cluster: Tools = {
        "kubectl_delete": ("Delete Kubernetes resources by type and name", {"resourceType": kinds, "name": TEXT}),
        "kubectl_get": ("Get Kubernetes resources by type and name", {"resourceType": kinds, "name": TEXT}),
    }
    frame = frame_of("kubernetes", cluster)
    assert "deny" == decision_of("Never delete secrets.", frame, "kubectl_delete", name="db", **call)
    assert "allow" == decision_of("Never delete secrets.", frame, "kubectl_delete", name="db", resourceType="pods")
