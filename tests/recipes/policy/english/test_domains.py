"""Ordinary sentences to agents of ten domains, with listed tools: most are read, none is misread."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from retouch.recipes.policy import Policy, ToolCall, evaluate
from retouch.recipes.policy.annotating.proposing import annotations_of
from retouch.recipes.policy.annotating.sources import tools_in
from retouch.recipes.policy.english.compiling import compile_clauses

DATA: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "ordinary" / "domains.yaml").read_text(encoding="utf-8"))
TYPES: dict[str, dict[str, Any]] = {
    "": {"type": "string"},
    "n": {"type": "number"},
    "l": {"type": "array", "items": {"type": "string"}},
}
LEAST_READ = 72  # of a hundred


def tool_of(signature: str) -> dict[str, Any]:
    """Return a tool of `pay_bill(payee,amount:n)`."""
    name, _, arguments = signature.removesuffix(")").partition("(")
    pairs = [one.partition(":")[::2] for one in arguments.split(",") if one]
    properties = {argument: TYPES[kind] for argument, kind in pairs}
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}}


@cache
def frame(domain: str) -> Policy:
    """Return the tools of a domain with the roles that are proposed for them."""
    listed = tools_in([tool_of(one) for one in DATA["tools"][domain]], name=domain)
    annotations: Any = annotations_of(domain, listed)
    return Policy.of_json({"semantics": 3, "home": "/home/ada", "rules": [], "annotations": annotations})


def wrong_calls(sentence: dict[str, Any]) -> list[str] | None:
    """Return the calls that a sentence decides in another way than expected. None if it is refused."""
    domain, known = sentence["domain"], frame(sentence["domain"])
    if compile_clauses(sentence["text"], known).refused:
        return None
    more = f"\n\nAllow using any tool of {domain}." if sentence["with"] == "everything" else ""
    policy = replace(known, rules=compile_clauses(sentence["text"] + more, known).rules)
    calls = [(ToolCall(server=domain, tool=tool, arguments=args), want) for tool, args, want in sentence["calls"]]
    decided = [(call, want, evaluate(policy, call).decision) for call, want in calls]
    return [f"{sentence['text']} {call.tool} is {was}" for call, want, was in decided if was != want]


@pytest.mark.parametrize("domain", DATA["tools"])
def test_no_sentence_of_a_domain_is_misread(domain: str):
    found = [wrong_calls(one) or [] for one in DATA["sentences"] if one["domain"] == domain]
    assert [] == [line for lines in found for line in lines]


def test_most_sentences_of_ten_domains_are_read():
    read = [wrong_calls(one) is not None for one in DATA["sentences"]]
    assert LEAST_READ * len(read) <= 100 * sum(read)
