"""Whole runs: from plain English to rules and scenarios that agree."""

from __future__ import annotations

from pathlib import Path

from tests.recipes.policy.making.scenes import (COVERING, READS, WRITES, Scene, blame, items, operations, rules, scenario_id, verdict)

GOOD = {"compile": rules(READS, WRITES), "scenarios": items(*COVERING)}


def test_rules_and_scenarios_that_agree_take_one_call_each(tmp_path: Path):
    scene = Scene(tmp_path)
    result = scene.generate(GOOD)
    assert ("clean", ()) == (result.status, result.issues)
    assert ["compile", "scenarios"] == scene.asked()
    assert scene.file("policy.json")["verified"]
    assert "PASS" == scene.file("report.json")["verdict"]


def test_a_rule_that_fails_is_patched_and_nothing_else_is_asked_again(tmp_path: Path):
    scene = Scene(tmp_path)
    id_ = scenario_id("write", "~/notes/a")
    allowing = {**WRITES, "name": "write-notes", "then": "allow"}
    answers = {
        "compile": rules(READS, allowing),
        "scenarios": items(*COVERING),
        "judge": verdict(blame(id_, "rule", "Ask me before it writes to my notes.")),
        "patch": operations({"op": "delete", "name": "write-notes"}, {"op": "add", "rule": WRITES, "after": "allow-read-notes"}),
    }
    result = scene.generate(answers)
    assert "clean" == result.status
    assert ["compile", "scenarios", "judge", "patch"] == scene.asked()
    assert ["allow-read-notes", "ask-to-write"] == [rule["name"] for rule in scene.file("policy.json")["rules"]]
    assert scene.file("policy.json")["verified"]
