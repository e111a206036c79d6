"""`retouch generate edit`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.cli.edit_arguments import EditArguments
from retouch.cli.options import run_folder_option
from retouch.cli.running import running_options
from retouch.cli.settings import Setting
from retouch.cli.taking_back import take_back_killed
from retouch.cli.verb import Verb

if TYPE_CHECKING:
    from retouch.engine.progress import RunResult
    from retouch.recipes.edit import EditJob


@click.command(cls=Verb)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--request", required=True, metavar="TEXT|@FILE", help="What to change.")
@click.option("--spec", type=click.Path(path_type=Path), metavar="FILE", help="A specification for the model to read.")
@click.option("--tests", type=click.Path(path_type=Path), metavar="FILE", help="Tests that the result must pass.")
@click.option("--check", cls=Setting, default="", metavar='"CMD"', help="Your own check, run in a copy of the root.")
@click.option(
    "--root",
    cls=Setting,
    default=".",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The project's folder: files lie inside it, and the check runs in a copy of it.",
)
@run_folder_option("output/edit-<first file>")
@click.option("--check-timeout", cls=Setting, type=float, default=120.0, metavar="S", help="Seconds for the check.")
@click.option("--apply/--no-apply", default=True, help="Write the originals when everything holds, or never.")
@running_options("offline")
def command(**given: Any) -> int:
    """Change files as a request says, all or nothing.

    \b
    retouch generate edit src/app.py --request "rename load to read" --check "pytest -q"

    The originals are untouched until everything holds. A large file is asked for as FIND/REPLACE blocks, a small or
    new one as a whole. The run folder keeps every answer, the new files and changes.diff.

    The offline model understands only a few literal requests, such as 'replace "a" with "b"', 'rename a to b',
    'delete lines with "a"' and 'append "a"'.

    With --json the keys are those of 'retouch generate csharp', and "applied", the paths that were written.
    """
    from retouch.cli.outcome import keeping, show_result
    from retouch.cli.plan import missing, planned
    from retouch.cli.progress import watching
    from retouch.engine.door import wait_for
    from retouch.engine.loop import generate
    from retouch.recipes.edit import recipe
    from retouch.recipes.edit.assembly import FOLDER

    arguments = EditArguments(**given)
    if arguments.apply and not arguments.dry_run:
        take_back_killed(arguments.root)
    job, folder = arguments.job(), arguments.folder
    if arguments.dry_run:
        left = missing(folder, list(recipe.plan(job)))
        planned(folder, left, recipe, arguments.model or "offline").show(as_json=arguments.as_json)
        return 0
    model, fallback = arguments.models(recipe)
    with keeping(folder), watching(silent=arguments.silent) as watch:
        result = wait_for(generate(recipe, job, folder, model, arguments.way(recipe, watch=watch, fallback=fallback)))
    applied = _applied(arguments, job, result)
    if result.status == "clean" and not any(name.startswith(FOLDER) for name in result.files):
        result = replace(result, notes=(*result.notes, "nothing is to be changed, says the model"))
    return show_result(result, as_json=arguments.as_json, more={"applied": applied})


def _applied(arguments: EditArguments, job: EditJob, result: RunResult) -> list[str]:
    """Write the originals, when nothing is wrong with any file; return the paths that were written."""
    from retouch.edits import EditResult, FolderError, apply_to_folder
    from retouch.engine.disk import read_text
    from retouch.engine.errors import BadInput
    from retouch.recipes.edit.assembly import FOLDER

    if result.status != "clean" or not arguments.apply:
        return []
    names = [name.removeprefix(FOLDER) for name in result.files if name.startswith(FOLDER)]
    texts = {name: read_text(result.run / FOLDER / name) for name in names}
    before = {file.path: file.text for file in job.files if file.exists}
    try:
        return apply_to_folder(EditResult(outcome="applied", files=texts), arguments.root.resolve(), before=before)
    except FolderError as error:
        raise BadInput(f"nothing was written: {error.message}", hint=error.hint) from error
