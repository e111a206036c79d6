"""What holds for every policy and every call."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retouch.recipes.policy import (
    Policy,
    Rule,
    Surroundings,
    ToolCall,
    When,
    analyse,
    compare_policies,
    evaluate,
    tool_spaces,
)
from retouch.recipes.policy.language.values import STRICTNESS, DomainsWhen, ListWhen, PathsWhen

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest

    from retouch.recipes.policy.language.values import Outcome

SMALL = Policy.load(Path(__file__).parent / "fixtures")
LEXICAL = Surroundings(disk=False)
QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
SLOW = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
ROLES = [
    "read-path",
    "write-path",
    "delete-path",
    "fetch-url",
    "git-remote-url",
    "github-owner",
    "email-address",
    "none",
]
FOLDERS = ["~/Documents", "~/Documents/private", "~/Downloads", "~/sandbox", "~/sandbox/in", "/", "/srv", "~"]
HOSTS = [
    "news.example",
    "*.news.example",
    "*",
    "github.com",
    "*.github.com",
    "github.com/acme/tool",
    "@news",
    "@nobody",
]
TOOLS = sorted({name for _, name in SMALL.tools})
SERVERS = sorted({server for server, _ in SMALL.tools})
TEXTS = [
    "~/Documents/a", "~/Documents/private/b", "~/Downloads/../.ssh/x", "/srv/audit.log", "/", "~/sandbox/in/c", "x",
    "https://www.news.example/", "https://github.com/acme/tool.git", "git@github.com:acme/tool", "http://127.1/",
    "acme", "ada@team.example", "", "\0", "\ud800", "~root",
]  # fmt: skip


def some(names: Iterable[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(list(names)), min_size=1, max_size=3, unique=True).map(tuple)


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


PATHS = st.builds(PathsWhen, roles=some(ROLES[:3]), within=st.sampled_from(FOLDERS))
DOMAINS = st.builds(DomainsWhen, roles=some(ROLES[3:5]), allowed=some(HOSTS))
LISTS = st.builds(
    ListWhen,
    roles=some(ROLES[3:7]),
    allowed=some([*HOSTS, "acme", "@owners", "ada@team.example"]),
    match=st.sampled_from(["domains", "emails", "identifiers"]),
)
WHENS = st.builds(
    When,
    roles=maybe(some(ROLES)),
    server=maybe(some(SERVERS)),
    tool=maybe(some(TOOLS)),
    paths=maybe(PATHS),
    domains=maybe(DOMAINS),
    lists=maybe(st.lists(LISTS, min_size=1, max_size=2).map(tuple)),
)
THEN: st.SearchStrategy[Outcome] = st.sampled_from(["allow", "escalate", "deny"])


@st.composite
def rule_lists(draw: st.DrawFn) -> tuple[Rule, ...]:
    found = draw(st.lists(st.tuples(WHENS, THEN), max_size=5))
    return tuple(Rule(name=f"r{place}", when=when, then=then) for place, (when, then) in enumerate(found))


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    return replace(SMALL, rules=draw(rule_lists()), semantics=draw(st.sampled_from([1, 2])))


RULES, POLICIES = rule_lists(), policies()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(TEXTS) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=6,
)


@st.composite
def calls(draw: st.DrawFn) -> ToolCall:
    server, name = draw(st.sampled_from(sorted(SMALL.tools)))
    args = sorted(SMALL.tools[server, name].args)
    chosen = draw(st.dictionaries(st.sampled_from(args), JSON, max_size=3)) if args else {}
    return ToolCall(server=server, tool=name, arguments=chosen)


def strictness(policy: Policy, call: ToolCall) -> int:
    return STRICTNESS[evaluate(policy, call, surroundings=LEXICAL).decision]


@QUICK
@given(policy=POLICIES, value=JSON)
def test_deciding_is_total_on_any_json(policy: Policy, value: Any):
    assert "deny" == evaluate(policy, value).decision
    found = evaluate(policy, {"serverName": "filesystem", "toolName": "read_files", "arguments": {"paths": value}})
    assert found.rule
    assert found.trace.steps[0].text
    json.dumps(found.as_json(trace=True))


@QUICK
@given(policy=POLICIES, call=calls())
def test_the_trace_ends_where_the_decision_does(policy: Policy, call: ToolCall):
    found = evaluate(policy, call, surroundings=LEXICAL)
    assert found == evaluate(policy, call, surroundings=LEXICAL)
    assert found.rule in {step.rule for step in found.trace.steps}
    assert STRICTNESS[found.decision] == max(STRICTNESS[step.decision] for step in found.trace.steps)
    assert set(found.discharging) <= {rule.name for rule in policy.rules}


@QUICK
@given(policy=POLICIES, when=WHENS, call=calls())
def test_a_prohibition_put_first_never_allows_more(policy: Policy, when: When, call: ToolCall):
    forbidding = replace(policy, rules=(Rule(name="never", when=when, then="deny"), *policy.rules))
    assert strictness(forbidding, call) >= strictness(policy, call)


@QUICK
@given(policy=POLICIES, when=WHENS, call=calls())
def test_a_permission_put_last_never_forbids_more(policy: Policy, when: When, call: ToolCall):
    permitting = replace(policy, rules=(*policy.rules, Rule(name="also", when=when, then="allow")))
    assert strictness(permitting, call) <= strictness(policy, call)


@QUICK
@given(rules=RULES, call=calls())
def test_strict_semantics_never_allow_what_the_first_would_not_unless_the_root_is_named(
    rules: tuple[Rule, ...], call: ToolCall
):
    """Texts only: what is nested deeper is not seen at all by the first."""
    texts = replace(call, arguments={name: one for name, one in call.arguments.items() if isinstance(one, str)})
    rooted = any(rule.when.paths is not None and rule.when.paths.within == "/" for rule in rules)
    loose, strict = replace(SMALL, rules=rules), replace(SMALL, rules=rules, semantics=2)
    assert rooted or evaluate(strict, texts).decision != "allow" or evaluate(loose, texts).decision == "allow"


@QUICK
@given(rules=RULES, call=calls(), text=st.sampled_from(TEXTS))
def test_by_strict_semantics_one_more_value_never_allows(rules: tuple[Rule, ...], call: ToolCall, text: str):
    """Lists only: an argument that is left out is no value, and rules without conditions on values may fit it."""
    policy = replace(SMALL, rules=rules, semantics=2)
    texts = {name: [one] for name, one in call.arguments.items() if isinstance(one, str)}
    fewer = replace(call, arguments=texts)
    more = replace(call, arguments={name: [*found, text] for name, found in texts.items()})
    assert strictness(policy, more) > 0 or strictness(policy, fewer) == 0


@SLOW
@given(policy=POLICIES, call=calls())
def test_one_call_of_a_region_stands_for_all_of_it(policy: Policy, call: ToolCall):
    space = next(one for one in tool_spaces(policy, disk=False) if one.tool.name == call.tool)
    region = space.region_of(call)
    known = {space.region_of(one): one for one in space.calls()}
    texts = [one for one in call.arguments.values() if isinstance(one, str)]
    plain = len(texts) == len(call.arguments) and all(one.startswith(("/", "~/", "https:")) for one in texts)
    if region is not None and plain:
        assert strictness(policy, known[region]) == strictness(policy, call)


@SLOW
@given(policy=POLICIES)
def test_a_policy_does_not_differ_from_itself(policy: Policy):
    assert () == compare_policies(policy, replace(policy)).changes


@SLOW
@given(one=POLICIES, other=POLICIES)
def test_every_call_of_a_difference_is_decided_differently(one: Policy, other: Policy):
    there, back = compare_policies(one, other), compare_policies(other, one)
    assert len(there.changes) == len(back.changes)
    for change in there.changes:
        assert change.loosens == (strictness(other, change.request) < strictness(one, change.request))
        assert change.before.as_json() != change.after.as_json()


@SLOW
@given(policy=POLICIES)
def test_without_its_ineffective_rules_taken_one_by_one_a_policy_is_the_same(policy: Policy):
    for name in analyse(policy).ineffective:
        without = replace(policy, rules=tuple(rule for rule in policy.rules if rule.name != name))
        assert all(
            change.before.decision == change.after.decision for change in compare_policies(policy, without).changes
        )


@SLOW
@given(policy=POLICIES, call=calls())
def test_dead_rules_can_all_be_taken_out_at_once(policy: Policy, call: ToolCall):
    dead = analyse(policy).dead
    without = replace(policy, rules=tuple(rule for rule in policy.rules if rule.name not in dead))
    single = all(isinstance(one, str) for one in call.arguments.values())
    assert not single or strictness(without, call) == strictness(policy, call)


@QUICK
@given(policy=POLICIES)
def test_a_stored_policy_is_read_back_as_it_was(policy: Policy, tmp_path_factory: pytest.TempPathFactory):
    path = tmp_path_factory.getbasetemp() / "stored.json"
    path.write_text(json.dumps(policy.as_json()), encoding="utf-8")
    assert policy == Policy.load(path)
