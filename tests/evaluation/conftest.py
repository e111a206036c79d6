"""An evaluation of the glossary recipe with scripted models, in one line."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.options import RunOptions
from retouch.engine.types import Reply, Usage
from retouch.evaluation import (
    EvaluationPlan,
    EvaluationResult,
    Observer,
    Workplace,
    evaluation_result,
    evaluation_source,
    is_finished,
    known_directories,
    sample,
    with_unique_labels,
)
from retouch.evaluation.outcomes import FirstVerdict, UnitOutcome
from retouch.testing import scripted
from tests.engine.glossary import RECIPE, Glossary, answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from retouch.engine.recipe import Recipe
    from retouch.engine.types import Model, Request
    from retouch.evaluation import EvaluationSource


def group_of_its_own(_source: Glossary, unit: str) -> str:
    return unit


ALONE: Recipe[Glossary, Any] = replace(RECIPE, group=group_of_its_own)


def priced(request: Request, text: str, *, cost: float | None = 0.01, tokens: int = 10) -> Reply:
    """A reply of a model with a price."""
    model = "priced"
    return Reply(text=text, model=model, cost=cost, input_tokens=tokens, output_tokens=len(request.prompt.unit))


def right(request: Request) -> Reply:
    return priced(request, answer(request.prompt))


def wrong(request: Request) -> Reply:
    return priced(request, "no equals sign", cost=0.02)


def glossary(units: int) -> Glossary:
    return Glossary(units={f"unit{number:02}": (f"word{number:02}",) for number in range(units)})


class Evaluation:
    """An evaluation of `units` independent units of the glossary recipe, by default with models that are right."""

    def __init__(self, directory: Path, *, units: int = 8, recipe: Recipe[Glossary, Any] = ALONE) -> None:
        self.directory = directory
        self.recipe = recipe
        self.sources: list[EvaluationSource] = []
        self.add("words", units)
        self.scripts: dict[str, Callable[[Request], Any]] = {}
        self.requests: list[tuple[str, str]] = []
        self.ended: list[tuple[str, str]] = []
        self.wrap: Callable[[Model], Model] = lambda model: model
        self.is_stopping = False
        self.place: Workplace | None = None

    def add(self, label: str, units: int) -> None:
        source = evaluation_source(label, self.recipe, glossary(units), RunOptions(grace_s=0))
        self.sources = with_unique_labels([*self.sources, source])

    def plan(self, *models: str, trials: int = 1, size: int | None = None, seed: int = 0) -> EvaluationPlan:
        return EvaluationPlan(
            directory=self.directory,
            recipe="glossary",
            models=models,
            trials=trials,
            seed=seed,
            sample=size,
            sources=tuple(sample(self.sources, size, seed=seed)),
            planned=sum(one.planned for one in self.sources),
            known=known_directories(self.directory),
        )

    def run(self, *models: str, **given: Any) -> EvaluationResult:
        """Make the runs that are left, and return the result."""
        plan = self.plan(*models, **given)
        plan.save()
        place = self.place = Workplace(
            open_model=lambda spec, _recipe: self.wrap(self.model(spec)),
            batching=lambda _spec: None,
            observer=Observer(
                watch=lambda _name: None,
                ended=lambda name, status: self.ended.append((name, status)),
                is_stopping=lambda: self.is_stopping,
            ),
            at_once=2,
        )
        asyncio.run(place.make([one for one in plan.runs() if not is_finished(one)]))
        return evaluation_result(plan, failures=place.failures, is_limit_reached=place.is_limit_reached)

    def model(self, spec: str) -> Model:
        def script(request: Request) -> Any:
            self.requests.append((spec, request.prompt.unit))
            return self.scripts.get(spec, right)(request)

        model = scripted(script)
        model.name = spec
        return model


@pytest.fixture
def evaluation(tmp_path: Path) -> Evaluation:
    return Evaluation(tmp_path / "evaluation")


def outcomes(
    model: str, values: Sequence[Any], *, costs: Sequence[float | None] | None = None, trials: int = 1
) -> Iterator[UnitOutcome]:
    """One unit per group: verified if its value is true. Every trial has other answers."""
    for trial in range(1, trials + 1):
        for place, value in enumerate(values):
            yield UnitOutcome(
                model=model,
                trial=trial,
                cluster=f"group {place}",
                unit="unit",
                status="verified" if value else "issues",
                tiers={},
                usage=Usage(calls=1, input_tokens=10, cost=0.01 if costs is None else costs[place]),
                seconds=1.0,
                fingerprint=f"{model} {trial} {place}",
                first=FirstVerdict(failed_tier=0 if value else 2),
            )


def figures(result: EvaluationResult) -> Mapping[str, Any]:
    """The figures by model, as plain data."""
    return {one.model: one.to_json() for one in result.figures}
