"""Sentences about an order: what is done before what."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from retouch.cli.root import command
from retouch.policy import Guard
from retouch.recipes.policy.english.compiling import compile_clauses
from retouch.recipes.policy.english.reading import Reading
from retouch.recipes.policy.language.values import EarlierTools, Limit, Rule, When
from retouch.recipes.policy.making.judging.clause_state import missing_state
from retouch.recipes.policy.scenarios.files import call_in
from tests.recipes.policy.english.meanings import NUMBER, TEXT, frame_of, meaning_of, told

if TYPE_CHECKING:
    from pathlib import Path

OPERATION = told("Operation", {"type": "string", "enum": ["cordon", "drain", "uncordon"]})
STATUS = told("New status", {"type": "string", "enum": ["open", "pending", "solved"]})
DATABASE = told("Database", {"type": "string", "enum": ["app", "staging"]})
TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "node_management": ("Cordon, drain or uncordon a node.", {"operation": OPERATION, "node": told("Node name")}),
    "search_tickets": ("Search tickets.", {"query": TEXT}),
    "get_ticket": ("Get a ticket.", {"ticket_id": NUMBER}),
    "create_ticket": ("Create a ticket.", {"subject": TEXT}),
    "add_public_reply": ("Send a public reply to the customer on a ticket.", {"ticket_id": NUMBER, "body": TEXT}),
    "update_ticket": ("Update the status of a ticket.", {"ticket_id": NUMBER, "status": STATUS}),
    "delete_ticket": ("Delete a ticket.", {"ticket_id": NUMBER}),
    "merge_tickets": ("Merge tickets.", {"source_id": NUMBER, "target_id": NUMBER}),
    "create_backup": ("Create a backup of a database.", {"database": DATABASE}),
    "restore_backup": ("Restore a database from a backup.", {"database": DATABASE, "backup_id": TEXT}),
    "alter_table": ("Alter a table.", {"database": DATABASE, "table": TEXT}),
    "search_hotels": ("Search for hotels in a city.", {"city": told("City name"), "check_in": TEXT}),
    "book_hotel": ("Book a hotel room.", {"hotel_id": TEXT, "city": told("City name"), "check_in": TEXT}),
    "add_comment": ("Comment on an issue.", {"owner": TEXT, "repo": TEXT, "issue_number": NUMBER, "body": TEXT}),
    "close_issue": ("Close an issue.", {"owner": TEXT, "repo": TEXT, "issue_number": NUMBER}),
    "lock_issue": ("Lock an issue.", {"issue_number": NUMBER}),
}
DESK = frame_of("desk", TOOLS)
CORDONED = "node_management (operation is cordon) was called before with the same node"
READ = "get_ticket was called before with the same ticket_id"
COMMENTED = "add_comment was called before with the same issue_number and owner and repo"


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        *(
            (text, {f"deny node_management operation is drain unless {CORDONED}"})
            for text in (
                "Cordon a node before you drain it.",
                "Cordon a node before draining it.",
                "Before you drain a node, cordon it.",
                "Before draining a node, please cordon it first.",
                "You must cordon a node before you drain it.",
                "Never drain a node before you have cordoned it.",
                "Never drain a node before cordoning it.",
                "Don't drain a node until you've cordoned it.",
                "Do not drain a node unless you have cordoned it first.",
                "You may not drain a node before you have cordoned that node.",
                "Never drain a node without cordoning it first.",
                "Never drain a node without first cordoning it.",
                "Never drain a node without having cordoned it.",
                "Only drain a node after you have cordoned it.",
                "Drain a node only once you have cordoned it.",
            )
        ),
        *(
            (
                text,
                {
                    f"deny node_management operation is drain unless {CORDONED}",
                    f"allow node_management operation is drain {CORDONED}",
                },
            )
            for text in (
                "Draining a node is fine once you have cordoned it.",
                "You may drain a node once you have cordoned it.",
                "You may only drain a node after you have cordoned it.",
                "You may drain a node, but only after cordoning it.",
                "Once you have cordoned a node, you may drain it.",
            )
        ),
        (
            "Search for existing tickets before you create a new one.",
            {"deny create_ticket unless search_tickets was called before"},
        ),
        ("Make a backup before you alter a table.", {"deny alter_table unless create_backup was called before"}),
        (
            "Take a backup of the app database before you restore anything into it.",
            {"deny restore_backup database is app unless create_backup (database is app) was called before"},
        ),
        (
            "Book a hotel only after you have searched for hotels in the same city.",
            {"deny book_hotel unless search_hotels was called before with the same city"},
        ),
        (
            "You may mark a ticket as solved after you have replied to the customer on it.",
            {
                "deny update_ticket status is solved unless add_public_reply was called before with the same ticket_id",
                "allow update_ticket status is solved add_public_reply was called before with the same ticket_id",
            },
        ),
        ("Never delete a ticket unless you have read that ticket.", {f"deny delete_ticket unless {READ}"}),
        ("Comment on an issue before you close it.", {f"deny close_issue unless {COMMENTED}"}),
    ],
)
def test_what_is_done_before_what_is_read_with_the_things_that_the_sentence_points_to(text: str, rules: set[str]):
    assert rules == meaning_of(text, DESK)


@pytest.mark.parametrize(
    "text",
    [
        "Ask me before you delete a ticket.",
        "Before deleting a ticket, ask me.",
        "You may delete a ticket once a day.",
        "Never create a ticket before 9 am.",
    ],
)
def test_a_sentence_that_only_looks_like_one_about_an_order_is_read_as_before(text: str):
    found = meaning_of(text, DESK)
    assert found
    assert not any("was called before" in one for one in found)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Look at a ticket before each reply.", ""),
        ("Always search for tickets before you create a new one.", "each time"),
        ("Search for tickets again before you create a new one.", "each time"),
        ("Read every ticket before you delete it.", "each time"),
        ("Do not delete a ticket until you have read it twice.", "each time"),
        ("Read a ticket immediately before you delete it.", "'immediately' may limit"),
        ("Reply to a ticket before you delete it for the day.", "'day' may limit"),
        ("Read a ticket before you delete it, unless it is spam.", "may limit"),
        ("Read a ticket and reply to it before you delete it.", ""),
        ("Read a ticket or search for tickets before you delete it.", "several things"),
        ("You may delete a ticket once you have read it and replied.", "several things"),
        ("Read a ticket before you delete it or merge it.", "what it points to"),
        ("You may delete a ticket once you have read its notes.", "what it points to"),
        ("Never delete a ticket before you have read that.", "what it points to"),
        ("Search for tickets before you create one.", "what it points to"),
        ("Read a ticket before you delete a ticket.", "which ticket"),
        ("Read the ticket before you delete it.", "no argument of both tools names"),
        ("Take a backup of the database before you restore anything into it.", ""),
        ("Cordon a node before you drain a node.", "which node"),
        ("Cordon a node before you drain another node.", ""),
        ("Search for a ticket before you delete it.", "search_tickets says which ticket"),
        ("Never merge tickets before you have read them.", "which ticket"),
        ("Lock an issue before you close it.", "'owner' is not an argument of both"),
        ("Read a ticket before you read it.", "does both"),
        ("You may delete a ticket once the customer has replied to it.", ""),
        ("You may delete a ticket once it is solved.", ""),
        ("Only delete a ticket after I have read it.", ""),
        ("You may delete a ticket after you have asked me.", ""),
        ("You may delete a ticket once you have not read it.", ""),
        ("Never delete a ticket without replying to it.", ""),  # before, or with it?
        ("Delete a ticket after you have read it.", ""),  # a command to do so?
        ("Never drain a node before you have cordoned everything.", "more than one call"),
        ("You may drain a node once you have cordoned all nodes.", "more than one call"),
        ("You may drain a node after cordoning another.", ""),
        ("Make two backups before you alter a table.", ""),
        ("You may delete a ticket once you have read access to it.", "read access"),
        ("Think before you delete a ticket.", "think"),
        ("Wait before you delete a ticket.", "wait"),
        ("Read three tickets before you delete a ticket.", ""),
    ],
)
def test_what_may_mean_something_else_is_refused(text: str, why: str):
    made = compile_clauses(text, DESK)
    assert () == made.rules
    (reason,) = made.refused.values()
    assert why in reason


@pytest.mark.parametrize(
    ("text", "is_missing"),
    [
        ("You may close an issue once you have commented on it.", True),
        ("Close an issue only after the agent has checked it twice.", True),
        ("You may close an issue once you have asked me.", False),
        ("You may close an issue once you've got my okay.", False),
    ],
)
def test_a_permission_of_a_model_without_the_earlier_call_is_not_what_a_sentence_says(text: str, is_missing: bool):
    test = Limit(after=EarlierTools(tools=("add_comment",)))
    bare = When(server=("desk",), tool=("close_issue",))
    rules = [Rule(name="r", when=when, then="allow") for when in (bare, replace(bare, where=(test,)))]
    assert is_missing == ("asks what was called before" in missing_state(text, rules[:1]))
    assert "asks what was called before" not in missing_state(text, rules[1:])


def test_below_a_heading_a_bare_command_may_be_forbidden():
    text = "# Never\n\n- Cordon a node before you drain it.\n"
    assert () == compile_clauses(text, DESK).rules
    plain = "# Nodes\n\n- Never drain a node before you have cordoned it.\n"
    assert 1 == len(compile_clauses(plain, DESK).rules)


@pytest.mark.parametrize(
    "text",
    [
        "Read a ticket before you delete it.\n\nYou may delete tickets.",
        "You may delete a ticket once you have read it.",
    ],
)
def test_a_page_that_does_not_show_the_earlier_tool_leaves_calls_after_it_open(text: str):
    shown = {key: one for key, one in DESK.tools.items() if key[1] == "delete_ticket"}
    frame = replace(DESK, tools=shown)
    reading = Reading(compile_clauses(text, frame, lenient=True).sentences, frame)
    request: Any = {"serverName": "desk", "arguments": {"ticket_id": 1}, "at": "2026-01-01T09:00:00+00:00"}
    asked = call_in({**request, "toolName": "delete_ticket", "earlier": []})
    later = call_in({**request, "toolName": "delete_ticket", "earlier": [{**request, "toolName": "get_ticket"}]})
    assert asked is not None
    assert later is not None
    assert ("deny", None) == (reading.about(asked).decision, reading.about(later).decision)


def test_other_servers_may_have_the_earlier_tool():
    made = compile_clauses("Make a backup before you alter a table.", DESK, elsewhere=["vault"])
    assert () == made.rules
    assert any("tools of one server" in why for why in made.refused.values())


def test_a_tool_that_runs_code_is_not_a_way_around():
    code = {**TOOLS, "run_command": ("Run a shell command.", {"command": TEXT})}
    frame = frame_of("desk", code)
    found = meaning_of("Make a backup before you alter a table.", frame)
    assert {"deny run_command alter_table unless create_backup was called before"} == {
        " ".join(sorted(one.split(" unless ")[0].split(), key=["deny", "run_command", "alter_table"].index))
        + f" unless {one.split(' unless ')[1]}"
        for one in found
    }
    same = meaning_of("Never drain a node before you have cordoned it.", frame)
    assert "deny run_command" in same


def test_a_sentence_is_enforced_from_text_to_guard(tmp_path: Path):
    tools = [
        {
            "name": name,
            "description": about,
            "inputSchema": {"type": "object", "properties": given, "required": [*given]},
        }
        for name, (about, given) in TOOLS.items()
    ]
    (tmp_path / "tools.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")
    text = "You may read tickets.\nYou may delete a ticket once you have read it.\n"
    (tmp_path / "policy.md").write_text(text, encoding="utf-8")
    run = CliRunner().invoke
    options = ["--server", "desk", "-o", str(tmp_path / "annotations.json")]
    assert 0 == run(command, ["policy", "annotate", str(tmp_path / "tools.json"), *options]).exit_code
    options = ["--tools", str(tmp_path / "annotations.json"), "-o", str(tmp_path / "run"), "--yes", "--no-cache"]
    made = run(command, ["generate", "policy", str(tmp_path / "policy.md"), *options, "--json"])
    assert 0 == made.exit_code, made.output
    clause = json.loads(made.output)["clauses"][1]
    assert "enforced" == clause["status"]
    assert {f"allow delete_ticket of desk if {READ}", f"deny delete_ticket of desk unless {READ}"} == {*clause["means"]}
    shown = run(command, ["policy", "clauses", str(tmp_path / "run")])
    assert f"unless {READ}" in " ".join(shown.output.split())
    guard = Guard(tmp_path / "run", counts=tmp_path / "counts")
    made_calls = [("delete_ticket", 1), ("get_ticket", 1), ("delete_ticket", 2), ("delete_ticket", 1)]
    allowed = [guard.decide("desk", tool, {"ticket_id": number}).allowed for tool, number in made_calls]
    assert [False, True, False, True] == allowed
