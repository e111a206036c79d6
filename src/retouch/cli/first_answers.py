"""`--workers N` of a command that makes a run: several processes request the first answers."""

from __future__ import annotations

from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING

import click

from retouch.cli.contributions import commands_of
from retouch.cli.outcome import keeping
from retouch.cli.plan import missing
from retouch.cli.runs import opened_model
from retouch.engine.batches import part_directories
from retouch.errors import BadInput, ModelError
from retouch.fleet.first_answers import (
    FirstAnswers,
    cost_elsewhere,
    remove_first_answers,
    request_first_answers,
)
from retouch.fleet.job import FleetCommand
from retouch.models.named import model_name

if TYPE_CHECKING:
    from retouch.cli.runner import CommandRunner, ModelOptions

_COMPLETE = (0, 1)  # the exit statuses of a run whose units all have an answer


def run_with_workers(given: ModelOptions, runner: CommandRunner) -> int:
    """Request the first answers in worker processes, then run the command with them, and return its exit status.

    With one worker, the command takes only what an earlier command with several has left.

    Raises:
        BadInput: a batch was requested too.
    """
    from retouch._lib.run_sync import run_sync

    several = (given.workers or 1) > 1
    if given.batch and several:
        raise BadInput("--workers and --batch exclude each other", hint="A batch needs one process. Give one of them.")
    directory, limit = runner.folder, given.cost_limit
    before = cost_elsewhere(directory) if limit is not None else 0.0
    first = _first_answers(given, runner) if several else None
    if first is not None and first.prompts:
        with keeping(directory):
            run_sync(_request(runner, first))
    if limit is not None:
        limit.spent_usd += max(cost_elsewhere(directory) - before, 0.0)
    return run_with_first_answers(runner)


def run_with_first_answers(runner: CommandRunner) -> int:
    """Run the command with the replies that workers have left, and return its exit status."""
    directory = runner.folder
    parts = part_directories(directory)  # another command may make more while this one ends
    status = commands_of(runner.recipe.name).run(runner)
    remove_first_answers(directory, parts, is_complete=status in _COMPLETE)
    return status


def _first_answers(given: ModelOptions, runner: CommandRunner) -> FirstAnswers:
    limit = given.cost_limit
    return FirstAnswers(
        recipe=runner.recipe,
        source=runner.source,
        directory=runner.folder,
        prompts=missing(runner.folder, list(runner.recipe.plan(runner.source))),
        name=model_name(runner.model),
        command=FleetCommand(
            model=given.model_spec(),
            options=runner.options.stored(),
            max_cost_usd=limit.limit_usd if limit is not None else None,
            workers=given.workers or 1,
            hang_s=given.hang,
        ),
        open_model=partial(opened_model, recipe=runner.recipe),
        spent_usd=limit.spent_usd if limit is not None else 0.0,
        wait=runner.options.wait,
    )


async def _request(runner: CommandRunner, first: FirstAnswers) -> None:
    """Request the answers, and print how many parts are done. If the model cannot answer, its fallbacks may."""
    try:
        async with aclosing(request_first_answers(first)) as parts:
            async for done, total in parts:
                if not runner.silent:
                    click.echo(f"first answers: {done} of {total} parts", err=True)
    except ModelError:
        if not runner.options.fallback:
            raise
