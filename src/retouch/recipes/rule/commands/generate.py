"""`retouch generate rule`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.commands import (
    ModelOptions,
    counted,
    is_strict,
    model_options,
    print_json,
    print_table,
    printable,
    run_folder_option,
    show_prompt,
    show_result,
    showing_requests,
)
from retouch.recipes.rule.commands.job import ExampleVerb, JobArguments, job_options

if TYPE_CHECKING:
    from retouch.commands import CommandRunner
    from retouch.engine.recipe import Recipe
    from retouch.engine.types import Model
    from retouch.recipes.rule import RuleJob
    from retouch.recipes.rule.asking.source import Form
    from retouch.recipes.rule.rounds import RoundResult


@dataclass(frozen=True, kw_only=True)
class RuleArguments(ModelOptions, JobArguments):
    """The command's arguments and options; see its help."""

    python: bool
    show_sent: bool
    output: Path | None

    @property
    def folder(self) -> Path:
        """The run directory."""
        return self.output or Path("output") / "rule"

    def job(self) -> RuleJob:
        """Return the source. If the hint describes a computation and a terminal is attached, ask whether to use Python.

        Raises:
            BadInput: a path, pattern, format or the hint cannot be used.
        """
        return self.job_in(self._form())

    def models(self, recipe: Recipe[Any, Any], *, otherwise: str = "offline") -> tuple[Model, tuple[Model, ...]]:
        """Return the model and the fallbacks. With `--show-sent` they print their requests."""
        model, fallback = super().models(recipe, otherwise=otherwise)
        if not self.show_sent:
            return model, fallback
        return showing_requests(model), tuple(map(showing_requests, fallback))

    def _form(self) -> Form:
        from retouch.recipes.rule.asking.proposals import looks_like_computation

        if self.python or self.form != "columns":
            return "python" if self.python else self.form
        word = looks_like_computation(self.hint)
        if not word or self.silent:
            return self.form
        message = f"{word!r} in the hint sounds like a computation, which needs a Python function"
        if sys.stdin.isatty():
            return "either" if click.confirm(f"{message}: use one?", default=False, err=True) else self.form
        click.echo(f"note: {message}: request one with --python", err=True)
        return self.form


@click.command(cls=ExampleVerb)
@click.argument("paths", nargs=-1, required=True, metavar="PATHS...|DIR|@FILE|-")
@job_options
@click.option("--python", is_flag=True, help="Request a Python function, which runs in the sandbox only.")
@click.option("--show-sent", is_flag=True, help="Print every request to stderr before it is sent.")
@run_folder_option("output/rule")
@model_options("offline")
def command(**given: Any) -> int:
    """Find the rule that extracts values from paths such as these.

    \b
      retouch generate rule data/2024/ --hint "the directory below data is the site"
      retouch generate rule @paths.txt --model anthropic:claude-sonnet-4-5 --show-sent

    An argument is a path, even if the file does not exist. A directory means the files below it, @FILE the lines of a
    file, and - the lines of standard input. Only paths are sent, never contents: 30 at most, with private text
    replaced. The offline model uses rules only.

    A rule that passes every check is saved as a draft. 'retouch rule drafts approve ID -o DIR' writes it to its place.

    With --json the keys are those of 'retouch generate csharp', and {"kind", "rule", "changes", "coverage", "engine",
    "draft", "questions", "assumptions", "shapes", "noise", "left", "ending", "paths": [{"path", "status", "values",
    "reasons"}]}.
    """
    from retouch.recipes.rule import recipe

    arguments = RuleArguments(**given)
    job = arguments.job()
    for prompt in recipe.plan(job) if arguments.dry_run and arguments.show_sent else ():
        show_prompt(prompt)
    return arguments.generate(recipe, job, arguments.folder)


def finish(runner: CommandRunner) -> int:
    """Run one round. An artifact that passes every check becomes a draft."""
    from retouch.recipes.rule import rounds

    _expect_sandbox(runner.source)
    outcome = runner.done(
        lambda options: rounds.begin(runner.source, runner.folder, runner.model, options=options),
        lambda found: found.run.issues if found.run is not None else (),
    )
    return _show(outcome, as_json=runner.as_json)


def _expect_sandbox(job: RuleJob) -> None:
    """Check that a function could be run, before a request is paid for."""
    if job.form in {"python", "either"}:
        from retouch.recipes.rule.judging.python_run import expect_sandbox

        expect_sandbox()


def _show(outcome: RoundResult, *, as_json: bool) -> int:
    """Print the result of a round and return the exit status."""
    from retouch.errors import ModelError

    if outcome.run is None:
        raise ModelError(outcome.error, hint="Run the same command again: the responses so far are kept.")
    if as_json:
        print_json(outcome.as_json())
        return 1 if outcome.run.status == "unverified" and is_strict() else outcome.run.exit_status
    _print_rows(outcome)
    lists: dict[str, list[str]] = {}
    if outcome.draft is not None:
        lists["draft"] = [
            f"{outcome.draft.id}: approve it with 'retouch rule drafts approve {outcome.draft.id} -o DIR'"
        ]
    return show_result(outcome.run, as_json=False, more=lists)


def _shown(value: object) -> object:
    """Return a value as a table shows it: a number has no separators, because it can be a year."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _print_rows(outcome: RoundResult, most: int = 10) -> None:
    """Print the artifact, and the values that it extracts from the first samples."""

    if outcome.artifact is None:
        return
    click.echo(printable(outcome.artifact.text))
    if outcome.changes:
        click.echo(printable(f"The answer changes the rule that code inferred:\n{outcome.changes}"))
    rows = outcome.trial.rows
    names = list(dict.fromkeys(name for row in rows for name in (*row.values, *row.reasons)))
    print_table(
        ["path", "status", *names],
        [[row.path, row.status, *(_shown(row.values.get(name, "")) for name in names)] for row in rows[:most]],
    )
    if len(rows) > most:
        click.echo(f"... and {len(rows) - most:,} more")
    verb = "gives" if len(rows) == 1 else "give"
    click.echo(f"{outcome.trial.coverage:.0%} of {counted(len(rows), 'sample')} {verb} every field")
    for question in outcome.open_questions:
        click.echo(printable(f"  ? {question}"))
    for statement in outcome.stated:
        click.echo(printable(f"  - {statement}"))
    click.echo()
