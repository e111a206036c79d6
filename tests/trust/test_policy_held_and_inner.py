"""A restriction reaches the calls that do it inside of another argument, to a holder, or by a free text or object."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.policy import ToolCall, evaluate
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english.compiling import compile_clauses
from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, told

if TYPE_CHECKING:
    from retouch.recipes.policy.language.policy import Policy

MANY: dict[str, Any] = {"type": "array", "items": TEXT}
FREE: dict[str, Any] = {"type": "object"}
TRASH = told("Set to true to move to trash. Set to false to restore.", FLAG)


def inner(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def items(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": inner(**properties)}


MAIL = frame_of(
    "mail",
    {
        "send_mail": ("Send an e-mail", {"to": MANY, "subject": TEXT, "body": TEXT}),
        "modify_mail": ("Modify labels", {"id": TEXT, "addLabelIds": MANY, "removeLabelIds": MANY}),
        "delete_mail": ("Delete an e-mail for good", {"id": TEXT}),
        "create_rule": (
            "Create a rule for incoming mail",
            {"match": TEXT, "then": inner(addLabelIds=MANY, removeLabelIds=MANY, redirectTo=TEXT)},
        ),
        "delete_rule": ("Delete a rule", {"id": TEXT}),
        "delete_label": ("Delete a label", {"id": TEXT}),
    },
    required={
        "send_mail": ["to"],
        "modify_mail": ["id"],
        "delete_mail": ["id"],
        "create_rule": ["match", "then"],
        "delete_rule": ["id"],
        "delete_label": ["id"],
    },
    roles={"to": "email-address", "body": "email-body"},
)
WORK = frame_of(
    "work",
    {
        "create_task": ("Create a task", {"name": TEXT, "watchers": MANY, "parent_id": TEXT, "assignee": TEXT}),
        "create_subtask": ("Create a subtask of a task", {"task_id": TEXT, "name": TEXT}),
        "add_watchers": ("Add watchers to a task", {"task_id": TEXT, "watchers": MANY}),
        "update_tasks": ("Update tasks", {"tasks": items(id=TEXT, title=TEXT, assignee=TEXT)}),
        "handle_assignments": (
            "Assign tasks",
            {"operation": {**TEXT, "enum": ["assign", "unassign", "reassign"]}, "ids": MANY, "user": TEXT},
        ),
        "remove_object": (
            "Remove a list, task or note",
            {"type": {**TEXT, "enum": ["list", "task", "note"]}, "id": TEXT},
        ),
        "create_board": ("Create a board", {"name": TEXT, "public": FLAG}),
        "edit_board": ("Edit a board", {"id": TEXT, "data": inner(visibility={**TEXT, "enum": ["public", "team"]})}),
    },
    required={
        "create_task": ["name"],
        "create_subtask": ["task_id", "name"],
        "add_watchers": ["task_id", "watchers"],
        "update_tasks": ["tasks"],
        "handle_assignments": ["operation", "ids"],
        "remove_object": ["type", "id"],
        "create_board": ["name"],
        "edit_board": ["id", "data"],
    },
)
DATA = frame_of(
    "documents",
    {
        "find": ("Find documents of a collection", {"database": TEXT, "collection": TEXT}),
        "aggregate": ("Run an aggregation", {"database": TEXT, "collection": TEXT, "pipeline": {"type": "array"}}),
        "insert_many": ("Insert documents into a collection", {"database": TEXT, "collection": TEXT, "rows": TEXT}),
        "rename_collection": (
            "Rename a collection",
            {"database": TEXT, "collection": TEXT, "to": TEXT, "dropTarget": FLAG},
        ),
        "drop_collection": (
            "Removes a collection from the database. Also removes any indexes of it.",
            {"database": TEXT, "collection": TEXT},
        ),
        "drop_index": (
            "Drop an index for the provided database and collection",
            {"database": TEXT, "collection": TEXT, "index": TEXT},
        ),
        "drop_database": ("Removes the specified database, deleting the associated data files", {"database": TEXT}),
    },
    required={
        "find": ["database", "collection"],
        "aggregate": ["database", "collection", "pipeline"],
        "insert_many": ["database", "collection", "rows"],
        "rename_collection": ["database", "collection", "to"],
        "drop_collection": ["database", "collection"],
        "drop_index": ["database", "collection", "index"],
        "drop_database": ["database"],
    },
)
NOTES = frame_of(
    "notes",
    {
        "patch_page": ("Update a page", {"page_id": TEXT, "title": TEXT, "archived": FLAG, "in_trash": TRASH}),
        "update_block": ("Update a block", {"block_id": TEXT, "text": TEXT, "archived": FLAG, "in_trash": TRASH}),
        "delete_block": ("Delete a block", {"block_id": TEXT}),
        "append_block_children": ("Append blocks to a block or page", {"block_id": TEXT, "children": MANY}),
        "create_page": ("Create a page", {"title": TEXT}),
    },
    required={
        "patch_page": ["page_id"],
        "update_block": ["block_id"],
        "delete_block": ["block_id"],
        "append_block_children": ["block_id", "children"],
        "create_page": ["title"],
    },
)
HOSTS = frame_of(
    "hosts",
    {
        "stop_container": ("Stop a container", {"id": TEXT}),
        "remove_container": ("Remove a container", {"id": TEXT, "force": FLAG}),
        "start_container": ("Start a container", {"id": TEXT}),
        "run_migration": ("Run a migration", {"name": TEXT}),
        "merge_branch": ("Merges migrations and functions of a branch into production", {"branch_id": TEXT}),
        "create_branch": ("Create a branch", {"name": TEXT}),
    },
    required={
        "stop_container": ["id"],
        "remove_container": ["id"],
        "start_container": ["id"],
        "run_migration": ["name"],
        "merge_branch": ["branch_id"],
        "create_branch": ["name"],
    },
)
CLUSTER = frame_of(
    "cluster",
    {
        "scale": ("Scale a deployment", {"name": TEXT, "replicas": NUMBER, "namespace": TEXT, "context": TEXT}),
        "patch": ("Patch a resource", {"kind": TEXT, "name": TEXT, "namespace": TEXT, "patch": FREE}),
        "apply": (
            "Apply a manifest",
            {"manifest": told("YAML manifest"), "filename": told("Path to a YAML file"), "namespace": TEXT},
        ),
        "delete": ("Delete a resource", {"kind": TEXT, "name": TEXT, "namespace": TEXT}),
    },
    required={
        "scale": ["name", "replicas"],
        "patch": ["kind", "name", "patch"],
        "apply": [],
        "delete": ["kind", "name"],
    },
)
HELD, FREED = {"deny", "escalate"}, {"allow"}
CASES: list[tuple[set[str], Policy, str, str, dict[str, Any]]] = [
    (HELD, MAIL, "Don't archive emails.", "create_rule", {"match": "a", "then": {"removeLabelIds": ["INBOX"]}}),
    (FREED, MAIL, "Don't archive emails.", "create_rule", {"match": "a", "then": {"addLabelIds": ["Work"]}}),
    (HELD, MAIL, "Never delete or trash emails.", "create_rule", {"match": "a", "then": {"addLabelIds": ["TRASH"]}}),
    (FREED, MAIL, "Never delete or trash emails.", "delete_rule", {"id": "1"}),
    (HELD, MAIL, "Ask before starring emails.", "create_rule", {"match": "a", "then": {"addLabelIds": ["STARRED"]}}),
    (HELD, MAIL, "Don't add labels to emails.", "create_rule", {"match": "a", "then": {"addLabelIds": ["Work"]}}),
    (HELD, MAIL, "Never remove labels from emails.", "delete_label", {"id": "1"}),
    (
        HELD,
        MAIL,
        "Never email anyone outside acme.com.",
        "create_rule",
        {"match": "a", "then": {"redirectTo": "x@y.example"}},
    ),
    (
        FREED,
        MAIL,
        "Never email anyone outside acme.com.",
        "create_rule",
        {"match": "a", "then": {"addLabelIds": ["Work"]}},
    ),
    (
        HELD,
        MAIL,
        "Don't email eve@evil.example.",
        "create_rule",
        {"match": "a", "then": {"redirectTo": "Eve@evil.example"}},
    ),
    (
        FREED,
        MAIL,
        "Don't email eve@evil.example.",
        "create_rule",
        {"match": "a", "then": {"redirectTo": "bo@acme.com"}},
    ),
    (HELD, WORK, "Don't add watchers.", "create_task", {"name": "a", "watchers": ["bo"]}),
    (FREED, WORK, "Don't add watchers.", "create_task", {"name": "a"}),
    (HELD, WORK, "Don't create subtasks.", "create_task", {"name": "a", "parent_id": "1"}),
    (FREED, WORK, "Don't create subtasks.", "create_task", {"name": "a"}),
    (HELD, WORK, "Never assign tasks.", "update_tasks", {"tasks": [{"id": "1", "assignee": "bo"}]}),
    (FREED, WORK, "Never assign tasks.", "update_tasks", {"tasks": [{"id": "1", "title": "bo"}]}),
    (HELD, WORK, "Never assign tasks.", "handle_assignments", {"operation": "reassign", "ids": ["1"]}),
    (FREED, WORK, "Never assign tasks.", "handle_assignments", {"operation": "unassign", "ids": ["1"]}),
    (HELD, WORK, "Never reassign tasks.", "update_tasks", {"tasks": [{"id": "1", "assignee": "bo"}]}),
    (HELD, WORK, "Never remove tasks.", "remove_object", {"type": "list", "id": "1"}),
    (FREED, WORK, "Never remove tasks.", "remove_object", {"type": "note", "id": "1"}),
    (HELD, WORK, "Never make a board public.", "edit_board", {"id": "1", "data": {"visibility": "public"}}),
    (FREED, WORK, "Never make a board public.", "edit_board", {"id": "1", "data": {"visibility": "team"}}),
    (HELD, DATA, "Never drop a collection.", "drop_database", {"database": "a"}),
    (
        HELD,
        DATA,
        "Never drop a collection.",
        "rename_collection",
        {"database": "a", "collection": "b", "to": "c", "dropTarget": True},
    ),
    (FREED, DATA, "Never drop a collection.", "rename_collection", {"database": "a", "collection": "b", "to": "c"}),
    (HELD, DATA, "Don't drop indexes.", "drop_collection", {"database": "a", "collection": "b"}),
    (
        HELD,
        DATA,
        "Never find in the secrets collection.",
        "aggregate",
        {"database": "a", "collection": "secrets", "pipeline": []},
    ),
    (
        HELD,
        DATA,
        "Don't aggregate the secrets collection.",
        "aggregate",
        {"database": "staging", "collection": "b", "pipeline": [{"$unionWith": "secrets"}]},
    ),
    (
        FREED,
        DATA,
        "Don't aggregate the secrets collection.",
        "aggregate",
        {"database": "staging", "collection": "b", "pipeline": [{"$match": {"kind": "open"}}]},
    ),
    (HELD, NOTES, "Never archive a page.", "patch_page", {"page_id": "1", "in_trash": True}),
    (FREED, NOTES, "Never archive a page.", "patch_page", {"page_id": "1", "title": "a"}),
    (HELD, NOTES, "Never archive a page.", "delete_block", {"block_id": "1"}),
    (HELD, NOTES, "Don't delete blocks.", "update_block", {"block_id": "1", "archived": True}),
    (HELD, NOTES, "Ask before deleting anything.", "patch_page", {"page_id": "1", "archived": True}),
    (HELD, NOTES, "Ask before editing pages.", "append_block_children", {"block_id": "1", "children": ["a"]}),
    (HELD, NOTES, "Never change pages.", "update_block", {"block_id": "1", "text": "a"}),
    (FREED, NOTES, "Never change pages.", "create_page", {"title": "a"}),
    (HELD, NOTES, "Never restore a page from trash.", "patch_page", {"page_id": "1", "in_trash": False}),
    (HELD, NOTES, "Never restore a page from trash.", "patch_page", {"page_id": "1", "archived": False}),
    (FREED, NOTES, "Never restore a page from trash.", "patch_page", {"page_id": "1", "in_trash": True}),
    (HELD, HOSTS, "Ask before stopping any container.", "remove_container", {"id": "1", "force": True}),
    (FREED, HOSTS, "Ask before stopping any container.", "remove_container", {"id": "1"}),
    (HELD, HOSTS, "Don't run migrations.", "merge_branch", {"branch_id": "1"}),
    (FREED, HOSTS, "Don't run migrations.", "create_branch", {"name": "1"}),
    (
        HELD,
        CLUSTER,
        "Ask me before scaling anything in production.",
        "patch",
        {"kind": "deployment", "name": "a", "namespace": "production", "patch": {"spec": {"replicas": 0}}},
    ),
    (
        FREED,
        CLUSTER,
        "Ask me before scaling anything in production.",
        "patch",
        {"kind": "deployment", "name": "a", "namespace": "production", "patch": {"spec": {"paused": True}}},
    ),
    (
        HELD,
        CLUSTER,
        "Ask me before scaling anything in production.",
        "apply",
        {"manifest": "kind: Deployment\nmetadata:\n  namespace: production\nspec:\n  replicas: 0\n"},
    ),
    (
        HELD,
        CLUSTER,
        "Ask me before scaling anything in production.",
        "scale",
        {"name": "a", "replicas": 0, "context": "production"},
    ),
]


@pytest.mark.parametrize(("right", "frame", "text", "tool", "arguments"), CASES)
def test_the_decision_about_a_call_that_does_it_in_another_way(
    right: set[str], frame: Policy, text: str, tool: str, arguments: dict[str, Any]
) -> None:
    made = compile_clauses(text, frame)
    assert not made.refused
    (server,) = {one.server for one in frame.tools.values()}
    found = evaluate(
        replace(frame, rules=tuple(made.rules)),
        ToolCall(server=server, tool=tool, arguments=arguments),
        surroundings=LEXICAL,
    )
    decision = "allow" if found.rule == "default-deny" else found.decision
    assert decision in right


TICKETS = frame_of(
    "tickets",
    {
        "transition_issue": ("Move an issue to a new status", {"issue_key": TEXT, "transition": TEXT}),
        "update_issue": ("Update an issue", {"issue_key": TEXT, "fields": told("JSON string of fields to update")}),
    },
)


def test_what_fields_can_do_that_no_schema_lists_is_refused() -> None:
    made = compile_clauses("Don't transition issues.", TICKETS)
    assert any("'fields'" in why for why in made.refused.values())
