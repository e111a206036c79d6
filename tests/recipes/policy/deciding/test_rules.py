"""What decides: the order of rules, roles and servers, one test per sentence of the semantics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.policy import Surroundings, ToolCall, evaluate

if TYPE_CHECKING:
    from retouch.recipes.policy import Policy
    from tests.recipes.policy.conftest import Decide, Make


def test_the_first_rule_that_fits_answers(policy: Policy, decide: Decide):
    found = decide(policy, "filesystem/read_file", path="~/Documents/a")
    assert ("allow", "allow-read-documents", "Documents may be read.") == (found.decision, found.rule, found.reason)


def test_what_no_rule_fits_is_denied(policy: Policy, decide: Decide):
    assert "default-deny" == decide(policy, "filesystem/write_file", path="/etc/hosts").rule


def test_every_value_needs_a_rule_and_the_strictest_wins(policy: Policy, decide: Decide):
    found = decide(policy, "filesystem/read_files", paths=["~/Documents/a", "~/Downloads/b", "/etc/hosts"])
    assert ("escalate", ("read-path",)) == (found.decision, found.escalated_roles)
    assert ("allow-read-documents", "allow-tidy-downloads", "escalate-other-reads") == found.discharging


def test_every_role_needs_a_rule_and_the_strictest_wins(policy: Policy, decide: Decide):
    inside = decide(policy, "filesystem/move_file", source="~/Downloads/a", destination="~/Downloads/b")
    outside = decide(policy, "filesystem/move_file", source="/etc/hosts", destination="~/Downloads/b")
    assert ("allow", "deny") == (inside.decision, outside.decision)
    assert "delete-path '/etc/hosts': deny by default-deny" in outside.trace.text


def test_paths_in_the_sandbox_need_no_rule(policy: Policy, decide: Decide):
    found = decide(policy, "filesystem/move_file", source="~/sandbox/a", destination="/home/ada/sandbox/b/../c")
    assert ("allow", "structural-sandbox-allow") == (found.decision, found.rule)


def test_values_in_the_sandbox_leave_the_others_to_the_rules(policy: Policy, decide: Decide):
    found = decide(policy, "filesystem/read_files", paths=["~/sandbox/a", "~/Documents/b"])
    assert ("allow", "allow-read-documents") == (found.decision, found.rule)


def test_a_server_that_is_not_sandboxed_needs_rules_everywhere(make: Make, decide: Decide):
    made = make(semantics=1, servers={"filesystem": {}})
    assert "default-deny" == decide(made, "filesystem/write_file", path="~/sandbox/a").rule


def test_a_mode_changes_the_roles_of_an_argument(policy: Policy, decide: Decide):
    assert "allow" == decide(policy, "filesystem/edit_file", path="~/Documents/a", dryRun=True).decision
    assert "deny" == decide(policy, "filesystem/edit_file", path="~/Documents/a", dryRun="true").decision
    assert "deny" == decide(policy, "filesystem/edit_file", path="~/Documents/a", dryRun=1).decision
    assert "deny" == decide(policy, "filesystem/edit_file", path="~/Documents/a").decision


def test_a_role_counts_even_when_its_argument_is_left_out(policy: Policy, decide: Decide):
    assert "escalate" == decide(policy, "git/push", path="~/sandbox/a").decision
    assert "allow" == decide(policy, "git/status", path="~/sandbox/a").decision


@pytest.mark.parametrize("remote", ["https://evil.example/x", "git@evil.example:x", "origin", ""])
def test_a_host_that_is_not_on_the_allowlist_is_escalated_before_any_rule(policy: Policy, decide: Decide, remote: str):
    found = decide(policy, "git/push", path="~/sandbox/a", remote=remote)
    assert ("structural-domain-escalate", ("git-remote-url",)) == (found.rule, found.escalated_roles)


def test_being_on_the_allowlist_allows_nothing_by_itself(make: Make, decide: Decide):
    made = make(rules=[])
    assert "default-deny" == decide(made, "git/push", path="~/sandbox/a", remote="git@github.com:acme/tool").rule


def test_lists_have_what_was_added_and_not_what_was_taken_away(policy: Policy, decide: Decide):
    hosts = ("news.example", "a.news.example", "extra.example", "intranet.example", "gossip.example", "xnews.example")
    found = [decide(policy, "fetch/get", url=f"https://{host}/").decision for host in hosts]
    assert ["allow"] * 4 + ["escalate"] * 2 == found


def test_a_list_that_nobody_filled_fits_nothing(make: Make, decide: Decide):
    assert "escalate" == decide(make(dynamicLists={}), "fetch/get", url="https://news.example/").decision


def test_without_any_lists_a_reference_is_a_literal(make: Make, decide: Decide):
    assert "allow" == decide(make(dynamicLists=None), "github/merge", owner="@owners").decision
    assert "deny" == decide(make(), "github/merge", owner="@owners").decision


def test_identifiers_are_exact_and_addresses_of_people_are_not(policy: Policy, decide: Decide):
    assert ["allow", "deny"] == [decide(policy, "github/merge", owner=one).decision for one in ("acme", "Acme")]
    assert ["allow", "deny"] == [decide(policy, "mail/send", to=one).decision for one in ("BOB@team.example", "eve@x")]


def test_all_members_must_be_on_a_list(policy: Policy, decide: Decide):
    assert "allow" == decide(policy, "mail/send", to=["ada@team.example", "bob@team.example"]).decision
    assert "deny" == decide(policy, "mail/send", to=["ada@team.example", "eve@x"]).decision
    assert "deny" == decide(policy, "mail/send", to=[]).decision


def test_what_is_decided_before_any_rule_is_decided_in_this_order(policy: Policy, decide: Decide):
    assert "trusted-server" == decide(policy, "clock/anything", path="~/.ssh").rule
    assert "structural-unknown-tool" == decide(policy, "filesystem/format_disk", path="~/.ssh").rule
    assert "structural-introspection-allow" == decide(policy, "filesystem/list_allowed_directories").rule
    assert "default-deny" == decide(policy, "filesystem/list_allowed_directories", path="x").rule


def test_a_server_that_did_not_pass_is_denied_with_the_reason(make: Make, decide: Decide):
    made = make(semantics=1, failed=[{"server": "clock", "reason": "6 scenarios fail"}])
    found = decide(made, "clock/now")
    assert ("deny", "structural-unverified-server", "6 scenarios fail") == (found.decision, found.rule, found.reason)


@pytest.mark.parametrize(
    "request_",
    [
        None,
        7,
        "x",
        [],
        {},
        {"serverName": "clock"},
        {"serverName": 1, "toolName": "x"},
        {"serverName": "clock", "toolName": "x", "arguments": []},
    ],
)
def test_what_is_no_call_is_denied(policy: Policy, request_: Any):
    found = evaluate(policy, request_)
    assert ("deny", "structural-invalid-request") == (found.decision, found.rule)


def test_arguments_may_be_left_out_of_a_call(policy: Policy):
    assert "allow" == evaluate(policy, {"serverName": "filesystem", "toolName": "list_allowed_directories"}).decision


@pytest.mark.parametrize(
    ("remote", "rule"),
    [
        ("git@github.com:acme/tool", "escalate-push"),
        ("https://evil.example/x", "structural-domain-escalate"),
        (None, "escalate-push"),
    ],
)
def test_the_remote_of_a_repository_is_judged_when_none_is_named(strict: Policy, remote: str | None, rule: str):
    asked: list[str] = []

    def default_remote(folder: str) -> str | None:
        asked.append(folder)
        return remote

    empty = ToolCall(server="git", tool="push", arguments={"path": "~/sandbox/a"})
    outside = ToolCall(server="git", tool="push", arguments={"path": "/etc"})
    surroundings = Surroundings(default_remote=default_remote)
    assert rule == evaluate(strict, empty, surroundings=surroundings).rule
    assert ["~/sandbox/a"] == asked
    assert "escalate" == evaluate(strict, outside, surroundings=surroundings).decision
    assert ["~/sandbox/a"] == asked


def test_the_root_holds_everything_by_strict_semantics_only(make: Make, decide: Decide):
    rules = [{"name": "allow-reads", "if": {"paths": {"roles": ["read-path"], "within": "/"}}, "then": "allow"}]
    assert "deny" == decide(make(rules=rules), "filesystem/read_file", path="/etc/hosts").decision
    assert "allow" == decide(make(rules=rules, semantics=2), "filesystem/read_file", path="/etc/hosts").decision
    assert "allow" == decide(make(rules=rules), "filesystem/read_file", path="/").decision


def test_the_trace_says_which_rule_took_what_and_why_others_did_not(policy: Policy, decide: Decide):
    trace = decide(policy, "filesystem/read_files", paths=["~/sandbox/a", "/etc/hosts"]).trace
    assert [("structural-sandbox-allow", ("~/sandbox/a",)), ("escalate-other-reads", ("/etc/hosts",))] == [
        (step.rule, step.values) for step in trace.steps
    ]
    whys = {one.rule: one.why for one in trace.steps[1].passed}
    assert {
        "allow-read-documents": "'/etc/hosts' not within ~/Documents",
        "allow-tidy-downloads": "'/etc/hosts' not within ~/Downloads",
    } == whys


def test_a_decision_as_json_has_its_trace_when_asked_for(policy: Policy, decide: Decide):
    found = decide(policy, "filesystem/write_file", path="/etc/hosts")
    assert {"decision", "rule", "reason", "escalatedRoles"} == set(found.as_json())
    assert ["write-path"] == [step.role for step in found.trace.steps]
    assert found.trace.as_json() == found.as_json(trace=True)["trace"]
