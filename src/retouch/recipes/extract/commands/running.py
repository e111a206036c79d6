"""Runs the shards of a job for a command: in this process, or in several."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from retouch.commands import (
    Setting,
    is_strict,
    keeping,
    opened_models,
    print_cost_and_next,
    print_issues,
    print_json,
    print_status,
    printable,
    watching,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.options import RunOptions
    from retouch.engine.tiers import TierSummary
    from retouch.engine.types import Issue, Model
    from retouch.models.spending import CostLimit
    from retouch.recipes.extract.job import JobRunning
    from retouch.recipes.extract.merging import ExtractResult
    from retouch.recipes.extract.processes import WorkerModels

_BATCHES_AT_ONCE = 32  # shards whose batches are at the provider together
_LOCAL_CONCURRENCY = 256  # nothing is computed in parallel, but so many records share a commit
_SHOWN = 10

workers_option = click.option(
    "--workers",
    cls=Setting,
    type=click.IntRange(1, 64),
    default=1,
    help="Number of processes that run shards. --concurrency and --max-cost are for all of them together.",
)


@dataclass(frozen=True, kw_only=True)
class ModelSpecs:
    """The names of the model and its fallbacks."""

    model: str
    fallbacks: tuple[str, ...] = ()

    @property
    def is_local(self) -> bool:
        """Whether all of them compute in this process, so that nothing is awaited."""
        from retouch.recipes.extract.job import is_local

        return all(is_local(spec) for spec in (self.model, *self.fallbacks))


@dataclass(frozen=True, kw_only=True)
class JobCommandOptions:
    """The options of a command over a job that are not about its runs."""

    workers: int = 1
    hang_s: float = 3_600.0
    retry_dead: bool = False
    silent: bool = False
    as_json: bool = False


def run_shards(
    folder: Path,
    specs: ModelSpecs,
    options: RunOptions,
    work: Callable[[Model, RunOptions, JobRunning], Coroutine[Any, Any, ExtractResult]],
    limit: CostLimit | None,
    given: JobCommandOptions,
) -> int:
    """Open the models, call `work` with them, print the result and return the exit status."""
    from retouch._lib.run_sync import run_sync
    from retouch.commands import count_earlier
    from retouch.engine.options import RunOptions
    from retouch.recipes.extract import recipe
    from retouch.recipes.extract.job import JobRunning
    from retouch.recipes.extract.layout import SHARDS

    count_earlier(limit, sorted(place.parent for place in (folder / SHARDS).glob("*/ledger.db")))
    sends_batches = options.batching is not None and options.batching.submit  # they are awaited, so one process will do
    workers = 1 if sends_batches else given.workers
    running = JobRunning(retry_dead=given.retry_dead, workers=workers, at_once=_at_once(specs, options))
    if specs.is_local and options.concurrency == RunOptions().concurrency:
        options = replace(options, concurrency=_LOCAL_CONCURRENCY)
    with ExitStack() as stack:
        model, fallback = opened_models(specs.model, specs.fallbacks, recipe, limit)
        if workers > 1:
            running = replace(running, worker_models=_worker_models(specs, limit, running.at_once, given.hang_s))
        stack.enter_context(keeping(folder))
        watch = stack.enter_context(watching(silent=given.silent))
        result = run_sync(work(model, replace(options, watch=watch, fallback=fallback), running))
    return show_job_result(result, as_json=given.as_json)


def _at_once(specs: ModelSpecs, options: RunOptions) -> int:
    """Return how many shards one process runs together: more only while it waits for replies."""
    if options.batching is not None and options.batching.submit:
        return _BATCHES_AT_ONCE
    from retouch.recipes.extract.job import SHARDS_AT_ONCE

    return 1 if specs.is_local else SHARDS_AT_ONCE


def _worker_models(specs: ModelSpecs, limit: CostLimit | None, at_once: int, hang_s: float) -> WorkerModels:
    from retouch.recipes.extract.processes import WorkerModels

    return WorkerModels(
        open_model=_opened,
        model=specs.model,
        fallbacks=specs.fallbacks,
        limit_usd=limit.limit_usd if limit is not None else None,
        spent_usd=limit.spent_usd if limit is not None else 0.0,
        at_once=at_once,
        hang_s=hang_s,
    )


def _opened(spec: str) -> Model:
    """Open a model in a process of a worker."""
    from retouch.recipes.extract import recipe

    return opened_models(spec, (), recipe, None)[0]


def show_job_result(
    result: ExtractResult, *, as_json: bool, more: Mapping[str, JSON] | None = None, file_issues: Sequence[Issue] = ()
) -> int:
    """Print the result of a job, with `more` keys in JSON, and return the exit status.

    `file_issues` are of files of the job that were changed since.
    """
    exit_status = 1 if result.status == "unverified" and is_strict() else result.exit_status
    if as_json:
        print_json({**result.as_json(), **(more or {})})
        return exit_status
    print_status(result.status, result.reason, str(result.directory))
    usage = result.usage
    counts = ", ".join(f"{number:,} {status}" for status, number in result.counts.items() if number)
    click.echo(f"  records {counts}")
    click.echo(f"  calls   {usage.calls:,}")
    click.echo(f"  tokens  {usage.tokens:,} ({usage.input_tokens:,} in, {usage.output_tokens:,} out)")
    for note in result.notes:
        click.echo(f"note: {printable(note)}")
    _show_wrong(result)
    if result.counts.get("dead", 0) and result.status == "exhausted":
        click.echo("  why     some records ended without a value: request them again, or accept them with --max-dead N")
    if result.status == "issues" and not file_issues:
        _show_way_out(result)
    print_issues(file_issues)
    step = next_of_job(result.directory, result.status, result.tiers, is_changed=bool(file_issues))
    print_cost_and_next(usage.price, step)
    return exit_status


def next_of_job(directory: Path, status: str, tiers: Sequence[TierSummary], *, is_changed: bool = False) -> str:
    """Return the one command to run next for a job. `is_changed` is whether its files differ from its results."""
    place = quote(str(directory))
    if status == "exhausted":
        return f"retouch resume {place} --retry-dead"
    if status == "incomplete" or is_changed:
        return f"retouch resume {place}"
    steps = (tier.next for tier in tiers if tier.not_run and tier.next.startswith("retouch "))
    return next(steps, f"retouch report {place}") if status == "unverified" else f"retouch report {place}"


def _show_way_out(result: ExtractResult) -> None:
    """Tell how to change a value that a check over all records refuses: no other command requests it again."""
    from retouch.recipes.extract.layout import run_of_record

    key = next((one.key for one in result.records if one.status == "issues"), None)
    if key is not None:
        run, place = quote(str(run_of_record(result.directory, key))), quote(str(result.directory))
        again = f"retouch regenerate {run} --type {quote(printable(key))} --correction TEXT"
        click.echo(f"  why     checks over all records refuse values: correct the source, or run '{again}'")
        click.echo(f"          for each one that is wrong, then 'retouch resume {place}'")


def _show_wrong(result: ExtractResult) -> None:
    troubled = result.counts.get("dead", 0) + result.counts.get("issues", 0)
    records = result.records if troubled else ()  # a large file need not be read to show nothing
    for number, one in enumerate(one for one in records if one.status in {"dead", "issues"}):
        if number == _SHOWN:
            click.echo("  ... more in records.jsonl and dead.jsonl")
            break
        first = one.issues[0]["message"] if one.issues else "see the run of its shard"
        click.echo(f"  {one.status} {printable(one.key)}: {printable(str(first))}")
