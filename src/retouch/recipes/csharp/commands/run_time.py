"""`retouch csharp runtime`: runs the C# of a run with the real System.Text.Json."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from retouch.commands import Verb, as_json_option, counted, print_json, printable, run_argument
from retouch.errors import BadInput

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.csharp.ir import Endpoint
    from retouch.recipes.csharp.runtime.check import RunTimeReport

_SHOWN = 20


@click.command(cls=Verb)
@run_argument
@as_json_option
def command(folder: Path, *, as_json: bool) -> int:
    """Run the C# of a run with the real System.Text.Json.

    \b
      retouch csharp runtime output/GET_pets
      retouch csharp runtime output/GET_pets --json

    Payloads of every type are read, written and compared. They follow from the document: boundary values, null,
    absent and unknown properties, unknown values of enums, times with offsets, and its examples if the run was made
    with --runtime. A payload that the document allows must be kept. .NET runs them if it is installed, with or without
    its SDK, else mono with the System.Text.Json of RETOUCH_MONO_JSON, which has no DateOnly and TimeOnly. The exit
    status is 1 if a payload fails, or if a type was not run. The status of the run does not change.

    With --json: {"runtime", "passed", "failed", "not_run": {UNIT: SENTENCE}, "payloads", "examples", "failures":
    [{"unit", "payload", "problem"}], "excused", "invalid", "advice", "why", "next"}. "runtime" is "" if nothing was
    run. "invalid" are examples that contradict their own schema, "excused" those of them that were not kept, which is
    no failure, and "advice" values that a closed enum refuses, all like "failures".
    """
    from retouch.engine.directory import load_ir
    from retouch.recipes.csharp.job import recipe
    from retouch.recipes.csharp.runtime.check import check_run_time
    from retouch.recipes.csharp.writing.files import cs_file_name

    endpoint = load_ir(folder, recipe).source
    file = folder / cs_file_name(endpoint)
    if not file.is_file():
        raise BadInput(f"{str(file)!r} does not exist", hint="Write it: retouch assemble DIR")
    written = endpoint if endpoint.ask == "transcript" else _with_proposals(folder)
    report = check_run_time(written, file.read_text(encoding="utf-8", errors="replace"))
    if as_json:
        print_json(report.to_json())
    else:
        _show(report)
    return 1 if report.failures or report.not_run else 0


def _with_proposals(directory: Path) -> Endpoint:
    """Return the types of a run as its file has them: with the accepted proposals, under their new names."""
    from retouch._lib.run_sync import run_sync
    from retouch.engine.verbs import read_values
    from retouch.recipes.csharp.job import recipe
    from retouch.recipes.csharp.meaning.whole import whole_run

    return whole_run(*run_sync(read_values(recipe, directory))).endpoint


def _show(report: RunTimeReport) -> None:
    failed = len({unit for unit, _, _ in report.failures})
    if report.runtime:
        counts = f"{len(report.passed)} passed, {failed} failed, {len(report.not_run)} not run"
        click.echo(f"run time, {report.runtime}: {counts} ({counted(report.payloads, 'payload')})")
        if report.invalid:
            examples, kept = counted(len(report.invalid), "example"), len(report.invalid) - len(report.excused)
            click.echo(
                f"{examples} of the document not valid by its own schema: {kept} kept, {len(report.excused)} not"
            )
    else:
        click.echo(printable(f"not run: {report.why}. {report.next}"))
    for unit, what, problem in report.failures[:_SHOWN]:
        click.echo(printable(f"{unit}: {what}: {problem}"))
    if len(report.failures) > _SHOWN:
        click.echo(f"and {len(report.failures) - _SHOWN} more; --json lists all")
    if report.runtime:
        for unit, why in list(report.not_run.items())[:_SHOWN]:
            click.echo(printable(f"{unit}: not run: {why}"))
