"""Static checks: each finds its defect, and says nothing about the small policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.policy import Policy, validate_policy

if TYPE_CHECKING:
    from tests.recipes.policy.conftest import Make

TEXT = """
The agent may read my documents. It may tidy
my downloads. Ask me before it reads anything else. It may look at the news. Ask me about other pages.
Ask me before it pushes. It may work on our own repositories. It may write to the team.
"""


def rule(name: str = "allow-it", then: str = "allow", /, **condition: Any) -> dict[str, Any]:
    return {"name": name, "principle": "The agent may read my documents.", "if": condition, "then": then}


def codes(policy: Policy, **options: Any) -> set[str]:
    return {one.code for one in validate_policy(policy, **options)}


def test_nothing_is_wrong_with_the_small_policy(policy: Policy):
    assert [] == validate_policy(policy, source_text=TEXT)


@pytest.mark.parametrize(
    ("one", "code"),
    [
        (rule(), "CATCH_ALL"),
        (rule(tool=[]), "EMPTY_CONDITION"),
        (rule(lists=[]), "EMPTY_CONDITION"),
        (rule(server=["mars"]), "UNKNOWN_SERVER"),
        (rule(server=["fetch"], tool=["read_file"]), "UNKNOWN_TOOL"),
        (rule(paths={"roles": ["fetch-url"], "within": "/"}), "WRONG_ROLE"),
        (rule(domains={"roles": ["read-path"], "allowed": ["a.example"]}), "WRONG_ROLE"),
        (rule(domains={"roles": ["fetch-url"], "allowed": ["@nobody"]}), "NO_LIST"),
        (rule(domains={"roles": ["fetch-url"], "allowed": ["@owners"]}), "WRONG_LIST"),
        (rule(lists=[{"roles": ["github-owner"], "allowed": ["@news"], "matchType": "identifiers"}]), "WRONG_LIST"),
        (rule(domains={"roles": ["fetch-url"], "allowed": []}), "NOTHING_ALLOWED"),
        (rule(domains={"roles": ["fetch-url"], "allowed": ["News.example"]}), "NOT_LOWER_CASE"),
        (rule("structural-protected-path", server=["fetch"]), "STRUCTURAL"),
        (rule("default-deny", server=["fetch"]), "STRUCTURAL"),
        (rule("deny-unknown-tools", "deny", server=["fetch"]), "STRUCTURAL"),
        (rule("deny-fetch", server=["fetch"]), "NAME_CONTRADICTS"),
        (rule("allow-fetch", "escalate", server=["fetch"]), "NAME_CONTRADICTS"),
        (rule("allow-list", tool=["list_allowed_directories"]), "DEAD"),
        (rule("no-writes", "deny", roles=["write-path"]), "INEFFECTIVE"),
    ],
)
def test_each_defect_is_found(make: Make, one: dict[str, Any], code: str):
    assert code in codes(make(rules=[one]))


def test_two_rules_of_one_name_are_found(make: Make):
    assert "SAME_NAME" in codes(make(rules=[rule(server=["fetch"]), rule(server=["mail"])]))


def test_a_principle_must_be_a_quote_but_may_break_its_lines_elsewhere(policy: Policy, make: Make):
    assert "NOT_A_QUOTE" in codes(policy, source_text=TEXT.replace("pushes", "pulls"))
    assert "NOT_A_QUOTE" in codes(make(rules=[{**rule(server=["fetch"]), "principle": ""}]), source_text=TEXT)
    assert "NOT_A_QUOTE" not in codes(policy)


def test_rules_may_be_held_to_one_server(make: Make):
    made = make(rules=[rule(server=["fetch"])])
    assert "WRONG_SERVER" in codes(made, server="git")
    assert "WRONG_SERVER" not in codes(made, server="fetch")


def test_a_list_that_no_rule_uses_is_a_warning(make: Make):
    found = [one for one in validate_policy(make(rules=[rule(server=["mail"])])) if one.code == "UNUSED_LIST"]
    assert [("news", "warning"), ("owners", "warning")] == [(one.subject, one.severity) for one in found]


def test_a_prohibition_without_effect_is_a_warning_and_a_permission_an_error(make: Make):
    sandbox = rule("allow-sandbox", paths={"roles": ["write-path"], "within": "~/sandbox"})
    made = make(rules=[rule("no-writes", "deny", roles=["write-path"]), sandbox])
    found = {one.subject: one.severity for one in validate_policy(made) if one.code in {"DEAD", "INEFFECTIVE"}}
    assert {"no-writes": "warning", "allow-sandbox": "error"} == found


def test_annotations_are_checked_against_the_schema_of_the_tool(make: Make):
    spec = {"default": ["read-path"], "when": [{"condition": {"arg": "mod", "is": "present"}, "roles": ["write-path"]}]}
    tool = {"toolName": "t", "args": {"path": spec}}
    schema: dict[str, Any] = {"properties": {"path": {}, "mode": {}}}
    made = make(annotations={"servers": {"fetch": {"tools": [{**tool, "inputSchema": schema}]}}}, rules=[])
    found = [one.message for one in validate_policy(made) if one.code == "ANNOTATION"]
    assert 3 == len(found)
    assert "tool fetch/t: argument 'mode' has no roles" in found
    assert any("'mod', which is not an argument" in one for one in found)
    assert any("may only narrow" in one for one in found)


def test_an_escalation_that_another_role_overrides_is_an_error_unless_some_mode_or_the_sandbox_spares_it(make: Make):
    moves = rule("escalate-moves", "escalate", tool=["move_file"], roles=["delete-path"])
    edits = rule("escalate-edits", "escalate", tool=["edit_file"], roles=["read-path"])
    bare: dict[str, Any] = {"semantics": 1, "servers": {}, "protectedPaths": []}
    found = [one for one in validate_policy(make(rules=[moves], **bare)) if one.code == "OVERRIDDEN"]
    assert ["error"] == [one.severity for one in found]
    assert "default deny of 'read-path', 'write-path'" in found[0].message
    assert "OVERRIDDEN" not in codes(make(rules=[edits], **bare))
    assert "OVERRIDDEN" not in codes(make(rules=[moves]))
    reads = rule("allow-others", server=["filesystem"], roles=["read-path", "write-path"])
    assert "OVERRIDDEN" not in codes(make(rules=[moves, reads], **bare))
