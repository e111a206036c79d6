"""`retouch show`, `resume`, `validate` and `report` of a job."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.commands import (
    batching,
    cost_limit,
    counted,
    keeping,
    print_cost_and_next,
    print_issues,
    print_json,
    print_status,
    printable,
    tiers_in_words,
    watching,
)
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping

    from retouch.engine.options import RunOptions
    from retouch.engine.types import Model
    from retouch.recipes.extract.job import JobRunning
    from retouch.recipes.extract.merging import ExtractResult
    from retouch.recipes.extract.stored_jobs import JobView

_SHOWN = 20  # shards


def show(folder: Path, given: Mapping[str, Any]) -> int:
    """Print the state of a job: records by status, checks, shards, and with `--cost` what all its calls cost."""
    from retouch.engine.types import Usage
    from retouch.recipes.extract.commands.running import next_of_job
    from retouch.recipes.extract.stored_jobs import job_view

    if given["attempts"]:
        hint = f"Name the run of one shard: retouch show {folder / 'shards' / '00000'} --attempts."
        raise BadInput("--attempts lists the calls of one run, and this is a job of several", hint=hint)
    view = job_view(folder)
    cost = _cost(view) if given["cost"] else {}
    if given["as_json"]:
        print_json({**view.as_json(), **({"cost": cost} if cost else {})})
        return 0
    print_status(view.status, view.reason, str(folder), "  (extract)")
    counts = ", ".join(f"{number:,} {status}" for status, number in view.counts.items() if number)
    click.echo(f"  records {counts}")
    if view.tiers:
        click.echo(f"  tiers   {printable(tiers_in_words(view.tiers))}")
    troubled = [one for one in view.shards if one.status != "verified" or one.changed]
    click.echo(f"  shards  {len(view.shards):,}, of them {len(view.shards) - len(troubled):,} verified")
    for one in troubled[:_SHOWN]:
        click.echo(f"    {one.status}{', changed since' if one.changed else ''}  {printable(str(one.run))}")
    if len(troubled) > _SHOWN:
        click.echo(f"    ... and {len(troubled) - _SHOWN:,} more")
    print_issues(view.file_issues)
    for note in view.notes:
        click.echo(f"note: {printable(note)}")
    _print_cost(cost)
    price = Usage(cost=cost["total"]["cost"] if cost else view.usage.get("cost")).price
    is_changed = bool(view.file_issues) or any(one.changed for one in view.shards)
    print_cost_and_next(
        price if cost else f"{price} by the last command",
        next_of_job(folder, view.status, view.tiers, is_changed=is_changed),
    )
    return 0


def status(folder: Path) -> dict[str, Any]:
    """Return the status of a job, its reason, and notes, for pages that show all of its shards."""
    from retouch.recipes.extract.stored_jobs import job_view

    view = job_view(folder)
    notes = [*(f"{one.message}. {one.fix}" for one in view.file_issues), *view.notes]
    return {"status": view.status, "reason": view.reason, "notes": notes}


def _cost(view: JobView) -> dict[str, Any]:
    """Return the usage of all calls in the ledgers of the shards."""
    from retouch.engine.history import read_history
    from retouch.engine.ledger import LEDGER
    from retouch.engine.types import Usage
    from retouch.engine.usage import cost_report

    total, by_model = Usage(), dict[str, Usage]()
    for shard in view.shards:
        report = cost_report(read_history(shard.run / LEDGER).attempts.values())
        total += report.total
        for model, usage in report.by_model.items():
            by_model[model] = by_model.get(model, Usage()) + usage
    return {"total": _plain(total), "by_model": {name: _plain(one) for name, one in by_model.items()}}


def _plain(usage: Any) -> dict[str, Any]:
    return {name: getattr(usage, name) for name in ("calls", "tokens", "cached_tokens", "cost")}


def _print_cost(cost: Mapping[str, Any]) -> None:
    for name, one in cost.get("by_model", {}).items():
        price = "cost unknown" if one["cost"] is None else f"${one['cost']:,.4f}"
        click.echo(f"{printable(name)}: {counted(one['calls'], 'call')}, {counted(one['tokens'], 'token')}, {price}")


def resume(folder: Path, given: Mapping[str, Any]) -> int:
    """Go on with a job: its stored records, its settings, and the models of its last command."""
    from retouch.recipes.extract.commands.running import JobCommandOptions, ModelSpecs, run_shards
    from retouch.recipes.extract.job import resume_job
    from retouch.recipes.extract.stored import expect_job_file

    file = expect_job_file(folder)
    functions = file.settings["shared"]["functions"]
    if functions:
        hint = "Run that program again: it goes on with the job."
        raise BadInput(f"only the program that made this job has its checks {', '.join(functions)}", hint=hint)
    options = _options(file.options, given)
    limit = cost_limit(options.max_cost_usd, given["max_cost_more"])
    together = batching(file.model, limit, submit=False, wait_s=given["batch_wait"], give_up=given["online"])
    specs = ModelSpecs(model=file.model, fallbacks=tuple(given["fallback"] or file.fallbacks))
    own = JobCommandOptions(
        workers=given["workers"] or 1,
        hang_s=given["hang"] or JobCommandOptions().hang_s,
        retry_dead=given["retry_dead"],
        silent=given["quiet"] or given["as_json"],
        as_json=given["as_json"],
    )

    def work(model: Model, options: RunOptions, running: JobRunning) -> Coroutine[Any, Any, ExtractResult]:
        return resume_job(folder, model, options, running=running)

    return run_shards(folder, specs, replace(options, batching=together), work, limit, own)


def _options(stored: Mapping[str, Any], given: Mapping[str, Any]) -> RunOptions:
    from retouch.engine.options import RunOptions

    options = replace(RunOptions.from_stored(stored), wait=given["wait"], force=given["force"])
    if given["max_cost"] is not None:
        options = replace(options, max_cost_usd=given["max_cost"])
    cap = given["max_output_tokens"]
    if cap is None:
        return options
    return replace(options, max_output_tokens=cap, max_output_limit=max(cap, options.max_output_limit))


def validate(folder: Path, given: Mapping[str, Any]) -> int:
    """Check every record of a job again; no model is called."""
    from retouch._lib.run_sync import run_sync
    from retouch.engine.options import RunOptions
    from retouch.recipes.extract.commands.running import show_job_result
    from retouch.recipes.extract.stored_jobs import validate_job

    with keeping(folder), watching(silent=given["quiet"] or given["as_json"]) as watch:
        options = RunOptions(watch=watch, wait=given["wait"])
        result, issues = run_sync(validate_job(folder, options, write=not given["no_write"]))
    more: Any = {"file_issues": [one.summary() for one in issues]}
    exit_status = show_job_result(result, as_json=given["as_json"], more=more, file_issues=issues)
    return 1 if issues and not exit_status else exit_status


def report(folder: Path, given: Mapping[str, Any]) -> int:
    """Print the place of the job's report, or copy it."""
    from retouch._lib.disk import write_output
    from retouch.recipes.extract.merging import REPORT
    from retouch.recipes.extract.stored_jobs import job_view

    view, place, to = job_view(folder), folder / REPORT, given["to"]
    if view.status == "incomplete" and not place.is_file():
        hint = f"'retouch show {folder}' shows how far it is; 'retouch resume {folder}' continues it."
        raise BadInput(f"{str(place)!r} is written when the job ends: {view.reason or 'it is incomplete'}", hint=hint)
    if not place.is_file() or any(one.unit == REPORT for one in view.file_issues):
        raise BadInput(f"{str(place)!r} is missing or was changed", hint=f"retouch resume {folder} writes it again.")
    text = place.read_text(encoding="utf-8")
    if to == Path("-"):
        click.echo(text, nl=False)
        return 0
    if to is not None:
        write_output(to, text)
    target, notes = to or place, list(view.notes)
    if given["as_json"]:
        print_json({"report": str(target), "notes": notes})
        return 0
    click.echo(str(target))
    return 0
