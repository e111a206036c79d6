"""Functions shared by the commands over a run directory: its recipe, its units and its model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from retouch.engine.record import last_options, lost_ledger
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from retouch.engine.directory import RunView
    from retouch.engine.options import Batching, RunOptions
    from retouch.engine.recipe import Recipe
    from retouch.engine.types import Model, OnEvent, Reply, Request
    from retouch.models.spending import CostLimit


def recipe_of(view: RunView) -> Recipe[Any, Any]:
    """Return the recipe that a run belongs to.

    Raises:
        UnknownName: it is not installed.
    """
    from retouch.engine.recipe import find_recipe

    return find_recipe(view.recipe)


def checking_as_before(view: RunView, options: RunOptions) -> RunOptions:
    """Return `options` with the settings of the run's last checks: workspace, commands, and time limit.

    Without them, checks that run a command would be skipped.
    """
    last = last_options(view.history).options
    return replace(
        options,
        workspace=last.workspace,
        commands=last.commands,
        check_timeout_s=last.check_timeout_s,
        checks=last.checks,
    )


def page_counts(view: RunView) -> dict[str, int]:
    """Return the number of pages of each unit of a run, in the order of the prompts."""
    return {prompt.unit: prompt.total_pages for prompt in view.prompts}


def cost_limit(usd: float | None, more_usd: float | None = None, runs: Iterable[Path] = ()) -> CostLimit | None:
    """Return a common cost limit of several models, in US dollars, or None for no limit.

    `usd` limits the total cost of the runs, including the cost in their ledgers. `more_usd` limits only this command,
    and overrides `usd`.

    Raises:
        BadInput: what a run has cost so far is unknown.
    """
    from retouch.models.spending import CostLimit

    if more_usd is not None:
        return CostLimit(limit_usd=more_usd)
    if usd is None:
        return None
    limit = CostLimit(limit_usd=usd, whole_runs=True)
    count_earlier(limit, runs)
    return limit


def count_earlier(limit: CostLimit | None, runs: Iterable[Path]) -> None:
    """Add the cost of earlier commands in `runs` to a limit for whole runs.

    Raises:
        BadInput: the cost of a run so far is unknown, because a price is unknown or its ledger is missing.
    """
    from retouch.engine.history import read_history
    from retouch.engine.ledger import LEDGER

    for run in runs if limit is not None and limit.whole_runs else ():
        history = read_history(run / LEDGER)
        lost = lost_ledger(run, history)
        if lost:
            hint = "Limit this command alone: --max-cost-more USD."
            raise BadInput(f"what {str(run)!r} has cost so far is unknown: {lost}", hint=hint)
        if limit is not None:
            limit.count_earlier(history)
            limit.spent_usd += _cost_of_workers(run)


def _cost_of_workers(run: Path) -> float:
    """Return what worker processes have spent for a run that its ledger does not show."""
    from retouch.engine.batches import WORKERS

    if not (run / WORKERS).is_dir():
        return 0.0
    from retouch.fleet.first_answers import cost_elsewhere

    return cost_elsewhere(run)


def opened_models(
    spec: str, fallbacks: Sequence[str], recipe: Recipe[Any, Any], limit: CostLimit | None
) -> tuple[Model, tuple[Model, ...]]:
    """Return the model and the fallbacks, under the common limit `limit`. None means no limit.

    Raises:
        BadInput: the price of one of them is unknown, so that no limit can be enforced.
    """
    specs = [spec, *fallbacks]
    models = [opened_model(one, recipe) for one in specs]
    if limit is not None:
        from retouch.models.spending import capped, price_of

        models = [capped(model, limit, price_of(one)) for model, one in zip(models, specs, strict=True)]
    return models[0], tuple(models[1:])


def batching(
    spec: str, limit: CostLimit | None, *, submit: bool, wait_s: float | None = None, give_up: bool = False
) -> Batching | None:
    """Return the batch options for the model that `spec` names, or None if it has no batch API and nothing is sent.

    Raises:
        BadInput: requests should be sent, but the model has no batch API.
    """
    from retouch.engine.options import Batching
    from retouch.models.providers import has_batches, open_batches
    from retouch.models.spending import CappedBatches, price_of

    if not submit and not has_batches(spec):
        return None
    batches = open_batches(spec, give_up=give_up)
    model = CappedBatches(batches, limit, price_of(spec)) if limit is not None else batches
    return Batching(model=model, submit=submit, wait_s=wait_s)


def opened_model(spec: str, recipe: Recipe[Any, Any]) -> Model:
    """Return the model that `spec` names. The ledger stores `spec`, so that a later command can open it again.

    Raises:
        UnknownName: no model has that scheme.
        BadInput: the rest of the spec cannot be understood.
    """
    from retouch.engine.recipe import open_model
    from retouch.engine.types import model_name
    from retouch.models.named import wrapping

    model = open_model(spec, recipe=recipe)
    if model_name(model) == spec:
        return model

    async def answer(request: Request, on_event: OnEvent | None) -> Reply:
        return await model(request, on_event=on_event)

    return replace(wrapping(model, answer), name=spec)


def model_of(view: RunView) -> str:
    """Return the spec of the run's own model: the model of its last verb, except comparisons.

    Raises:
        BadInput: the run has no call yet.
    """
    from retouch.engine.types import COMPARE

    made = (one for one in view.history.attempts.values() if one.why != COMPARE)
    last = max(made, key=lambda attempt: attempt.seq, default=None)
    found = last_options(view.history).model or (last.model if last is not None else "")
    if not found:
        lost = lost_ledger(view.directory, view.history)
        more = f": {lost}" if lost else ""
        raise BadInput(f"{str(view.directory)!r} does not say which model it used{more}", hint="Name one with --model.")
    return found


def expect_run(folder: Path) -> RunView:
    """Return the content of the run directory.

    Raises:
        BadInput: it is not a run directory. The hint suggests similar ones.
        BrokenFile: one of its files is damaged.
    """
    from retouch.engine.directory import open_run

    expect_run_directory(folder)
    return open_run(folder)


def expect_run_directory(folder: Path) -> None:
    """Check that a directory may be a run, without reading it.

    Raises:
        BadInput: it is not a run directory. The hint suggests similar ones.
    """
    from retouch.cli.jobs import refuse_job
    from retouch.engine.directory import IR

    if not folder.is_dir():
        raise _no_folder(folder)
    refuse_job(folder)
    if folder.is_dir() and not (folder / IR).exists():
        below = sorted(found.parent for found in folder.glob(f"*/{IR}"))[:5]
        if below:
            names = ", ".join(repr(str(one)) for one in below)
            raise BadInput(f"{str(folder)!r} is not a run directory", hint=f"There are runs inside it: {names}")


def _no_folder(folder: Path) -> BadInput:
    from difflib import get_close_matches

    what = "it is a file" if folder.exists() else "it is not there"
    beside = [str(one.parent) for one in folder.parent.glob("*/ir.json")]
    close = get_close_matches(str(folder), beside, n=3)
    near = f"Did you mean {' or '.join(map(repr, close))}?" if close else ""
    return BadInput(
        f"{str(folder)!r} is not a run directory: {what}",
        hint=near or "Name the directory of a run; 'retouch generate' makes one.",
    )
