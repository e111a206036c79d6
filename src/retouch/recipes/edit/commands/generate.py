"""`retouch generate edit`."""

from __future__ import annotations

import re
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
    check_options,
    check_timeout_option,
    expect_permission,
    model_options,
    printable,
    put_back_originals,
    run_folder_option,
    take_back_killed,
    wants_writing,
)
from retouch.errors import BadInput
from retouch.recipes.edit.commands.writing import (
    confirmed,
    note_after_writing,
    put_back_unfinished,
    write_and_check,
)

_MOST_WARNINGS = 5

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch._lib.json_text import JSON
    from retouch.commands import CommandRunner
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
    allow_removal: tuple[str, ...] = ()
    fallback_whole_file: bool = False
    globs: tuple[str, ...] = ()
    locate: str = ""
    locate_files: int = 3
    per_file: bool = False
    may_touch: tuple[str, ...] = ()
    preview: bool = False
    yes: bool = False
    commit: str = ""

    @property
    def folder(self) -> Path:
        """The run directory."""
        first = self.globs[0] if self.globs else self.locate.split("\n")[0][:40]
        name = self.files[0].name if self.files else re.sub(r"\W+", "-", first).strip("-")
        return self.output or Path("output") / f"edit-{name}"

    def job(self) -> EditJob:
        """Return the source, with the current content of its files.

        Raises:
            BadInput: a file cannot be read or is outside of the root, or the request is empty.
        """
        from retouch.recipes.edit import edit_job

        root = self.root.resolve()
        paths = [path if path.is_absolute() else Path.cwd() / path for path in self.files]
        paths += [root / path for path in self._found(root)]
        paths += [root / path for path in self._located(root, paths)]
        request = _text(Path(self.request[1:])) if self.request.startswith("@") else self.request
        spec = _text(self.spec) if self.spec is not None else ""
        context = self.context or self.tests
        tests = _text(context) if context is not None else ""
        job = edit_job(
            root,
            paths,
            request,
            spec=spec,
            tests=tests,
            check=self.check,
            fallback_whole_file=self.fallback_whole_file,
            may_touch=self.may_touch,
        )
        return replace(job, per_file=self.per_file)

    def _found(self, root: Path) -> list[str]:
        """Return the files that `--files` matches.

        Raises:
            BadInput: there are none.
        """
        from retouch.recipes.edit.source import matching_paths

        found = matching_paths(root, self.globs)
        if not found and not self.files and not self.locate:
            given = f"--files {' '.join(self.globs)} matches no file" if self.globs else "no file is named"
            raise BadInput(
                f"{given} in {str(self.root)!r}",
                hint="Name the files to change, or give --files GLOB or --locate TEXT.",
            )
        return found

    def _located(self, root: Path, named: list[Path]) -> list[str]:
        """Return the files that `--locate` finds, unless an earlier run with this directory has found some.

        Raises:
            BadInput: no function of the project matches the text.
        """
        if not self.locate:
            return []
        from retouch.commands import indexed
        from retouch.locate import files_of_text, rank_text

        text = _text(Path(self.locate[1:])) if self.locate.startswith("@") else self.locate
        index, _, _ = indexed(str(root), cache=None, tests=True, language="python", silent=self.silent)
        known = {path.resolve() for path in named}
        found = files_of_text(rank_text(text, index), self.locate_files)
        if not found:
            hint = "Name the files to change, or use words and names of the code."
            raise BadInput(f"--locate finds no Python function in {str(self.root)!r}", hint=hint)
        if not self.silent:
            click.echo(printable(f"located: {', '.join(found)}"), err=True)
        return [file for file in found if (root / file).resolve() not in known]

    def own_options(self) -> dict[str, Any]:
        """Return the run options that this command adds to the shared ones."""
        return {
            "workspace": str(self.root.resolve()),
            "check_timeout_s": self.check_timeout,
            "checks": self.checks,
            "allow_removal": self.allow_removal,
        }

    def own_ending(self) -> dict[str, JSON]:
        """Return whether the originals are written, and which files that run commands may be written."""
        more: dict[str, JSON] = {"preview": True, "yes": self.yes} if self.preview else {}
        more |= {"commit": self.commit} if self.commit else {}
        return {"apply": self.apply, ALLOWED: list(self.allow_executable), **more}


@click.command(cls=Verb)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
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
@click.option(
    "--files",
    "globs",
    multiple=True,
    metavar="GLOB",
    help="Change the files that match, as in .gitignore, for example 'src/**/*.py'. Can be repeated.",
)
@click.option(
    "--locate",
    default="",
    metavar="TEXT|@FILE",
    help="Find the Python files to change: those of the functions that a traceback, an issue or this text is about.",
)
@click.option(
    "--locate-files",
    type=click.IntRange(1, 20),
    default=3,
    show_default=True,
    metavar="N",
    help="Maximum number of files that --locate finds.",
)
@click.option("--per-file", is_flag=True, help="Show a model one file alone, without an outline of the others.")
@click.option(
    "--may-touch",
    multiple=True,
    metavar="GLOB",
    help="Further files that an answer may change or create, as in .gitignore. The model sees their outlines, and may "
    "ask for their text. Can be repeated.",
)
@click.option("--preview", is_flag=True, help="Show the change, and ask before your files are written.")
@click.option("--yes", is_flag=True, help="Write your files after the --preview without a question.")
@click.option(
    "--commit",
    default="",
    metavar="MESSAGE",
    help="Commit the written files to git, and nothing else, with this message.",
)
@allow_executable_option()
@click.option(
    "--allow-removal",
    multiple=True,
    metavar="NAME",
    help="Accept that an answer removes this definition, heading, key or section, or most of this file, although the "
    "request does not name it. A pattern such as 'old_*' matches several. Can be repeated.",
)
@click.option(
    "--fallback-whole-file",
    cls=Setting,
    is_flag=True,
    show_default=False,
    help="Request the whole file if its edits cannot be corrected. Without it, the run ends as exhausted.",
)
@check_options
@model_options("offline")
def command(**given: Any) -> int:
    """Change files as requested: all changes are applied, or none.

    \b
      retouch generate edit src/app.py --request "rename load to read" --check "pytest -q"
      retouch generate edit src/app.py src/cli.py --request @task.md --model anthropic:claude-sonnet-4-5

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
    was_committing = False
    if not arguments.dry_run:
        take_back_killed(arguments.root)
        was_committing = put_back_unfinished(arguments.folder, wait=arguments.wait)
    job = arguments.job()
    if arguments.apply and not arguments.dry_run:
        expect_permission([file.path for file in job.files], arguments.allow_executable)
        if not was_committing:  # the interrupted command has checked this, and may have committed
            _look_at_repository(arguments, job)
    if not arguments.dry_run and arguments.model != "offline":
        _warn_of_secrets(job)
        _warn_of_bytes(job)
    return arguments.generate(recipe, job, arguments.folder)


def finish(runner: CommandRunner) -> int:
    """Run the loop, and write the originals if no file has an issue."""
    from retouch.engine.ledger import LEDGER
    from retouch.recipes.edit.assembly import project_paths

    put_back_originals(runner)
    put_back_unfinished(runner.folder, wait=runner.options.wait)
    if (runner.folder / LEDGER).exists():
        note_after_writing(runner.folder, "")  # the files are written and checked again
    result = runner.generated()
    wanted, notes = wants_writing(runner, result)
    applied: Sequence[str] = ()
    if wanted and (declined := confirmed(runner, result)):
        notes = [*notes, declined]
    elif wanted:
        written = write_and_check(runner, result)
        result, applied, notes = written.result, written.applied, [*notes, *written.notes]
    changed = len(project_paths(result.files))
    if len(runner.source.files) > 1:
        notes = [*notes, f"{changed} of {len(runner.source.files)} files changed"]
    if result.exit_status == 0 and not changed:
        notes = [*notes, "the model found nothing to change"]
    return runner.show(replace(result, notes=(*result.notes, *notes)), applied=applied)


def _look_at_repository(arguments: EditArguments, job: EditJob) -> None:
    """Print a note if files have uncommitted changes, which an undo by git would lose."""
    from retouch.recipes.edit.commands.repository import expect_committable, uncommitted

    root, paths = arguments.root.resolve(), [file.path for file in job.files if file.exists]
    if arguments.commit:
        expect_committable(root, [file.path for file in job.files])
    elif paths and (dirty := uncommitted(root, paths)):
        click.echo(f"note: uncommitted changes in {printable(', '.join(dirty))}", err=True)


def _warn_of_secrets(job: EditJob) -> None:
    """Print a warning before a text that seems to hold a secret is sent."""
    from retouch._lib.redaction import keys_in

    texts = {**{file.path: file.text for file in job.files}, "the specification": job.spec, "the context": job.tests}
    for name, text in texts.items():
        for one in keys_in(text)[:_MOST_WARNINGS]:
            what = f"line {one.line} of {printable(name)} looks like a {one.kind}, and is sent to the model"
            click.echo(f"warning: {what}", err=True)


def _warn_of_bytes(job: EditJob) -> None:
    """Print a warning before a text with a byte that is not UTF-8 is refused by a model of a provider."""
    from retouch.recipes.edit.answers import NO_UTF8

    for file in job.files:
        found = NO_UTF8.search(file.text)
        if found is not None:
            place = f"line {file.text.count(chr(10), 0, found.start()) + 1} of {printable(file.path)}"
            what = f"{place} has a byte that is not UTF-8, which most models cannot get: convert the file to UTF-8"
            click.echo(f"warning: {what}", err=True)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{str(path)!r} is not UTF-8 text: byte {error.start}", hint="Give a text file.") from error
    except (FileNotFoundError, IsADirectoryError) as error:
        raise BadInput(f"{str(path)!r} is not a file", hint="Give the path of an existing text file.") from error
