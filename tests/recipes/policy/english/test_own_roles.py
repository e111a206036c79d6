"""Roles that users declare: in annotations, in rules, in English, and in `annotate`."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import BadInput
from retouch.recipes.policy import Policy, evaluate
from retouch.recipes.policy.analysing.echo import echo_of
from retouch.recipes.policy.annotating.proposing import ListedTool, annotations_of
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english.compiling import compile_clauses, compile_english
from retouch.recipes.policy.language.files import read_tools

if TYPE_CHECKING:
    from pathlib import Path

TOOLS: Any = [
    {"toolName": "select_rows", "args": {"tbl": ["table"], "limit": ["none"]}},
    {"toolName": "transfer_money", "args": {"src": ["account"], "dst": ["payee"], "amount": ["none"]}},
    {"toolName": "push_changes", "args": {"branch": ["branch-name"]}},
]
ROLES = {"table": "the name of a table", "account": "an account of ours", "payee": "who is paid"}


def frame(**more: Any) -> Policy:
    annotations = {"servers": {"s": {"tools": TOOLS}}, "roles": ROLES}
    value: Any = {"semantics": 3, "home": "/home/ada", "rules": [], "servers": {}, "annotations": annotations, **more}
    return Policy.of_json(value)


def decided(text: str, tool: str, **arguments: Any) -> str:
    made = compile_english(text, frame())
    call: Any = {"serverName": "s", "toolName": tool, "arguments": arguments}
    return evaluate(replace(frame(), rules=made.rules), call, surroundings=LEXICAL).decision


@pytest.mark.parametrize(
    ("text", "tool", "allowed", "denied"),
    [
        (
            "You may select rows. Never select rows from table salaries.",
            "select_rows",
            {"tbl": "orders"},
            {"tbl": "SALARIES"},
        ),
        (
            "You may select rows. Never select rows from the salaries table.",
            "select_rows",
            {"tbl": "x"},
            {"tbl": "hr.salaries"},
        ),
        ("You may select rows from table `orders`.", "select_rows", {"tbl": "orders"}, {"tbl": "salaries"}),
        (
            "You may transfer money from account DE12.",
            "transfer_money",
            {"src": "DE12", "dst": "x"},
            {"src": "DE13", "dst": "x"},
        ),
        ("You may transfer money only to payee acme-1.", "transfer_money", {"dst": "acme-1"}, {"dst": "acme-2"}),
        ("You may push changes. Never push to branch main.", "push_changes", {"branch": "dev"}, {"branch": "main"}),
    ],
)
def test_a_sentence_names_values_of_a_role(text: str, tool: str, allowed: dict[str, Any], denied: dict[str, Any]):
    assert ("allow", "deny") == (decided(text, tool, **allowed), decided(text, tool, **denied))


@pytest.mark.parametrize(
    "text",
    [
        "Never select rows from table data.",
        "Never select rows from private tables.",
        "You may transfer money from account Savings of Ada.",
        "You may transfer money from any account except frozen ones.",
    ],
)
def test_an_adjective_is_never_taken_for_a_value(text: str):
    assert compile_clauses(text, frame()).refused


def test_the_echo_names_the_role():
    made = compile_english("Never select rows from table salaries.", frame())
    policy = replace(frame(), rules=made.rules)
    assert ("deny select_rows of s if table is salaries",) == echo_of(policy, [rule.name for rule in made.rules])


def test_an_undeclared_role_is_refused_because_it_may_be_a_typing_error(tmp_path: Path):
    file = tmp_path / "annotations.json"
    tools = {"s": {"tools": [{"toolName": "read", "args": {"path": ["read-paht"]}}]}}
    file.write_text(json.dumps({"servers": tools}), encoding="utf-8")
    with pytest.raises(BadInput, match=r"no role 'read-paht'.*declare your own"):
        read_tools(file)
    rule = {"name": "r", "if": {"where": [{"role": "tabel", "in": ["x"]}]}, "then": "deny"}
    with pytest.raises(BadInput, match="no role 'tabel'"):
        frame(rules=[rule])
    with pytest.raises(BadInput, match="built in"):
        frame(annotations={"servers": {}, "roles": {"read-path": "x"}})


def test_own_roles_are_stored_and_read_again():
    assert ROLES == Policy.of_json(frame().as_json()).roles


def test_annotate_gives_arguments_the_roles_that_the_user_names():
    listed = ListedTool(
        name="select_rows", description="", schema={"properties": {"tbl": {"type": "string"}, "path": {}}}, hints={}
    )
    found: Any = annotations_of("db", (listed,), {"table": ("tbl",), "place": ("path",)})
    tool = found["servers"]["db"]["tools"][0]
    assert (["table"], "place") == (tool["args"]["tbl"], tool["args"]["path"][-1])
    assert {"table", "place"} == set(found["roles"])
    assert {"read-path", "write-path", "delete-path"} & set(tool["args"]["path"])
