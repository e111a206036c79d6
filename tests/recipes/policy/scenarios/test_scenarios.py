"""Scenarios: their identity, their execution, and what is removed before they cost anything."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import BadInput
from retouch.recipes.policy import (
    Policy,
    Scenario,
    ToolCall,
    contradictions,
    execute,
    filter_scenarios,
    read_scenarios,
    refuse_handwritten,
)
from retouch.recipes.policy.scenarios.files import scenarios_in, stored_scenarios
from retouch.recipes.policy.scenarios.scenario import meets

if TYPE_CHECKING:
    from pathlib import Path


def scenario(tool: str, expected: Any = "allow", /, **more: Any) -> Scenario:
    server, _, name = tool.partition("/")
    known = {key: more.pop(key) for key in ("source", "description", "corrected_from") if key in more}
    return Scenario(request=ToolCall(server=server, tool=name, arguments=more), expected=expected, **known)


def test_the_identity_is_the_call_whatever_the_order_of_its_keys():
    one, other = scenario("f/t", a=1, b="x"), scenario("f/t", "deny", b="x", a=1)
    assert one.id == other.id
    assert 12 == len(one.id)
    assert 4 == len({scenario("f/t", a=value).id for value in (1, "1", True, 1.5)})


@pytest.mark.parametrize(
    ("expected", "met_by"), [("allow", {"allow"}), ("deny", {"deny"}), ("not-allow", {"deny", "escalate"})]
)
def test_an_expectation_is_met_by_these_decisions(expected: Any, met_by: set[str]):
    outcomes: tuple[Any, ...] = ("allow", "deny", "escalate")
    assert met_by == {one for one in outcomes if meets(expected, one)}


def test_scenarios_are_tests_by_being_executed(policy: Policy, fixtures: Path):
    found = execute(policy, read_scenarios(fixtures / "scenarios.json"))
    assert [True] * 4 == [one.passed for one in found]
    wrong = execute(policy, [scenario("filesystem/write_file", path="/etc/hosts")])
    assert [("deny", "default-deny", False)] == [(one.decision, one.rule, one.passed) for one in wrong]


def test_stored_scenarios_are_read_back(fixtures: Path):
    found = read_scenarios(fixtures / "scenarios.json")
    found = (*found, replace(found[0], origin=2, corrected_from="deny"))
    assert found == scenarios_in(stored_scenarios(found), name="x")


@pytest.mark.parametrize(
    ("one", "kind", "words"),
    [
        (scenario("filesystem/read_file", path="~/a", tail=3), "schema", "'tail' is not a known argument"),
        (scenario("filesystem/read_file", head=3), "schema", "'path' is missing"),
        (scenario("filesystem/read_file", path="~/a", head=0), "schema", "less than the minimum"),
        (scenario("filesystem/read_file", path=7), "schema", "it is not string"),
        (scenario("filesystem/edit_file", path="~/Documents/a"), "default-role", "'dryRun'"),
        (scenario("filesystem/edit_file", path="~/Documents/a", dryRun=False), "default-role", "'dryRun'"),
        (scenario("filesystem/read_file", path="~/.ssh/id"), "structural", "always deny"),
        (scenario("filesystem/read_file", "escalate", path="~/sandbox/a"), "structural", "always allow"),
        (scenario("filesystem/format", "allow"), "structural", "The policy has no tool"),
    ],
)
def test_a_scenario_that_proves_nothing_is_removed_with_the_reason(
    policy: Policy, one: Scenario, kind: str, words: str
):
    found = filter_scenarios(policy, [one])
    assert ((), [kind]) == (found.kept, [discard.kind for discard in found.discards])
    assert words in found.discards[0].detail


def test_scenarios_that_prove_something_stay(policy: Policy):
    good = [
        scenario("filesystem/edit_file", path="~/Documents/a", dryRun=True),
        scenario("filesystem/read_file", "not-allow", path="~/.ssh/id"),
        scenario("filesystem/read_file", "deny", path="/etc/hosts"),
    ]
    assert tuple(good) == filter_scenarios(policy, good).kept


def test_of_two_scenarios_about_one_call_the_handwritten_one_wins(policy: Policy):
    loose = scenario("fetch/get", "allow", url="https://a.example", description="loose")
    mine = scenario("fetch/get", "not-allow", url="https://a.example", source="handwritten", description="mine")
    mended = scenario("fetch/get", "escalate", url="https://a.example", corrected_from="allow", description="mended")
    found = filter_scenarios(policy, [loose, mended, mine])
    assert (mine,) == found.kept
    assert {"loose": "contradiction", "mended": "duplicate"} == {
        one.scenario.description: one.kind for one in found.discards
    }
    assert (mended,) == filter_scenarios(policy, [loose, mended]).kept


def test_contradictions_are_named_in_pairs():
    one = scenario("f/t", "allow", a=1)
    two, three = scenario("f/t", "not-allow", a=1), scenario("f/t", "deny", a=1)
    assert ((one, two), (one, three)) == contradictions([one, two, three, scenario("f/t", "deny", a=2)])


def test_a_handwritten_scenario_that_is_removed_stops_everything(policy: Policy):
    bad = scenario("filesystem/read_file", path="~/.ssh/id", source="handwritten", description="my keys")
    with pytest.raises(BadInput, match="'my keys': structural"):
        refuse_handwritten(filter_scenarios(policy, [bad]).discards)
    refuse_handwritten(filter_scenarios(policy, [replace(bad, source="generated")]).discards)


def test_the_shipped_scenarios_fail_and_are_removed_as_often_as_is_known(shared_data: Path):
    """The reference counts 5 that fell to default roles and 1 structural conflict, and 16 failures without mail."""
    data, box = shared_data / "policy", "/home/provos/.ironcurtain"
    shipped = Policy.load(data / "dev/ironcurtain/default", common=data / "common", home="/home/provos")
    shipped = replace(shipped, allowed_directory=f"{box}/sandbox", protected_paths=(box,))
    scenarios = read_scenarios(data / "dev/ironcurtain/default/test-scenarios.json")
    kinds = Counter(one.kind for one in filter_scenarios(shipped, scenarios).discards)
    assert (5, 1) == (kinds["default-role"], kinds["structural"])
    own = [one for one in scenarios if one.request.server != "google-workspace"]
    assert (179, 16) == (len(own), sum(not one.passed for one in execute(shipped, own)))
