"""Makes the runs of an evaluation that have no result yet, in one event loop."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from retouch.engine.overview import SAMPLE
from retouch.engine.record import recording
from retouch.engine.verbs import generate
from retouch.errors import LimitReached, ModelError, RetouchError
from retouch.fleet import in_tasks
from retouch.models.named import noticing_limit

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from retouch.engine.options import Batching, RunOptions, Watch
    from retouch.engine.recipe import Recipe
    from retouch.engine.types import Model
    from retouch.evaluation.plan import EvaluationRun

_OWN_STATE = ("offline", "replay", "faulty")  # schemes whose models remember requests, so that each run opens its own

OpenModel: TypeAlias = Callable[[str, "Recipe[Any, Any]"], "Model"]


@dataclass(frozen=True, kw_only=True)
class RunFailure:
    """A run that ended with an error: what was seen, and the next step."""

    run: EvaluationRun
    message: str
    hint: str


@dataclass(frozen=True, kw_only=True)
class Observer:
    """Receives the progress of all runs. `is_stopping` is whether the command was interrupted."""

    watch: Callable[[str], Watch | None]
    ended: Callable[[str, str], None]
    is_stopping: Callable[[], bool]


@dataclass(kw_only=True)
class Workplace:
    """What the runs of an evaluation share: how models are opened, batches, and the limits.

    `open_model` returns a model under the common cost limit. `batching` are the batch options of each model. At most
    `at_once` runs are at work. After the command, `is_limit_reached` is whether the cost limit stopped it, and
    `failures` are the runs that ended with an error.
    """

    open_model: OpenModel
    batching: Callable[[str], Batching | None]
    observer: Observer
    at_once: int
    is_limit_reached: bool = False
    failures: list[RunFailure] = field(default_factory=list[RunFailure])
    _opened: dict[str, Model] = field(default_factory=dict[str, "Model"])
    _unusable: set[str] = field(default_factory=set[str])

    async def make(self, runs: Iterable[EvaluationRun]) -> None:
        """Make the `runs`, which are not finished. A run that was interrupted continues, and nothing is paid for again.

        If a model cannot answer at all, its other runs are left out. If the cost limit is reached, all other runs are.

        Raises:
            OSError: the disk fails, which affects all runs.
            CannotJudge: a check that an option requested cannot judge any answer.
        """
        async with aclosing(in_tasks(self._make_one, runs, at_once=self.at_once)) as results:
            async for result in results:
                if result.error is not None:
                    self._take_error(result.task, result.error)
                else:
                    self.observer.ended(result.task.name, result.value or "skipped")

    async def _make_one(self, run: EvaluationRun) -> str:
        if self.is_limit_reached or run.model in self._unusable or self.observer.is_stopping():
            return "skipped"
        source = run.source
        if source.is_partial:
            await note_sample(run.directory, source.planned, wait=source.options.wait)
        options = replace(source.options, watch=self.observer.watch(run.name), batching=self.batching(run.model))
        result = await generate(
            source.sampled_recipe(), source.source, run.directory, self._model(run), self._guarded(options)
        )
        return result.status

    def _model(self, run: EvaluationRun) -> Model:
        if run.model.partition(":")[0].partition("?")[0] in _OWN_STATE:
            return self._watched(self.open_model(run.model, run.source.recipe))
        if run.model not in self._opened:
            self._opened[run.model] = self._watched(self.open_model(run.model, run.source.recipe))
        return self._opened[run.model]

    def _guarded(self, options: RunOptions) -> RunOptions:
        return replace(options, fallback=tuple(self._watched(one) for one in options.fallbacks))

    def _watched(self, model: Model) -> Model:
        """Return `model`, with a note here if the cost limit is reached: then no further run starts."""
        return noticing_limit(model, self._note_limit)

    def _note_limit(self) -> None:
        self.is_limit_reached = True

    def _take_error(self, run: EvaluationRun, error: BaseException) -> None:
        if isinstance(error, LimitReached):  # of a batch
            self.is_limit_reached = True
        elif isinstance(error, ModelError):
            self._unusable.add(run.model)
        elif not isinstance(error, RetouchError) or error.exit_status == 1:
            raise error
        if not isinstance(error, LimitReached):
            self.failures.append(RunFailure(run=run, message=error.message, hint=error.hint))
        self.observer.ended(run.name, "failed")


async def note_sample(directory: Path, planned: int, *, wait: bool) -> None:
    """Record in a run that only a sample of its `planned` units is requested, so that it is never called verified."""
    async with recording(directory, wait=wait) as record:
        if not any(note.kind == SAMPLE for note in record.history.notes):
            record.note(SAMPLE, {"planned": planned})
            await record.synced()
