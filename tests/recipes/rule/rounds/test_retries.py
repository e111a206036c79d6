"""The retry budget, as resolved by the twenty points of the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retouch.errors import TransportError
from retouch.recipes.rule import (
    RetryBudget,
    RetryContext,
    WizardState,
    get_spinner_message,
    recipe,
)
from tests.recipes.rule.rounds_scene import (
    BROKEN,
    FAILING,
    NO_MATCH,
    RIGHT,
    UNKNOWN_SOURCE,
    codes,
    failing,
    job,
    other,
    result,
)

if TYPE_CHECKING:
    from tests.recipes.rule.rounds_scene import Scene


def test_the_budget_has_the_seeds_fields_and_they_are_the_recipes_own() -> None:
    names = ("tier1_remaining", "tier2_remaining", "tier3_remaining", "total_remaining")
    assert (2, 2, 1, 3) == tuple(getattr(recipe.budget, name) for name in names)
    assert isinstance(recipe.budget, RetryBudget)


@pytest.mark.parametrize(
    ("tiers", "generations", "total_left"),
    [
        ((3, 3), 2, 2),
        ((1, 3, 3), 3, 1),
        ((1, 1, 1), 3, 1),
        ((1, 2, 3, 3), 4, 0),
        ((2, 2, 2), 3, 1),
        ((1, 1, 2, 2), 4, 0),
    ],
)
def test_a_retry_is_asked_for_and_then_paid(
    scene: Scene, tiers: tuple[int, ...], generations: int, total_left: int
) -> None:
    outcome = scene.begin(*failing(*tiers), RIGHT)
    assert ("exhausted", generations) == (outcome.ending, len(scene.model.requests))
    assert total_left == outcome.context.budget.total_remaining


def test_at_most_four_answers_are_requested_in_a_round(scene: Scene) -> None:
    scene.begin(*failing(1, 2, 3), other(BROKEN, 9), RIGHT)
    assert 4 == len(scene.model.requests)


def test_the_caps_of_the_tiers_lie_inside_the_shared_total(scene: Scene) -> None:
    outcome = scene.begin(*failing(1, 1, 2), other(UNKNOWN_SOURCE, 9))
    left = outcome.context.budget
    assert (0, 1, 1, 0) == (left.tier1_remaining, left.tier2_remaining, left.tier3_remaining, left.total_remaining)


def test_exhaustion_comes_when_the_cap_of_a_tier_is_spent_though_the_total_is_not(scene: Scene) -> None:
    outcome = scene.begin(*failing(3, 3))
    assert "exhausted" == outcome.ending
    assert 2 == outcome.context.budget.total_remaining
    assert not outcome.context.budget.can_retry(3)


@pytest.mark.parametrize(("retries", "shown"), [(1, "retry 1 of 3"), (2, "retry 2 of 3"), (3, "retry 3 of 3")])
def test_the_number_of_the_retry_is_shown_and_never_exceeds_its_maximum(retries: int, shown: str) -> None:
    context = RetryContext()
    for tier in (1, 2, 3)[:retries]:
        context.add_failure(result(tier))
        assert context.grant()
    assert shown in get_spinner_message(WizardState.ANALYZING, context)
    assert 1 + retries == context.attempt


def test_the_true_number_of_failures_is_reported(scene: Scene) -> None:
    assert 2 == len(scene.begin(*failing(3, 3)).history)


def test_whether_a_retry_is_left_is_asked_of_the_tier_that_failed_last(scene: Scene) -> None:
    outcome = scene.begin(*failing(3, 1), RIGHT)
    assert ("passed", 3) == (outcome.ending, len(scene.model.requests))


def test_a_hint_round_has_one_free_answer_and_one_retry_but_none_for_tier_three(scene: Scene) -> None:
    scene.begin(*failing(3, 3))
    assert "exhausted" == scene.hint("the mission", *failing(3), RIGHT).ending
    assert 1 == len(scene.model.requests)
    assert "passed" == scene.hint("the mission is the third folder", other(BROKEN, 7), RIGHT).ending
    assert 2 == len(scene.model.requests)
    last = scene.hint("again", other(BROKEN, 8), other(BROKEN, 9))
    assert ("exhausted", 0) == (last.ending, last.context.budget.total_remaining)


def test_a_hint_without_effect_is_no_progress_and_keeps_the_current_answer(scene: Scene) -> None:
    scene.begin(RIGHT)
    outcome = scene.hint("the folder below data is the mission", RIGHT)
    assert ("no_progress", True) == (outcome.ending, outcome.result.valid)
    assert "name: x\n" in outcome.text


def test_hint_rounds_are_not_limited_and_the_hint_is_in_the_turn(scene: Scene) -> None:
    scene.begin(*failing(3, 3))
    for number in range(3):
        scene.hint(f"hint number {number}", other(NO_MATCH, 20 + number))
        assert f"hint number {number}" in scene.sent_text(0)


def test_what_is_left_of_a_budget_is_not_carried_into_a_hint_round(scene: Scene) -> None:
    scene.begin(*failing(3, 3))
    outcome = scene.hint("x", other(BROKEN, 5), other(BROKEN, 6), RIGHT)
    assert 2 == len(scene.model.requests)
    assert "exhausted" == outcome.ending


def test_an_answer_that_the_user_rejects_is_shown_in_a_round_with_the_full_budget(scene: Scene) -> None:
    scene.begin(RIGHT)
    outcome = scene.again(*failing(1, 2), other(RIGHT, 5), rejected=True)
    assert "passed" == outcome.ending
    assert "[REJECTED]" in scene.sent_text(0)
    assert "name: x5" in (scene.folder / "rule.yaml").read_text(encoding="utf-8").replace("'", "")


def test_a_fresh_round_after_an_error_does_not_mention_earlier_answers(scene: Scene) -> None:
    scene.begin(*failing(1, 3, 3))
    first = scene.model.requests[0]
    outcome = scene.again(other(BROKEN, 9), RIGHT)
    assert "passed" == outcome.ending
    assert first.messages == scene.model.requests[0].messages
    assert "flight_*" not in scene.sent_text(1)


def test_an_edit_goes_through_all_three_tiers_and_costs_no_budget(scene: Scene) -> None:
    from retouch.recipes.rule import rounds

    scene.begin(*failing(3, 3))
    for tier, text in FAILING.items():
        assert tier == rounds.check_edit(job(), text).tier
    outcome = scene.edit("name: mine\nglob: '**/mission_*/*/*.csv'\nextract: {m: {from: segment(-3)}}\n")
    assert ("passed", []) == (outcome.ending, scene.model.requests[2:])


def test_the_users_text_is_not_changed_by_a_model(scene: Scene) -> None:
    scene.begin(RIGHT)
    scene.edit("name: mine\nglob: '**/mission_*/*/*.csv'\nextract: {m: {from: segment(-3)}}\n")
    assert "passed" == scene.begin().ending
    assert [] == scene.model.requests


def test_a_failure_of_transport_is_no_failure_of_the_answer(scene: Scene) -> None:
    outcome = scene.begin(TransportError("429 too many"))
    assert ("transport", ()) == (outcome.ending, outcome.history)
    assert "429" in outcome.error
    taken_up = scene.begin(BROKEN, RIGHT)
    assert ("passed", 2) == (taken_up.ending, taken_up.context.budget.total_remaining)
    assert all("429" not in request.messages[-1].text for request in scene.model.requests)


def test_an_empty_answer_is_a_failure_of_tier_one(scene: Scene) -> None:
    outcome = scene.begin("", RIGHT)
    assert ["EMPTY_OUTPUT"] == [one.error_type for one in outcome.history]
    assert 1 == outcome.context.budget.tier1_remaining


def test_a_later_answer_can_fail_earlier_and_the_best_one_stays_current(scene: Scene) -> None:
    best = other(NO_MATCH, 1)
    outcome = scene.begin(BROKEN, best, other(BROKEN, 2), other(BROKEN, 3))
    assert "GLOB_MISMATCH" == outcome.result.error_type
    assert "name: x1" in outcome.text
    assert "AN EARLIER ANSWER GOT FURTHER" in scene.sent_text(3)


@pytest.mark.parametrize("tier", [1, 2, 3])
def test_the_same_answer_twice_ends_the_round_at_once(scene: Scene, tier: int) -> None:
    outcome = scene.begin(FAILING[tier], FAILING[tier], RIGHT)
    assert ("no_progress", 2) == (outcome.ending, len(scene.model.requests))


def test_the_same_is_shown_while_a_first_and_a_further_answer_are_waited_for() -> None:
    context = RetryContext()
    context.add_failure(result(1, "YAML_SYNTAX_ERROR", line=5))
    context.grant()
    both = {get_spinner_message(state, context) for state in (WizardState.ANALYZING, WizardState.REGENERATING)}
    assert 1 == len(both)
    assert "Analyzing paths..." == get_spinner_message(WizardState.ANALYZING, None)


def test_a_function_from_the_edit_of_a_rule_is_taken_as_one(scene: Scene) -> None:
    pytest.importorskip("pydantic_monty")
    scene.begin(RIGHT)
    outcome = scene.edit("def extract(path: str) -> dict:\n    return {'m': path.split('/')[3]}\n")
    assert outcome.artifact is not None
    assert ("passed", "python") == (outcome.ending, outcome.artifact.kind)
    assert ["extractor.py"] == [one.name for one in scene.folder.iterdir() if one.name in {"extractor.py", "rule.yaml"}]


def test_the_cap_of_tier_three_can_be_chosen(scene: Scene) -> None:
    from retouch.engine.options import RunOptions

    outcome = scene.begin(*failing(3, 3, 3), RIGHT, options=RunOptions(budget=RetryBudget(tier3_remaining=3)))
    assert ("passed", 4) == (outcome.ending, len(scene.model.requests))


def test_add_failure_records_and_does_not_pay() -> None:
    context = RetryContext()
    context.add_failure(result(1))
    assert (RetryBudget(), 1, 0) == (context.budget, len(context.validation_history), context.retries)
    assert context.last_error is context.validation_history[0]


def test_low_coverage_fails_once_and_is_then_a_warning(scene: Scene) -> None:
    few = RIGHT.replace("mission_*", "mission_00[1-5]")
    outcome = scene.begin(few, other(few, 1))
    assert ("passed", ["LOW_COVERAGE"]) == (outcome.ending, codes(outcome.result.issues, "warning"))
