"""The runs of an evaluation: resumed, limited, sampled, and stopped where a model cannot answer."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.directory import open_run
from retouch.engine.options import RunOptions
from retouch.engine.overview import overview
from retouch.engine.types import Issue, RetryBudget, Tier
from retouch.errors import CannotJudge, ModelError, TransportError
from retouch.evaluation import Observer, Workplace, is_finished
from retouch.evaluation.outcomes import first_verdicts
from retouch.models.spending import CostLimit, capped
from tests.engine.conftest import Scene, run, tree_of, wrong_first
from tests.engine.glossary import RECIPE, answer
from tests.evaluation.conftest import ALONE, Evaluation, figures, priced, right, wrong

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.types import Request


def test_each_model_answers_each_unit_in_each_trial_in_a_run_of_its_own(evaluation: Evaluation) -> None:
    result = evaluation.run("a", "b", trials=2)
    assert ("complete", 0) == (result.status, result.exit_status)
    assert {"a": 16, "b": 16} == {name: one["verified"] for name, one in figures(result).items()}
    assert 32 == len(evaluation.requests)
    runs = sorted(
        path.parent.relative_to(evaluation.directory).as_posix() for path in evaluation.directory.rglob("ir.json")
    )
    assert ["a/trial-1/words", "a/trial-2/words", "b/trial-1/words", "b/trial-2/words"] == runs


def test_a_finished_evaluation_requests_nothing_and_has_the_same_result(evaluation: Evaluation) -> None:
    first = evaluation.run("a", "b")
    evaluation.requests.clear()
    before = tree_of(evaluation.directory)
    assert first.to_json() == evaluation.run("a", "b").to_json()
    assert ([], before) == (evaluation.requests, tree_of(evaluation.directory))


def test_trials_are_only_said_to_be_alike_if_they_have_answers(evaluation: Evaluation) -> None:
    evaluation.scripts["b"] = lambda _: TransportError("no network", again=False)
    result = evaluation.run("a", "b", trials=2, size=3)
    assert ["a"] == [note.split(":")[0] for note in result.notes if "the same answers" in note]


def test_more_models_and_trials_extend_an_evaluation(evaluation: Evaluation) -> None:
    evaluation.run("a", size=3)
    evaluation.requests.clear()
    result = evaluation.run("b", "a", trials=2, size=3)
    assert {"a": 3, "b": 6} == {name: sum(model == name for model, _ in evaluation.requests) for name in "ab"}
    assert [6, 6] == [one.units for one in result.figures]


def test_an_interrupted_evaluation_continues_and_pays_for_nothing_twice(evaluation: Evaluation) -> None:
    evaluation.add("more", 8)

    def stop_in_the_middle(request: Request) -> Any:
        if len(evaluation.requests) > 20:
            raise KeyboardInterrupt
        return right(request)

    evaluation.scripts = {"a": stop_in_the_middle, "b": stop_in_the_middle}
    with pytest.raises(KeyboardInterrupt):
        evaluation.run("a", "b")
    evaluation.scripts = {}
    result = evaluation.run("a", "b")
    assert "complete" == result.status
    usage = [one.usage.calls for one in result.figures]
    assert [16, 16] == usage
    assert len(evaluation.requests) <= 32 + 16  # at most the requests under way were sent again


def test_the_figures_show_first_answers_repairs_and_codes(tmp_path: Path) -> None:
    evaluation = Evaluation(tmp_path / "evaluation", units=6)
    sent: set[str] = set()

    def wrong_at_first(request: Request) -> Any:
        is_first = request.prompt.unit not in sent
        sent.add(request.prompt.unit)
        return wrong(request) if is_first and request.prompt.unit in ("unit00", "unit01") else right(request)

    def always_wrong(request: Request) -> Any:
        return wrong(request) if request.prompt.unit == "unit05" else right(request)

    evaluation.scripts = {"a": wrong_at_first, "b": always_wrong}
    result = evaluation.run("a", "b")
    a, b = figures(result).values()
    assert (6, 4, 8) == (a["verified"], a["first_answers_passed"], a["calls"])
    assert (4, 6, 6) == tuple(a["tiers"][0][key] for key in ("first", "final", "of"))
    assert {"BROKEN_LINE": {"first": 2, "final": 0}} == a["codes"]
    assert {"correction": {"calls": 2, "passed": 2}} == a["repairs"]
    assert pytest.approx((6 * 0.01 + 2 * 0.02) / 6) == a["cost_to_verified"]
    assert (5, 1, {"BROKEN_LINE": {"first": 1, "final": 1}}) == (b["verified"], b["exhausted"], b["codes"])


def test_a_failure_of_a_group_in_tier_3_counts_for_first_answers(tmp_path: Path) -> None:
    evaluation = Evaluation(tmp_path / "evaluation", units=3, recipe=RECIPE)
    sent: set[str] = set()

    def same_value_at_first(request: Request) -> Any:
        is_first = request.prompt.unit not in sent
        sent.add(request.prompt.unit)
        return priced(request, answer(request.prompt).rpartition("=")[0] + "=SAME") if is_first else right(request)

    evaluation.scripts = {"a": same_value_at_first}
    found = figures(evaluation.run("a"))["a"]
    assert (3, 1) == (found["verified"], found["first_answers_passed"])
    assert [(3, 3), (3, 3), (1, 3)] == [(one["first"], one["final"]) for one in found["tiers"]]
    assert {"TAKEN": {"first": 2, "final": 0}} == found["codes"]


def test_an_error_of_a_first_answer_that_another_repair_removed_still_counts(tmp_path: Path) -> None:
    def blame_both(_source: Any, values: Any, _options: RunOptions) -> list[Issue]:
        wrong_axe = values["tools"]["axe"] != "AXE"
        units = ("animals", "tools") if wrong_axe else ()
        return [Issue(code="AXE", message="axe", tier=Tier.SEMANTIC, unit=unit) for unit in units]

    gone = TransportError("gone")
    scene = Scene(tmp_path / "run")
    scene.use(check=blame_both)
    first = {
        ("animals", 1): ["cat=CAT\ndog=DOG", gone],
        ("animals", 2): ["eel=EEL", gone],
        ("tools", 1): ["axe=1\nsaw=2"],
    }
    assert "verified" == scene.generate(wrong_first(first)).status
    assert "answer" == scene.history.attempts[scene.history.answers["animals", 1].attempt or 0].why
    found = first_verdicts(scene.folder, scene.history)
    assert (3, {"AXE"}, 3) == (found["animals"].failed_tier, found["animals"].codes, found["tools"].failed_tier)


def test_the_cost_limit_holds_for_the_whole_evaluation_and_a_higher_one_continues(evaluation: Evaluation) -> None:
    limit = CostLimit(limit_usd=0.1)
    evaluation.wrap = lambda model: capped(model, limit, lambda _given, _taken: 0.01)
    stopped = evaluation.run("a", "b", trials=3)
    assert ("exhausted", 3) == (stopped.status, stopped.exit_status)
    assert 3 <= sum(one.missing_runs for one in stopped.figures)  # none begins in vain
    assert sum(one.usage.cost or 0.0 for one in stopped.figures) <= 0.1 + 1e-9
    limit.limit_usd = 1.0
    done = evaluation.run("a", "b")
    assert ("complete", [8, 8]) == (done.status, [one.usage.calls for one in done.figures])


def test_a_repair_that_the_limit_prevented_is_not_finished(tmp_path: Path) -> None:
    evaluation = Evaluation(tmp_path / "evaluation", units=1)
    evaluation.scripts = {"a": wrong}
    limit = CostLimit(limit_usd=0.02)
    evaluation.wrap = lambda model: capped(model, limit, lambda _given, _taken: 0.02)
    stopped = evaluation.run("a")
    assert ("exhausted", 1) == (stopped.status, figures(stopped)["a"]["incomplete"])
    limit.limit_usd = 1.0
    assert ("complete", 1) == ((done := evaluation.run("a")).status, figures(done)["a"]["exhausted"])


def test_a_model_that_cannot_answer_stops_alone_and_is_named(evaluation: Evaluation) -> None:
    evaluation.add("more", 8)

    def unusable(_request: Request) -> Any:
        return ModelError("401: the key is invalid", hint="Correct the key.")

    evaluation.scripts = {"b": unusable}
    result = evaluation.run("a", "b", trials=3)
    assert ("incomplete", 1) == (result.status, result.exit_status)
    assert 48 == figures(result)["a"]["verified"]
    ends = [status for name, status in evaluation.ended if name.startswith("b,")]
    assert (6, {"failed", "skipped"}) == (len(ends), set(ends))
    assert ends.count("failed") <= 2  # two runs begin at once
    assert any("401: the key is invalid" in note for note in result.notes)
    assert [] == [one for one in result.comparisons if one.better is not None]


def test_a_failure_of_the_network_leaves_a_unit_incomplete_and_out_of_the_comparison(evaluation: Evaluation) -> None:
    def cut_off(request: Request) -> Any:
        return TransportError("the server is gone") if request.prompt.unit == "unit02" else right(request)

    evaluation.scripts = {"b": cut_off}
    result = evaluation.run("a", "b")
    assert ("incomplete", 1) == (result.status, figures(result)["b"]["incomplete"])
    assert {7} == {one.interval.groups for one in result.comparisons if one.interval is not None}
    evaluation.scripts = {}
    assert "complete" == evaluation.run("a", "b").status


def test_an_error_of_one_run_does_not_stop_the_others(tmp_path: Path) -> None:
    def oops(source: Any, unit: str, pages: Any) -> Any:
        if len(source.units) == 2:
            raise KeyError("oops")
        return RECIPE.read(source, unit, pages)

    evaluation = Evaluation(tmp_path / "evaluation", units=8, recipe=replace(ALONE, read=oops))
    evaluation.add("two", 2)
    result = evaluation.run("a")
    assert ("incomplete", 8) == (result.status, figures(result)["a"]["verified"])
    assert any("read('unit00') raised KeyError" in note for note in result.notes)


def test_a_check_that_cannot_judge_stops_everything_before_a_model_is_paid(tmp_path: Path) -> None:
    async def refuse(_source: Any, _options: RunOptions) -> None:
        raise CannotJudge("the check fails before any change")

    evaluation = Evaluation(tmp_path / "evaluation", recipe=replace(ALONE, preflight=refuse))
    with pytest.raises(CannotJudge):
        evaluation.run("a")
    assert [] == evaluation.requests


def test_a_stopping_command_begins_no_further_run(evaluation: Evaluation) -> None:
    evaluation.is_stopping = True
    assert "incomplete" == evaluation.run("a", trials=3).status
    assert [] == evaluation.requests


def test_a_model_with_a_memory_is_opened_for_each_run_and_others_once(tmp_path: Path) -> None:
    evaluation = Evaluation(tmp_path / "evaluation", units=1)
    plan = evaluation.plan("faulty:x", "remote:y", trials=3)
    opened: list[str] = []

    def opening(spec: str, _recipe: Any) -> Any:
        opened.append(spec)
        return evaluation.model(spec)

    observer = Observer(watch=lambda _: None, ended=lambda _, __: None, is_stopping=lambda: False)
    place = Workplace(open_model=opening, batching=lambda _: None, observer=observer, at_once=1)
    run(place.make(plan.runs()))
    assert {"faulty:x": 3, "remote:y": 1} == {name: opened.count(name) for name in ("faulty:x", "remote:y")}
    assert all(is_finished(one) for one in plan.runs())


def test_a_retry_budget_of_the_user_holds_in_every_run(tmp_path: Path) -> None:
    evaluation = Evaluation(tmp_path / "evaluation", units=2)
    evaluation.sources = [
        replace(one, options=RunOptions(budget=RetryBudget(0, 0, 0, 0))) for one in evaluation.sources
    ]
    evaluation.scripts = {"a": wrong}
    assert (2, 2) == ((found := figures(evaluation.run("a"))["a"])["calls"], found["exhausted"])


def test_the_files_of_a_result_contain_no_text_of_the_user(evaluation: Evaluation) -> None:
    def secretive(request: Request) -> Any:
        return priced(request, "private words")

    evaluation.scripts = {"a": secretive}
    evaluation.run("a", "b").save()
    result = (evaluation.directory / "result.json").read_text()
    assert ["private" in result, "unit00" in result, "word00" in result] == [False] * 3
    assert "BROKEN_LINE" in result
    assert "private" not in (evaluation.directory / "result.svg").read_text()


def test_a_code_that_is_a_text_of_the_user_is_not_counted_under_its_name(tmp_path: Path) -> None:
    from retouch.errors import Invalid

    def told(_source: Any, _unit: str, _pages: Any) -> Any:
        raise Invalid("the user's own words", "wrong")

    evaluation = Evaluation(tmp_path / "evaluation", units=1, recipe=replace(ALONE, read=told))
    assert {"OTHER": {"first": 1, "final": 1}} == figures(evaluation.run("a"))["a"]["codes"]


def test_a_sample_requests_the_same_units_from_every_model(evaluation: Evaluation) -> None:
    evaluation.run("a", "b", size=3, seed=4)
    units = {name: sorted(unit for model, unit in evaluation.requests if model == name) for name in "ab"}
    assert units["a"] == units["b"]
    stored = json.loads((evaluation.directory / "evaluation.json").read_text())
    assert units["a"] == sorted(stored["sources"][0]["units"])
    view = overview(open_run(evaluation.directory / "a" / "trial-1" / "words"))
    assert units["a"] == sorted(unit.unit for unit in view.units)
