"""Analyses without a model: dead rules, coverage, differences, explanations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import UnknownName
from retouch.recipes.policy import (
    Policy,
    analyse,
    compare_policies,
    evaluate,
    explain,
    measure_coverage,
    read_scenarios,
    tool_spaces,
    why_not,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.recipes.policy.conftest import Make

READS: dict[str, Any] = {"server": ["filesystem"], "roles": ["read-path"]}


def rule(name: str, then: str = "allow", **condition: Any) -> dict[str, Any]:
    return {"name": name, "if": condition, "then": then}


def test_the_small_policy_has_no_rule_that_does_nothing(policy: Policy):
    assert ((), ()) == (analyse(policy).dead, analyse(policy).cut)


def test_a_rule_behind_one_that_takes_everything_is_dead(make: Make):
    made = make(rules=[rule("wide", "escalate", **READS), rule("narrow", tool=["read_file"], **READS)])
    (found,) = analyse(made).findings
    assert ("dead", "narrow", ("wide",)) == (found.kind, found.rule, found.shadowed_by)
    assert found.example is not None
    assert "wide" == evaluate(made, found.example).rule


def test_a_rule_for_what_is_decided_before_any_rule_is_dead(make: Make):
    made = make(rules=[rule("list", server=["filesystem"], tool=["list_allowed_directories"])])
    found = analyse(make(rules=[rule("sandbox", paths={"roles": ["write-path"], "within": "~/sandbox"})]))
    assert ("structural-sandbox-allow",) == found.findings[0].shadowed_by
    assert ("structural-introspection-allow",) == analyse(made).findings[0].shadowed_by


def test_a_rule_for_a_folder_in_another_one_is_dead_only_behind_it(make: Make):
    outer = rule("outer", paths={"roles": ["write-path"], "within": "/data"})
    inner = rule("inner", "deny", paths={"roles": ["write-path"], "within": "/data/private"})
    assert ("inner",) == analyse(make(rules=[outer, inner])).dead
    assert () == analyse(make(rules=[inner, outer])).ineffective


def test_a_rule_that_says_what_happens_anyway_is_ineffective(make: Make):
    made = make(rules=[rule("no-writes", "deny", roles=["write-path"])])
    assert ((), ("no-writes",)) == (analyse(made).dead, analyse(made).ineffective)
    assert ("default-deny",) == analyse(made).findings[0].shadowed_by


def test_hosts_and_members_make_regions_of_their_own(make: Make):
    pages = {"roles": ["fetch-url"], "allowed": ["*.a.example"]}
    one = {"roles": ["fetch-url"], "allowed": ["x.a.example"]}
    assert ("one",) == analyse(make(rules=[rule("all", domains=pages), rule("one", domains=one)])).dead
    assert () == analyse(make(rules=[rule("one", "escalate", domains=one), rule("all", domains=pages)])).ineffective


def test_the_default_policy_has_one_rule_that_does_nothing(shared_data: Path):
    data = shared_data / "policy"
    found = analyse(Policy.load(data / "dev/oracle/policies/real-default.json", common=data / "common"))
    assert ("allow-list-allowed-directories",) == found.ineffective


def test_twelve_rules_of_the_default_policy_are_reported_by_no_shipped_scenario(shared_data: Path):
    data, box = shared_data / "policy", "/home/provos/.ironcurtain"
    shipped = Policy.load(data / "dev/ironcurtain/default", common=data / "common", home="/home/provos")
    shipped = replace(shipped, allowed_directory=f"{box}/sandbox", protected_paths=(box,))
    found = measure_coverage(shipped, read_scenarios(data / "dev/ironcurtain/default/test-scenarios.json"))
    assert 12 == len(found.unreported)
    assert found.regions_reached + sum(gap.regions for gap in found.gaps) == found.regions


def test_coverage_names_rules_and_regions_that_no_scenario_reaches(policy: Policy, fixtures: Path):
    scenarios = read_scenarios(fixtures / "scenarios.json")
    found = measure_coverage(policy, scenarios)
    reached = ["allow-read-documents", "allow-fetch-news", "escalate-push"]
    assert reached == [name for name, count in found.answering.items() if count]
    assert {rule.name for rule in policy.rules} - set(reached) == set(found.unanswering)
    assert all(evaluate(policy, gap.example).rule == gap.rule for gap in found.gaps)


def test_a_scenario_for_every_gap_leaves_none(policy: Policy):
    calls = [call for space in tool_spaces(policy, disk=False) for call in space.calls()]
    scenarios = [_scenario(policy, call) for call in calls]
    found = measure_coverage(policy, scenarios)
    assert ((), (), len(calls)) == (found.gaps, found.unanswering, found.regions_reached)


def _scenario(policy: Policy, call: Any) -> Any:
    from retouch.recipes.policy import Scenario

    return Scenario(request=call, expected=evaluate(policy, call).decision)


def test_a_policy_does_not_differ_from_itself(policy: Policy, make: Make):
    assert () == compare_policies(policy, policy).changes
    assert () == compare_policies(policy, make()).changes


def test_a_difference_is_a_call_and_the_smallest_comes_first(policy: Policy):
    after = replace(policy, rules=policy.rules[1:])
    found = compare_policies(policy, after)
    first = found.changes[0]
    assert ("read_file", {"path": "/home/ada/Documents/example"}) == (first.request.tool, first.request.arguments)
    assert (("allow-read-documents", "escalate-other-reads"), False) == (first.by, first.loosens)
    for one in found.changes:
        assert evaluate(policy, one.request).decision != evaluate(after, one.request).decision
    sizes = [len(one.request.arguments) for one in found.changes]
    assert sorted(sizes) == sizes
    assert next(iter(found.by_rules)) == first.by


def test_another_reason_for_the_same_decision_is_no_difference(policy: Policy):
    renamed = replace(policy, rules=tuple(replace(one, name=f"{one.name}-2", reason="x") for one in policy.rules))
    assert () == compare_policies(policy, renamed).changes


def test_a_protected_path_settles_a_call_only_where_it_is_a_path_in_every_mode(make: Make):
    off = {"default": ["write-path"], "when": [{"condition": {"arg": "mode", "equals": "off"}, "roles": ["none"]}]}
    tools = [{"toolName": "t", "args": {"a": off, "b": ["read-path"], "mode": ["none"]}}]
    made = make(annotations={"servers": {"filesystem": {"tools": tools}}}, protectedPaths=["/keys"])
    (space,) = tool_spaces(made, disk=False)
    assert {"a": 0, "b": 1, "mode": 0} == {one.name: len(one.decisive) for one in space.arguments}
    said = [call.arguments for call in space.calls() if call.arguments.get("a") == "/keys/example"]
    assert {"a": "/keys/example", "b": "/outside/example", "mode": "off"} in said


def test_a_tool_that_only_one_policy_knows_is_a_difference(policy: Policy):
    tools = {key: tool for key, tool in policy.tools.items() if key != ("fetch", "get")}
    found = compare_policies(replace(policy, tools=tools), policy)
    assert {("fetch", "get")} == {(one.request.server, one.request.tool) for one in found.changes}
    assert all(one.before.rule == "structural-unknown-tool" for one in found.changes)


def test_another_folder_of_the_sandbox_or_another_home_is_a_difference(policy: Policy):
    moved = compare_policies(policy, replace(policy, allowed_directory="/box")).changes
    assert {"/box/example", "/home/ada/sandbox/example"} <= {
        value for one in moved for value in one.request.arguments.values() if isinstance(value, str)
    }
    assert compare_policies(policy, replace(policy, home="/home/eve")).changes


def test_the_oldest_version_that_loads_differs_from_the_default(shared_data: Path):
    data = shared_data / "policy"
    old = Policy.load(data / "dev/ironcurtain/history/2026-02-18-7f5f8a7f", home="/home/provos")
    new = Policy.load(data / "dev/ironcurtain/default", common=data / "common", home="/home/provos")
    found = compare_policies(old, new)
    assert found.changes
    for one in found.changes:
        assert evaluate(old, one.request).as_json() == one.before.as_json()
        assert evaluate(new, one.request).as_json() == one.after.as_json()


def test_a_rule_is_explained_by_its_clause_and_by_calls_that_it_decides(policy: Policy, fixtures: Path):
    scenarios = read_scenarios(fixtures / "scenarios.json")
    (found,) = explain(policy, ["allow-read-documents"], scenarios=scenarios)
    assert "The agent may read my documents." == found.rule.principle
    assert "server is filesystem, a role is read-path, read-path within ~/Documents" == found.condition
    assert ["Read a document"] == [one.description for one in found.scenarios]
    assert {"allow-read-documents"} == {evaluate(policy, call).rule for call in found.examples}
    for call in found.helps:
        assert "allow-read-documents" in evaluate(policy, call).discharging
    assert len(policy.rules) == len(explain(policy))


def test_a_rule_that_is_not_there_cannot_be_explained(policy: Policy):
    with pytest.raises(UnknownName, match="no rule 'allow-all'") as caught:
        explain(policy, ["allow-all"])
    assert "escalate-push" in caught.value.hint


def test_why_not_names_the_nearest_call_that_would_be_decided_so(policy: Policy):
    call: dict[str, Any] = {"serverName": "filesystem", "toolName": "move_file"}
    call["arguments"] = {"source": "/etc/hosts", "destination": "~/Downloads/x"}
    found = why_not(policy, call, "allow")
    assert ["source"] == list(found.changes)
    assert found.nearest is not None
    assert "allow" == evaluate(policy, found.nearest).decision
    assert "~/Downloads/x" == found.nearest.arguments["destination"]
    assert "'default-deny' decides deny" in found.words


def test_why_not_says_when_nothing_would_help_or_nothing_is_needed(policy: Policy):
    push: dict[str, Any] = {"serverName": "git", "toolName": "push", "arguments": {"path": "~/sandbox/x"}}
    assert "No call of this tool is decided allow." in why_not(policy, push, "allow").words
    assert "The decision is already escalate" in why_not(policy, push, "escalate").words
    assert "No call of this tool" in why_not(policy, {"serverName": "x", "toolName": "y"}, "allow").words


def test_an_address_of_a_domain_is_an_example_that_can_be_written_to(make: Make):
    whole = {"roles": ["email-address"], "allowed": ["*@team.example"], "matchType": "emails"}
    made = make(rules=[rule("mail", tool=["send"], lists=[whole])])
    sent = [call.arguments.get("to") for space in tool_spaces(made, disk=False) for call in space.calls()]
    assert "example@team.example" in sent
    assert "*@team.example" not in sent
