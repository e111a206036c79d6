"""Runs the recipe of proposals: a model is called, and every answer is checked and stored."""

from __future__ import annotations

import json
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.commands import Amount

if TYPE_CHECKING:
    from retouch.recipes.policy.annotating.asking import ProposalJob, Proposals

# A plain option, and no setting: a file of settings must not make a command ask a model that never did.
model_option = click.option(
    "--model", metavar="SPEC", help="Let this model propose, for example anthropic:claude-haiku-4-5."
)
cost_option = click.option(
    "--max-cost", type=Amount(min=0), metavar="USD", help="Stop before the model might cost more. Answers are kept."
)


def proposals_directory(job: ProposalJob, model: str) -> Path:
    """Return the run directory of a job and a model."""
    text = json.dumps([asdict(job), model], sort_keys=True)
    return Path("output") / f"policy-proposals-{sha256(text.encode()).hexdigest()[:12]}"


def kept_proposals(job: ProposalJob, model: str) -> dict[str, Proposals]:
    """Return the proposals that a model has made for this job before, by unit. {} if it has made none."""
    from retouch._lib.run_sync import run_sync
    from retouch.engine.recipe import Unread
    from retouch.engine.verbs import read_values
    from retouch.recipes.policy.annotating.asking import recipe

    folder = proposals_directory(job, model)
    if not folder.exists():
        return {}
    _, values = run_sync(read_values(recipe, folder))
    return {unit: one for unit, one in values.items() if not isinstance(one, Unread)}


def proposed_by(
    job: ProposalJob, model: str, *, max_cost: float | None, silent: bool
) -> tuple[dict[str, Proposals], int]:
    """Return the proposals of a model by unit, and the exit status of its run. If that is not 0, there are none.

    The answers are stored in a directory below `output`, so that the same job is only sent once.

    Raises:
        BadInput: there is no such model.
    """
    from retouch._lib.run_sync import run_sync
    from retouch.commands import CommandRunner, cost_limit, opened_models
    from retouch.engine.options import RunOptions
    from retouch.engine.recipe import Unread
    from retouch.engine.verbs import read_values
    from retouch.recipes.policy.annotating.asking import recipe

    folder = proposals_directory(job, model)
    limit = cost_limit(max_cost, runs=[folder] if folder.exists() else [])
    opened, _ = opened_models(model, (), recipe, limit)
    runner = CommandRunner(
        recipe=recipe, source=job, folder=folder, model=opened, options=RunOptions(), silent=silent, as_json=False
    )
    result = runner.generated()
    if result.status != "verified":
        runner.show(result)
        click.echo(f"No proposal is used. To ask again, remove {folder}, or name another model.", err=True)
        return {}, max(1, result.exit_status)
    _, values = run_sync(read_values(recipe, folder))
    return {unit: one for unit, one in values.items() if not isinstance(one, Unread)}, 0
