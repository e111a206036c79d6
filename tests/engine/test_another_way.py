"""The same answer twice is a dispute with tier 3, unless the recipe has another question to ask."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from retouch.engine.repair import Correction, Instead
from retouch.engine.types import RetryBudget
from tests.engine.conftest import wrong_first

if TYPE_CHECKING:
    from tests.engine.conftest import Scene

CLASH = "axe=CAT\nsaw=SAW"  # another unit has CAT already: tier 3
PATIENT = RetryBudget(tier3_remaining=3)


def test_a_repeated_answer_is_no_dispute_while_another_prompt_is_left(scene: Scene) -> None:
    def repair(_source: Any, _unit: str, _issues: Any, attempts: Any) -> Any:
        other = replace(attempts[0].request.prompt, user="Another way. WORDS: axe saw")
        return Instead(prompt=other) if len(attempts) == 2 else Correction()

    scene.use(repair=repair, budget=PATIENT)
    model = wrong_first({("tools", 1): [CLASH, CLASH]})
    assert "verified" == scene.generate(model).status
    assert "Another way. WORDS: axe saw" == model.requests[-1].messages[-1].text


def test_a_repeated_answer_to_the_only_other_prompt_is_a_dispute(scene: Scene) -> None:
    def repair(_source: Any, _unit: str, _issues: Any, attempts: Any) -> Any:
        return Instead(prompt=replace(attempts[0].request.prompt, user="Another way. WORDS: axe saw"))

    scene.use(repair=repair, budget=PATIENT)
    result = scene.generate(wrong_first({("tools", 1): [CLASH, CLASH, CLASH]}))
    assert ("issues", "disputed") == (result.status, dict(result.states)["tools"])
