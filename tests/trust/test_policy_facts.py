"""A rule that is taken for a statement of fact is dropped without a word, so few sentences are facts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from retouch.recipes.policy import Policy
from retouch.recipes.policy.english.tools.facts import is_fact
from retouch.recipes.policy.english.tools.toolbox import Toolbox

SENTENCES = Path(__file__).parent.parent / "recipes/policy/english/sentences.jsonl"


def _toolbox() -> Toolbox:
    schema = {"method": {"type": "string", "enum": ["courier", "post"]}, "board": {"type": "string"}}
    tools: list[Any] = [
        {
            "toolName": name,
            "args": {one: ["none"] for one in schema},
            "inputSchema": {"type": "object", "properties": schema},
        }
        for name in ("issue_refund", "ship_order", "lead_tour", "rent_boat", "publish_notice")
    ]
    value: Any = {
        "semantics": 3,
        "home": "/home/ada",
        "rules": [],
        "annotations": {"servers": {"quay": {"tools": tools}}},
    }
    return Toolbox(Policy.of_json(value))


TOOLBOX = _toolbox()


@pytest.mark.parametrize(
    "text",
    [
        "Our shop has 14 boats and a small jetty behind the house.",
        "We moved from Hull to York in 2021.",
        "The harbour was renovated in 2019 and has five piers.",
        "We're a family business with 30 guests, most of them sailors.",
        "The office opens at 8 in the morning and closes at 6 in the evening.",
        "We repair clocks in Leeds and in York.",
        "We are looking for two rooms near the station.",
        "The choir has 48 singers and rehearses every Tuesday evening.",
        "Sprints run for two weeks.",
        "Most of our clients are dental practices in the Midwest.",
        "Half of our guests are from the US.",
        "We have two boats and most tickets are under 80 dollars.",
        "The jetty site is a Next.js app that three of us work on.",
        "I mostly use you to look up tides and train times.",
        "The crew is spread over three piers.",
        "The firm has offices in Hull and York.",
    ],
)
def test_a_statement_of_fact_is_known(text: str) -> None:
    assert is_fact(text, TOOLBOX)


@pytest.mark.parametrize(
    "text",
    [
        "We have a limit of two boats.",
        "We have a code freeze in December.",
        "There are two approvers.",
        "Refunds are in EUR.",
        "Boats are in the harbour.",
        "A boat has two seats.",
        "The team leads three tours.",
        "We rent two boats.",
        "We work with a courier.",
        "The piers are in the hands of Marta.",
        "Marta approves 12 notices.",
        "The shop has 14 boats, never give them away.",
        "The shop has 14 boats and refunds go through me.",
        "The shop has 14 boats and ship orders to York.",
        "The shop has 14 boats and sail them to York.",
        "The shop has 14 boats and oars go through Marta.",
        "I am a lawyer and you publish notices.",
        "The office opens at 8 unless it rains.",
        "The rate is 90 euros.",
        "Orders come from York.",
        "Our house has quiet hours from 22 to 7.",
        "There are files in /secret.",
        "Tread lightly around the harbour.",
        "Mention plans for the summer.",
        "Speak French in the mornings.",
        "The weekends are sacred.",
        "We frown upon long mails.",
        "We write in British English.",
        "The crew prints two notices.",
        "We look for a courier in York.",
        "We repair clocks and mend notices.",
        "The choir has 48 singers and sails go through Marta.",
        "Tickets are under 80 dollars.",
        "Most tickets must be under 80 dollars.",
        "Refunds are mostly under 80 dollars.",
        "I mostly use you to read notices and never to publish them.",
        "I only use you to look up tides.",
        "You mostly look up tides.",
        "The jetty site is an app that only we work on.",
        "Most notices are off limits.",
        "Most refunds go through Marta.",
    ],
)
def test_a_sentence_that_may_be_a_rule_is_no_fact(text: str) -> None:
    assert not is_fact(text, TOOLBOX)


def test_no_rule_of_the_collected_sentences_is_a_fact() -> None:
    found = [json.loads(line) for line in SENTENCES.read_text(encoding="utf-8").splitlines()]
    rules = [one["text"] for one in found if one["kind"] != "background"]
    assert rules
    assert not [text for text in rules if is_fact(text, TOOLBOX)]
