"""Whole runs: from plain English to rules and scenarios that agree."""

from __future__ import annotations

from pathlib import Path

from tests.recipes.policy.making.scenes import COVERING, READS, WRITES, Scene, items, rules

GOOD = {"compile": rules(READS, WRITES), "scenarios": items(*COVERING)}


def test_rules_and_scenarios_that_agree_take_one_call_each(tmp_path: Path):
    scene = Scene(tmp_path)
    result = scene.generate(GOOD)
    assert ("clean", ()) == (result.status, result.issues)
    assert ["compile", "scenarios"] == scene.asked()
    assert scene.file("policy.json")["verified"]
    assert "PASS" == scene.file("report.json")["verdict"]
