"""A prohibition about a list that has no members is not enforced, whatever else passes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.recipes.policy.making.scenes import Scene, items, job, operations, verdict

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


@pytest.mark.parametrize(("members", "verified"), [((), False), (("y.example",), True)])
def test_a_prohibition_with_one_empty_list_is_not_verified(
    tmp_path: Path, members: tuple[str, ...], *, verified: bool
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
    assert verified is ("verified" == result.status), result.issues
    assert verified or "has no members" in " ".join(one.message for one in result.issues)


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
