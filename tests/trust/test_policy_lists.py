"""A prohibition about a list that has no members is not enforced, whatever else passes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.policy import Policy
from retouch.recipes.policy.analysing.validation import validate_policy
from tests.recipes.policy.making.scenes import Scene, items, job, operations, verdict
from tests.trust.policies import decided, made

if TYPE_CHECKING:
    from pathlib import Path

NEVER = "Never fetch social media sites."
MAY = "The agent may fetch pages."
LIST = {"name": "social", "type": "domains", "principle": NEVER, "generationPrompt": "social media sites"}
FETCH = {
    "toolName": "fetch",
    "serverName": "web",
    "comment": "fetch",
    "args": {"url": ["fetch-url"]},
    "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]},
}


def rule(name: str, then: str, principle: str, *domains: str) -> dict[str, Any]:
    when: dict[str, Any] = {"server": ["web"], "tool": ["fetch"]}
    if domains:
        when["domains"] = {"roles": ["fetch-url"], "allowed": list(domains)}
    return {"name": name, "description": name, "principle": principle, "if": when, "then": then, "reason": principle}


def item(url: str, expected: str) -> dict[str, Any]:
    request = {"serverName": "web", "toolName": "fetch", "arguments": {"url": url}}
    return {
        "description": url,
        "request": request,
        "expectedDecision": expected,
        "reasoning": "as the text says",
        "replaces": None,
    }


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ((), "has no members"),
        (("*.y.example",), ""),
        (("y.example", "*.y.example"), ""),
        (("*.y.example", "z.example"), "subdomains of 'z.example' are left out"),
        (("*.y.example", "https://z.example/"), "'https://z.example/' never matches"),
        (("*.y.example", "z.example/feed"), "'z.example/feed' never matches"),
        (("*.y.example", "bücher.example"), "'bücher.example' never matches"),
    ],
)
def test_a_prohibition_with_an_empty_list_or_a_member_that_never_matches_is_not_verified(
    tmp_path: Path, members: tuple[str, ...], why: str
) -> None:
    never = [rule("no-social", "deny", NEVER, "@social"), rule("no-x", "deny", NEVER, "x.example")]
    answers = {
        "compile": json.dumps({"prohibitions": never, "rules": [rule("may", "allow", MAY)], "listDefinitions": [LIST]}),
        "scenarios": items(
            item("https://x.example/", "deny"), item("https://y.example/", "deny"), item("https://z.example/", "allow")
        )
        if members
        else items(item("https://x.example/", "deny"), item("https://z.example/", "allow")),
        "turn": items(),
        "judge": verdict(passes=True),
        "patch": operations(),
    }
    lists = {"social": {"values": list(members)}} if members else None
    given = job(
        constitution=f"{NEVER}\n{MAY}\n",
        servers={"web": {"tools": [FETCH]}},
        base={"servers": {"web": {}}},
        lists=lists,
    )
    result = Scene(tmp_path).generate(answers, given)
    assert (not why) is ("verified" == result.status), result.issues
    assert why in " ".join(one.message for one in result.issues)


@pytest.mark.parametrize(
    ("kind", "roles", "member", "fits"),
    [
        ("domains", ["fetch-url"], "x.example", True),
        ("domains", ["fetch-url"], "*.x.example", True),
        ("domains", ["fetch-url"], "[::1]", True),
        ("domains", ["git-remote-url"], "x.example/ada", True),
        ("domains", ["fetch-url"], "x.example/ada", False),
        ("domains", ["fetch-url"], "http://x.example", False),
        ("domains", ["fetch-url"], "x.*", False),
        ("emails", ["email-address"], "eve@x.example", True),
        ("emails", ["email-address"], "*@x.example", False),
        ("emails", ["email-address"], "x.example", False),
    ],
)
def test_a_prohibition_of_a_member_that_nothing_can_equal_is_an_error(
    kind: str, roles: list[str], member: str, *, fits: bool
) -> None:
    when = {"domains": {"roles": roles, "allowed": [member]}} if kind == "domains" else {}
    when = when or {"lists": [{"roles": roles, "allowed": [member], "matchType": kind}]}
    for then, severity in (("deny", "error"), ("allow", "warning")):
        found = validate_policy(made({"name": "r", "then": then, "if": when}))
        assert ([] if fits else [severity]) == [one.severity for one in found if one.code == "NEVER_MATCHES"]


@pytest.mark.parametrize("patched", [False, True])
def test_a_site_that_a_model_forbids_is_forbidden_with_its_subdomains(tmp_path: Path, *, patched: bool) -> None:
    never, may = "Never fetch x.example.", "The agent may fetch pages."
    ban, other = rule("no-x", "deny", never, "x.example"), rule("no-x", "deny", never, "y.example")
    answers = {
        "compile": json.dumps(
            {"prohibitions": [other if patched else ban], "rules": [rule("may", "allow", may)], "listDefinitions": []}
        ),
        "scenarios": items(item("https://x.example/", "deny"), item("https://z.example/", "allow")),
        "turn": items(),
        "judge": verdict(passes=True),
        "patch": operations({"op": "update", "rule": ban}),
    }
    scene = Scene(tmp_path)
    result = scene.generate(
        answers,
        job(constitution=f"{never}\n{may}\n", servers={"web": {"tools": [FETCH]}}, base={"servers": {"web": {}}}),
    )
    assert "verified" == result.status, result.issues
    policy = Policy.load(tmp_path / "policy.json")
    assert "deny" == decided(policy, "web/fetch", url="https://www.x.example/")
    assert "allow" == decided(policy, "web/fetch", url="https://www.xx.example/")


def test_rules_are_not_repaired_while_a_list_of_theirs_waits_for_its_members(tmp_path: Path) -> None:
    """A model that repaired them would write its own guess of the members into a rule that nobody approved."""
    text = "Allow fetching major news sites."
    news = {"name": "news", "type": "domains", "principle": text, "generationPrompt": "major news sites"}
    guess = {"op": "update", "rule": rule("may", "allow", text, "apnews.com")}
    answers = {
        "compile": json.dumps(
            {"prohibitions": [], "rules": [rule("may", "allow", text, "@news")], "listDefinitions": [news]}
        ),
        "scenarios": items(item("https://apnews.com/", "allow"), item("https://z.example/", "deny")),
        "turn": items(),
        "judge": verdict(passes=True),
        "patch": operations(guess),
    }
    given: dict[str, Any] = {
        "constitution": text,
        "servers": {"web": {"tools": [FETCH]}},
        "base": {"servers": {"web": {}}},
    }
    scene = Scene(tmp_path / "empty")
    result = scene.generate(answers, job(**given))
    assert ("issues", ["compile", "scenarios"]) == (result.status, scene.asked())
    assert "the list 'news' has no members" in " ".join(one.message for one in result.issues)
    assert ["news"] == [one["name"] for one in scene.file("policy.json")["listDefinitions"]]
    filled = Scene(tmp_path / "filled").generate(answers, job(**given, lists={"news": {"values": ["apnews.com"]}}))
    assert "verified" == filled.status, filled.issues


@pytest.mark.parametrize("quoted", [True, False])
def test_a_rule_that_only_allows_covers_no_prohibition(tmp_path: Path, *, quoted: bool) -> None:
    """Every page may be fetched. A judge names that rule, or the rule quotes the prohibition itself."""
    sentence = "Never fetch pages of strangers."
    word: dict[str, Any] = {"clause": sentence, "status": "covered", "rules": ["may"], "why": "the rule covers it"}
    rules = [rule("may", "allow", MAY, "z.example")]
    rules += [rule("may-too", "allow", sentence if quoted else MAY, "x.example")]
    answers = {
        "compile": json.dumps({"prohibitions": [], "rules": rules, "listDefinitions": []}),
        "scenarios": items(item("https://z.example/", "allow"), item("https://x.example/", "allow")),
        "turn": items(),
        "judge": verdict(passes=True, clauses=[] if quoted else [word]),
        "patch": operations(),
    }
    given = job(constitution=f"{sentence}\n{MAY}\n", servers={"web": {"tools": [FETCH]}}, base={"servers": {"web": {}}})
    result = Scene(tmp_path).generate(answers, given)
    assert "verified" != result.status
    assert "only allow" in " ".join(one.message for one in result.issues)


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("Never fetch more than 3 pages per day.", "covered"),
        (NEVER, "covered"),
        ("Never fetch anything from x.example.", "covered"),
        ("Never fetch anything from x.example.", "no_tool"),
    ],
)
def test_a_judge_cannot_settle_a_prohibition_without_naming_a_rule(tmp_path: Path, sentence: str, status: str) -> None:
    """Every page may be fetched, so the judge's word is wrong."""
    word: dict[str, Any] = {"clause": sentence, "status": status, "rules": [], "why": "nothing else is allowed"}
    answers = {
        "compile": json.dumps({"prohibitions": [], "rules": [rule("may", "allow", MAY)], "listDefinitions": []}),
        "scenarios": items(item("https://z.example/", "allow")),
        "turn": items(),
        "judge": verdict(passes=True, clauses=[word]),
        "patch": operations(),
    }
    given = job(constitution=f"{sentence}\n{MAY}\n", servers={"web": {"tools": [FETCH]}}, base={"servers": {"web": {}}})
    assert "verified" != Scene(tmp_path).generate(answers, given).status
