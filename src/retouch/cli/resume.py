"""`retouch resume`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from retouch.cli import options
from retouch.cli.verb import Verb
from retouch.errors import BadInput

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.directory import RunView
    from retouch.engine.recipe import Recipe
    from retouch.engine.record import LastOptions


@dataclass(frozen=True, kw_only=True)
class Resuming:
    """The options of the command."""

    online: bool
    batch_wait: float | None
    max_cost: float | None
    max_cost_more: float | None
    max_output_tokens: int | None
    allow_removal: tuple[str, ...]
    fallback: tuple[str, ...]
    workers: int | None
    hang: float | None
    retry_dead: bool
    force: bool
    wait: bool
    quiet: bool
    as_json: bool

    def refuse_for_run(self, folder: Path) -> None:
        """Check that no option is given that only a job has.

        Raises:
            BadInput: there is one.
        """
        if self.retry_dead or self.workers is not None:
            name = "--retry-dead" if self.retry_dead else "--workers"
            hint = "Give it without this option. What failed is requested again by 'retouch regenerate DIR'."
            raise BadInput(f"{name} is for jobs, and {str(folder)!r} is one run", hint=hint)

    def expect_consistent(self) -> None:
        """Check that a batch is either awaited or given up.

        Raises:
            BadInput: both were requested.
        """
        if self.online and self.batch_wait is not None:
            raise BadInput("--online cancels the batch, and --batch-wait waits for it", hint="Give one of the two.")


@click.command(cls=Verb)
@options.run_argument
@click.option("--online", is_flag=True, help="Cancel the batch, keep its answers, and request the rest directly.")
@options.batch_wait_option
@options.max_cost_option
@options.max_cost_more_option
@click.option(
    "--max-output-tokens",
    type=click.IntRange(1),
    metavar="N",
    help="Output cap of the first call. Default: that of the last command.",
)
@click.option(
    "--allow-removal",
    multiple=True,
    metavar="NAME",
    help="Accept that an answer removes this definition, heading, key or section, or most of this file. A pattern such "
    "as 'old_*' matches several. Can be repeated.",
)
@click.option(
    "--fallback",
    multiple=True,
    metavar="SPEC",
    help="Model to use for pages that the first one could not repair. Can be repeated. Default: those of the last "
    "command.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    metavar="N",
    help="For a job or a fleet: number of processes that run shards.",
)
@click.option(
    "--hang",
    type=options.Amount(min=1),
    metavar="S",
    help="For a job or a fleet: seconds without progress after which a process whose code hangs is ended and replaced.",
)
@click.option("--retry-dead", is_flag=True, help="For a job: request records again that ended without a value.")
@options.force_option
@options.wait_option
@options.quiet_option
@options.strict_option
@options.as_json_option
def command(folder: Path, **given: Any) -> int:
    """Continue a run, a job or a fleet that was interrupted, or collect its batch.

    \b
      retouch resume output/GET_pets
      retouch resume output/GET_pets --max-cost 5

    The stored recipe, prompts and options are used, the model of the last command, and its --max-cost. Missing answers
    and planned repairs are requested. Then the command finishes as the first one would have: for example, it writes the
    edited files, or stores the draft of a rule. A fleet continues with the records and the settings that are stored in
    it.

    With --json: the keys of the command that made the run.
    """
    from retouch.cli.jobs import run_on_job
    from retouch.cli.runs import expect_run, recipe_of
    from retouch.engine.stored_files import refuse_changed

    resuming = Resuming(**given)
    resuming.expect_consistent()
    handled = run_on_job(folder, "resume", vars(resuming))
    if handled is not None:
        return handled
    view = expect_run(folder)
    resuming.refuse_for_run(folder)
    refuse_changed(view.directory, view.changed)
    return _resume_run(resuming, view, recipe_of(view))


def _resume_run(resuming: Resuming, view: RunView, recipe: Recipe[Any, Any]) -> int:
    from retouch.cli.contributions import commands_of
    from retouch.cli.runner import CommandRunner
    from retouch.cli.runs import batching, cost_limit, opened_models
    from retouch.engine.batches import WORKERS
    from retouch.engine.directory import load_ir

    last = _last_options_of(view)
    most_usd = last.options.max_cost_usd if resuming.max_cost is None else resuming.max_cost
    limit = cost_limit(most_usd, resuming.max_cost_more, [view.directory])
    model, fallback = opened_models(last.model, resuming.fallback or last.fallbacks, recipe, limit)
    together = batching(last.model, limit, submit=False, wait_s=resuming.batch_wait, give_up=resuming.online)
    run = replace(
        last.options,
        fallback=fallback,
        max_cost_usd=most_usd,
        wait=resuming.wait,
        force=resuming.force,
        ignore_stale=True,
        allow_removal=resuming.allow_removal,
        batching=together,
        ending=last.ending,
    )
    if (cap := resuming.max_output_tokens) is not None:
        run = replace(run, max_output_tokens=cap, max_output_limit=max(cap, run.max_output_limit))
    silent = resuming.quiet or resuming.as_json
    runner = CommandRunner(
        recipe=recipe,
        source=load_ir(view.directory, recipe).source,
        folder=view.directory,
        model=model,
        options=run,
        silent=silent,
        as_json=resuming.as_json,
    )
    if (view.directory / WORKERS).is_dir():
        from retouch.cli.first_answers import run_with_first_answers

        return run_with_first_answers(runner)
    return commands_of(recipe.name).run(runner)


def _last_options_of(view: RunView) -> LastOptions:
    """Return the models and options of the last verb.

    Raises:
        BadInput: no model was called yet.
    """
    from retouch.engine.record import last_options, lost_ledger

    last = last_options(view.history)
    if not last.model:
        hint = "Give the command again that made it, or name a model: retouch regenerate DIR --model SPEC."
        lost = lost_ledger(view.directory, view.history)
        more = f": {lost}" if lost else ""
        raise BadInput(f"{str(view.directory)!r} does not say which model it used{more}", hint=hint)
    return last
