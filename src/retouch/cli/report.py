"""`retouch report`: the pages of a run as files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.cli.failure import printable
from retouch.cli.options import GivenPath, as_json_option, run_argument
from retouch.cli.output import print_json
from retouch.cli.verb import Option, Verb, with_examples
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.engine.directory import RunView

_STDOUT = Path("-")


@click.command(cls=Verb)
@run_argument
@click.option(
    "--to",
    cls=Option,
    old=("-o", "--output"),
    metavar="FILE",
    help="The file to write; a directory if it ends with '/' or exists; '-' for stdout.",
)
@click.option(
    "--compare", "other", type=GivenPath(path_type=Path), metavar="DIR", help="Another run, to compare this one with."
)
@as_json_option
@with_examples(
    "retouch report output/GET_pets",
    "retouch report output/GET_pets --to pages/",
    "retouch report first --compare second --to differences.html",
)
def command(folder: Path, *, to: str | None, other: Path | None, as_json: bool) -> int:
    """Write a run as one HTML page: prompts, answers, issues and costs.

    The page is DIR/report.html without --to. It loads nothing, and can be read without its script, which searches,
    sorts and copies. With a directory there is a page for each unit: use this for large runs, of which one page shows
    in detail what needs attention, and the other units up to 4 MB.

    This also works while another command writes to the run. 'retouch view' shows the same pages and follows the run.

    With --json: {"report": the file's path, "notes"}.
    """
    from retouch._lib.disk import write_files, write_output
    from retouch.cli.runs import expect_run
    from retouch.engine.record import lost_ledger

    is_directory = to is not None and (to.endswith(("/", "\\")) or (to != "-" and Path(to).is_dir()))
    target = None if to is None else Path(to)
    if other is None:
        handled = _of_several_runs(folder, target, in_directory=is_directory, as_json=as_json)
        if handled is not None:
            return handled
    view = expect_run(folder)
    lost = lost_ledger(view.directory, view.history)
    files = _files(view, other, in_directory=is_directory)
    if target == _STDOUT:
        sys.stdout.write(files["index.html"])
        return 0
    if is_directory and target is not None:
        place = target / "index.html"
        write_files(target, dict(files))
    else:
        place = target or folder / "report.html"
        write_output(place, files["index.html"])
    if as_json:
        print_json({"report": str(place), "notes": [lost] if lost else []})
        return 0
    click.echo(printable(str(place)))
    if lost:
        click.echo(f"note: {printable(lost)}")
    return 0


def _of_several_runs(folder: Path, target: Path | None, *, in_directory: bool, as_json: bool) -> int | None:
    """Write the report of a job, a fleet, an evaluation or a tree of runs. None if the directory is none of them."""
    from retouch.cli.jobs import recipe_of_job, resolved_verb, run_on_job
    from retouch.report.tree import is_tree

    if not is_tree(folder) and recipe_of_job(folder) is None:
        return None
    if in_directory:
        message = f"{str(folder)!r} has several runs, of which the report is one file"
        raise BadInput(message, hint="Name a file with --to; or name one run, for its report as files of a directory.")
    given = {"to": target, "as_json": as_json}
    handled = run_on_job(folder, "report", given)
    return resolved_verb("report")(folder, given) if handled is None else handled


def _files(view: RunView, other: Path | None, *, in_directory: bool) -> Mapping[str, str]:
    """Return the files of the report. One file is called `index.html`."""
    from retouch._lib.run_sync import run_sync
    from retouch.cli.runs import expect_run
    from retouch.report.export import comparison, report, report_files

    if other is not None:
        if in_directory:
            raise BadInput("a comparison is one file", hint="Name a file with --to.")
        return {"index.html": comparison(view, expect_run(other))}
    return run_sync(report_files(view)) if in_directory else {"index.html": run_sync(report(view))}
