"""Stored runs are checked again without a call, and what became worse is told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.options import RunOptions
from retouch.engine.types import Issue, Tier
from retouch.errors import BadInput, TransportError
from retouch.evaluation import replay, runs_below
from tests.engine.conftest import Scene, always, run, tree_of, wrong_first
from tests.engine.glossary import RECIPE

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.recipe import Recipe
    from retouch.evaluation import ReplayedRun


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    found = Scene(tmp_path / "run")
    found.generate()
    return found


def replayed(scene: Scene, recipe: Recipe[Any, Any] = RECIPE) -> ReplayedRun:
    return run(replay(recipe, scene.folder, RunOptions()))


def finds(*units: str, code: str = "NEW_RULE", tier: Tier = Tier.SEMANTIC) -> Recipe[Any, Any]:
    """The recipe with a check that finds an error in these units."""
    issues = [Issue(code=code, message="it is wrong now", tier=tier, unit=unit) for unit in units]
    return replace(RECIPE, check=always(issues))


def test_a_run_that_is_as_it_was_has_not_changed(scene: Scene) -> None:
    before = tree_of(scene.folder)
    found = replayed(scene)
    assert ("verified", "verified", False, False) == (found.before, found.after, found.has_changed, found.is_regression)
    assert before == tree_of(scene.folder)


def test_a_check_that_fails_now_is_a_regression_and_stays_one(scene: Scene) -> None:
    for _ in range(2):  # the stored status is the baseline, so the second replay finds it again
        found = replayed(scene, finds("tools"))
        assert ("verified", "issues", {"NEW_RULE": 1}) == (found.before, found.after, dict(found.codes))
        assert found.is_regression


def test_one_more_unit_with_a_known_error_is_a_regression(scene: Scene) -> None:
    scene.use(check=finds("tools").check)
    scene.validate()
    assert not replayed(scene, finds("tools")).is_regression
    found = replayed(scene, finds("tools", "animals"))
    assert ("issues", "issues", {"NEW_RULE": 1}, True) == (
        found.before,
        found.after,
        dict(found.codes),
        found.is_regression,
    )


def test_a_tier_that_cannot_be_run_now_is_a_regression(scene: Scene) -> None:
    tiers = RECIPE.tiers(scene.source)
    absent = (*tiers[:2], replace(tiers[2], why="no compiler"))
    found = replayed(scene, replace(RECIPE, tiers=always(absent)))
    assert ("unverified", ("semantic",), True) == (found.after, found.unchecked, found.is_regression)
    assert "no compiler" == found.reason


def test_a_run_that_passes_now_is_better_and_no_regression(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "run")
    scene.use(check=finds("tools").check)
    scene.generate()
    found = replayed(scene)
    assert ("issues", "verified", True, False) == (found.before, found.after, found.has_changed, found.is_regression)


def test_other_prompts_are_counted_and_the_stored_answers_are_checked(scene: Scene) -> None:
    def other_words(source: Any) -> Any:
        return (replace(prompt, system="Be brief.") for prompt in RECIPE.plan(source))

    found = replayed(scene, replace(RECIPE, plan=other_words))
    assert (2, "verified", False) == (found.replanned, found.after, found.is_regression)


def test_an_incomplete_run_stays_incomplete(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "run")
    scene.generate(wrong_first({("tools", 1): [TransportError("gone")] * 9}))
    assert ("incomplete", "incomplete") == ((found := replayed(scene)).before, found.after)


def test_an_answer_that_was_changed_on_disk_is_seen(scene: Scene) -> None:
    scene.edit("cat=CAT", "cat=")
    assert replayed(scene).is_regression is False  # the recipe judges it as it is, and accepts it
    (scene.folder / "glossary.txt").unlink()
    found = replayed(scene)
    assert ("issues", "issues") == (found.before, found.after)


def test_runs_are_found_anywhere_below_a_directory(tmp_path: Path) -> None:
    for name in ("a/one", "a/b/two"):
        Scene(tmp_path / name).generate()
    assert [tmp_path / "a/b/two", tmp_path / "a/one"] == runs_below([tmp_path / "a", tmp_path / "a/one"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="contains no run"):
        runs_below([tmp_path / "empty"])


@pytest.mark.parametrize("name", ["rule", "csharp", "policy"])
def test_runs_of_version_1_can_be_replayed(name: str, project: Path, tmp_path: Path) -> None:
    import shutil

    from retouch.engine.recipe import find_recipe

    shutil.copytree(project / "tests" / "golden" / "version_1" / name, tmp_path / name)
    found = run(replay(find_recipe(name), tmp_path / name, RunOptions(compiler="none")))
    assert "incomplete" != found.after
    assert not found.codes
