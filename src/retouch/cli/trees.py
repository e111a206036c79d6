"""What verbs do for a fleet, and for a directory with runs below it."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote as quote_url

import click

from retouch.cli.eval_output import StoredEvaluation, print_stored_evaluation, stored_evaluation
from retouch.cli.failure import printable
from retouch.cli.fleet import show_fleet
from retouch.cli.jobs import EVALUATION, FLEET, JOB, RUN, recipe_of_job, runs_below, status_of_job
from retouch.cli.outcome import is_strict, print_cost_and_next, print_status
from retouch.cli.output import counted, print_json, print_table
from retouch.engine.ledger import LEDGER
from retouch.engine.tiers import EXIT_STATUS, STATUSES, exit_status_of, status_reason
from retouch.engine.types import Usage
from retouch.errors import BadInput, BrokenFile, RetouchError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.cli.regenerate import RegenerateArguments
    from retouch.engine.overview import RunResult
    from retouch.engine.tiers import Status, TierSummary
    from retouch.fleet.statuses import FleetStatus

_WATCH_S = 2.0
_REPORT = "report.html"


@dataclass(frozen=True, kw_only=True)
class RunLine:
    """One run of a tree: its directory, its recipe, its status with the reason, its usage, and its errors.

    A job or an evaluation in the tree is one line, with the `reason` of its own status. `is_new` is whether the usage
    is that of this command, and not of all commands.
    """

    run: Path
    recipe: str
    status: Status
    tiers: Sequence[TierSummary]
    usage: Usage
    errors: int
    reason: str = ""
    is_new: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the run as plain data."""
        usage = {"calls": self.usage.calls, "tokens": self.usage.tokens, "cost": self.usage.cost}
        return {"run": str(self.run), "recipe": self.recipe, "status": self.status, "errors": self.errors, **usage}


def show(folder: Path, given: Mapping[str, Any]) -> int:
    """Show a fleet or a tree of runs, and return the exit status. With `watch`, again until nothing is running."""
    if given.get("attempts") or given.get("cost"):
        hint = f"Name one of its runs, for example: retouch show {_a_run(folder)} --cost"
        raise BadInput("--attempts and --cost are for one run", hint=hint)
    if _is_fleet(folder):
        return show_fleet_at(str(folder), watch=bool(given.get("watch")), as_json=given["as_json"])
    runs = _runs(folder)
    return _show_lines(folder, [*map(_line, runs), *_jobs(folder, runs)], as_json=given["as_json"])


def show_fleet_at(address: str, *, watch: bool, as_json: bool) -> int:
    """Show a fleet in a directory or an object store, and return the exit status."""
    from retouch.fleet.api import status

    found = status(address)
    while watch and found.workers:
        _print_progress(found, as_json=as_json)
        time.sleep(_WATCH_S)
        found = status(address)
    return show_fleet(found, as_json=as_json, details=True)


def _print_progress(found: FleetStatus, *, as_json: bool) -> None:
    if not as_json:
        done, total = found.shards["done"], sum(found.shards.values())
        click.echo(f"{done} of {total} shards are done, {counted(found.workers, 'worker')}", err=True)


def validate(folder: Path, given: Mapping[str, Any]) -> int:
    """Check every run of a fleet or a tree again, and return the exit status."""
    from retouch._lib.run_sync import run_sync
    from retouch.cli.runs import checking_as_before
    from retouch.engine.directory import open_run
    from retouch.engine.options import RunOptions
    from retouch.engine.recipe import find_recipe
    from retouch.engine.verbs import validate as validate_run

    options = RunOptions(**given["own"], wait=given["wait"])
    if _is_fleet(folder):
        from retouch.fleet.job import fleet_place
        from retouch.fleet.upkeep import validate_fleet

        if given["no_write"]:
            raise BadInput("a fleet is checked run by run", hint=f"retouch validate {_a_run(folder)} --no-write")
        place = fleet_place(str(folder))
        return show_fleet(
            validate_fleet(place, find_recipe(place.job().recipe), options), as_json=bool(given["as_json"])
        )
    lines: list[RunLine] = []
    runs = _runs(folder)
    jobs = _jobs(folder, runs)
    for run in runs:
        view = open_run(run)
        checking = checking_as_before(view, options)
        result = run_sync(validate_run(find_recipe(view.recipe), run, write=not given["no_write"], options=checking))
        lines.append(_of_result(result, view.recipe))
    return _show_lines(folder, [*lines, *map(_not_validated, jobs)], as_json=given["as_json"])


def report(folder: Path, given: Mapping[str, Any]) -> int:
    """Write a report into each run that can be read, and a page with the table of all. Return 0."""
    from retouch._lib.disk import write_files, write_output
    from retouch._lib.run_sync import run_sync
    from retouch.engine.directory import open_run
    from retouch.report import report as report_of
    from retouch.report.export import tree_report
    from retouch.report.tree import run_directories, tree_of

    target: Path = given["to"] or folder / _REPORT
    reports: dict[str, str] = {}
    notes: list[str] = []
    for name, run in run_directories(folder).items():
        try:
            write_files(run, {_REPORT: run_sync(report_of(open_run(run)))})
        except RetouchError as error:
            notes.append(f"{run} has no report: {error}")
            continue
        reports[name] = quote_url(os.path.relpath(run / _REPORT, target.parent).replace(os.sep, "/"))
    page = tree_report(tree_of(folder), reports)
    if target == Path("-"):
        click.echo(page, nl=False)
        return 0
    write_output(target, page)
    if given["as_json"]:
        print_json({"report": str(target), "notes": notes})
        return 0
    click.echo(printable(str(target)))
    for note in notes:
        click.echo(f"note: {printable(note)}")
    return 0


_RUN_ONLY = ("online", "batch_wait", "max_cost_more", "max_output_tokens", "allow_removal", "fallback", "retry_dead")


def resume(folder: Path, given: Mapping[str, Any]) -> int:
    """Continue a fleet with its stored records and settings, and return the exit status.

    Raises:
        BadInput: it is a tree or an evaluation, or an option is for one run.
    """
    if not _is_fleet(folder):
        step = f"Name one of its runs, for example {_a_run(folder)!r}."
        if is_evaluation(folder):
            step = f"The same command continues it: {_same_evaluation(folder)}"
        raise BadInput(f"{str(folder)!r} holds many runs", hint=step)
    for name in _RUN_ONLY:
        if given[name] not in (None, False, ()):
            raise BadInput(f"--{name.replace('_', '-')} is for a run or a job", hint=f"{str(folder)!r} is a fleet.")
    from retouch.cli.fleet import print_shards_done, show_fleet_result
    from retouch.cli.outcome import keeping
    from retouch.cli.tracing import workers_traced
    from retouch.fleet.api import nothing
    from retouch.fleet.api import resume as resume_fleet

    known = {"max_cost_usd": given["max_cost"], "workers": given["workers"], "hang_s": given["hang"]}
    silent = given["quiet"] or given["as_json"]
    with keeping(folder), workers_traced():
        result = resume_fleet(
            folder,
            on_poll=nothing if silent else print_shards_done(str(folder)),
            **{name: value for name, value in known.items() if value is not None},
        )
    return show_fleet_result(result, as_json=given["as_json"])


def regenerate(arguments: RegenerateArguments) -> int:
    """Request what has errors again, in every run of a fleet or a tree, and return the exit status.

    Raises:
        BadInput: other parts were selected, which only one run has.
    """
    others = (arguments.types, arguments.pages, arguments.compare, arguments.adopt_better, arguments.repaginate)
    if not arguments.from_errors or any(others) or arguments.dry_run:
        hint = f"Add --from-errors alone, or name one of its runs, for example {_a_run(arguments.folder)!r}."
        raise BadInput(f"{str(arguments.folder)!r} is not a run directory: it holds many runs", hint=hint)
    if is_evaluation(arguments.folder):
        hint = "Its runs are compared, so that none is repaired alone. Name one of them to change it anyway."
        raise BadInput(f"{str(arguments.folder)!r} is an evaluation", hint=hint)
    folder, runs = arguments.folder, _runs(arguments.folder)
    arguments.count_earlier(runs)
    lines = [_regenerated(arguments, run) for run in runs]
    if not _is_fleet(folder):
        return _show_lines(folder, [*lines, *_jobs(folder, runs)], as_json=arguments.as_json)
    from retouch.engine.options import RunOptions
    from retouch.engine.recipe import find_recipe
    from retouch.fleet.job import fleet_place
    from retouch.fleet.upkeep import count_cost, validate_fleet

    place = fleet_place(str(folder))
    count_cost(place, sum((one.usage for one in lines if one.is_new), Usage()))
    found = validate_fleet(place, find_recipe(place.job().recipe), RunOptions(wait=arguments.wait))
    return show_fleet(found, as_json=arguments.as_json)


def _regenerated(arguments: RegenerateArguments, run: Path) -> RunLine:
    """Request the pages with errors of one run again, if there are any."""
    from retouch._lib.run_sync import run_sync
    from retouch.cli.outcome import keeping
    from retouch.cli.progress import watching
    from retouch.cli.runs import model_of, recipe_of
    from retouch.engine.directory import open_run
    from retouch.engine.targets import Targets
    from retouch.engine.verbs import regenerate as regenerate_run

    line, view = _line(run), open_run(run)
    if not line.errors:
        return line
    recipe = recipe_of(view)
    model, fallback = arguments.models(recipe, otherwise=arguments.model or model_of(view))
    with keeping(arguments.folder), watching(silent=arguments.silent) as watch:
        options = arguments.options_for(view, watch=watch, fallback=fallback)
        targets = Targets(from_errors=True)
        again = regenerate_run(recipe, run, model, targets, hint=arguments.correction, options=options)
        return replace(_of_result(run_sync(again), view.recipe), is_new=True)


def _is_fleet(folder: Path) -> bool:
    return (folder / FLEET).is_file()


def is_evaluation(folder: Path) -> bool:
    """Return whether a directory was made by `retouch eval`."""
    return (folder / EVALUATION).is_file() and not _is_fleet(folder)


def _runs(folder: Path) -> list[Path]:
    if _is_fleet(folder):
        from retouch.fleet.job import fleet_place
        from retouch.fleet.upkeep import fleet_runs

        return fleet_runs(fleet_place(str(folder)))
    return sorted(runs_below(folder))


def _jobs(folder: Path, runs: Sequence[Path]) -> list[RunLine]:
    """Return a line for each job and evaluation in a tree, whose status may be worse than that of its runs.

    Raises:
        BadInput: the tree holds something that would be left out: a fleet, or a run deeper than two directories.
        BrokenFile: it holds a run without its `ir.json`.
    """
    known, found = {*runs}, list[RunLine]()
    for name, directories, files in os.walk(folder):
        place = Path(name)
        directories[:] = sorted(one for one in directories if place not in known and not one.startswith("."))
        if place in known or place == folder:
            continue
        line = _job_line(place) if {JOB, EVALUATION}.intersection(files) else None
        if line is not None:
            found.append(line)
            directories.clear()
            continue
        if FLEET in files:
            raise BadInput(f"{str(place)!r} is a fleet", hint="Name it alone: its status is not that of its runs.")
        if RUN in files:
            hint = f"Name the directory above it: {str(place.parent)!r}."
            raise BadInput(f"{str(place)!r} is a run deeper than two directories", hint=hint)
        if LEDGER in files:
            hint = "Restore it, or move the directory away."
            raise BrokenFile(f"the run {str(place)!r} has no {RUN}", hint=hint)
    return found


def _job_line(place: Path) -> RunLine | None:
    """Return the line of a job or an evaluation, None if the directory is neither."""
    if is_evaluation(place):
        status, reason, recipe = (evaluation := stored_evaluation(place)).status, evaluation.reason, "evaluation"
    elif (job := status_of_job(place)) is not None:
        status, reason, recipe = cast("Status", job.status), job.reason, recipe_of_job(place) or "job"
    else:
        return None
    return RunLine(run=place, recipe=recipe, status=status, tiers=(), usage=Usage(cost=None), errors=0, reason=reason)


def _not_validated(line: RunLine) -> RunLine:
    """Return the line of a job or an evaluation that was not checked again: it is not verified by this command."""
    if line.status != STATUSES[0]:
        return line
    reason = f"{str(line.run)!r} is not checked again: 'retouch validate {quote(str(line.run))}' does it"
    return replace(line, status="unverified", reason=reason)


def _a_run(folder: Path) -> str:
    return next((str(one) for one in _runs(folder)), "RUN")


def _line(run: Path) -> RunLine:
    from retouch.engine.directory import open_run
    from retouch.engine.overview import overview

    found = overview(open_run(run))
    return RunLine(
        run=run,
        recipe=found.recipe,
        status=found.status,
        tiers=found.tiers,
        usage=found.known_usage,
        errors=sum(one.is_error for one in found.issues),
    )


def _of_result(result: RunResult, recipe: str) -> RunLine:
    return RunLine(
        run=result.run,
        recipe=recipe,
        status=result.status,
        tiers=result.tiers,
        usage=result.usage,
        errors=sum(one.is_error for one in result.issues),
    )


def _show_lines(folder: Path, lines: Sequence[RunLine], *, as_json: bool) -> int:
    """Print the runs of a tree or of an evaluation, and return the exit status: that of the worst."""
    evaluation = stored_evaluation(folder) if is_evaluation(folder) else None
    statuses: list[Status] = []
    statuses.extend(one.status for one in lines)
    if evaluation is not None:
        statuses.append(evaluation.status)
    worst: Status = max(statuses, key=STATUSES.index)
    exit_status = max((exit_status_of(one.status, one.tiers) for one in lines), default=0)
    if evaluation is not None:
        exit_status = max(exit_status, EXIT_STATUS[evaluation.status])
    if worst == "unverified" and is_strict():
        exit_status = max(exit_status, 1)
    if as_json:
        counts = {name: sum(one.status == name for one in lines) for name in EXIT_STATUS}
        more = {} if evaluation is None else {"evaluation": evaluation.result}
        runs = [one.as_json() for one in lines]
        print_json({"tree": str(folder), "status": worst, "counts": counts, "runs": runs, **more})
        return exit_status
    print_status(worst, _tree_reason(lines, worst, evaluation), str(folder))
    print_table(
        ("run", "recipe", "status", "errors", "calls", "cost"),
        [(str(one.run), one.recipe, one.status, one.errors, one.usage.calls, one.usage.price) for one in lines],
    )
    if evaluation is not None:
        print_stored_evaluation(folder, evaluation.result)
    print_cost_and_next(
        sum((one.usage for one in lines), Usage()).price, _next_of_tree(folder, lines, worst, evaluation)
    )
    return exit_status


def _tree_reason(lines: Sequence[RunLine], worst: Status, evaluation: StoredEvaluation | None) -> str:
    number = sum(one.status == worst for one in lines)
    reasons = {one.reason or status_reason(one.status, one.tiers) for one in lines if one.status == worst}
    found = [f"{number} of {counted(len(lines), 'run')}" if worst != "verified" else counted(len(lines), "run")]
    if evaluation is not None and evaluation.reason:
        found = [*(found if number else ()), evaluation.reason.rstrip(".")]
    return ": ".join([*found, *sorted(one for one in reasons if one)[:1]])


def _same_evaluation(folder: Path) -> str:
    """Return the command that continues an evaluation. SOURCE in it is for the user to replace."""
    from shlex import join

    from retouch.evaluation.plan import stored_plan

    plan = stored_plan(folder) or {}
    if words := plan.get("command"):
        return join(["retouch", *map(str, words)])
    models = ",".join(map(str, plan.get("models", {})))
    given = ["--models", models, "--trials", str(plan.get("trials", 1)), "-o", str(folder)]
    return join(["retouch", "eval", str(plan.get("recipe", "RECIPE")), "SOURCE", *given])


def _next_of_tree(folder: Path, lines: Sequence[RunLine], worst: Status, evaluation: StoredEvaluation | None) -> str:
    """Return the one command to run next."""
    if evaluation is not None:
        if evaluation.status != STATUSES[0]:
            return _same_evaluation(folder)
        return f"retouch view {quote(str(folder))}"
    if worst != "verified":
        return f"retouch show {quote(str(next(one.run for one in lines if one.status == worst)))}"
    return f"retouch report {quote(str(folder))}"
