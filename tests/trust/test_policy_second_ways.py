"""A restriction reaches every call that brings about the same state or value, whatever tool or argument does it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from retouch.cli.root import command
from retouch.recipes.policy import Policy, ToolCall, evaluate
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english.compiling import compile_clauses

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON

TEXT: dict[str, JSON] = {"type": "string"}
NUMBER: dict[str, JSON] = {"type": "number"}
FLAG: dict[str, JSON] = {"type": "boolean"}
MANY: dict[str, JSON] = {"type": "array", "items": TEXT}
RANK: dict[str, JSON] = {**TEXT, "enum": ["minor", "major", "critical"]}
TIER: dict[str, JSON] = {**TEXT, "enum": ["free", "team", "gold"]}
STEP: dict[str, JSON] = {**TEXT, "enum": ["backlog", "active", "done", "cancelled"]}


def told(schema: dict[str, JSON], text: str) -> dict[str, JSON]:
    return {**schema, "description": text}


TOOLS: dict[str, dict[str, tuple[str, dict[str, Any], str]]] = {
    "bugs": {
        "create_bug": (
            "Report a bug.",
            {"summary": TEXT, "severity": RANK, "assignee": told(TEXT, "Username"), "tags": MANY},
            "summary",
        ),
        "update_bug": (
            "Change a bug.",
            {
                "bug_id": TEXT,
                "summary": TEXT,
                "severity": RANK,
                "assignee": told(TEXT, "Username"),
                "tags": MANY,
                "status": told(TEXT, "New status, e.g. open, fixing, done"),
            },
            "bug_id",
        ),
        "assign_bug": ("Assign a bug to a developer.", {"bug_id": TEXT, "user": told(TEXT, "Username")}, "bug_id user"),
        "add_tags": ("Add tags to a bug.", {"bug_id": TEXT, "tags": MANY}, "bug_id tags"),
        "finish_bug": ("Mark a bug as done.", {"bug_id": TEXT}, "bug_id"),
        "add_comment": ("Add a comment to a bug.", {"bug_id": TEXT, "text": TEXT}, "bug_id text"),
        "delete_bug": ("Delete a bug.", {"bug_id": TEXT}, "bug_id"),
    },
    "jobs": {
        "create_job": ("Create a job.", {"title": TEXT}, "title"),
        "edit_job": ("Edit a job.", {"job_id": TEXT, "title": TEXT, "stage": STEP}, "job_id"),
        "set_stage": ("Set the stage of a job.", {"job_id": TEXT, "stage": STEP}, "job_id stage"),
        "cancel_job": ("Cancel a job.", {"job_id": TEXT}, "job_id"),
        "split_job": ("Split a job into two.", {"job_id": TEXT}, "job_id"),
    },
    "articles": {
        "create_article": (
            "Create an article.",
            {"title": TEXT, "state": told(TEXT, "draft or published (default draft)")},
            "title",
        ),
        "edit_article": ("Edit an article.", {"article_id": TEXT, "title": TEXT, "state": TEXT}, "article_id"),
        "publish_article": ("Publish an article.", {"article_id": TEXT}, "article_id"),
        "get_article": ("Get an article.", {"article_id": TEXT}, "article_id"),
        "rename_article": ("Rename an article.", {"article_id": TEXT, "new_title": TEXT}, "article_id new_title"),
    },
    "members": {
        "create_membership": ("Create a membership.", {"person": TEXT, "tier": TIER}, "person tier"),
        "update_membership": (
            "Change a membership.",
            {"membership_id": TEXT, "tier": TIER, "cancel_at_year_end": FLAG, "active": FLAG},
            "membership_id",
        ),
        "cancel_membership": ("Cancel a membership.", {"membership_id": TEXT}, "membership_id"),
        "suspend_membership": ("Suspend a membership.", {"membership_id": TEXT}, "membership_id"),
    },
    "machines": {
        "turn_off_pump": ("Turn off a pump.", {"pump": TEXT}, "pump"),
        "set_machine_state": (
            "Set the state of any machine.",
            {"machine": TEXT, "state": {**TEXT, "enum": ["on", "off"]}},
            "machine state",
        ),
        "scale_worker": ("Scale a worker.", {"name": TEXT, "replicas": NUMBER}, "name replicas"),
        "patch_worker": ("Patch a worker.", {"name": TEXT, "replicas": NUMBER, "image": TEXT}, "name"),
    },
    "visits": {
        "book_visit": ("Book a visit.", {"guest": TEXT, "start": told(TEXT, "ISO 8601")}, "guest start"),
        "update_visit": (
            "Change a visit.",
            {"visit_id": TEXT, "host": told(TEXT, "New host"), "start": told(TEXT, "New start, ISO 8601")},
            "visit_id",
        ),
        "swap_visits": ("Swap the times of two visits.", {"first": TEXT, "second": TEXT}, "first second"),
    },
    "accounts": {
        "update_account": ("Change an account.", {"account_id": TEXT, "owner": told(TEXT, "Username")}, "account_id"),
        "transfer_accounts": (
            "Transfer all accounts of a user.",
            {"from_user": TEXT, "to_user": TEXT},
            "from_user to_user",
        ),
        "delete_account": ("Delete an account.", {"account_id": TEXT}, "account_id"),
    },
    "wiki": {
        "update_block": ("Update a block.", {"block_id": TEXT, "text": TEXT, "in_trash": FLAG}, "block_id"),
        "update_page": ("Update a page.", {"page_id": TEXT, "in_trash": FLAG, "title": TEXT}, "page_id"),
        "delete_block": ("Delete a block.", {"block_id": TEXT}, "block_id"),
    },
}
HELD = {"deny", "escalate", "refused"}
ALLOWED = {"allow"}
# What a sentence is about, and calls with the decisions that are right.
CASES: list[tuple[str, str, str, dict[str, Any], set[str]]] = [
    ("wiki", "Never delete or archive anything.", "update_page", {"page_id": "1", "in_trash": True}, HELD),
    ("wiki", "Never delete anything.", "update_page", {"page_id": "1", "in_trash": True}, HELD),
    ("wiki", "Never delete anything.", "update_page", {"page_id": "1", "title": "x"}, ALLOWED),
    ("wiki", "Ask before deleting anything.", "update_block", {"block_id": "1", "in_trash": True}, HELD),
    ("wiki", "Never delete blocks.", "update_block", {"block_id": "1", "in_trash": True}, HELD),
    ("wiki", "Never delete blocks.", "update_block", {"block_id": "1", "in_trash": False}, ALLOWED),
    ("wiki", "Never trash anything.", "update_page", {"page_id": "1", "in_trash": True}, HELD),
    ("wiki", "Never delete pages.", "update_page", {"page_id": "1", "in_trash": True}, HELD),
    ("bugs", "Never assign bugs to kim.", "assign_bug", {"bug_id": "1", "user": "kim"}, HELD),
    ("bugs", "Never assign bugs to kim.", "assign_bug", {"bug_id": "1", "user": "lee"}, ALLOWED),
    ("bugs", "Never assign bugs to kim.", "update_bug", {"bug_id": "1", "summary": "x"}, ALLOWED),
    ("bugs", "Bugs must only be assigned to kim.", "assign_bug", {"bug_id": "1", "user": "lee"}, HELD),
    ("bugs", "Ask me before you assign a bug to kim.", "assign_bug", {"bug_id": "1", "user": "kim"}, HELD),
    ("bugs", "Never change the assignee.", "assign_bug", {"bug_id": "1", "user": "lee"}, HELD),
    ("bugs", "Never change the assignee.", "add_comment", {"bug_id": "1", "text": "x"}, ALLOWED),
    ("bugs", "Never finish bugs.", "update_bug", {"bug_id": "1", "status": "done"}, HELD),
    ("bugs", "Never finish bugs.", "update_bug", {"bug_id": "1", "status": "fixing"}, ALLOWED),
    ("bugs", "Bugs must not be finished.", "update_bug", {"bug_id": "1", "status": "done"}, HELD),
    ("bugs", "Never change the assignee.", "create_bug", {"summary": "x"}, ALLOWED),
    ("bugs", "Never mark bugs as done.", "update_bug", {"bug_id": "1", "status": "done"}, HELD),
    ("bugs", "Finishing bugs needs my approval.", "update_bug", {"bug_id": "1", "status": "done"}, HELD),
    ("bugs", "Never raise a bug to critical.", "update_bug", {"bug_id": "1", "severity": "critical"}, HELD),
    ("bugs", "Never raise a bug to critical.", "update_bug", {"bug_id": "1", "severity": "minor"}, ALLOWED),
    ("bugs", "Never add the tag billing to a bug.", "update_bug", {"bug_id": "1", "tags": ["billing"]}, HELD),
    ("bugs", "Never add the tag billing to a bug.", "add_tags", {"bug_id": "1", "tags": ["billing"]}, HELD),
    (
        "bugs",
        "Never add the tag billing to a bug.",
        "add_tags",
        {"bug_id": "1", "tags": ["docs"]},
        ALLOWED | {"refused"},
    ),
    ("bugs", "Never change the tags of a bug.", "add_tags", {"bug_id": "1", "tags": ["docs"]}, HELD),
    ("bugs", "Never delete bugs.", "finish_bug", {"bug_id": "1"}, ALLOWED),
    ("bugs", "Never delete bugs.", "update_bug", {"bug_id": "1", "status": "done"}, ALLOWED),
    ("jobs", "Never move a job to cancelled.", "cancel_job", {"job_id": "1"}, HELD),
    ("jobs", "Never mark a job as cancelled.", "set_stage", {"job_id": "1", "stage": "cancelled"}, HELD),
    ("jobs", "Never cancel jobs.", "edit_job", {"job_id": "1", "stage": "cancelled"}, HELD),
    ("jobs", "Never cancel jobs.", "edit_job", {"job_id": "1", "stage": "active"}, ALLOWED | {"refused"}),
    ("jobs", "No cancellations.", "set_stage", {"job_id": "1", "stage": "cancelled"}, HELD),
    ("jobs", "Cancel nothing without asking.", "edit_job", {"job_id": "1", "stage": "cancelled"}, HELD),
    ("jobs", "Existing jobs must not be changed.", "split_job", {"job_id": "1"}, HELD),
    ("jobs", "Existing jobs must not be changed.", "create_job", {"title": "x"}, ALLOWED | {"refused"}),
    ("jobs", "Never delete cancelled jobs.", "cancel_job", {"job_id": "1"}, ALLOWED | {"refused"}),
    ("articles", "Never publish articles.", "edit_article", {"article_id": "1", "state": "published"}, HELD),
    ("articles", "Never publish articles.", "create_article", {"title": "x", "state": "published"}, HELD),
    ("articles", "Never publish articles.", "create_article", {"title": "x"}, ALLOWED),
    (
        "articles",
        "Never publish anything without my approval.",
        "edit_article",
        {"article_id": "1", "state": "published"},
        HELD,
    ),
    ("articles", "Publish at most two articles a day.", "publish_article", {"article_id": "1"}, {"refused"}),
    ("articles", "Never rename articles.", "edit_article", {"article_id": "1", "title": "x"}, HELD),
    ("articles", "Never rename articles.", "edit_article", {"article_id": "1", "state": "draft"}, ALLOWED),
    ("articles", "Never edit published articles.", "publish_article", {"article_id": "1"}, ALLOWED | {"refused"}),
    (
        "members",
        "Never cancel memberships.",
        "update_membership",
        {"membership_id": "1", "cancel_at_year_end": True},
        HELD,
    ),
    ("members", "Never cancel memberships.", "update_membership", {"membership_id": "1", "tier": "free"}, ALLOWED),
    ("members", "Never suspend memberships.", "update_membership", {"membership_id": "1", "active": False}, HELD),
    (
        "members",
        "Never put anyone on the gold tier.",
        "update_membership",
        {"membership_id": "1", "tier": "gold"},
        HELD,
    ),
    ("machines", "Never turn anything off.", "set_machine_state", {"machine": "x", "state": "off"}, HELD),
    ("machines", "Never turn anything off.", "set_machine_state", {"machine": "x", "state": "on"}, ALLOWED),
    ("machines", "Never scale a worker above 8 replicas.", "patch_worker", {"name": "x", "replicas": 9}, HELD),
    ("machines", "Never scale a worker above 8 replicas.", "patch_worker", {"name": "x", "replicas": 7}, ALLOWED),
    ("visits", "Never move visits.", "update_visit", {"visit_id": "1", "start": "2026-03-07T10:00:00Z"}, HELD),
    (
        "accounts",
        "Never change the owner of an account.",
        "transfer_accounts",
        {"from_user": "a", "to_user": "b"},
        HELD,
    ),
    (
        "accounts",
        "Never set the owner of an account to kim.",
        "transfer_accounts",
        {"from_user": "a", "to_user": "kim"},
        HELD,
    ),
    (
        "accounts",
        "Never set the owner of an account to kim.",
        "transfer_accounts",
        {"from_user": "kim", "to_user": "b"},
        ALLOWED,
    ),
]


@pytest.fixture(scope="session")
def second_ways(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Policy]:
    found: dict[str, Policy] = {}
    for server, tools in TOOLS.items():
        folder = tmp_path_factory.mktemp(server)
        listed = [
            {
                "name": name,
                "description": comment,
                "inputSchema": {"type": "object", "properties": schemas, "required": required.split()},
            }
            for name, (comment, schemas, required) in tools.items()
        ]
        (folder / "tools.json").write_text(json.dumps({"tools": listed}))
        args = ["policy", "annotate", str(folder / "tools.json"), "--server", server, "-o", str(folder / "made.json")]
        CliRunner().invoke(command, args)
        made = json.loads((folder / "made.json").read_text())
        found[server] = Policy.of_json(
            {
                "semantics": 3,
                "home": "/home/ada",
                "timeZone": "UTC",
                "servers": {},
                "rules": [],
                "annotations": made.get("annotations", made),
            }
        )
    return found


@pytest.mark.parametrize(("server", "text", "tool", "arguments", "expected"), CASES)
def test_a_restriction_reaches_every_way_to_a_state_or_value(
    second_ways: dict[str, Policy], server: str, text: str, tool: str, arguments: dict[str, Any], expected: set[str]
) -> None:
    known = second_ways[server]
    made = compile_clauses(f"{text}\n\nAllow using any tool of {server}.", known)
    call = ToolCall(server=server, tool=tool, arguments=arguments)
    decided = evaluate(replace(known, rules=made.rules), call, surroundings=LEXICAL).decision
    assert ("refused" if made.refused else decided) in expected, made.refused
