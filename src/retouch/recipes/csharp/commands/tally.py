"""What many runs come to: counted while they end, summed up when all have."""

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
    print_json,
    print_table,
    printable,
)
from retouch.engine.types import Usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.engine.overview import RunResult
    from retouch.engine.recipe import Recipe

FAILED = "failed"
_WORST_LAST = ("verified", "unverified", "issues", "incomplete", FAILED, "exhausted")


@dataclass(frozen=True, kw_only=True)
class RefusedEndpoint:
    """An endpoint that came to no run: why, the next step, and the exit status it stands for."""

    message: str
    hint: str
    exit_status: int
    status: str = FAILED

    def as_json(self) -> dict[str, Any]:
        """Return the keys of a run's result, and the error."""
        counts = dict.fromkeys(("calls", "tokens", "input_tokens", "output_tokens", "cached_tokens"), 0)
        error = {"message": self.message, "hint": self.hint}
        return {"run": None, "status": FAILED, "issues": [], "files": [], **counts, "notes": [], "error": error}


def refusal(error: BaseException) -> RefusedEndpoint:
    """Return what to say of an endpoint whose run ended with `error`."""
    failure = failure_of(error)
    return RefusedEndpoint(message=failure.message, hint=failure.hint, exit_status=failure.status)


class Tally:
    """Counts runs as they end; `names` are all that are expected, in the order in which they are reported.

    At most `at_once` requests are under way together, None is no limit.
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
    def exit_status(self) -> int:
        """The highest exit status of all runs."""
        return max((ended.exit_status for ended in self._ended.values()), default=0)

    def show(self, *, as_json: bool) -> None:
        """Print the sum, and what is left to do."""
        ordered = {name: self._ended[name] for name in self._names if name in self._ended}
        runs: list[dict[str, Any]] = [{"endpoint": name, **ended.as_json()} for name, ended in ordered.items()]
        status = max((ended.status for ended in ordered.values()), key=_WORST_LAST.index, default="verified")
        if len(ordered) > 1 and status == "verified":
            status = "unverified"  # each run compiles alone; that they compile as one project was not checked
        sums = {key: sum(int(run[key]) for run in runs) for key in ("calls", "tokens")}
        if as_json:
            print_json({"runs": runs, "status": status, **sums})
            return
        rest = [
            [name, ended.status, _what(ended)]
            for name, ended in ordered.items()
            if ended.status not in ("verified", "unverified")
        ]
        if rest:
            print_table(["endpoint", "status", "what"], rest)
        click.secho(status, fg=COLOURS.get(status, "red"), bold=True, nl=False)
        counts = ", ".join(f"{self._counts[one]:,} {one}" for one in _WORST_LAST if self._counts[one])
        usage = sum((ended.usage for ended in ordered.values() if not isinstance(ended, RefusedEndpoint)), Usage())
        used = f"{counted(sums['calls'], 'call')}, {counted(sums['tokens'], 'token')}, {usage.spent}"
        click.echo(f"  {counted(len(runs), 'run')}: {counts}; {used}")
        places = dict.fromkeys(str(Path(run["run"]).parent) for run in runs if run["run"])
        for place in places:
            click.echo(f"  each in a folder of its own below {printable(place)}")


def _what(ended: RunResult | RefusedEndpoint) -> str:
    if isinstance(ended, RefusedEndpoint):
        return f"{ended.message} ({ended.hint})" if ended.hint else ended.message
    grave = [issue for issue in ended.issues if issue.severity != "info"]
    codes = Counter(issue.code for issue in grave)
    listed = ", ".join(f"{code} x{count}" if count > 1 else code for code, count in codes.items())
    return f"{listed}: retouch show {ended.run}"


def show_plans(
    plans: Mapping[str, PlanPreview | RefusedEndpoint], recipe: Recipe[Any, Any], spec: str, *, as_json: bool
) -> int:
    """Print what many runs would ask, by endpoint, and return the exit status.

    All together they are cheaper than in sum: they share what a provider's cache holds.
    """
    found = {name: plan for name, plan in plans.items() if isinstance(plan, PlanPreview)}
    refused = {name: plan for name, plan in plans.items() if not isinstance(plan, PlanPreview)}
    status = max((one.exit_status for one in refused.values()), default=0)
    calls = sum(len(plan.prompts) for plan in found.values())
    output_tokens = sum(plan.estimate.output_tokens for plan in found.values())
    prompts = [prompt for plan in found.values() for prompt in plan.prompts]
    whole = estimate(prompts, recipe, spec, output_tokens=output_tokens)
    tokens = whole.input_tokens
    if as_json:
        runs = [{"endpoint": name, **plan.as_json()} for name, plan in plans.items()]
        print_json({"runs": runs, "calls": calls, "input_tokens": tokens, "estimate": vars(whole)})
        return status
    rows = [[name, len(plan.prompts), plan.tokens, str(plan.run)] for name, plan in found.items()]
    print_table(["endpoint", "calls", "input tokens, about", "run"], rows)
    for name, one in refused.items():
        click.echo(printable(f"{name}: {one.message} {one.hint}"), err=True)
    click.echo(
        f"{counted(calls, 'call')} with about {tokens:,} input tokens would be made for {counted(len(found), 'run')}"
    )
    click.echo(whole.words(spec))
    return status
