"""`retouch generate edit`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.cli.edit_arguments import EditArguments, allowed_patterns
from retouch.cli.options import run_folder_option
from retouch.cli.originals import put_back_originals, wants_writing, write_originals
from retouch.cli.permission import allow_executable_option, expect_permission
from retouch.cli.running import running_options
from retouch.cli.settings import Setting
from retouch.cli.taking_back import take_back_killed
from retouch.cli.verb import Verb

if TYPE_CHECKING:
    from retouch.cli.errand import Errand
    from retouch.engine.overview import RunResult
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
@allow_executable_option()
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
    from retouch.recipes.edit import recipe

    arguments = EditArguments(**given)
    if arguments.apply and not arguments.dry_run:
        take_back_killed(arguments.root)
    job = arguments.job()
    if arguments.apply and not arguments.dry_run:
        expect_permission([file.path for file in job.files], arguments.allow_executable)
    return arguments.generate(recipe, job, arguments.folder)


def carry_out(errand: Errand) -> int:
    """Go through the loop, and write the originals when nothing is wrong with any file."""
    from retouch.recipes.edit.assembly import FOLDER

    put_back_originals(errand)
    result = errand.generated()
    wanted, notes = wants_writing(errand, result)
    applied = _applied(errand, result) if wanted else []
    if result.status == "clean" and not any(name.startswith(FOLDER) for name in result.files):
        notes = [*notes, "nothing is to be changed, says the model"]
    return errand.show(replace(result, notes=(*result.notes, *notes)), applied=applied)


def _applied(errand: Errand, result: RunResult) -> list[str]:
    from retouch._lib.disk import read_text
    from retouch.recipes.edit.assembly import FOLDER

    job: EditJob = errand.source
    names = [name.removeprefix(FOLDER) for name in result.files if name.startswith(FOLDER)]
    texts = {name: read_text(result.run / FOLDER / name) for name in names}
    before = {file.path: file.text for file in job.files if file.exists}
    workspace = Path(errand.way.options.workspace)
    return write_originals(workspace, texts, before=before, allow_executable=allowed_patterns(errand.ending))
