"""Every model gets the same seeded sample, and a directory holds one evaluation."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from retouch.engine.options import RunOptions
from retouch.errors import BadInput, BrokenFile
from retouch.evaluation import evaluation_source, models_in, sample, stored_plan
from tests.engine.glossary import RECIPE
from tests.evaluation.conftest import ALONE, Evaluation, glossary

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from retouch.engine.types import Prompt
    from tests.engine.glossary import Glossary

SCHEMES = ["anthropic", "faulty", "offline", "replay"]


def test_a_sample_depends_on_its_seed_alone(evaluation: Evaluation) -> None:
    first, again, other = (sample(evaluation.sources, 3, seed=seed) for seed in (1, 1, 2))
    assert 3 == len(first[0].units)
    assert first[0].units == again[0].units != other[0].units


def test_a_sample_keeps_groups_whole(tmp_path: Path) -> None:
    evaluation = Evaluation(tmp_path, units=5, recipe=RECIPE)  # all units of a source are one group
    evaluation.add("more words", 4)
    found = sample(evaluation.sources, 2, seed=0)
    assert 1 == len(found)
    assert found[0].planned == len(found[0].units)
    assert not found[0].is_partial


def test_a_sample_covers_all_sources_and_never_a_unit_twice(tmp_path: Path) -> None:
    evaluation = Evaluation(tmp_path, units=6)
    evaluation.add("words", 6)
    found = sample(evaluation.sources, 100, seed=0)
    assert ["words", "words-2"] == [one.label for one in found]
    assert [6, 6] == [len(one.units) for one in found]
    assert not any(one.is_partial for one in found)


def test_sources_without_a_unit_cannot_be_evaluated() -> None:
    with pytest.raises(BadInput, match="plans no unit"):
        sample([evaluation_source("empty", RECIPE, glossary(0), RunOptions())], None, seed=0)


@pytest.mark.parametrize(
    ("texts", "models"),
    [
        (["offline"], ("offline",)),
        (["offline,anthropic:a", "anthropic:b"], ("offline", "anthropic:a", "anthropic:b")),
        (["faulty:offline?kinds=fence,empty&seed=1,offline"], ("faulty:offline?kinds=fence,empty&seed=1", "offline")),
        (["offline, typo:x"], ("offline", "typo:x")),
    ],
)
def test_a_comma_separates_models_but_not_the_options_of_one(texts: list[str], models: tuple[str, ...]) -> None:
    assert models == models_in(texts, SCHEMES)


@pytest.mark.parametrize("texts", [[], [""], ["offline,"], ["offline", "offline"]])
def test_a_missing_or_doubled_model_is_refused(texts: list[str]) -> None:
    with pytest.raises(BadInput):
        models_in(texts, SCHEMES)


def test_the_plan_is_on_disk_and_can_be_extended(evaluation: Evaluation) -> None:
    evaluation.plan("offline", trials=2, size=3, seed=7).save()
    evaluation.plan("offline", "replay:a/b", trials=1, size=3, seed=7).save()
    stored = stored_plan(evaluation.directory)
    assert stored is not None
    assert {"offline": "offline", "replay:a/b": "replay_a_b"} == stored["models"]
    assert (2, 3, 7, 8) == tuple(stored[key] for key in ("trials", "sample", "seed", "planned"))
    assert 3 == len(stored["sources"][0]["units"])


def test_models_with_similar_names_have_directories_of_their_own(evaluation: Evaluation) -> None:
    plan = evaluation.plan("replay:a/b", "replay:a?b", "REPLAY:A/B", "../..")
    assert 4 == len({name.casefold() for name in plan.directories.values()})
    assert all((evaluation.directory / name).parent == evaluation.directory for name in plan.directories.values())


def test_another_sample_or_source_is_another_evaluation(evaluation: Evaluation) -> None:
    evaluation.plan("offline", size=3).save()
    for other in ({"size": 4}, {"size": 3, "seed": 1}, {}):
        with pytest.raises(BadInput, match="another evaluation"):
            evaluation.plan("offline", **other).save()
    changed = replace(evaluation.sources[0], source=glossary(9))
    evaluation.sources = [changed]
    with pytest.raises(BadInput, match="its sources or"):
        evaluation.plan("offline", size=3).save()


def test_other_prompts_of_the_recipe_are_another_evaluation(evaluation: Evaluation) -> None:
    evaluation.plan("offline").save()

    def in_other_words(source: Glossary) -> Iterator[Prompt]:
        return (replace(prompt, system="Be brief.") for prompt in RECIPE.plan(source))

    changed = Evaluation(evaluation.directory, recipe=replace(ALONE, plan=in_other_words))
    with pytest.raises(BadInput, match="the recipe's prompts differ"):
        changed.plan("offline", "replay:x").save()


def test_other_options_are_another_evaluation(evaluation: Evaluation) -> None:
    evaluation.plan("offline").save()
    evaluation.sources = [replace(one, options=RunOptions(compiler="none")) for one in evaluation.sources]
    with pytest.raises(BadInput, match="other options"):
        evaluation.plan("offline").save()


@pytest.mark.parametrize(
    ("key", "value"), [("version", 2), ("models", []), ("models", {"offline": "../elsewhere"}), ("sources", None)]
)
def test_a_plan_that_cannot_be_read_is_named_and_kept(evaluation: Evaluation, key: str, value: object) -> None:
    evaluation.plan("offline").save()
    path = evaluation.directory / "evaluation.json"
    broken = json.dumps({**json.loads(path.read_text()), key: value})
    path.write_text(broken)
    with pytest.raises(BrokenFile, match=r"evaluation\.json"):
        evaluation.plan("offline").save()
    assert broken == path.read_text()
