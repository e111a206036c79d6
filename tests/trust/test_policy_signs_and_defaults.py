"""Signs of channels, defaults of arguments, times of plans and contents of tables: what a sentence is about as well."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from retouch.cli.root import command
from retouch.recipes.policy import Policy, ToolCall, evaluate
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english.clauses import clauses_of
from retouch.recipes.policy.english.compiling import compile_clauses
from retouch.recipes.policy.english.offline import answer
from retouch.recipes.policy.english.rewriting.bare_values import with_bare_values
from retouch.recipes.policy.english.tools.toolbox import Toolbox
from retouch.recipes.policy.language.values import CallState, EarlierCall
from retouch.recipes.policy.making.asking.source import policy_job
from retouch.recipes.policy.making.job import recipe
from retouch.text import fenced_blocks

if TYPE_CHECKING:
    from pathlib import Path

    from retouch._lib.json_text import JSON

TEXT: dict[str, JSON] = {"type": "string"}
CHANNEL: dict[str, JSON] = {**TEXT, "description": "Channel name"}
TABLE: dict[str, JSON] = {**TEXT, "description": "Name of the table"}
ADDRESSES: dict[str, JSON] = {"type": "array", "items": TEXT, "description": "E-mail addresses"}
MOMENT: dict[str, JSON] = {**TEXT, "description": "ISO 8601 time"}
DEPARTMENT: dict[str, JSON] = {**TEXT, "enum": ["Executive", "Sales"]}
FLAG: dict[str, JSON] = {"type": "boolean", "default": False}
SERVERS: dict[str, dict[str, tuple[str, dict[str, Any], tuple[str, ...]]]] = {
    "chat": {
        "post_message": ("Post a message to a channel.", {"channel": CHANNEL, "text": TEXT}, ("channel", "text")),
        "archive_channel": ("Archive a channel.", {"channel": CHANNEL}, ("channel",)),
    },
    "planner": {
        "post_message": ("Post a message to a channel.", {"channel": CHANNEL, "text": TEXT}, ("channel", "text")),
        "schedule_message": (
            "Schedule a message for later.",
            {"channel": CHANNEL, "text": TEXT, "post_at": MOMENT},
            ("channel", "text", "post_at"),
        ),
    },
    "flights": {
        "book_flight": ("Book a flight.", {"flight_id": TEXT, "departure": MOMENT}, ("flight_id",)),
        "update_booking": ("Change a booking.", {"booking_id": TEXT, "departure": MOMENT}, ("booking_id",)),
    },
    "rows": {
        "select_rows": ("Read rows of a table.", {"table": TABLE}, ("table",)),
        "insert_rows": ("Insert rows into a table.", {"table": TABLE, "rows": {"type": "array"}}, ("table", "rows")),
        "update_rows": ("Update rows of a table.", {"table": TABLE, "values": {"type": "object"}}, ("table",)),
        "drop_table": ("Drop a table.", {"table": TABLE}, ("table",)),
    },
    "tickets": {
        "create_ticket": (
            "Create a ticket.",
            {
                "title": TEXT,
                "priority": {"type": "string", "enum": ["normal", "high"]},
                "severity": {"type": "string", "enum": ["minor", "high", "low"]},
            },
            ("title", "priority", "severity"),
        ),
        "close_ticket": ("Close a ticket.", {"ticket_id": TEXT}, ("ticket_id",)),
    },
    "repo": {
        "git_status": ("Show the status of a repository.", {"path": TEXT}, ("path",)),
        "git_diff": ("Show the diff of a repository.", {"path": TEXT}, ("path",)),
        "git_commit": ("Commit the changes.", {"path": TEXT, "message": TEXT}, ("path", "message")),
        "git_branch": ("Create a branch.", {"path": TEXT, "name": TEXT}, ("path", "name")),
    },
    "copies": {
        "send_email": ("Send an e-mail.", {"to": ADDRESSES, "bcc": ADDRESSES, "body": TEXT}, ("to", "body")),
        "reply_to_message": ("Reply to a message.", {"message_id": TEXT, "bcc": ADDRESSES}, ("message_id",)),
    },
    "sql": {
        "read_rows": ("Read rows from a table.", {"table": TABLE}, ("table",)),
        "delete_rows": ("Delete rows of a table.", {"table": TABLE}, ("table",)),
        "query": ("Run an SQL statement.", {"sql": TEXT}, ("sql",)),
    },
    "swaps": {
        "update_rows": ("Update rows of a table.", {"table": TABLE, "values": {"type": "object"}}, ("table",)),
        "swap_tables": ("Swap two tables.", {"first": TABLE, "second": TABLE, "table": TEXT}, ("first", "second")),
    },
    "pushes": {
        "push": ("Push a branch.", {"branch": TEXT, "force": FLAG, "force_with_lease": FLAG}, ("branch",)),
    },
    "changes": {
        "approve_change": ("Approve a change.", {"change_id": TEXT}, ("change_id",)),
        "merge_change": ("Merge a change.", {"change_id": TEXT}, ("change_id",)),
    },
    "issues": {
        "update_issue": (
            "Update an issue.",
            {
                "issue_id": TEXT,
                "title": TEXT,
                "labels": {"type": "array", "items": TEXT, "description": "Labels to set"},
            },
            ("issue_id",),
        ),
    },
    "mail": {
        "send_email": (
            "Send an e-mail.",
            {"to": ADDRESSES, "bcc": ADDRESSES, "attachments": {"type": "array", "items": TEXT}, "body": TEXT},
            ("to", "body"),
        ),
        "reply_to_message": (
            "Reply to a message.",
            {"message_id": TEXT, "body": TEXT, "reply_all": FLAG},
            ("message_id", "body"),
        ),
    },
    "desk": {
        "close_case": ("Close a case.", {"case_id": TEXT}, ("case_id",)),
        "update_case": ("Update a case.", {"case_id": TEXT, "status": TEXT, "priority": TEXT}, ("case_id",)),
    },
    "outlook": {
        "send_mail": ("Send a new email.", {"to": ADDRESSES, "body": TEXT}, ("to", "body")),
        "reply_to_message": ("Send a reply to a message.", {"message_id": TEXT, "body": TEXT}, ("message_id", "body")),
        "forward_message": ("Forward a message.", {"message_id": TEXT, "to": ADDRESSES}, ("message_id", "to")),
        "delete_message": (
            "Delete a message.",
            {"message_id": TEXT, "permanent": {"type": "boolean", "description": "Delete for good"}},
            ("message_id",),
        ),
    },
    "letters": {"send_mail": ("Send a new email.", {"to": ADDRESSES, "body": TEXT}, ("to", "body"))},
    "texts": {
        "send_mail": ("Send a new email.", {"to": ADDRESSES, "body": TEXT}, ("to", "body")),
        "send_message": ("Send a text message to a phone.", {"phone": TEXT, "body": TEXT}, ("phone", "body")),
    },
    "pulls": {
        "create_pull_request": (
            "Open a pull request.",
            {
                "title": TEXT,
                "head": {**TEXT, "description": "The branch where your changes are"},
                "base": {**TEXT, "description": "The branch to merge into"},
            },
            ("title", "head", "base"),
        ),
    },
    "pages": {
        "delete_page": ("Delete a page.", {"page": {**TEXT, "description": "Path of the page"}}, ("page",)),
    },
    "staff": {
        "create_employee": ("Add an employee.", {"name": TEXT, "department": DEPARTMENT}, ("name", "department")),
        "update_employee": (
            "Change an employee.",
            {"employee_id": TEXT, "department": DEPARTMENT, "phone": TEXT},
            ("employee_id",),
        ),
    },
    "visits": {
        "book_visit": (
            "Book a visit.",
            {
                "patient": TEXT,
                "duration_minutes": {"type": "integer", "description": "Duration in minutes (default 15)"},
                "notify": {"type": "boolean", "description": "Tell the patient"},
            },
            ("patient",),
        ),
        "book_stay": (
            "Book a stay.",
            {"patient": TEXT, "duration_days": {"type": "integer", "default": 9}},
            ("patient",),
        ),
    },
    "store": {
        "create_bucket": ("Create a bucket.", {"name": TEXT, "public": FLAG}, ("name",)),
        "make_refund": ("Refund a payment.", {"payment_id": TEXT, "reason": TEXT}, ("payment_id",)),
        "list_buckets": ("List the buckets.", {}, ()),
    },
}
ROLES = {
    "to": "email-address",
    "bcc": "email-address",
    "head": "branch-name",
    "base": "branch-name",
    "sql": "executes-code",
}


def tools_of(server: str) -> dict[str, Any]:
    """Return the annotations of a server."""
    tools: list[dict[str, Any]] = [
        {
            "toolName": name,
            "comment": comment,
            "args": {arg: [ROLES.get(arg, "none")] for arg in arguments},
            "inputSchema": {"type": "object", "properties": arguments, "required": list(required)},
        }
        for name, (comment, arguments, required) in SERVERS[server].items()
    ]
    return {"servers": {server: {"tools": tools}}}


def frame(server: str) -> Policy:
    value: Any = {"semantics": 3, "home": "/home/ada", "timeZone": "UTC", "servers": {}, "rules": []}
    return Policy.of_json({**value, "annotations": tools_of(server)})


def decided(server: str, text: str, tool: str, /, *, state: Any = None, **arguments: Any) -> str:
    """Return the decision about a call by a text and a permission of everything else, or "refused"."""
    known = frame(server)
    made = compile_clauses(f"{text}\n\nAllow using any tool of {server}.", known)
    if made.refused:
        return "refused"
    call = ToolCall(server=server, tool=tool, arguments=arguments, state=state)
    return evaluate(replace(known, rules=made.rules), call, surroundings=LEXICAL).decision


@pytest.mark.parametrize(
    ("text", "channel"),
    [
        ("Never post in the general channel.", "#general"),
        ('Never post in the channel "general".', "#general"),
        ("Never post in #general.", "general"),
        ("Never post in channels starting with ext-.", "#ext-acme"),
        ("Never post in #general.", "<#general>"),
        ("Never post in channels starting with #ext-.", "ext-acme"),
    ],
)
def test_a_channel_is_the_same_with_and_without_its_sign(text: str, channel: str) -> None:
    assert "deny" == decided("chat", text, "post_message", channel=channel, text="x")
    assert "allow" == decided("chat", text, "post_message", channel="#random", text="x")


def test_a_limit_for_each_channel_counts_both_spellings_together() -> None:
    at = datetime(2026, 3, 4, 12, tzinfo=UTC)
    earlier = tuple(
        EarlierCall(
            call=ToolCall(server="chat", tool="post_message", arguments={"channel": name, "text": "x"}),
            at=at - timedelta(minutes=minute),
        )
        for minute, name in enumerate(("#dev", "dev", "#dev"), 1)
    )
    text = "No more than 3 messages per channel in an hour."
    for channel, wanted in (("dev", "deny"), ("#dev", "deny"), ("other", "allow")):
        state = CallState(at=at, earlier=earlier)
        assert wanted == decided("chat", text, "post_message", state=state, channel=channel, text="x")


@pytest.mark.parametrize("text", ["Never post on weekends.", "Never post to #general between 22:00 and 6:00."])
def test_a_time_is_not_that_of_the_call_where_a_tool_plans_for_later(text: str) -> None:
    at = datetime(2026, 3, 6, 12, tzinfo=UTC)
    later = {"channel": "#general", "text": "x", "post_at": "2026-03-07T23:00:00+00:00"}
    assert "refused" == decided("planner", text, "schedule_message", state=CallState(at=at), **later)


def test_a_departure_that_is_left_out_is_not_known_and_a_change_without_one_leaves_it() -> None:
    text = "Never book a flight that departs on a Sunday."
    assert "deny" == decided("flights", text, "book_flight", flight_id="f")
    assert "deny" == decided("flights", text, "book_flight", flight_id="f", departure="2026-03-08T10:00:00+00:00")
    assert "allow" == decided("flights", text, "book_flight", flight_id="f", departure="2026-03-09T10:00:00+00:00")
    moved = "Flights must not depart before 7:00."
    assert decided("flights", moved, "update_booking", booking_id="b") in {"allow", "refused"}


@pytest.mark.parametrize("tool", ["insert_rows", "update_rows", "drop_table", "swap_tables"])
def test_who_must_not_modify_a_table_must_not_change_what_is_in_it(tool: str) -> None:
    text = "The tables users and payments must not be modified."
    values: dict[str, Any] = {"swap_tables": {"first": "users", "second": "x"}, "insert_rows": {"rows": []}}
    server = "swaps" if tool == "swap_tables" else "rows"
    assert decided(server, text, tool, **{"table": "users", **values.get(tool, {})}) in {"deny", "refused"}
    assert decided("rows", text, "select_rows", table="users") in {"allow", "refused"}


@pytest.mark.parametrize(
    "text",
    ["Ask me before deleting rows.", "Ask me before deleting rows from the customers table.", "Deleting needs my OK."],
)
def test_who_must_ask_must_ask_before_running_code_that_does_it(text: str) -> None:
    assert decided("sql", text, "query", sql="DELETE FROM customers") in {"escalate", "refused"}


def test_the_names_of_several_tables_are_read() -> None:
    text = "Ask me before deleting rows from the customers and orders tables."
    assert "escalate" == decided("sql", text, "delete_rows", table="customers")
    assert "escalate" == decided("sql", text, "delete_rows", table="orders")
    assert "allow" == decided("sql", text, "delete_rows", table="visits")


def test_an_empty_list_is_nobody_and_no_attachment() -> None:
    for text, arg, wanted in (
        ("Never put anybody in bcc.", "bcc", "deny"),
        ("Ask me before sending an e-mail that has attachments.", "attachments", "escalate"),
    ):
        call: dict[str, Any] = {"to": ["bob@acme.example"], "body": "x"}
        assert "allow" == decided("mail", text, "send_email", **call)
        assert "allow" == decided("mail", text, "send_email", **call, **{arg: []})
        assert wanted == decided("mail", text, "send_email", **call, **{arg: ["a@b.example"]})


def test_who_puts_nobody_in_bcc_does_not_do_it_in_a_reply() -> None:
    text = "Never put anybody in bcc."
    assert decided("copies", text, "reply_to_message", message_id="m", bcc=["a@b.example"]) in {"deny", "refused"}


def test_replying_to_all_is_not_every_reply() -> None:
    text = "Replying to all recipients is forbidden unless I agree to it."
    assert decided("mail", text, "reply_to_message", message_id="m", body="x") in {"allow", "refused"}


def test_a_push_that_forces_in_another_way_is_not_allowed() -> None:
    assert decided("pushes", "Never force-push.", "push", branch="a", force_with_lease=True) in {"deny", "refused"}


def test_an_approval_that_the_agent_gives_itself_is_none() -> None:
    text = "A change must be approved before it is merged."
    at = datetime(2026, 3, 4, 12, tzinfo=UTC)
    call = ToolCall(server="changes", tool="approve_change", arguments={"change_id": "1"})
    state = CallState(at=at, earlier=(EarlierCall(call=call, at=at - timedelta(minutes=1)),))
    assert "allow" != decided("changes", text, "merge_change", state=state, change_id="1")


@pytest.mark.parametrize(
    "text", ["I want to approve every email before it goes out.", "Never send an email without my approval."]
)
def test_a_message_is_an_e_mail_where_a_server_sends_e_mails(text: str) -> None:
    assert "escalate" == decided("outlook", text, "send_mail", to=["a@b.example"], body="x")
    assert "escalate" == decided("outlook", text, "reply_to_message", message_id="m", body="x")
    assert "escalate" == decided("outlook", text, "forward_message", message_id="m", to=["a@b.example"])
    assert decided("texts", text, "send_message", phone="1", body="x") in {"allow", "refused"}


def test_who_gets_no_e_mails_gets_no_forwarded_ones() -> None:
    text = "Never send emails to bob@acme.example."
    forwarded = decided("outlook", text, "forward_message", message_id="m", to=["bob@acme.example"])
    assert forwarded in {"deny", "refused"}


@pytest.mark.parametrize(
    "text",
    [
        "Never open pull requests into the release branch.",
        "Never open a pull request into the branch release.",
        "No pull requests to the release branch.",
    ],
)
def test_a_pull_request_goes_into_its_base(text: str) -> None:
    assert "deny" == decided("pulls", text, "create_pull_request", title="x", head="dev", base="release")
    assert "allow" == decided("pulls", text, "create_pull_request", title="x", head="release", base="dev")


def test_a_pull_request_comes_from_its_head_and_on_a_branch_is_either() -> None:
    text = "Never open a pull request from the release branch."
    assert "deny" == decided("pulls", text, "create_pull_request", title="x", head="release", base="dev")
    assert "allow" == decided("pulls", text, "create_pull_request", title="x", head="dev", base="release")
    demanded = "Pull requests must go into the develop branch."
    assert "deny" == decided("pulls", demanded, "create_pull_request", title="x", head="develop", base="main")
    either = "Never open a pull request on the release branch."
    assert "refused" == decided("pulls", either, "create_pull_request", title="x", head="dev", base="release")


def test_what_is_inside_of_a_page_is_not_outside_of_it() -> None:
    assert decided("pages", "Do not delete any page outside Scratch.", "delete_page", page="Scratch/a") != "deny"


def test_an_update_that_leaves_a_value_does_not_set_it() -> None:
    text = "Do not put anyone into the Executive department."
    assert "deny" == decided("staff", text, "update_employee", employee_id="1", department="Executive")
    assert "deny" == decided("staff", text, "create_employee", name="Ada", department="Executive")
    assert "allow" == decided("staff", text, "update_employee", employee_id="1", phone="2")
    before = "Never update employees in the Executive department."
    assert "allow" != decided("staff", before, "update_employee", employee_id="1", phone="2")


def test_a_value_that_is_left_out_is_the_default_of_the_description() -> None:
    text = "Ask me before booking a visit for longer than an hour."
    assert "allow" == decided("visits", text, "book_visit", patient="p")
    assert "escalate" == decided("visits", text, "book_visit", patient="p", duration_minutes=90)
    assert "escalate" == decided(
        "visits", "Ask me before booking a stay for longer than a week.", "book_stay", patient="p"
    )


def test_a_flag_that_is_left_out_is_off_unless_it_may_be_on() -> None:
    text = "Never delete messages permanently."
    assert "allow" == decided("outlook", text, "delete_message", message_id="m")
    assert "deny" == decided("outlook", text, "delete_message", message_id="m", permanent=True)
    assert "allow" != decided("visits", "Never notify a patient of a visit.", "book_visit", patient="p")


def test_a_status_that_is_free_text_is_a_second_way_to_close() -> None:
    for text, wanted in (("Never close cases.", "deny"), ("Ask me before closing a case.", "escalate")):
        assert wanted == decided("desk", text, "close_case", case_id="1")
        for status in ("closed", "Closed"):
            assert wanted == decided("desk", text, "update_case", case_id="1", status=status)
        assert "allow" == decided("desk", text, "update_case", case_id="1", status="open")
        assert "allow" == decided("desk", text, "update_case", case_id="1", priority="high")


@pytest.mark.parametrize("text", ["Never change closed cases.", "Ask before updating closed cases."])
def test_the_state_of_a_thing_before_the_call_is_not_lost(text: str) -> None:
    assert "refused" == decided("desk", text, "update_case", case_id="1", priority="high")


def test_an_update_with_an_empty_list_removes_what_was_there() -> None:
    text = "Ask before updating issues with labels."
    assert decided("issues", text, "update_issue", issue_id="1", labels=[]) in {"escalate", "refused"}


def test_what_is_false_by_default_may_be_left_out() -> None:
    text = "Never create a public bucket."
    decisions = [decided("store", text, "create_bucket", name="a", **more) for more in ({}, {"public": True})]
    assert ["allow", "deny"] == decisions


def test_half_a_day_does_not_end_a_sentence() -> None:
    one = "Don't post between 10 p.m. and 7 a.m. on Fridays."
    assert [one] == [clause.text for clause in clauses_of(one)]
    two = "Never post after 6 p.m. Ask me before you archive a channel."
    assert 2 == len(clauses_of(two))


@pytest.mark.parametrize(
    ("server", "text"),
    [
        ("letters", "Do not send an e-mail to more than five people."),
        ("letters", "You may send e-mails, except to addresses at rival.example."),
        ("mail", "You may send e-mails, <!-- for now -->but never reply to messages."),
        ("chat", "Never post in #general."),
        ("store", "Never create a public bucket."),
    ],
)
def test_a_restriction_is_verified_next_to_a_permission_of_everything(tmp_path: Path, server: str, text: str) -> None:
    (tmp_path / "tools.json").write_text(json.dumps(tools_of(server)), encoding="utf-8")
    (tmp_path / "text.md").write_text(f"{text}\n\nAllow using any tool of {server}.\n", encoding="utf-8")
    options = ["--tools", str(tmp_path / "tools.json"), "--home", "/home/ada", "--yes", "--no-cache", "--json"]
    words = ["generate", "policy", str(tmp_path / "text.md"), *options, "-o", str(tmp_path / "made")]
    found = CliRunner().invoke(command, words)
    assert ("verified", []) == (json.loads(found.stdout)["status"], json.loads(found.stdout)["issues"])


@pytest.mark.parametrize("value", ["high", "minor"])
def test_the_noun_of_a_value_is_only_dropped_where_no_other_argument_has_the_value(value: str) -> None:
    text = f"Tickets may only be created with the severity {value}."
    wanted = text if value == "high" else f"Tickets may only be created with {value}."
    assert wanted == with_bare_values(text, Toolbox(frame("tickets")))
    found = decided("tickets", text, "create_ticket", title="x", priority="high", severity="low")
    assert found in {"deny", "refused"}


@pytest.mark.parametrize(
    "text",
    [
        "On weekends, never create tickets, and never close any.",
        "On weekends, tickets must not be created or closed.",
        "From 22:00 to 07:00, do not close tickets.",
        "During the night, from 22:00 to 07:00, no tickets may be closed.",
    ],
)
def test_a_time_at_the_beginning_is_that_of_every_part_or_the_sentence_is_refused(text: str) -> None:
    at = datetime(2026, 3, 7, 23, tzinfo=UTC)  # a Saturday
    assert decided("tickets", text, "close_ticket", state=CallState(at=at), ticket_id="1") in {"deny", "refused"}
    noon = datetime(2026, 3, 4, 12, tzinfo=UTC)
    assert decided("tickets", text, "close_ticket", state=CallState(at=noon), ticket_id="1") in {"allow", "refused"}


def judged(text: str, quoted: str, call: dict[str, JSON]) -> dict[str, Any]:
    """Return what the offline judge finds about a call that was expected to be allowed, when it sees one tool."""
    job = policy_job(constitution=text, annotations=tools_of("repo"), base={"home": "/home/ada"})
    prompt = next(one for one in recipe.plan(job) if one.unit.startswith("rules/"))
    blocks = {one.language: json.loads(one.text) for one in fenced_blocks(prompt.user)}
    blocks["tools"] = [one for one in blocks["tools"] if one["tool"] == "git_commit"]
    rule = {"name": "commits", "if": {"tool": ["git_commit"]}, "then": "deny", "principle": quoted, "description": ""}
    failure = {"id": "1", "request": call, "expected": "allow", "decided": "deny"}
    blocks |= {"task": {"task": "judge"}, "rules": [rule | {"reason": ""}], "failures": [failure]}
    user = "\n\n".join(f"```{name}\n{json.dumps(one)}\n```" for name, one in blocks.items())
    return json.loads(answer(replace(prompt, user=user)))


def test_a_judge_that_cannot_read_a_sentence_of_the_rules_blames_no_rule() -> None:
    text = "Never commit without having looked at the diff first."
    call: dict[str, JSON] = {
        "serverName": "repo",
        "toolName": "git_commit",
        "arguments": {"path": "/a", "message": "x"},
    }
    whole = f"{text}\n\nAllow using any tool of repo.\n"
    assert [] == judged(whole, text, call)["verdicts"]
    (verdict,) = judged("Allow using any tool of repo.\n", text, call)["verdicts"]
    assert "rule" == verdict["blame"]
