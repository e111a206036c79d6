"""Ordinary sentences to agents of ten domains, with listed tools: most are read, none is misread."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from retouch.recipes.policy import Policy, ToolCall, evaluate
from retouch.recipes.policy.annotating.proposing import annotations_of
from retouch.recipes.policy.annotating.sources import tools_in
from retouch.recipes.policy.english.compiling import compile_clauses
from retouch.recipes.policy.language.values import CallState

ORDINARY = Path(__file__).parent / "ordinary"
DATA: dict[str, Any] = yaml.safe_load((ORDINARY / "domains.yaml").read_text(encoding="utf-8"))
SPEECH: dict[str, Any] = yaml.safe_load((ORDINARY / "plain_speech.yaml").read_text(encoding="utf-8"))
TOOLS: dict[str, list[str]] = {**DATA["tools"], **SPEECH["tools"]}
TYPES: dict[str, dict[str, Any]] = {
    "": {"type": "string"},
    "n": {"type": "number"},
    "l": {"type": "array", "items": {"type": "string"}},
}
NOON = CallState(at=datetime(2026, 3, 4, 12, 0, tzinfo=UTC))
LEAST_READ = 72  # of a hundred
LEAST_SPEECH_READ = 86  # of a hundred


def tool_of(signature: str, *, complete: bool) -> dict[str, Any]:
    """Return a tool of `pay_bill(payee,amount:n,note?)`. `complete`: all arguments without `?` are required."""
    name, _, arguments = signature.removesuffix(")").partition("(")
    pairs = [one.partition(":")[::2] for one in arguments.split(",") if one]
    schema: dict[str, Any] = {"type": "object"}
    schema["properties"] = {argument.removesuffix("?"): TYPES[kind] for argument, kind in pairs}
    if complete:
        schema["required"] = [argument for argument, _ in pairs if not argument.endswith("?")]
    return {"name": name, "inputSchema": schema}


@cache
def frame(domain: str) -> Policy:
    """Return the tools of a domain with the roles that are proposed for them."""
    tools: list[Any] = [tool_of(one, complete=domain in SPEECH["tools"]) for one in TOOLS[domain]]
    annotations: Any = annotations_of(domain, tools_in(tools, name=domain))
    return Policy.of_json({"semantics": 3, "home": "/home/ada", "rules": [], "annotations": annotations})


def wrong_calls(sentence: dict[str, Any]) -> list[str] | None:
    """Return the calls that a sentence decides in another way than expected. None if it is refused."""
    domain, known = sentence["domain"], frame(sentence["domain"])
    if compile_clauses(sentence["text"], known).refused:
        return None
    if sentence.get("refuse"):
        return [f"{sentence['text']} must be refused"]
    more = f"\n\nAllow using any tool of {domain}." if sentence["with"] == "everything" else ""
    policy = replace(known, rules=compile_clauses(sentence["text"] + more, known).rules)
    calls = [
        (ToolCall(server=domain, tool=tool, arguments=args, state=NOON), want) for tool, args, want in sentence["calls"]
    ]
    decided = [(call, want, evaluate(policy, call).decision) for call, want in calls]
    return [f"{sentence['text']} {call.tool} is {was}" for call, want, was in decided if was != want]


@pytest.mark.slow
@pytest.mark.parametrize("domain", TOOLS)
def test_no_sentence_of_a_domain_is_misread(domain: str):
    sentences = (*DATA["sentences"], *SPEECH["sentences"])
    found = [wrong_calls(one) or [] for one in sentences if one["domain"] == domain]
    assert [] == [line for lines in found for line in lines]


@pytest.mark.slow
def test_most_sentences_of_ten_domains_are_read():
    read = [wrong_calls(one) is not None for one in DATA["sentences"]]
    assert LEAST_READ * len(read) <= 100 * sum(read)


@pytest.mark.slow
def test_most_plain_speech_is_read():
    read = [wrong_calls(one) is not None for one in SPEECH["sentences"] if not one.get("refuse")]
    assert LEAST_SPEECH_READ * len(read) <= 100 * sum(read)
