"""`retouch generate edit`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.commands import (
    ALLOWED,
    CheckArguments,
    ModelOptions,
    Setting,
    Verb,
    allow_executable_option,
    allowed_patterns,
    check_options,
    check_timeout_option,
    expect_permission,
    model_options,
    put_back_originals,
    run_folder_option,
    take_back_killed,
    wants_writing,
    write_originals,
)
from retouch.errors import BadInput

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.commands import CommandRunner
    from retouch.engine.overview import RunResult
    from retouch.recipes.edit import EditJob


@dataclass(frozen=True, kw_only=True)
class EditArguments(CheckArguments, ModelOptions):
    """The command's arguments and options; see its help."""

    files: tuple[Path, ...]
    request: str
    spec: Path | None
    context: Path | None
    tests: Path | None
    check: str
    root: Path
    output: Path | None
    check_timeout: float
    apply: bool
    allow_executable: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """The run directory."""
        return self.output or Path("output") / f"edit-{self.files[0].name}"

    def job(self) -> EditJob:
        """Return the source, with the current content of its files.

        Raises:
            BadInput: a file cannot be read or is outside of the root, or the request is empty.
        """
        from retouch.recipes.edit import edit_job

        root = self.root.resolve()
        paths = [path if path.is_absolute() else Path.cwd() / path for path in self.files]
        request = _text(Path(self.request[1:])) if self.request.startswith("@") else self.request
        spec = _text(self.spec) if self.spec is not None else ""
        context = self.context or self.tests
        tests = _text(context) if context is not None else ""
        return edit_job(root, paths, request, spec=spec, tests=tests, check=self.check)

    def own_options(self) -> dict[str, Any]:
        """Return the run options that this command adds to the shared ones."""
        return {"workspace": str(self.root.resolve()), "check_timeout_s": self.check_timeout, "checks": self.checks}

    def own_ending(self) -> dict[str, JSON]:
        """Return whether the originals are written, and which files that run commands may be written."""
        return {"apply": self.apply, ALLOWED: list(self.allow_executable)}


@click.command(cls=Verb)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--request", required=True, metavar="TEXT|@FILE", help="What to change.")
@click.option("--spec", type=click.Path(path_type=Path), metavar="FILE", help="A specification for the model to read.")
@click.option(
    "--context",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Tests or code for the model to read. It is not run; --check runs a command.",
)
@click.option("--tests", type=click.Path(path_type=Path), hidden=True, help="The older name of --context.")
@click.option(
    "--check", cls=Setting, default="", metavar='"CMD"', help="A command that checks the result, run by the shell."
)
@click.option(
    "--root",
    cls=Setting,
    default=".",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The project's directory. It contains the files, and the check runs on it with the changes.",
)
@run_folder_option("output/edit-<first file>")
@check_timeout_option(120.0)
@click.option("--apply/--no-apply", default=True, help="Write your files if all checks pass; --no-apply never does.")
@allow_executable_option()
@check_options
@model_options("offline")
def command(**given: Any) -> int:
    """Change files as requested: all changes are applied, or none.

    \b
      retouch generate edit src/app.py --request "rename load to read" --check "pytest -q"

    Your files are not changed until all checks pass. A large file is requested as FIND/REPLACE blocks, a small or
    new one as a whole. The run directory keeps every answer, the new files and changes.diff.

    The offline model understands only a few literal requests, such as 'replace "a" with "b"', 'rename a to b', 'delete
    lines with "a"' and 'append "a"'.

    With --json the keys are those of 'retouch generate csharp', and "applied" (the paths that were written).
    """
    from retouch.recipes.edit import recipe

    arguments = EditArguments(**given)
    if arguments.tests is not None:
        click.echo(
            "warning: --tests only shows a file to the model. Use --context instead, and --check to run tests", err=True
        )
    if not arguments.dry_run:
        take_back_killed(arguments.root)
    job = arguments.job()
    if arguments.apply and not arguments.dry_run:
        expect_permission([file.path for file in job.files], arguments.allow_executable)
    return arguments.generate(recipe, job, arguments.folder)


def finish(runner: CommandRunner) -> int:
    """Run the loop, and write the originals if no file has an issue."""
    from retouch.recipes.edit.assembly import FOLDER

    put_back_originals(runner)
    result = runner.generated()
    wanted, notes = wants_writing(runner, result)
    applied = _applied(runner, result) if wanted else []
    if result.exit_status == 0 and not any(name.startswith(FOLDER) for name in result.files):
        notes = [*notes, "the model found nothing to change"]
    return runner.show(replace(result, notes=(*result.notes, *notes)), applied=applied)


def _applied(runner: CommandRunner, result: RunResult) -> list[str]:
    from retouch._lib.disk import read_text
    from retouch.recipes.edit.assembly import FOLDER

    job: EditJob = runner.source
    names = [name.removeprefix(FOLDER) for name in result.files if name.startswith(FOLDER)]
    texts = {name: read_text(result.run / FOLDER / name) for name in names}
    before = {file.path: file.text for file in job.files if file.exists}
    allowed = allowed_patterns(runner.ending)
    return write_originals(Path(runner.options.workspace), texts, before=before, allow_executable=allowed)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{str(path)!r} is not UTF-8 text: byte {error.start}", hint="Give a text file.") from error
    except (FileNotFoundError, IsADirectoryError) as error:
        raise BadInput(f"{str(path)!r} is not a file", hint="Give the path of an existing text file.") from error
