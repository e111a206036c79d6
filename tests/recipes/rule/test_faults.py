"""Faulty models: every kind damages an answer that it applies to, and rounds survive them."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from retouch.engine.recipe import open_model
from retouch.engine.types import Reply
from retouch.recipes.rule import recipe
from retouch.recipes.rule.asking.offline import answer
from retouch.recipes.rule.asking.pages import prompt_for
from retouch.recipes.rule.repairing.failures import validated
from tests.recipes.rule.rounds_scene import Scene, job

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.rule.asking.source import Form, Mode

SAMPLES = 60  # of a corpus, evenly picked
FORMS: tuple[Form, ...] = ("columns", "yaml", "python")


@pytest.mark.parametrize("form", FORMS)
def test_what_the_embedded_model_answers_passes_every_check(form: Form) -> None:
    if form == "python":
        pytest.importorskip("pydantic_monty")
    of = job(form=form)
    assert [] == validated(of, answer(prompt_for(of, form))).errors


@pytest.mark.parametrize("kind", recipe.faults)
def test_each_kind_of_fault_damages_some_form_of_answer(kind: str) -> None:
    pytest.importorskip("pydantic_monty")
    seen: set[str] = set()
    for form in FORMS:
        of = job(form=form)
        right = answer(prompt_for(of, form))
        for seed in range(4):
            spoiled = recipe.faults[kind](right, Random(seed))
            if spoiled != right:
                seen.update(issue.code for issue in validated(of, spoiled).issues)
    assert seen


@pytest.mark.parametrize("seed", range(6))
def test_rounds_with_a_faulty_model_end_with_a_correct_result(tmp_path: Path, data_folder: Path, seed: int) -> None:
    import asyncio

    from retouch.recipes.rule import rounds

    assert not data_folder.exists()
    model = open_model(f"faulty:offline?rate=1&seed={seed}&heal=0.7", recipe=recipe)
    outcome = asyncio.run(rounds.begin(job(), tmp_path / "run", model))
    assert (outcome.ending == "passed") == (outcome.draft is not None)
    assert outcome.calls <= 4
    if outcome.ending == "passed":
        assert [] == outcome.result.errors


def test_a_refusal_is_reported_as_a_refusal(scene: Scene) -> None:
    outcome = scene.begin(Reply(text="I cannot", finish="refused", model="m"), answer(prompt_for(job(), "columns")))
    assert "passed" == outcome.ending
    assert "[UNANSWERED]" in scene.sent_text(1)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["standard", "strict"])
def test_the_embedded_model_finds_a_rule_for_every_corpus_whatever_is_hidden(shared_data: Path, mode: Mode) -> None:
    failing: dict[str, list[str | None]] = {}
    for file in sorted((shared_data / "paths").glob("*.txt")):
        paths = file.read_text(encoding="utf-8").splitlines()
        of = job(*paths[:: max(len(paths) // SAMPLES, 1)], mode=mode)
        result = validated(of, answer(prompt_for(of, "columns")))
        if result.errors:
            failing[file.stem] = [result.error_type, result.error_message]
    assert {} == failing
