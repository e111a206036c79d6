"""`retouch validate`, `retouch assemble` and `retouch adopt`: the verbs over a run that call no model."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from retouch.cli import options
from retouch.cli.completion import complete_units
from retouch.cli.outcome import is_strict, keeping, show_result
from retouch.cli.overwriting import asking_to_overwrite
from retouch.cli.progress import watching
from retouch.cli.verb import Verb
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from retouch.cli.reporting.formats import Format
    from retouch.engine.options import RunOptions
    from retouch.engine.overview import RunResult


@click.command(cls=Verb)
@options.run_argument
@click.option("--by-type", is_flag=True, help="Group the issues by unit.")
@click.option("--no-write", is_flag=True, help="Do not update the summary in ir.json. Nothing is locked or changed.")
@options.recipe_options
@options.wait_option
@options.quiet_option
@options.strict_option
@options.as_json_option
@options.format_option
def validate(folder: Path, *, by_type: bool, no_write: bool, wait: bool, quiet: bool, kind: Format, **own: Any) -> int:
    """Check a run or a job again; no model is called. Files are checked as they are on disk now.

    \b
      retouch validate output/GET_pets --strict
      retouch validate output --format github

    The result is stored in ir.json. Each issue is printed as file:line:column CODE message, with the line of the file.
    The formats github, sarif and junit show every reason for an exit status that is not 0, also a status alone.

    With --json: the keys of 'retouch generate csharp --json'.
    """
    given = {"by_type": by_type, "no_write": no_write, "wait": wait, "quiet": quiet, "own": own}
    if kind in ("text", "json"):
        return _checked(folder, given, kind)
    from retouch.cli.reporting.formats import showing_failures

    with showing_failures(folder, kind):
        return _checked(folder, given, kind)


def _checked(folder: Path, given: Mapping[str, Any], kind: Format) -> int:
    from retouch.cli.jobs import run_on_job
    from retouch.cli.reporting.formats import show_reports
    from retouch.cli.reporting.reports import holds_several, reports_below

    def on_job(*, as_json: bool) -> int | None:
        return run_on_job(folder, "validate", {**given, "as_json": as_json})

    if kind in ("text", "json") or not holds_several(folder):
        handled = on_job(as_json=kind == "json")
        if handled is not None:
            return handled
        write, silent = not given["no_write"], given["quiet"] or kind != "text"
        result = _validated(folder, given["own"], write=write, wait=given["wait"], silent=silent)
        return _show_validated(result, kind, by_type=given["by_type"])
    if given["no_write"]:
        raise BadInput(f"--no-write and --format {kind} are for one run", hint="Name one of its runs.")
    return show_reports(reports_below(folder, partial(on_job, as_json=True), strict=is_strict()), kind)


def _validated(folder: Path, own: Mapping[str, Any], *, write: bool, wait: bool, silent: bool) -> RunResult:
    from retouch._lib.run_sync import run_sync
    from retouch.cli.runs import checking_as_before, expect_run, recipe_of
    from retouch.engine.options import RunOptions
    from retouch.engine.verbs import validate as validate_run

    view = expect_run(folder)
    recipe, checking = recipe_of(view), checking_as_before(view, RunOptions(**own))
    with keeping(folder), watching(silent=silent) as watch:
        run = replace(checking, watch=watch, wait=wait)
        return run_sync(validate_run(recipe, folder, write=write, options=run))


def _show_validated(result: RunResult, kind: Format, *, by_type: bool) -> int:
    from retouch.cli.output import print_finding_lines
    from retouch.cli.reporting.findings import located
    from retouch.cli.reporting.formats import show_reports
    from retouch.cli.reporting.reports import Reports, report_of_result
    from retouch.engine.directory import open_run

    if kind == "json" or (kind == "text" and by_type):
        return show_result(result, as_json=kind == "json", by_unit=by_type)
    view = open_run(result.run)
    if kind == "text":
        return show_result(
            result, as_json=False, print_findings=lambda issues: print_finding_lines(located(view, issues))
        )
    report = report_of_result(view, result, strict=is_strict())
    exit_status = result.exit_status or int(not report.passed)
    return show_reports(Reports(runs=[report], exit_status=exit_status), kind)


@click.command(cls=Verb)
@options.run_argument
@options.force_option
@options.wait_option
@options.strict_option
@options.as_json_option
def assemble(folder: Path, *, force: bool, wait: bool, as_json: bool) -> int:
    """Write a run's files again from its answers, and check them. Manual edits are not overwritten.

    \b
      retouch assemble output/GET_pets
      retouch assemble output/GET_pets --force

    With --json: the keys of 'retouch validate --json'.
    """
    from retouch._lib.run_sync import run_sync
    from retouch.cli.runs import checking_as_before, expect_run, recipe_of
    from retouch.engine.options import RunOptions
    from retouch.engine.verbs import assemble as assemble_run

    view = expect_run(folder)
    recipe = recipe_of(view)

    def work(options: RunOptions) -> RunResult:
        with keeping(folder):
            return run_sync(assemble_run(recipe, folder, options=checking_as_before(view, options)))

    result = asking_to_overwrite(work, RunOptions(force=force, wait=wait), lambda found: found.issues)
    return show_result(result, as_json=as_json)


@click.command(cls=Verb)
@options.run_argument
@click.option(
    "--type",
    "types",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_units,
    help="Adopt only this unit, for example Person. Can be repeated.",
)
@options.recipe_options
@options.wait_option
@options.quiet_option
@options.strict_option
@options.as_json_option
def adopt(folder: Path, *, types: tuple[str, ...], wait: bool, quiet: bool, as_json: bool, **own: Any) -> int:
    """Make your manual edits the answer, and check them. The whole run is checked again.

    \b
      retouch adopt output/GET_pets
      retouch adopt output/GET_pets --type Pet

    With --json: the keys of 'retouch validate --json'.
    """
    from retouch._lib.run_sync import run_sync
    from retouch.cli.runs import checking_as_before, expect_run, page_counts, recipe_of
    from retouch.cli.targets import unit_called
    from retouch.engine.options import RunOptions
    from retouch.engine.verbs import adopt as adopt_edits

    view = expect_run(folder)
    recipe, counts = recipe_of(view), page_counts(view)
    units = tuple(unit_called(name, counts) for name in types)
    with keeping(folder), watching(silent=quiet or as_json) as watch:
        run = checking_as_before(view, RunOptions(**own, watch=watch, wait=wait))
        result = run_sync(adopt_edits(recipe, folder, units=units, options=run))
    return show_result(result, as_json=as_json)
