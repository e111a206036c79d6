"""Sentences as users write them to eight kinds of agents: each is settled in the ledger, and none is misread."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from retouch.recipes.policy import Policy, evaluate
from retouch.recipes.policy.english.background import is_background
from retouch.recipes.policy.english.clauses import clauses_of
from retouch.recipes.policy.english.compiling import Compiled, compile_clauses

HERE = Path(__file__).parent
AGENTS: dict[str, Any] = json.loads((HERE / "agents.json").read_text(encoding="utf-8"))
SENTENCES: list[dict[str, Any]] = [
    json.loads(line) for line in (HERE / "sentences.jsonl").read_text(encoding="utf-8").splitlines()
]
BASE = {"permit": "deny", "forbid": "allow", "ask": "allow"}
MEANT = {"permit": "allow", "forbid": "deny", "ask": "escalate"}
LEAST_READ = 60  # in hundred; the others are refused, which is no misreading


def frame(agent: str) -> Policy:
    servers = {
        name: {"tools": [{"toolName": tool, "args": args} for tool, args in tools.items()]}
        for name, tools in AGENTS[agent].items()
    }
    annotations: Any = {"servers": servers}
    return Policy.of_json({"semantics": 2, "home": "/home/ada", "rules": [], "annotations": annotations, "servers": {}})


def compiled(sentence: dict[str, Any]) -> tuple[Compiled, Policy]:
    """Return what a sentence compiles to; a prohibition or a question stands beside permissions of everything else."""
    from dataclasses import replace

    known = frame(sentence["agent"])
    text = [sentence["text"]]
    if BASE.get(sentence["kind"]) == "allow":
        text += [f"Allow using any tool of {name}." for name in AGENTS[sentence["agent"]]]
    made = compile_clauses("\n\n".join(text), known)
    return made, replace(known, rules=made.rules)


def decided(policy: Policy, call: dict[str, Any]) -> str:
    server, _, tool = call["call"].partition("/")
    return evaluate(policy, {"serverName": server, "toolName": tool, "arguments": call["arguments"]}).decision


def is_read(sentence: dict[str, Any]) -> bool:
    (clause,) = clauses_of(sentence["text"])
    made, _ = compiled(sentence)
    return clause not in made.refused or is_background(clause)


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda one: one["text"])
def test_no_sentence_is_misread(sentence: dict[str, Any]):
    made, policy = compiled(sentence)
    (clause,) = clauses_of(sentence["text"])
    if sentence["kind"] == "background":
        assert clause in made.refused
        return
    assert not is_background(clause)
    if clause in made.refused:
        return
    wrong = [call for call in sentence["hits"] if decided(policy, call) != MEANT[sentence["kind"]]]
    spared = [
        call
        for call in sentence["misses"]
        if (decided(policy, call) == "allow") is not (BASE[sentence["kind"]] == "allow")
    ]
    assert ([], []) == (wrong, spared)


@pytest.mark.slow
def test_most_sentences_are_read():
    read = [one for one in SENTENCES if is_read(one)]
    assert LEAST_READ * len(SENTENCES) <= 100 * len(read)


@pytest.mark.parametrize(
    "text",
    [
        "This example considers a hotel chain, called ABC, which has franchises.",
        "A `Hotel` represents a hotel chain or franchise.",
        "There are two `User`s, named `Alice` and `Bob`.",
        "This use-case simulates a streaming service.",
    ],
)
def test_a_definition_is_background(text: str):
    assert is_background(clauses_of(text)[0])


@pytest.mark.parametrize(
    "text",
    [
        "This example shows what you may do.",
        "A `Hotel` represents a secret.",
        "There are two files, named `/etc/shadow` and `b`.",
        "There are two `User`s, named `Alice` and `Bob`, who may approve refunds.",
        "There are three tables called off-limits.",
        "This use-case simulates `rm -rf ~`.",
        "A `Refund` represents a loss, so avoid all of them.",
        "This section covers things that are banned.",
        "Bob is an approver.",
        "There is a limit of 10 refunds.",
    ],
)
def test_a_sentence_that_could_rule_something_is_no_background(text: str):
    assert not is_background(clauses_of(text)[0])


@pytest.mark.parametrize(
    "heading",
    ["## Blocking", "## Guard Rails", "## Restrictions", "## Limits", "## Forbidden actions", "## No refunds"],
)
def test_a_heading_that_may_change_what_is_below_is_a_clause(heading: str):
    assert (True,) == tuple(one.heading for one in clauses_of(heading))


@pytest.mark.parametrize(
    "title", ["# News assistant", "# Policy for the news assistant", "# Our gardening bot rules", "# What you may do"]
)
def test_a_title_that_names_the_agent_is_layout(title: str):
    assert ["Never delete files."] == [one.text for one in clauses_of(f"\n{title}\n\n- Never delete files.")]


@pytest.mark.parametrize(
    "text",
    [
        "# Weekend assistant",
        "# Emergency bot",
        "# Policy for the assistant at night",
        "## News assistant",
        "Hello.\n\n# News assistant",
        "# News assistant\n\nHello.\n\n# Weather assistant",
    ],
)
def test_a_title_that_may_limit_the_text_is_a_clause(text: str):
    assert any(one.heading for one in clauses_of(text))
