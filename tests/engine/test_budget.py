"""The budget of a unit: asked first, paid when granted, and gone honestly."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.events import RoundStarted
from retouch.engine.options import RunOptions
from retouch.engine.types import RetryBudget
from retouch.errors import TransportError
from tests.engine.conftest import asked, honest, states, wrong_first
from tests.engine.glossary import SOURCE

if TYPE_CHECKING:
    from tests.engine.conftest import Scene

BAD = [f"nonsense {number}" for number in range(20)]
THIN = [f"saw=SAW{number}" for number in range(20)]
CLASH = [f"axe=CAT\nsaw=SAW{number}" for number in range(20)]


@pytest.mark.parametrize(("answers", "retries"), [(BAD, 2), (THIN, 2), (CLASH, 1)])
def test_each_tier_has_its_own_number_of_retries(scene: Scene, answers: list[str], retries: int) -> None:
    model = wrong_first({("tools", 1): answers})
    result = scene.generate(model)
    assert 1 + retries == asked(model).count(("tools", 1))
    assert ("exhausted", 3) == (result.status, result.exit_status)


def test_all_tiers_together_have_a_total(scene: Scene) -> None:
    model = wrong_first({("tools", 1): [BAD[0], BAD[1], THIN[0], THIN[1], CLASH[0], CLASH[1]]})
    scene.generate(model)
    assert 1 + 3 == asked(model).count(("tools", 1))


def test_each_unit_has_a_budget_of_its_own(scene: Scene) -> None:
    model = wrong_first({("tools", 1): BAD, ("animals", 2): BAD[5:]})
    result = scene.generate(model)
    assert (3, 4) == (asked(model).count(("tools", 1)), asked(model).count(("animals", 2)))  # two pages: one more
    assert {"animals": "exhausted", "tools": "exhausted"} == states(result)


def test_a_recipe_sets_its_own_numbers(scene: Scene) -> None:
    scene.use(budget=RetryBudget(tier1_remaining=0))
    model = wrong_first({("tools", 1): BAD})
    assert "exhausted" == scene.generate(model).status
    assert 1 == asked(model).count(("tools", 1))


def test_a_retry_is_paid_when_it_is_granted_and_the_first_answer_is_free(scene: Scene) -> None:
    scene.generate(wrong_first({("tools", 1): BAD[:1]}))
    history = scene.history
    assert RetryBudget() == history.remaining_budget("animals")
    assert RetryBudget(1, 2, 1, 2) == history.remaining_budget("tools")


def test_an_exhausted_unit_keeps_everything_and_its_file_is_written(scene: Scene) -> None:
    scene.generate(wrong_first({("tools", 1): BAD}))
    assert "# begin tools\nnonsense 2\n# end tools" in scene.text()
    summary = scene.json("ir.json")["validation"]["tools"]
    assert ("exhausted", ["1"]) == (summary["state"], list(summary["issues"]))
    assert 3 == sum(1 for a in scene.history.attempts.values() if a.unit == "tools" and a.reply is not None)


def test_an_exhausted_unit_is_not_asked_again_by_generate(scene: Scene) -> None:
    scene.generate(wrong_first({("tools", 1): BAD}))
    result = scene.generate()
    assert (0, "exhausted") == (result.calls, result.status)


def test_regenerate_starts_a_new_round_with_the_budget_given(scene: Scene) -> None:
    scene.generate(wrong_first({("tools", 1): BAD}))
    model = wrong_first({("tools", 1): BAD[5:]})
    result = scene.regenerate(model, "tools", hint="in capitals", budget=RetryBudget(4, 0, 0, 4))
    assert 1 + 4 == len(model.requests)
    assert "exhausted" == result.status
    assert "verified" == scene.regenerate(honest(), "tools").status


def test_a_new_round_for_one_unit_leaves_another_exhausted(scene: Scene) -> None:
    scene.generate(wrong_first({("tools", 1): BAD, ("animals", 1): BAD[7:]}))
    model = honest()
    result = scene.regenerate(model, "tools")
    assert [("tools", 1)] == asked(model)
    assert {"animals": "exhausted", "tools": "answered"} == states(result)


def test_a_changed_source_gives_only_the_changed_units_a_new_round(scene: Scene) -> None:
    scene.generate(wrong_first({("tools", 1): BAD, ("animals", 1): BAD[7:]}))
    scene.source = replace(SOURCE, units={**SOURCE.units, "tools": ("axe", "adze")})
    model = honest()
    result = scene.generate(model)
    assert [("tools", 1)] == asked(model)
    assert {"animals": "exhausted", "tools": "answered"} == states(result)


def test_a_repair_that_got_no_reply_costs_nothing(scene: Scene) -> None:
    lost = TransportError("connection reset")
    scene.generate(wrong_first({("tools", 1): [BAD[0], lost]}))
    left = scene.history.remaining_budget("tools")
    for _ in range(3):
        scene.generate(wrong_first({("tools", 1): [lost]}))
    assert left == scene.history.remaining_budget("tools") == RetryBudget(1, 2, 1, 2)
    assert "verified" == scene.generate().status
    assert left == scene.history.remaining_budget("tools")


def test_a_validate_between_does_not_make_a_granted_repair_cost_twice(scene: Scene) -> None:
    scene.generate(wrong_first({("tools", 1): [THIN[0], TransportError("connection reset")]}))
    scene.validate()
    assert "verified" == scene.generate().status
    assert RetryBudget(2, 1, 1, 2) == scene.history.remaining_budget("tools")


def test_a_missing_page_whose_repair_was_granted_is_asked_by_the_next_run(scene: Scene) -> None:
    from tests.engine.conftest import cut

    scene.generate(wrong_first({("animals", 2): [cut(), TransportError("reset")]}))
    model = honest()
    result = scene.generate(model)
    assert ([("animals", 2)], "verified") == (asked(model), result.status)
    assert [16384] == [request.max_output_tokens for request in model.requests]
    assert RetryBudget(1, 2, 1, 2) == scene.history.remaining_budget("animals")


def test_a_missing_page_and_a_granted_one_of_the_same_unit_are_both_asked(scene: Scene) -> None:
    from tests.engine.conftest import cut

    lost = TransportError("reset")
    scene.generate(wrong_first({("animals", 1): [cut(), lost], ("animals", 2): [lost]}))
    model = honest()
    assert "verified" == scene.generate(model).status
    assert [("animals", 1), ("animals", 2)] == sorted(asked(model))


@pytest.mark.parametrize(
    ("pages", "budget"),
    [
        (1, RetryBudget(2, 2, 1, 3)),
        (2, RetryBudget(3, 3, 1, 5)),
        (3, RetryBudget(4, 4, 1, 7)),
        (8, RetryBudget(5, 5, 2, 9)),
        (114, RetryBudget(9, 9, 2, 17)),
    ],
)
def test_the_budget_grows_with_the_pages_of_the_unit(pages: int, budget: RetryBudget) -> None:
    assert budget == RetryBudget().for_pages(pages)


def test_a_budget_that_the_user_gave_does_not_grow(scene: Scene) -> None:
    model = wrong_first({("animals", 2): BAD})
    scene.generate(model, options=RunOptions(budget=RetryBudget()))
    assert 3 == asked(model).count(("animals", 2))


def test_a_budget_of_an_older_ledger_does_not_grow() -> None:
    row: dict[str, Any] = {"verb": "generate", "units": [], "hint": "", "budget": asdict(RetryBudget())}
    assert not RoundStarted.from_json(row, {}).grows
