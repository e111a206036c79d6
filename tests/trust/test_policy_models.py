"""Rules and scenarios of a model that agree with each other, and are less strict than the sentence that they quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.recipes.policy.making.scenes import COVERING, NEVER, READS, WRITES, Json, Scene, item, items, rules

if TYPE_CHECKING:
    from pathlib import Path

ALLOWED: Json = {**WRITES, "name": "notes-writing", "then": "allow"}
ASKED: Json = {**NEVER, "then": "escalate"}


@pytest.mark.parametrize(
    ("made", "shown"),
    [
        (rules(READS, ALLOWED), (*COVERING[:2], item("write", "~/notes/a", "allow"), *COVERING[3:])),
        (rules(READS, WRITES, ASKED, prohibitions=[]), (*COVERING[:4], item("delete", "~/notes/a", "escalate"))),
    ],
)
def test_a_sentence_whose_rules_are_less_strict_than_it_is_not_enforced(tmp_path: Path, made: str, shown: list[Json]):
    scene = Scene(tmp_path / "run")
    result = scene.generate({"compile": made, "scenarios": items(*shown), "judge": "", "patch": ""})
    assert "verified" != result.status
