"""Ordinary sentences that were read as another policy: a permission that says no, a tool that only sounds alike."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from retouch.recipes.policy import Policy, ToolCall, evaluate
from retouch.recipes.policy.english.compiling import compile_clauses

TOOLS: dict[str, dict[str, list[str]]] = {
    "home": {"turn_on": ["entity"], "turn_off": ["entity"], "unlock_door": ["door"]},
    "flights": {"cancel_booking": ["booking"], "change_booking": ["booking"]},
    "kube": {"list_pods": ["namespace"], "delete_pod": ["namespace"], "install_chart": ["namespace"]},
    "shop": {"cancel_order": ["order"], "refund_order": ["order", "amount"]},
    "social": {
        "create_post": ["body"],
        "schedule_post": ["body"],
        "delete_post": ["post"],
        "send_direct_message": ["body"],
    },
    "mail": {"read_message": ["id"], "mark_read": ["id"], "delete_message": ["id"]},
    "ops": {
        "get_log": ["name"],
        "truncate_log": ["name"],
        "flush_history": ["name"],
        "toggle_status": ["name"],
        "pods_list": [],
        "check_out_host": ["name"],
        "log_incident": ["name"],
        "acknowledge_incident": ["name"],
    },
    "bills": {"create_invoice": ["amount"], "send_invoice": ["invoice"], "list_payments": []},
    "mailbox": {"send_message": ["to", "body"], "forward_message": ["id", "to"]},
    "tracker": {"create_issue": ["team", "title"], "comment_on_issue": ["id", "body"]},
    "board": {"rename_card": ["name"], "move_card": ["name"], "card_history": ["name"]},
}
ROLES = {"to": "email-address"}
TOLD: dict[str, tuple[str, dict[str, dict[str, Any]]]] = {
    "create_comment": ("Comment on an issue.", {"issue_id": {"type": "string"}, "body": {"type": "string"}}),
    "create_issue": ("Create an issue.", {"team": {"type": "string"}, "title": {"type": "string"}}),
    "control_gate": ("Lock or unlock a gate.", {"gate": {"type": "string"}, "action": {"enum": ["lock", "unlock"]}}),
    "copy_object": ("Copy an object.", {"source_bucket": {"type": "string"}, "target_bucket": {"type": "string"}}),
    "list_objects": ("List objects.", {"bucket": {"type": "string"}}),
    "schedule_campaign": ("Send a campaign later.", {"campaign": {"type": "string"}}),
    "create_campaign": ("Create a campaign.", {"title": {"type": "string"}}),
    "update_ticket": ("Change a ticket.", {"id": {"type": "string"}, "state": {"enum": ["open", "done"]}, "owner": {}}),
    "solve_ticket": ("Solve a ticket.", {"id": {"type": "string"}}),
    "answer_ticket": ("Answer a ticket.", {"id": {"type": "string"}}),
}


def frame(*servers: str) -> Policy:
    made: dict[str, Any] = {}
    for server in servers:
        tools: list[dict[str, Any]] = []
        for tool, arguments in TOOLS[server].items():
            kinds = {one: {"type": "number" if one == "amount" else "string"} for one in arguments}
            schema = {"type": "object", "properties": kinds}
            tools.append(
                {"toolName": tool, "args": {one: [ROLES.get(one, "none")] for one in arguments}, "inputSchema": schema}
            )
        made[server] = {"tools": tools}
    return Policy.of_json({"semantics": 3, "home": "/home/ada", "rules": [], "annotations": {"servers": made}})


def is_refused(text: str, server: str) -> bool:
    return bool(compile_clauses(text, frame(server)).refused)


def decided(text: str, server: str, tool: str, *, others: bool = False, arguments: dict[str, Any] | None = None) -> str:
    """Return the decision about a call. `others`: a further sentence allows all tools."""
    more = f"\n\nAllow using any tool of {server}." if others else ""
    known = frame(server)
    made = compile_clauses(text + more, known)
    assert not made.refused, made.refused
    call = {"serverName": server, "toolName": tool, "arguments": arguments or {}}
    return evaluate(replace(known, rules=made.rules), call).decision


@pytest.mark.parametrize(
    ("text", "server", "tool"),
    [
        ("Cancel nothing.", "flights", "cancel_booking"),
        ("Cancel nothing without asking me.", "flights", "cancel_booking"),
        ("You may delete nothing.", "social", "delete_post"),
        ("You can change nothing.", "flights", "change_booking"),
        ("Allow deleting nothing.", "mail", "delete_message"),
        ("Turn off nothing.", "home", "turn_off"),
    ],
)
def test_nothing_is_never_read_as_anything(text: str, server: str, tool: str):
    made = compile_clauses(text, frame(server))
    assert made.refused or not any(rule.then == "allow" for rule in made.rules), tool


def test_nothing_as_the_subject_of_a_permission_still_forbids():
    assert "deny" == decided("Nothing may be deleted.", "mail", "delete_message", others=True, arguments={"id": "1"})
    assert "allow" == decided("Nothing may be deleted.", "mail", "read_message", others=True, arguments={"id": "1"})


@pytest.mark.parametrize(
    "text",
    [
        "You may delete pods and install charts in the staging namespace.",
        "You may delete pods and install charts in staging.",
        "You may delete pods, list pods and install charts in staging only.",
    ],
)
def test_a_place_at_the_end_may_belong_to_every_action_of_a_permission(text: str):
    assert is_refused(text, "kube")


def test_a_place_that_is_repeated_or_that_one_action_cannot_have_is_clear():
    text = "You may delete pods in dev and install charts in staging."
    assert "deny" == decided(text, "kube", "delete_pod", arguments={"namespace": "staging"})
    assert "allow" == decided(text, "kube", "install_chart", arguments={"namespace": "staging"})
    text = "You may cancel orders and refund up to 30."
    assert "allow" == decided(text, "shop", "cancel_order", arguments={"order": "1"})
    assert "deny" == decided(text, "shop", "refund_order", arguments={"order": "1", "amount": 31})


@pytest.mark.parametrize(
    "text",
    [
        "Cancel orders and refund them if they cost less than 30.",
        "Cancel orders and refund them as long as the amount is under 30.",
        "You may cancel orders and refund orders provided that the amount is below 30.",
    ],
)
def test_a_condition_at_the_end_is_not_given_to_the_last_action_alone(text: str):
    assert is_refused(text, "shop")


@pytest.mark.parametrize(
    ("text", "server", "allowed", "denied"),
    [
        ("You may schedule posts.", "social", ["schedule_post"], ["create_post", "send_direct_message"]),
        ("You may post.", "social", ["create_post"], ["send_direct_message", "delete_post"]),
        ("You may rename cards.", "board", ["rename_card"], ["move_card"]),
        ("You may view cards.", "board", ["card_history"], ["rename_card"]),
        ("You may read emails.", "mail", ["read_message"], ["mark_read", "delete_message"]),
        ("You may read logs.", "ops", ["get_log"], ["truncate_log", "log_incident"]),
        ("You may list pods.", "ops", ["pods_list"], ["toggle_status"]),
    ],
)
def test_a_permission_means_no_tool_that_only_sounds_alike(
    text: str, server: str, allowed: list[str], denied: list[str]
):
    for tool in allowed:
        assert "allow" == decided(text, server, tool, arguments=dict.fromkeys(TOOLS[server][tool], "1"))
    for tool in denied:
        assert "deny" == decided(text, server, tool, arguments=dict.fromkeys(TOOLS[server][tool], "1"))


@pytest.mark.parametrize("text", ["You may view incidents.", "You may check hosts.", "You may view the history."])
def test_a_tool_that_changes_something_is_no_tool_that_reads(text: str):
    assert is_refused(text, "ops")


@pytest.mark.parametrize(
    ("text", "server", "denied", "allowed"),
    [
        ("Never delete logs.", "ops", ["truncate_log"], ["get_log"]),
        ("Never delete anything.", "ops", ["truncate_log", "flush_history"], ["get_log", "acknowledge_incident"]),
        ("Never change anything.", "ops", ["truncate_log", "toggle_status", "log_incident"], ["get_log", "pods_list"]),
        ("Never change anything.", "mail", ["mark_read", "delete_message"], ["read_message"]),
        ("Never delete emails.", "mail", ["delete_message"], ["mark_read", "read_message"]),
    ],
)
def test_a_prohibition_reaches_tools_whose_names_end_like_reading(
    text: str, server: str, denied: list[str], allowed: list[str]
):
    for tool in denied:
        assert "deny" == decided(text, server, tool, others=True, arguments=dict.fromkeys(TOOLS[server][tool], "1"))
    for tool in allowed:
        assert "allow" == decided(text, server, tool, others=True, arguments=dict.fromkeys(TOOLS[server][tool], "1"))


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("You may create invoices below 500, send them, and list payments.", "bills"),
        ("You may create invoices below 500, and you may send them.", "bills"),
        ("You may send messages to anna@example.com and forward them.", "mailbox"),
        ("Never send messages to anna@example.com, but you may forward them.", "mailbox"),
    ],
)
def test_a_pronoun_never_loses_the_limits_of_what_it_stands_for(text: str, server: str):
    assert is_refused(text, server)


def test_a_pronoun_may_widen_what_is_asked_about_or_forbidden():
    text = "You may send messages to anna@example.com, but ask before forwarding them."
    assert "escalate" == decided(text, "mailbox", "forward_message", arguments={"id": "1", "to": "eve@example.org"})
    text = "You may create invoices below 500, but never send them."
    assert "deny" == decided(text, "bills", "send_invoice", arguments={"invoice": "1"})


@pytest.mark.parametrize(
    "text",
    [
        "Comment on issues, but don't open new ones of my team.",
        "Never open issues of my team.",
        "You may open issues for our teams.",
        "Ask before opening issues in your team.",
    ],
)
def test_whose_team_it_is_is_never_ignored_if_a_call_names_a_team(text: str):
    assert is_refused(text, "tracker")
    assert not is_refused("Comment on issues, but don't open new ones.", "tracker")


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("You may cancel my bookings.", "flights"),
        ("Cancelling my bookings is fine.", "flights"),
        ("My bookings may be cancelled.", "flights"),
        ("Only cancel my bookings.", "flights"),
        ("You may delete our pods.", "kube"),
        ("Never cancel bookings except my bookings.", "flights"),
        ("You may refund my orders.", "shop"),
    ],
)
def test_a_permission_for_my_things_is_none_for_the_things_of_others(text: str, server: str):
    assert is_refused(text, server)


def test_my_is_read_where_a_tool_reaches_nothing_else():
    assert not is_refused("You may read my messages.", "mail")
    assert not is_refused("Never cancel my bookings.", "flights")


def listed(**tools: dict[str, Any]) -> Policy:
    """Return tools whose schemas list values."""
    made = [
        {
            "toolName": name,
            "args": {one: ["none"] for one in schemas},
            "inputSchema": {"type": "object", "properties": schemas},
        }
        for name, schemas in tools.items()
    ]
    annotations: Any = {"servers": {"ops": {"tools": made}}}
    return Policy.of_json({"semantics": 3, "home": "/home/ada", "rules": [], "annotations": annotations})


TEXT = {"type": "string"}
NUMBER = {"type": "number"}
OPS = listed(
    deploy={"service": TEXT, "env": {"type": "string", "enum": ["prod", "staging"]}},
    restart_service={"service": TEXT, "environment": TEXT},
    create_ticket={"title": TEXT, "priority": {"type": "string", "enum": ["low", "urgent"]}},
    close_ticket={"ticket_id": TEXT},
    delete_database={"name": TEXT, "environment": TEXT},
    drop_database={"name": TEXT},
    pay_bill={"payee": TEXT, "amount": NUMBER},
    book_hotel={"hotel": TEXT, "nights": NUMBER},
    insert_row={"table": TEXT, "values": TEXT},
    select_rows={"table": TEXT},
)


def ops_decision(text: str, tool: str, **arguments: Any) -> str:
    rules = compile_clauses(f"{text}\n\nAllow using any tool of ops.", OPS).rules
    call = ToolCall(server="ops", tool=tool, arguments=arguments)
    return evaluate(replace(OPS, rules=rules), call).decision


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        ("Never deploy to production.", "deploy", {"service": "a", "env": "prod"}),
        ("Never restart services in production.", "restart_service", {"service": "a", "environment": "prod"}),
        (
            "Restarting services is allowed in every environment except production.",
            "restart_service",
            {"service": "a", "environment": "Production"},
        ),
        ("Never create urgent tickets.", "create_ticket", {"title": "x", "priority": "urgent"}),
        ("Never create urgent tickets.", "create_ticket", {"title": "x"}),
        ("Never pay bills to payee EnBW.", "pay_bill", {"payee": "enbw", "amount": 1}),
        ("Never pay bills over 1,000 euros.", "pay_bill", {"payee": "x", "amount": 1001}),
        ("You may pay bills of at most 50 euros.", "pay_bill", {"payee": "x", "amount": 51}),
        ("Hotels may be booked for at most 5 nights.", "book_hotel", {"hotel": "x", "nights": 6}),
        ("Hotels must not be booked for more than seven nights.", "book_hotel", {"hotel": "x", "nights": 8}),
        ("Tickets may be created but must never be closed.", "close_ticket", {"ticket_id": "1"}),
        ("Writing to the users table is prohibited.", "insert_row", {"table": "users", "values": "x"}),
        ("The salaries table is off limits.", "select_rows", {"table": "public.salaries"}),
        ("The salaries table is off limits.", "select_rows", {"table": "orders, salaries"}),
        ("The salaries table is off limits.", "select_rows", {"table": "hr.salaries s"}),
        ("Only engineers may restart services.", "restart_service", {"service": "a", "environment": "x"}),
    ],
)
def test_what_a_sentence_restricts_is_never_allowed(text: str, tool: str, arguments: dict[str, Any]):
    assert not compile_clauses(text, OPS).refused
    assert "deny" == ops_decision(text, tool, **arguments)


@pytest.mark.parametrize(
    "text",
    [
        "You may pay bills of up to 1.000 euros.",  # a thousand, or one
        "Never pay bills under 1,00 euros.",
        "Pay bills under 1,000, 2,000 or 3,000 euros.",
        "Never close urgent tickets.",
        "Urgent tickets need approval.",
        "Never deploy to development.",  # not in the list of environments
        "Never delete production databases.",
        "Never delete databases in production.",
        "You may restart services if required.",
        "You may create tickets with priority low, but never urgent ones.",
        "If a bill is paid twice, ask me.",
    ],
)
def test_what_no_argument_can_show_is_refused(text: str):
    assert compile_clauses(text, OPS).refused


def test_a_limit_of_a_permission_is_stricter_than_a_question_about_something_else():
    text = "You may pay at most 3 bills per day.\n\nPayments over 200 need my approval."
    rules = compile_clauses(text, OPS).rules
    assert ["deny", "escalate", "allow"] == [one.then for one in rules]


@pytest.mark.parametrize(
    "text",
    [
        "Never write to anyone outside acme.example.",
        "Never write to eve@evil.example.",
        "Don't write messages to people outside of acme.example.",
    ],
)
def test_writing_to_somebody_is_sending(text: str):
    """Writing was read as making a draft or a file, so that the message was sent."""
    tools: list[Any] = [
        {"toolName": "create_draft", "args": {"to": ["email-address"], "body": ["email-body"]}},
        {"toolName": "send_message", "args": {"to": ["email-address"], "body": ["email-body"]}},
    ]
    annotations: Any = {"servers": {"mail": {"tools": tools}}}
    known = Policy.of_json({"semantics": 3, "home": "/home/ada", "rules": [], "annotations": annotations})
    made = compile_clauses(f"{text}\n\nAllow using any tool of mail.", known)
    call = ToolCall(server="mail", tool="send_message", arguments={"to": "eve@evil.example", "body": "x"})
    assert not made.refused
    assert "deny" == evaluate(replace(known, rules=made.rules), call).decision


@pytest.mark.parametrize("amount", [5, 60])
def test_amounts_that_must_lie_between_two_bounds_are_denied_on_both_sides(amount: int) -> None:
    text = "Refunds must be between 10 and 50 euros."
    assert decided(text, "shop", "refund_order", others=True, arguments={"order": "a", "amount": amount}) == "deny"


def told(*names: str) -> Policy:
    """Return a policy without rules for tools with descriptions. The first argument of each is required."""
    tools: list[Any] = [
        {
            "toolName": name,
            "comment": TOLD[name][0],
            "args": {arg: ["none"] for arg in TOLD[name][1]},
            "inputSchema": {
                "type": "object",
                "properties": TOLD[name][1],
                "required": [arg for arg in TOLD[name][1] if arg not in {"owner", "state"}],
            },
        }
        for name in names
    ]
    annotations: Any = {"servers": {"work": {"tools": tools}}}
    return Policy.of_json({"semantics": 3, "home": "/home/ada", "rules": [], "annotations": annotations})


@pytest.mark.parametrize(
    ("text", "names", "call", "wanted"),
    [
        ("You may create issues.", ("create_issue", "create_comment"), {"body": "x", "issue_id": "1"}, "deny"),
        ("You may lock gates.", ("control_gate",), {"gate": "North", "action": "unlock"}, "deny"),
        (
            "Never touch the bucket Payroll.",
            ("list_objects", "copy_object"),
            {"source_bucket": "Payroll", "target_bucket": "x"},
            "deny",
        ),
        ("Never schedule a campaign.", ("schedule_campaign", "create_campaign"), {"title": "x"}, "allow"),
        ("Never unlock the gate North.", ("control_gate",), {"gate": "North", "action": "lock"}, "allow"),
        ("Never solve a ticket.", ("solve_ticket", "answer_ticket"), {"id": "1"}, "allow"),
    ],
)
def test_a_sentence_is_about_no_other_tool_and_no_other_value(
    text: str, names: tuple[str, ...], call: dict[str, Any], wanted: str
):
    known = told(*names)
    prohibits = text.startswith("Never")
    made = compile_clauses(text + ("\n\nAllow using any tool of work." if prohibits else ""), known)
    assert not made.refused, made.refused
    found = evaluate(replace(known, rules=made.rules), {"serverName": "work", "toolName": names[-1], "arguments": call})
    assert wanted == found.decision


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("You may set a ticket to done.", ("update_ticket",)),  # and change its owner in the same call
        ("You may create issues in the team Alpha and comment on them.", ("create_issue", "create_comment")),
        ("Never touch the team Alpha.", ("create_issue", "create_comment")),  # nobody sees the team of `issue_id`
    ],
)
def test_what_would_allow_more_or_forbid_less_than_it_says_is_refused(text: str, names: tuple[str, ...]):
    assert compile_clauses(text, told(*names)).refused


def _bank() -> Policy:
    name = {"type": "string", "description": "Name of the account"}
    schemas: dict[str, dict[str, Any]] = {
        "list_transactions": {"account": name},
        "cancel_standing_order": {"order_id": {"type": "string"}},
        "make_transfer": {"from_account": name, "to_iban": {"type": "string"}, "amount": {"type": "number"}},
    }
    tools: list[Any] = [
        {
            "toolName": tool,
            "args": {one: ["none"] for one in properties},
            "inputSchema": {"type": "object", "properties": properties, "required": list(properties)},
        }
        for tool, properties in schemas.items()
    ]
    servers: Any = {"bank": {"tools": tools}}
    return Policy.of_json({"semantics": 3, "home": "/home/ada", "rules": [], "annotations": {"servers": servers}})


def test_a_transfer_to_an_account_is_not_permitted_from_it() -> None:
    for text in ("Transfers to the account Savings are fine.", "You may make transfers to the account Savings."):
        assert compile_clauses(text, _bank()).refused, text


def test_an_account_that_must_not_be_touched_pays_no_transfer() -> None:
    known = _bank()
    made = compile_clauses("The account Savings must not be touched.\n\nAllow using any tool of bank.", known)
    arguments: dict[str, Any] = {"from_account": "Savings", "to_iban": "DE1", "amount": 5}
    call = {"serverName": "bank", "toolName": "make_transfer", "arguments": arguments}
    assert not made.refused
    assert evaluate(replace(known, rules=made.rules), call).decision == "deny"
