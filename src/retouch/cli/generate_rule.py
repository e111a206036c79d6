"""`retouch generate rule`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from retouch.cli.options import run_folder_option
from retouch.cli.rule_arguments import RuleArguments
from retouch.cli.rule_job import job_options
from retouch.cli.running import running_options
from retouch.cli.verb import Verb

if TYPE_CHECKING:
    from retouch.cli.errand import Errand
    from retouch.recipes.rule import RuleJob
    from retouch.recipes.rule.rounds import Outcome


@click.command(cls=Verb)
@click.argument("paths", nargs=-1, required=True, metavar="PATHS...|DIR|@FILE|-")
@job_options
@click.option("--python", is_flag=True, help="Ask for a function in Python, which runs in the sandbox only.")
@click.option("--show-sent", is_flag=True, help="Print, on stderr, every word before it is sent.")
@run_folder_option("output/rule")
@running_options("offline")
def command(**given: Any) -> int:
    r"""Find the rule that takes values from paths such as these.

    \b
    retouch generate rule data/2024/ --hint "the folder below data is the site"
    retouch generate rule @paths.txt --model anthropic:claude-sonnet-4-5 --show-sent

    A word is a path, whether or not it exists; a folder means the files below it, @FILE the lines of a file, - those of
    standard input. Only paths are sent, never contents: 30 at most, with what looks private replaced. The offline model
    answers by rules alone.

    A rule that passes every check is a draft; 'retouch rule drafts approve ID -o DIR' writes it where it is used.

    With --json the keys are those of 'retouch generate csharp', and {"kind", "rule", "coverage", "engine", "draft",
    "questions", "ending", "paths": [{"path", "status", "values", "reasons"}]}.
    """
    from retouch.cli.sent import show_prompt
    from retouch.recipes.rule import recipe

    arguments = RuleArguments(**given)
    job = arguments.job()
    for prompt in recipe.plan(job) if arguments.dry_run and arguments.show_sent else ():
        show_prompt(prompt)
    return arguments.generate(recipe, job, arguments.folder)


def carry_out(errand: Errand) -> int:
    """Go through a round of the rule job: what passes every check is a draft."""
    from retouch.recipes.rule import rounds

    _expect_sandbox(errand.source)
    outcome = errand.done(lambda way: rounds.begin(errand.source, errand.folder, errand.model, way=way))
    return _show(outcome, as_json=errand.as_json)


def _expect_sandbox(job: RuleJob) -> None:
    """Make sure that a function could be run, before anything is paid for."""
    if job.form in {"python", "either"}:
        from retouch.recipes.rule.judging.python_run import expect_sandbox

        expect_sandbox()


def _show(outcome: Outcome, *, as_json: bool) -> int:
    """Print what a round came to and return the exit status."""
    from retouch.cli.outcome import show_result
    from retouch.cli.output import print_json
    from retouch.errors import ModelError

    if outcome.run is None:
        raise ModelError(outcome.error, hint="Give the same command again: what arrived is kept.")
    if as_json:
        print_json(outcome.as_json())
        return outcome.run.exit_status
    _print_rows(outcome)
    lists = {"questions": list(outcome.questions)}
    if outcome.draft is not None:
        lists["draft"] = [
            f"{outcome.draft.id}: approve it with 'retouch rule drafts approve {outcome.draft.id} -o DIR'"
        ]
    return show_result(outcome.run, as_json=False, more=lists)


def _print_rows(outcome: Outcome, most: int = 10) -> None:
    """Print the artifact, and what it takes from the first samples."""
    from retouch.cli.failure import printable
    from retouch.cli.output import print_table

    if outcome.artifact is None:
        return
    click.echo(printable(outcome.artifact.text))
    rows = outcome.trial.rows
    names = list(dict.fromkeys(name for row in rows for name in (*row.values, *row.reasons)))
    print_table(
        ["path", "status", *names],
        [[row.path, row.status, *(row.values.get(name, "") for name in names)] for row in rows[:most]],
    )
    if len(rows) > most:
        click.echo(f"... and {len(rows) - most:,} more")
    click.echo(f"{outcome.trial.coverage:.0%} of {len(rows):,} samples are taken whole\n")
