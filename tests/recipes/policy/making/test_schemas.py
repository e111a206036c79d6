"""The schemas of answers: their bounds, and which request has which."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.policy.making.asking.answers import parse_json_with_schema
from retouch.recipes.policy.making.asking.forms import AnswerForm, PatchForm, RulesForm, VerdictForm
from retouch.recipes.policy.making.asking.schemas import patch_schema, rules_schema, scenarios_schema, verdict_schema
from tests.recipes.bounded import fits, providers_with_a_form, unbounded
from tests.recipes.policy.making.scenes import (
    CONSTITUTION,
    FAILING,
    MENDED,
    NEVER,
    READS,
    WRITES,
    Scene,
    item,
    job,
    rule,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pydantic import BaseModel

    from retouch.recipes.policy.making.asking.source import PolicyJob

DEFINITION = {"name": "news", "type": "domains", "principle": "p", "generationPrompt": "g", "requiresMcp": False}
DOMAINS = {"roles": ["fetch-url"], "allowed": ["@news"]}
ADDRESS = rule("r", "allow", "p", domains=DOMAINS, lists=[{**DOMAINS, "matchType": "domains"}])
RULES = {
    "prohibitions": [NEVER],
    "rules": [READS, WRITES, ADDRESS],
    "listDefinitions": [DEFINITION],
    "unenforceable": [{"clause": "c", "why": "w", "nearest": ""}],
}
PATCH = {
    "operations": [
        {"op": "update", "rule": NEVER},
        {"op": "add", "rule": READS, "after": None},
        {"op": "delete", "name": "x"},
        {"op": "move", "name": "x", "after": "y"},
    ],
    "listDefinitions": [],
}
SCENARIOS = {"scenarios": [item("read", "~/a", "allow", quote="q"), item("read", "~/b", "deny", "id", quote="")]}
CALL = item("read", "~/a", "allow")["request"]
VERDICT = {
    "verdicts": [{"id": "1", "blame": "both", "corrected": None, "reasoning": "r", "quote": "q"}],
    "derived": [{"request": CALL, "expected": "deny", "reasoning": "r", "quote": "q"}],
    "probes": [{"description": "d", "request": CALL, "expectedDecision": "deny", "reasoning": "r"}],
    "pass": False,
    "open": ["something"],
    "clauses": [{"clause": "c", "status": "covered", "rules": ["r"], "why": "w"}],
}
ALL = [
    (rules_schema, RulesForm, RULES),
    (patch_schema, PatchForm, PATCH),
    (scenarios_schema, AnswerForm, SCENARIOS),
    (verdict_schema, VerdictForm, VERDICT),
]
EACH = pytest.mark.parametrize(("schema_of", "form", "answer"), ALL)


@EACH
def test_a_full_answer_fits_its_schema_and_its_form(
    schema_of: Callable[[PolicyJob], Any], form: type[BaseModel], answer: Any
):
    assert fits(schema_of(job()), answer)
    parse_json_with_schema(json.dumps(answer), form)
    for key in answer:
        assert not fits(schema_of(job()), {name: one for name, one in answer.items() if name != key})


@EACH
def test_every_text_and_list_is_bounded(schema_of: Callable[[PolicyJob], Any], form: object, answer: object):
    assert (True, []) == (form is not answer, unbounded(schema_of(job())))


def test_a_quote_may_be_as_long_as_the_longest_paragraph():
    sentence = "Never " + "ever " * 600 + "delete."
    schema = rules_schema(job(constitution=f"{CONSTITUTION}\n\n{sentence}\n"))
    assert fits(schema, {**RULES, "rules": [{**READS, "principle": sentence}]})
    assert not fits(rules_schema(job()), {**RULES, "rules": [{**READS, "principle": sentence}]})


def test_a_prohibition_denies_and_a_rule_does_not():
    assert not fits(rules_schema(job()), {**RULES, "prohibitions": [READS]})
    assert not fits(rules_schema(job()), {**RULES, "rules": [NEVER]})


@pytest.mark.parametrize(
    ("schema_of", "providers"),
    [
        (rules_schema, ["anthropic", "google", "local"]),
        (patch_schema, ["anthropic", "google", "local"]),
        (scenarios_schema, ["google", "local"]),
        (verdict_schema, ["google", "local"]),
    ],
)
def test_providers_that_cannot_express_it_are_known(schema_of: Callable[[PolicyJob], Any], providers: list[str]):
    assert providers == providers_with_a_form(schema_of(job()))


def test_each_request_has_the_schema_of_its_answer(tmp_path: Path):
    scene, about = Scene(tmp_path / "run"), job()
    scene.generate({**FAILING, "patch": MENDED})
    expected = [rules_schema(about), scenarios_schema(about), verdict_schema(about), patch_schema(about)]
    assert ["compile", "scenarios", "judge", "patch"] == scene.asked()
    assert expected == [request.answer_schema for request in scene.model.requests]
