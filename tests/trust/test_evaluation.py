"""An evaluation promises no more than it saw: a sample is never verified, and no model is better by chance."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from retouch.cli.eval_output import print_stored_evaluation, stored_evaluation
from retouch.engine.directory import open_run
from retouch.engine.options import RunOptions
from retouch.engine.overview import overview
from retouch.engine.verbs import adopt, assemble, generate, regenerate, validate
from tests.engine.conftest import honest, run
from tests.engine.glossary import answer
from tests.evaluation.conftest import ALONE, Evaluation, figures, glossary, priced

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.overview import RunResult
    from retouch.engine.types import Reply, Request

WHY = "this run is a sample of 3 of 8 units"


@pytest.fixture
def evaluation(tmp_path: Path) -> Evaluation:
    return Evaluation(tmp_path / "evaluation")


@pytest.fixture
def sampled(evaluation: Evaluation) -> Path:
    """A run of an evaluation that requested 3 of the 8 units of its source."""
    evaluation.run("a", size=3)
    return evaluation.directory / "a" / "trial-1" / "words"


def seen(result: RunResult) -> tuple[str, str]:
    return result.status, result.reason


def test_no_verb_calls_a_sample_verified(sampled: Path) -> None:
    view = overview(open_run(sampled))
    assert ("unverified", WHY) == (view.status, view.reason)
    assert ("unverified", WHY) == seen(run(validate(ALONE, sampled)))
    assert ("unverified", WHY) == seen(run(validate(ALONE, sampled, write=False)))
    assert ("unverified", WHY) == seen(run(assemble(ALONE, sampled)))
    text = sampled / "glossary.txt"
    text.write_text(text.read_text().replace("=WORD", "=Word", 1))
    assert ("unverified", WHY) == seen(run(adopt(ALONE, sampled)))
    kept = run(regenerate(ALONE, sampled, honest(), options=RunOptions(ignore_stale=True)))
    assert ("unverified", WHY) == seen(kept)
    assert "unverified" == overview(open_run(sampled)).status


def test_a_sample_that_is_completed_is_verified(sampled: Path) -> None:
    done = run(generate(ALONE, glossary(8), sampled, honest()))
    assert ("verified", "") == seen(done)
    assert "verified" == overview(open_run(sampled)).status


def test_a_sample_of_a_killed_evaluation_knows_what_it_is_from_its_first_row(evaluation: Evaluation) -> None:
    def killed(_request: Request) -> Reply:
        raise KeyboardInterrupt

    evaluation.scripts = {"a": killed}
    with pytest.raises(KeyboardInterrupt):
        evaluation.run("a", size=3)
    view = open_run(evaluation.directory / "a" / "trial-1" / "words")
    assert "sample" == view.history.notes[0].kind


def test_units_of_a_missing_file_are_not_counted_as_verified(evaluation: Evaluation) -> None:
    assert 8 == figures(evaluation.run("a"))["a"]["verified"]
    (evaluation.directory / "a" / "trial-1" / "words" / "glossary.txt").unlink()
    found = figures(evaluation.run("a"))["a"]
    assert (0, 8) == (found["verified"], found["issues"])


def test_units_of_a_damaged_ledger_are_not_counted_as_verified(evaluation: Evaluation) -> None:
    evaluation.run("a")
    with closing(sqlite3.connect(evaluation.directory / "a" / "trial-1" / "words" / "ledger.db")) as database, database:
        database.execute("DROP TRIGGER events_stay")
        database.execute("UPDATE events SET data = replace(data, 'WORD', 'Word') WHERE kind = 'text'")
    assert 0 == figures(evaluation.run("a"))["a"]["verified"]


def test_a_unit_without_an_answer_is_neither_verified_nor_compared(evaluation: Evaluation) -> None:
    def cut(request: Request) -> Reply:
        if request.prompt.unit == "unit01":
            raise KeyboardInterrupt
        return priced(request, answer(request.prompt))

    evaluation.scripts = {"a": cut}
    with pytest.raises(KeyboardInterrupt):
        evaluation.run("a", "b")
    evaluation.is_stopping = True
    result = evaluation.run("a", "b")
    assert ("incomplete", 0) == (result.status, sum(one.better is not None for one in result.comparisons))


def test_a_model_without_results_is_not_on_the_frontier(
    evaluation: Evaluation, capsys: pytest.CaptureFixture[str]
) -> None:
    evaluation.run("a")
    evaluation.is_stopping = True
    evaluation.run("a", "b").save()
    print_stored_evaluation(evaluation.directory, stored_evaluation(evaluation.directory).result)
    rows = {line.split()[0]: line.split()[-1] for line in capsys.readouterr().out.splitlines() if line.strip()}
    assert ("yes", "-") == (rows["a"], rows["b"])


def test_an_evaluation_is_no_better_than_its_plan(evaluation: Evaluation) -> None:
    """Its runs may all be verified while others of the plan were never made, or its plan cannot be read."""
    evaluation.run("a").save()
    assert "verified" == stored_evaluation(evaluation.directory).status
    file = evaluation.directory / "evaluation.json"
    plan = json.loads(file.read_text())
    changes: list[dict[str, object]] = [{"trials": 2}, {"trials": 0}, {"models": {}}, {"sources": []}]
    for changed in (*changes, {"models": {**plan["models"], "b": "b"}}):
        file.write_text(json.dumps({**plan, **changed}))
        assert "incomplete" == stored_evaluation(evaluation.directory).status, changed
    for text in ("", "{", "[]", "{}"):
        file.write_text(text)
        assert "incomplete" == stored_evaluation(evaluation.directory).status, text


@pytest.mark.parametrize("result", ['{"status": "incomplete"}', "[]", "{", ""])
def test_an_evaluation_without_a_complete_result_is_not_verified(evaluation: Evaluation, result: str) -> None:
    evaluation.run("a").save()
    (evaluation.directory / "result.json").write_text(result)
    assert "incomplete" == stored_evaluation(evaluation.directory).status
