"""`retouch show`: the state and the usage of a run."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from retouch._lib.redaction import view_of
from retouch.cli.failure import printable
from retouch.cli.options import as_json_option, format_option, run_or_address_argument
from retouch.cli.outcome import is_strict, next_command, print_cost_and_next, print_status, tiers_in_words
from retouch.cli.output import counted, print_finding_lines, print_json, print_table
from retouch.cli.verb import Verb
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from retouch.cli.reporting.formats import Format
    from retouch.engine.directory import RunView
    from retouch.engine.overview import Overview
    from retouch.engine.types import Note
    from retouch.engine.usage import CostReport, SchemaReport, StrategySuccess, TransportReport

_SAYINGS = 5
_WATCH_S = 2.0


@click.command(cls=Verb)
@run_or_address_argument
@click.option("--attempts", is_flag=True, help="Also list every call: the reason, the model, and the result.")
@click.option("--cost", is_flag=True, help="Also show the cost by unit, by model, by tier, and by kind of repair.")
@click.option(
    "--watch", is_flag=True, help="Show the progress every two seconds while a process works on it, then the result."
)
@as_json_option
@format_option
def show(folder: Path | str, *, attempts: bool, cost: bool, watch: bool, kind: Format) -> int:
    """Show a run: units, pages, models, attempts, tokens, issues. Of a job, show its records, checks and shards.

    \b
      retouch show output/GET_pets
      retouch show output --format junit

    Each issue is printed as file:line:column CODE message, with the line of the file. With --format github, sarif or
    junit the issues are printed for other programs, as they were found by the last check: 'retouch validate' checks
    again.

    Of a fleet, show its shards, records and usage, from its small files; of a directory with runs below it, show a line
    for each; of an evaluation, also the figures of its models. The exit status is then that of the worst run.

    This also works while another command writes to the run.

    With --json: {"run", "recipe", "status", "tiers": [...], "damage": [...], "units": [{"unit", "state", "tiers",
    "pages": [{"page", "model", "attempts", "input_tokens", "output_tokens", "cached_tokens"}], "issues": [...]}],
    "calls", "tokens", "input_tokens", "output_tokens", "cached_tokens", "file_issues", "notes"}. The tokens of a page
    are those of all its attempts.

    Of a directory of runs: {"tree", "status", "counts": {STATUS: N}, "runs": [{"run", "recipe", "status", "errors",
    "calls", "tokens", "cost"}]}; of an evaluation also "evaluation", the content of its result.json. Of a fleet: the
    keys of 'retouch fleet run --json', "recipe", "workers" and "notes".

    --attempts adds "attempts": [{"seq", "unit", "page", "why", "model", "at", "finish", "error", "input_tokens",
    "output_tokens", "cached_tokens", "reasoning_tokens", "seconds", "taken", "issues", "schema_mode",
    "pack"}].

    --cost adds "cost": {"total", "by_unit", "by_model", "by_tier", "by_why"}, each entry {"calls", "tokens",
    "cached_tokens", "cost"}, where null is an unknown cost, and "recorded_cost", what replayed answers had cost;
    "transport": {"retries", "surrenders", "waited_s", "said", "lost_calls", "lost_tokens", "lost_cost"}; "cache_plan",
    a sentence for each decision; "schemas", how answer schemas were used: {"modes": {MODEL: {MODE: replies}},
    "rejected": [{"model", "mode", "error"}]}; and "strategies", how often each kind of repair was used and helped:
    [{"strategy", "model", "retries", "accepted", "solved"}].
    """
    return _shown(folder, {"attempts": attempts, "cost": cost, "watch": watch, "as_json": kind != "text"}, kind)


def _show_address(address: str, given: Mapping[str, bool], kind: Format) -> int:
    """Show a fleet in an object store."""
    from retouch.cli.trees import show_fleet_at

    if given["attempts"] or given["cost"] or kind not in ("text", "json"):
        raise BadInput(f"{address!r} is a fleet: show it without --attempts, --cost and --format", hint="Use --json.")
    return show_fleet_at(address, watch=given["watch"], as_json=given["as_json"])


def _wait_for_writers(folder: Path, *, silent: bool) -> None:
    """Wait until no process writes into a run, a job, or the runs of a tree. A fleet has its own progress."""
    from retouch._lib.holders import writing_process
    from retouch.cli.jobs import FLEET, holds_runs, runs_below

    if (folder / FLEET).is_file():
        return
    while True:
        runs = [folder, *runs_below(folder)] if holds_runs(folder) else [folder]
        writing = [one for one in runs if writing_process(one)]
        if not writing:
            return
        if not silent:
            click.echo(_progress(folder, writing), err=True)
        time.sleep(_WATCH_S)


def _progress(folder: Path, writing: Sequence[Path]) -> str:
    from retouch.cli.jobs import RUN
    from retouch.engine.directory import open_run
    from retouch.engine.overview import overview

    if not (folder / RUN).exists():
        return f"{printable(str(writing[0]))}{f' and {len(writing) - 1} more' if writing[1:] else ''}: at work"
    units = overview(open_run(folder)).units
    return f"{sum(one.state != 'unanswered' for one in units)} of {counted(len(units), 'unit')} have an answer"


def _shown(folder: Path | str, given: Mapping[str, bool], kind: Format) -> int:
    from retouch.cli.jobs import run_on_job

    if isinstance(folder, str):
        return _show_address(folder, given, kind)
    if given["watch"]:
        _wait_for_writers(folder, silent=kind != "text")
    on_job = partial(run_on_job, folder, "show", given)
    if kind not in ("text", "json"):
        if given["attempts"] or given["cost"]:
            raise BadInput(f"--attempts and --cost are not part of --format {kind}", hint="Use --format json.")
        from retouch.cli.reporting.formats import showing_failures

        with showing_failures(folder, kind):
            return _show_for_program(folder, kind, on_job)
    handled = on_job()
    if handled is None:
        _show_run(folder, attempts=given["attempts"], cost=given["cost"], as_json=kind == "json")
    return handled or 0


def _show_for_program(folder: Path, kind: Format, on_job: Callable[[], int | None]) -> int:
    """Print the state of a run, or of all runs of a directory, as the last check left it."""
    from retouch.cli.reporting.formats import show_reports
    from retouch.cli.reporting.reports import Reports, holds_several, report_of_overview, reports_below
    from retouch.cli.runs import expect_run
    from retouch.engine.overview import overview

    if holds_several(folder):
        return show_reports(reports_below(folder, on_job, strict=is_strict()), kind)
    view = expect_run(folder)
    report = report_of_overview(view, overview(view), strict=is_strict())
    return show_reports(Reports(runs=[report], exit_status=0), kind)


def _show_run(folder: Path, *, attempts: bool, cost: bool, as_json: bool) -> None:
    from retouch.cli.jobs import job_notes
    from retouch.cli.runs import expect_run
    from retouch.engine.overview import overview
    from retouch.engine.usage import cost_report, last_cache_plan, schema_report, strategy_report, transport_report

    view = expect_run(folder)
    found, notes = overview(view), view.history.notes
    network, plan = transport_report(notes), last_cache_plan(notes)
    schemas = schema_report(found.attempts, notes)
    if as_json:
        more = _costs_json(found, notes) if cost else {}
        print_json(view_of({**_with_notes(found.as_json(attempts=attempts), job_notes(folder)), **more}))
        return
    _print(found, view)
    if cost:
        bill = cost_report(found.attempts, complete=not found.lost_ledger)
        _print_bill(bill, strategy_report(found.attempts))
    _print_network(network, plan if cost else [])
    _print_schemas(schemas, rejected=cost)
    if attempts:
        click.echo()
        _print_attempts(found)
    for note in job_notes(folder):
        click.echo(f"note: {printable(note)}")
    states = [(unit.unit, unit.state) for unit in found.units]
    issues = (*found.damage, *(issue for unit in found.units for issue in unit.issues), *found.disk)
    step = next_command(found.run, found.status, found.tiers, issues, states)
    print_cost_and_next(found.known_usage.price, step)


def _with_notes(data: dict[str, Any], notes: Sequence[str]) -> dict[str, Any]:
    return {**data, "notes": [*data["notes"], *notes]} if notes else data


def _costs_json(found: Overview, notes: Sequence[Note]) -> dict[str, Any]:
    """Return the keys that `--cost` adds."""
    from retouch.engine.usage import cost_report, last_cache_plan, schema_report, strategy_report, transport_report

    return {
        "cost": cost_report(found.attempts, complete=not found.lost_ledger).as_json(),
        "transport": transport_report(notes).as_json(),
        "cache_plan": last_cache_plan(notes),
        "schemas": schema_report(found.attempts, notes).as_json(),
        "strategies": [one.as_json() for one in strategy_report(found.attempts)],
    }


def _print(found: Overview, view: RunView) -> None:
    from retouch.cli.reporting.findings import located

    print_status(found.status, found.reason, str(found.run), f"  ({found.recipe})")
    click.echo(f"  tiers   {printable(tiers_in_words(found.tiers))}")
    rows: list[list[Any]] = []
    for unit in found.units:
        pages = len(unit.pages)
        most = view.history.full_budget(pages).total_remaining
        for page in unit.pages:
            tokens = page.usage.tokens
            issues = sum(1 for issue in unit.issues if issue.page in (None, page.page))
            left = view.history.remaining_budget(unit.unit, pages, page.page).total_remaining
            used = [page.attempts, f"{most - left} of {most}", tokens, issues]
            rows.append([unit.unit, f"{page.page}/{pages}", unit.state, page.model or "-", *used])
    print_table(["unit", "page", "state", "model", "attempts", "retries", "tokens", "issues"], rows)
    issues = [*found.damage, *(issue for unit in found.units for issue in unit.issues), *found.disk]
    print_finding_lines(located(view, issues))
    if found.lost_ledger:
        click.echo(f"note: {printable(found.lost_ledger)}")
    used = found.usage
    tokens = f"{counted(used.tokens, 'token')} ({used.input_tokens:,} in, {used.output_tokens:,} out)"
    click.echo(f"{counted(found.calls, 'call')}, {tokens}, {used.spent}")


def _print_attempts(found: Overview) -> None:
    rows: list[list[Any]] = []
    for one in found.attempts:
        came = one.error or (one.reply.finish if one.reply is not None else "no reply yet")
        tokens = one.reply.input_tokens + one.reply.output_tokens if one.reply is not None else 0
        codes = ", ".join(dict.fromkeys(issue.code for issue in one.issues))
        rows.append([str(one.seq), one.unit, one.page, one.why, one.model, came, tokens, one.taken, codes])
    print_table(["seq", "unit", "page", "why", "model", "came", "tokens", "taken", "issues"], rows)


def _print_bill(report: CostReport, strategies: Sequence[StrategySuccess]) -> None:
    """Print what was paid for: by unit, by model, by the tier that had failed, by the kind of repair.

    If there were repairs, also print how often each strategy was used and helped.
    """
    click.echo()
    heads = ("unit", "model", "failed tier", "reason")
    for head, entries in zip(heads, (report.by_unit, report.by_model, report.by_tier, report.by_why), strict=True):
        rows = [[name, one.calls, one.tokens, one.cached_tokens, one.price] for name, one in entries.items()]
        print_table([head, "calls", "tokens", "cached", "cost"], rows)
        click.echo()
    if strategies:
        helped = [[one.strategy, one.model, one.retries, one.accepted, one.solved] for one in strategies]
        print_table(["strategy", "model", "retries", "accepted", "solved"], helped)
        click.echo()
    total = report.total
    share = total.cached_tokens / total.input_tokens if total.input_tokens else 0.0
    used = f"{counted(total.calls, 'call')}, {counted(total.tokens, 'token')}"
    click.echo(f"{used}, {share:.0%} of input cached, {total.spent}")
    if report.recorded_cost:
        click.echo(f"replayed answers had cost ${report.recorded_cost:.4f} when they were recorded (not in the sums)")


def _print_network(network: TransportReport, plan: Sequence[str]) -> None:
    """Print the transport retries with their reasons, if any, and the sentences of the cache `plan`."""
    if network.retries or network.surrenders:
        given_up = f", {counted(network.surrenders, 'request')} given up" if network.surrenders else ""
        click.echo(f"{counted(network.retries, 'request')} sent again after {network.waited_s:,.1f} s{given_up}")
    if network.lost_calls:
        known = f", ${network.lost_cost:,.4f}" if network.lost_cost else ""
        cost = ", cost unknown" if network.lost_cost is None else known
        click.echo(
            f"{counted(network.lost_calls, 'answer')} received and unusable: {network.lost_tokens:,} tokens{cost}"
        )
    for said, times in list(network.messages.items())[:_SAYINGS]:
        click.echo(printable(f"  {times} x {said}"))
    for sentence in plan:
        click.echo(f"cache: {sentence}")


def _print_schemas(report: SchemaReport, *, rejected: bool) -> None:
    """Print how answer schemas were used, and if `rejected`, the providers' reasons not to use them."""
    for model, modes in report.modes.items():
        counts = ", ".join(f"{mode} {count}" for mode, count in modes.items())
        click.echo(printable(f"answer schema, {model}: {counts}"))
    for one in report.rejected if rejected else ():
        click.echo(printable(f"  {one['mode']} was rejected: {one['error']}"))
