"""Runs a recipe for a command: `retouch generate` starts a run, `retouch resume` continues it.

What a recipe does besides the loop is its function `finish` (`retouch.cli.contributions`), which gets a
`CommandRunner` and returns the exit status.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from retouch.cli import options
from retouch.cli.contributions import commands_of
from retouch.cli.overwriting import asking_to_overwrite, no_issues
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.cli.options import Decorator, RetryLimits
    from retouch.engine.options import Batching, RunOptions, Watch
    from retouch.engine.overview import RunResult
    from retouch.engine.recipe import Recipe
    from retouch.engine.types import Issue, Model
    from retouch.models.spending import CostLimit

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class CommandRunner:
    """One run of a recipe by a command.

    It has the source, the run directory, the model, the run options, and the output settings. A recipe's `finish`
    function calls `generated` or `done` for the work and `show` for the result.
    """

    recipe: Recipe[Any, Any]
    source: Any
    folder: Path
    model: Model
    options: RunOptions
    silent: bool
    as_json: bool

    @property
    def ending(self) -> Mapping[str, JSON]:
        """The last step of the command that started the run (`ModelOptions.own_ending`), or {} if unknown."""
        return self.options.ending or {}

    def done(
        self,
        work: Callable[[RunOptions], Coroutine[Any, Any, T]],
        issues_of: Callable[[T], Iterable[Issue]] = no_issues,
    ) -> T:
        """Call the engine verb `work` with the options and return its result. Ctrl-C becomes a message.

        In a terminal, the user must confirm before missing or changed files are rewritten.
        """
        from retouch._lib.run_sync import run_sync
        from retouch.cli.outcome import keeping
        from retouch.cli.progress import watching

        def once(options: RunOptions) -> T:
            with keeping(self.folder), watching(silent=self.silent) as watch:
                return run_sync(work(replace(options, watch=watch)))

        return asking_to_overwrite(once, self.options, issues_of)

    def generated(self, model: Model | None = None) -> RunResult:
        """Run the loop and return the run. `model` replaces the runner's own."""
        from retouch.engine.verbs import generate

        used = model or self.model
        return self.done(partial(generate, self.recipe, self.source, self.folder, used), attrgetter("issues"))

    def show(self, result: RunResult, **more: Sequence[str]) -> int:
        """Print the result, and `more` lists of the recipe's own, and return the exit status."""
        from retouch.cli.outcome import show_result

        return show_result(result, as_json=self.as_json, more=more)


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """The given values of the options that all commands with models share (`model_options`).

    The arguments of one command are a subclass of it. It may override `own_options` and `own_ending`.
    """

    model: str | None
    fallback: tuple[str, ...]
    max_cost: float | None
    max_cost_more: float | None
    concurrency: int
    max_output_tokens: int
    retries: RetryLimits | None
    dry_run: bool
    force: bool
    wait: bool
    quiet: bool
    as_json: bool
    batch: bool = False
    batch_wait: float | None = None
    no_loop_guard: bool = False
    pack: int | None = None
    no_offline: bool = False
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    effort: str | None = None
    thinking: int | None = None
    workers: int | None = None
    hang: float = 3_600.0

    def model_spec(self, otherwise: str = "offline") -> str:
        """Return the spec of the model, with the sampling and reasoning that was given.

        Raises:
            BadInput: the model has no such knob.
        """
        spec = self.model or otherwise
        names = ("temperature", "top_p", "seed", "effort", "thinking")
        given = {name: value for name in names if (value := getattr(self, name)) is not None}
        if not given:
            return spec
        from retouch.models.knobs import with_knobs

        context = click.get_current_context(silent=True)
        source = context.get_parameter_source if context is not None else dict[str, ParameterSource]().get
        insisted = [name for name in given if source(name) == ParameterSource.COMMANDLINE]
        return with_knobs(spec, given, insisted=insisted)

    @cached_property
    def cost_limit(self) -> CostLimit | None:
        """The cost limit of all models of this command together, None without a limit."""
        if self.max_cost is None and self.max_cost_more is None:
            return None
        from retouch.cli.runs import cost_limit

        return cost_limit(self.max_cost, self.max_cost_more)

    def count_earlier(self, runs: Iterable[Path]) -> None:
        """Before any call, count the cost of earlier commands in `runs`, the runs of this command.

        Raises:
            BadInput: a limit was given, and the cost of a run so far is unknown.
        """
        if self.cost_limit is not None:
            from retouch.cli.runs import count_earlier

            count_earlier(self.cost_limit, runs)

    @property
    def silent(self) -> bool:
        """Whether no progress is shown."""
        return self.quiet or self.as_json

    @property
    def is_collecting(self) -> bool:
        """Whether `generate` makes no run, because another command makes its own runs of the same sources."""
        return REQUESTED_RUNS.get() is not None

    def models(self, recipe: Recipe[Any, Any], *, otherwise: str = "offline") -> tuple[Model, tuple[Model, ...]]:
        """Return the model and the fallbacks, under a common cost limit.

        Raises:
            BadInput: a limit of cost was given, and a price is unknown.
        """
        from retouch.cli.runs import opened_models

        return opened_models(self.model_spec(otherwise), self.fallback, recipe, self.cost_limit)

    def run_options(
        self, recipe: Recipe[Any, Any], *, watch: Watch | None = None, fallback: Sequence[Model] = ()
    ) -> RunOptions:
        """Return the run options of the loop."""
        from retouch.engine.options import RunOptions

        limit = max(RunOptions().max_output_limit, self.max_output_tokens)
        run = RunOptions(concurrency=self.concurrency, max_output_tokens=self.max_output_tokens, max_output_limit=limit)
        return replace(
            run,
            **self.own_options(),
            watch=watch,
            fallback=fallback,
            loop_guard=not self.no_loop_guard,
            pack=self.pack,
            offline_last=not self.no_offline,
            budget=self.retries.over(recipe.budget) if self.retries is not None else None,
            max_cost_usd=self.max_cost if self.max_cost_more is None else None,
            wait=self.wait,
            force=self.force,
            batching=self.batching(self.model_spec() if self.model else "offline"),
            ending=self.own_ending(),
        )

    def generate(self, recipe: Recipe[Any, Any], source: Any, folder: Path) -> int:
        """Make the run, or with `--dry-run` print what would be sent; return the exit status."""
        requested = REQUESTED_RUNS.get()
        if requested is not None:
            requested.append(RequestedRun(arguments=self, recipe=recipe, source=source, folder=folder))
            return 0
        if self.dry_run:
            from retouch.cli.plan import missing, planned

            left = missing(folder, list(recipe.plan(source)))
            plan = planned(folder, left, recipe, self.model_spec(), source=source, pack=self.pack)
            plan.show(as_json=self.as_json)
            return 0
        from retouch.engine.batches import WORKERS

        self.count_earlier([folder])
        model, fallback = self.models(recipe)
        run = self.run_options(recipe, fallback=fallback)
        silent, as_json = self.silent, self.as_json
        runner = CommandRunner(
            recipe=recipe, source=source, folder=folder, model=model, options=run, silent=silent, as_json=as_json
        )
        if (self.workers or 1) > 1 or (folder / WORKERS).is_dir():  # of an earlier command
            from retouch.cli.first_answers import run_with_workers
            from retouch.cli.tracing import workers_traced

            with workers_traced():
                return run_with_workers(self, runner)
        return commands_of(recipe.name).run(runner)

    def batching(self, spec: str) -> Batching | None:
        """Return the batch options for the model that `spec` names, or None if it has no batch API.

        Without `--batch`, nothing new is sent through the batch API, and pending responses are collected.

        Raises:
            BadInput: `--batch` was given, and the model has no batch API.
        """
        from retouch.cli.runs import batching

        if self.batch_wait is not None and not self.batch:
            raise BadInput("--batch-wait says how long to wait for a batch, and there is none", hint="Add --batch.")
        if spec == "offline" and not self.batch:
            return None
        return batching(spec, self.cost_limit, submit=self.batch, wait_s=self.batch_wait)

    def own_options(self) -> dict[str, Any]:
        """Return the run options that this command adds to the shared ones."""
        return {}

    def own_ending(self) -> Mapping[str, JSON] | None:
        """Return the settings of `finish` for `retouch resume`. None keeps the stored ones."""
        return None


@dataclass(frozen=True, kw_only=True)
class RequestedRun:
    """A run that a command would make: its arguments, its recipe and source, and its directory."""

    arguments: ModelOptions
    recipe: Recipe[Any, Any]
    source: Any
    folder: Path


REQUESTED_RUNS: ContextVar[list[RequestedRun] | None] = ContextVar("requested_runs", default=None)
"""Receives the runs that `ModelOptions.generate` would make, instead of making them. None makes them."""


def model_options(model: str | None, *, workers: bool = True) -> Decorator[Any]:
    """Return the decorator that gives a command the options of `ModelOptions`.

    `model` is the default of `--model`, None the run's own. A command that makes runs, and so has a default, can send
    their first answers in batches, several of them in one request, or from several processes. Without `workers`, the
    command has an option `--workers` of its own.
    """
    batches = () if model is None else (options.batch_option, options.batch_wait_option, options.pack_option)
    batches += (options.workers_option,) if model is not None and workers else ()
    batches += (options.hang_option,) if model is not None else ()
    return options.with_options(
        options.model_option(model),
        *options.knob_options,
        options.fallback_option,
        options.no_offline_option,
        options.max_cost_option,
        options.max_cost_more_option,
        *batches,
        options.concurrency_option,
        options.max_output_option,
        options.no_loop_guard_option,
        options.retry_options,
        options.dry_run_option,
        options.force_option,
        options.wait_option,
        options.quiet_option,
        options.strict_option,
        options.as_json_option,
    )
