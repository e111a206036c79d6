"""The output of `retouch eval`: tables, and comparisons as sentences that claim no more than their intervals show."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Any, cast

import click

from retouch._lib.counting import counted
from retouch.cli.failure import printable
from retouch.cli.outcome import print_cost_and_next, this_command
from retouch.cli.output import print_json, print_table
from retouch.engine.tiers import STATUSES
from retouch.engine.types import Usage
from retouch.evaluation.comparing import LEVEL
from retouch.evaluation.intervals import groups_needed
from retouch.evaluation.result import PICTURE, RESULT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from retouch.engine.tiers import Status
    from retouch.evaluation import EvaluationResult, ModelComparison, ReplayedRun, TierSuccess

_CODES_SHOWN = 12


def show_evaluation(result: EvaluationResult) -> None:
    """Print the figures of all models, their comparisons, and the kinds of errors."""
    plan = result.plan
    size = f"{plan.units:,} of {plan.planned:,} units (sample, seed {plan.seed})" if plan.units < plan.planned else ""
    size = size or counted(plan.units, "unit")
    click.secho(result.status, fg="green" if result.status == "complete" else "yellow", bold=True, nl=False)
    click.echo(
        f"  {printable(str(plan.directory))}  ({plan.recipe}: {counted(len(plan.models), 'model')}, "
        f"{counted(plan.trials, 'trial')}, {counted(len(plan.sources), 'source')}, {size})"
    )
    models: Any = result.to_json()["models"]
    _print_figures(models)
    click.echo()
    rows = [[one.model, f"{tier.tier} {tier.name}", *_tier_cells(tier)] for one in result.figures for tier in one.tiers]
    print_table(["model", "tier", "passed at first", "passed in the end", "not checked"], rows)
    _show_comparisons(result)
    _show_codes(result)
    _show_repairs(result)
    for note in result.notes:
        click.echo(f"note: {printable(note)}")
    click.echo(f"  picture {printable(str(plan.directory / PICTURE))}")
    step = f"retouch view {quote(str(plan.directory))}"
    if result.status != "complete":
        step = this_command()
    print_cost_and_next(sum((one.usage for one in result.figures), Usage()).price, step)


_FIGURE_HEADS = ("first answers passed", "cost", "to verified", "calls", "tokens", "p50 s", "frontier")


def _print_figures(models: Sequence[Mapping[str, Any]]) -> None:
    """Print the figures of the models, which are those of `result.json`."""
    print_table(["model", *STATUSES, *_FIGURE_HEADS], [_figures_row(one) for one in models])


def _figures_row(one: Mapping[str, Any]) -> list[object]:
    counts = [_share(one[name], one["units"]) for name in STATUSES]
    used = [_price(one["cost"], "unknown"), _price(one["cost_to_verified"], "-"), one["calls"], one["tokens"]]
    p50 = "-" if one["p50_s"] is None else f"{one['p50_s']:.2f}"
    place = "-" if not one["units"] else "yes" if one["dominated_by"] is None else f"no: {one['dominated_by']}"
    return [one["model"], *counts, _share(one["first_answers_passed"], one["units"]), *used, p50, place]


def _price(cost: float | None, otherwise: str) -> str:
    return otherwise if cost is None else f"${cost:,.4f}"


@dataclass(frozen=True, kw_only=True)
class StoredEvaluation:
    """An evaluation as its last command left it. `result` is its `result.json`, None if it has none."""

    status: Status
    reason: str
    result: Mapping[str, Any] | None


def stored_evaluation(directory: Path) -> StoredEvaluation:
    """Return the status of an evaluation, which is worse than that of its runs if some are missing, and its result."""
    from retouch.report.tree import evaluation_status

    found = evaluation_status(directory)
    status, reason = ("incomplete", "it is no evaluation") if found is None else (found.status, found.reason)
    result: object = None
    with suppress(OSError, ValueError):
        result = json.loads((directory / RESULT).read_bytes())
    known = cast("Mapping[str, Any]", result) if isinstance(result, dict) else None
    return StoredEvaluation(status=cast("Status", status), reason=reason, result=known)


def print_stored_evaluation(directory: Path, result: Mapping[str, Any] | None) -> None:
    """Print the figures of the models from `result.json`. If they are missing or unusable, print that."""
    click.echo()
    try:
        _print_figures((result or {})["models"])
    except (KeyError, TypeError, ValueError):
        click.echo(f"note: the models are not compared yet: there is no usable {RESULT}")
        return
    for note in (result or {}).get("notes", ()):
        click.echo(f"note: {printable(str(note))}")
    click.echo(f"  picture {printable(str(directory / PICTURE))}")


def _tier_cells(tier: TierSuccess) -> list[object]:
    return [_share(tier.first, tier.of), _share(tier.final, tier.of), tier.not_run]


def _share(count: int, of: int) -> str:
    return f"{count} ({count / of:.0%})" if of else "-"


def _show_comparisons(result: EvaluationResult) -> None:
    if len(result.figures) < 2:
        click.echo("one model: there is nothing to compare it with")
        return
    free = not any(one.usage.cost for one in result.figures)
    shown = [one for one in result.comparisons if one.metric != ("cost" if free else "tokens")]
    click.echo()
    print_table(["per unit", "a", "b", "a minus b", "interval", "groups", "finding"], [_row(one) for one in shown])
    level = next((one.interval.level for one in shown if one.interval is not None), LEVEL)
    together = "" if level == LEVEL else f", so that all pairs of models hold together at {LEVEL:.0%}"
    click.echo(f"intervals of {100 * level:.3g} %{together}; a model is only called better if its interval excludes 0")
    if any(one.scope == "these sources" and one.finding in ("better", "no difference seen") for one in shown):
        click.echo("with so few groups, the intervals hold for these sources only, not for others like them")
    if any(one.finding == "too few groups" for one in shown):
        click.echo(f"{groups_needed(level)} groups are needed: name more sources, or use --trials")


_NOUNS = {
    "verified": "verified",
    "passed": "without errors",
    "first": "first answer passed",
    "cost": "cost",
    "tokens": "tokens",
}


def _row(one: ModelComparison) -> list[object]:
    found = one.interval
    if found is None:
        return [_NOUNS[one.metric], one.a, one.b, "-", "-", 0, _WHY_NOT.get(one.metric, "no unit finished by both")]
    if found.low is None or found.high is None:
        interval = "-"
    elif found.low == found.high == 0:
        interval = "no group differs"
    else:
        interval = f"{_amount(one.metric, found.low)} to {_amount(one.metric, found.high)}"
    finding = f"{one.better} is better" if one.better is not None else one.finding
    return [_NOUNS[one.metric], one.a, one.b, _amount(one.metric, found.estimate), interval, found.groups, finding]


_WHY_NOT = {"verified": "no unit of either is verified", "cost": "a price is unknown"}


def _amount(metric: str, value: float) -> str:
    if metric == "cost":
        return f"{'-' if value < 0 else '+'}${abs(value):,.6f}"
    return f"{value:+,.1f}" if metric == "tokens" else f"{value:+.1%}"


def _show_codes(result: EvaluationResult) -> None:
    rows = [[code, one.model, first, final] for one in result.figures for code, (first, final) in [*one.codes.items()]]
    if rows:
        click.echo()
        print_table(["error", "model", "units at first", "units in the end"], rows[:_CODES_SHOWN])
    if len(rows) > _CODES_SHOWN:
        click.echo(f"  and {len(rows) - _CODES_SHOWN} more in {RESULT}")


def _show_repairs(result: EvaluationResult) -> None:
    rows = [
        [name, one.model, calls, _share(passed, calls)]
        for one in result.figures
        for name, (calls, passed) in one.repairs.items()
    ]
    if rows:
        click.echo()
        print_table(["repair", "model", "calls", "passed"], rows)


def show_replay(found: Sequence[ReplayedRun], *, as_json: bool) -> None:
    """Print the runs whose status changed, and how many became worse."""
    worse = sum(one.is_regression for one in found)
    if as_json:
        print_json({"runs": [one.to_json() for one in found], "regressions": worse})
        return
    rows = [[str(one.run), one.before, one.after, _replayed_in_words(one)] for one in found if one.has_changed]
    if rows:
        print_table(["run", "before", "after", "what"], rows)
    replanned = sum(bool(one.replanned) for one in found)
    if replanned:
        click.echo(f"note: {counted(replanned, 'run')} would be planned with other prompts now; answers were checked")
    summary = f"{worse} of {counted(len(found), 'run')} became worse" if worse else "no run became worse"
    click.secho(f"{summary}, {counted(len(found), 'run')} checked", fg="red" if worse else "green")


def _replayed_in_words(one: ReplayedRun) -> str:
    codes = [f"new error {code} in {counted(units, 'unit')}" for code, units in one.codes.items()]
    unchecked = [f"{', '.join(one.unchecked)} passed for fewer units"] if one.unchecked else []
    why = [one.reason] if one.reason else []
    return "; ".join([*codes, *unchecked, *why]) or "better"
