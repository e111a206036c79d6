"""Counts the results of many runs, and prints the summary."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.commands import (
    COLOURS,
    ManyRuns,
    PlanPreview,
    counted,
    estimate,
    failure_of,
    is_strict,
    print_json,
    print_table,
    printable,
)
from retouch.engine.overview import RunResult
from retouch.engine.tiers import STATUSES
from retouch.engine.types import Usage
from retouch.recipes.csharp.commands.rewriting import BREAKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.engine.recipe import Recipe

FAILED = "failed"
_WORST_LAST = (*STATUSES[:-1], FAILED, STATUSES[-1])


@dataclass(frozen=True, kw_only=True)
class RefusedEndpoint:
    """An endpoint without a run: the error, the next step, and the exit status."""

    message: str
    hint: str
    exit_status: int
    status: str = FAILED

    def as_json(self) -> dict[str, Any]:
        """Return the keys of a run's result, and the error."""
        counts = dict.fromkeys(("calls", "tokens", "input_tokens", "output_tokens", "cached_tokens"), 0)
        error = {"message": self.message, "hint": self.hint}
        return {
            "run": None,
            "status": FAILED,
            "tiers": [],
            "issues": [],
            "files": [],
            **counts,
            "cost": 0.0,
            "notes": [],
            "error": error,
        }


def refusal(error: BaseException) -> RefusedEndpoint:
    """Return the entry of an endpoint whose run raised `error`."""
    failure = failure_of(error)
    return RefusedEndpoint(message=failure.message, hint=failure.hint, exit_status=failure.status)


class Tally:
    """Counts runs as they end. `names` lists all expected runs, in the order of the report.

    At most `at_once` requests are sent concurrently. None means no limit.
    """

    def __init__(self, names: Sequence[str], *, silent: bool, at_once: int | None = None) -> None:
        self._names = names
        self.progress = ManyRuns(len(names), silent=silent, at_once=at_once)
        self._ended: dict[str, RunResult | RefusedEndpoint] = {}
        self._counts: Counter[str] = Counter()

    def add(self, name: str, ended: RunResult | RefusedEndpoint) -> None:
        """Count one run that ended."""
        self._ended[name] = ended
        self._counts[ended.status] += 1
        self.progress.ended(name, ended.status)

    @property
    def breaking(self) -> list[str]:
        """The breaking changes that all runs together made, each after the name of its endpoint."""
        results = {name: ended for name, ended in self._ended.items() if isinstance(ended, RunResult)}
        return [
            f"{name}: {note.removeprefix(BREAKING)}"
            for name, result in results.items()
            for note in result.notes
            if note.startswith(BREAKING)
        ]

    @property
    def exit_status(self) -> int:
        """The highest exit status of all runs; 1 for an unverified one with --strict."""
        highest = max((ended.exit_status for ended in self._ended.values()), default=0)
        return 1 if highest == 0 and self.status == "unverified" and is_strict() else highest

    @property
    def status(self) -> str:
        """The worst status of all runs. That several of them compile as one project was not checked."""
        worst = max((ended.status for ended in self._ended.values()), key=_WORST_LAST.index, default="unverified")
        return "unverified" if len(self._ended) > 1 and worst == "verified" else worst

    @property
    def reason(self) -> str:
        """Why the whole is unverified, as text; "" for any other status."""
        if self.status != "unverified":
            return ""
        reasons = (ended.reason for ended in self._ended.values() if not isinstance(ended, RefusedEndpoint))
        return next(filter(None, reasons), "each run compiles alone; they were not compiled as one project")

    def show(self, *, as_json: bool) -> None:
        """Print the summary, and the remaining work."""
        ordered = {name: self._ended[name] for name in self._names if name in self._ended}
        runs: list[dict[str, Any]] = [{"endpoint": name, **ended.as_json()} for name, ended in ordered.items()]
        status = self.status
        sums = {key: sum(int(run[key]) for run in runs) for key in ("calls", "tokens")}
        if as_json:
            print_json({"runs": runs, "status": status, **sums, "project": None, "breaking": self.breaking})
            return
        click.secho(status, fg=COLOURS.get(status, "red"), bold=True, nl=False)
        counts = ", ".join(f"{self._counts[one]:,} {one}" for one in _WORST_LAST if self._counts[one])
        usage = sum((ended.usage for ended in ordered.values() if isinstance(ended, RunResult)), Usage())
        used = f"{counted(sums['calls'], 'call')}, {counted(sums['tokens'], 'token')}, {usage.spent}"
        why = f": {printable(self.reason)}" if self.reason else ""
        click.echo(f"{why}  {counted(len(runs), 'run')}: {counts}; {used}")
        rest = [
            [name, ended.status, _summary(ended)]
            for name, ended in ordered.items()
            if ended.status not in ("verified", "unverified")
        ]
        if rest:
            print_table(["endpoint", "status", "what"], rest)
        for lost in (one.lost_ledger for one in ordered.values() if isinstance(one, RunResult)):
            if lost:
                click.echo(f"note: {printable(lost)}")
        places = dict.fromkeys(str(Path(run["run"]).parent) for run in runs if run["run"])
        for place in places:
            click.echo(f"  each in its own directory in {printable(place)}")


def _summary(ended: RunResult | RefusedEndpoint) -> str:
    if isinstance(ended, RefusedEndpoint):
        return f"{ended.message} ({ended.hint})" if ended.hint else ended.message
    serious = [issue for issue in ended.issues if issue.severity != "info"]
    codes = Counter(issue.code for issue in serious)
    listed = ", ".join(f"{code} x{count}" if count > 1 else code for code, count in codes.items())
    return f"{listed}: retouch show {ended.run}"


def show_plans(
    plans: Mapping[str, PlanPreview | RefusedEndpoint], recipe: Recipe[Any, Any], spec: str, *, as_json: bool
) -> int:
    """Print the planned requests of many runs, by endpoint, and return the exit status.

    The estimate of all runs is lower than the sum of the single estimates, because they share the provider's cache.
    """
    found = {name: plan for name, plan in plans.items() if isinstance(plan, PlanPreview)}
    refused = {name: plan for name, plan in plans.items() if not isinstance(plan, PlanPreview)}
    status = max((one.exit_status for one in refused.values()), default=0)
    calls = sum(plan.calls for plan in found.values())
    output_tokens = sum(plan.estimate.output_tokens for plan in found.values())
    prompts = [prompt for plan in found.values() for prompt in plan.prompts]
    one = next(iter(found.values())).estimate if len(found) == 1 else None
    whole = one or estimate(prompts, recipe, spec, output_tokens=output_tokens)
    tokens = whole.input_tokens
    if as_json:
        runs = [{"endpoint": name, **plan.as_json()} for name, plan in plans.items()]
        print_json({"runs": runs, "calls": calls, "input_tokens": tokens, "estimate": vars(whole)})
        return status
    rows = [[name, plan.calls, plan.tokens, str(plan.run)] for name, plan in found.items()]
    print_table(["endpoint", "calls", "input tokens, about", "run"], rows)
    for name, one in refused.items():
        click.echo(printable(f"{name}: {one.message} {one.hint}"), err=True)
    click.echo(
        f"{counted(calls, 'call')} with about {tokens:,} input tokens would be made for {counted(len(found), 'run')}"
    )
    click.echo(whole.words(spec))
    return status
