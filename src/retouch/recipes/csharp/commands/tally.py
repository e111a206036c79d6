"""Counts the results of many runs, and prints the summary."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.commands import (
    COLOURS,
    PlanPreview,
    counted,
    estimate,
    failure_of,
    live_bar,
    print_json,
    print_table,
    printable,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from retouch.engine.overview import RunResult
    from retouch.engine.recipe import Recipe

FAILED = "failed"
_WORST_LAST = ("verified", "unverified", "issues", "incomplete", FAILED, "exhausted")


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
        return {"run": None, "status": FAILED, "issues": [], "files": [], **counts, "notes": [], "error": error}


def refusal(error: BaseException) -> RefusedEndpoint:
    """Return the entry of an endpoint whose run raised `error`."""
    failure = failure_of(error)
    return RefusedEndpoint(message=failure.message, hint=failure.hint, exit_status=failure.status)


class Tally:
    """Counts runs as they end. `names` lists all expected runs, in the order of the report."""

    def __init__(self, names: Sequence[str], *, silent: bool) -> None:
        self._names = names
        self._silent = silent
        self._bar: Any = None
        self._ended: dict[str, RunResult | RefusedEndpoint] = {}
        self._counts: Counter[str] = Counter()

    @contextmanager
    def shown(self) -> Generator[None]:
        """Show a progress bar in a terminal, or plain lines on stderr, or nothing if silent."""
        if self._silent or not sys.stderr.isatty():
            yield
            return
        with live_bar("runs") as self._bar:
            self._bar.show(0, len(self._names), "starting")
            yield

    def add(self, name: str, ended: RunResult | RefusedEndpoint) -> None:
        """Count one run that ended."""
        self._ended[name] = ended
        self._counts[ended.status] += 1
        done, total = len(self._ended), len(self._names)
        if self._bar is not None:
            counts = ", ".join(f"{count:,} {status}" for status, count in self._counts.items())
            self._bar.show(done, total, f"{counts} · {printable(name)}")
        elif not self._silent:
            click.echo(f"[{done}/{total}] {ended.status} {printable(name)}", err=True)

    @property
    def exit_status(self) -> int:
        """The highest exit status of all runs."""
        return max((ended.exit_status for ended in self._ended.values()), default=0)

    def show(self, *, as_json: bool) -> None:
        """Print the summary, and the remaining work."""
        ordered = {name: self._ended[name] for name in self._names if name in self._ended}
        runs: list[dict[str, Any]] = [{"endpoint": name, **ended.as_json()} for name, ended in ordered.items()]
        status = max((ended.status for ended in ordered.values()), key=_WORST_LAST.index, default="verified")
        if len(ordered) > 1 and status == "verified":
            status = "unverified"  # each run is compiled alone, and not all of them as one project
        sums = {key: sum(int(run[key]) for run in runs) for key in ("calls", "tokens")}
        if as_json:
            print_json({"runs": runs, "status": status, **sums})
            return
        rest = [
            [name, ended.status, _summary(ended)]
            for name, ended in ordered.items()
            if ended.status not in ("verified", "unverified")
        ]
        if rest:
            print_table(["endpoint", "status", "what"], rest)
        click.secho(status, fg=COLOURS.get(status, "red"), bold=True, nl=False)
        counts = ", ".join(f"{self._counts[one]:,} {one}" for one in _WORST_LAST if self._counts[one])
        used = f"{counted(sums['calls'], 'call')}, {counted(sums['tokens'], 'token')}"
        click.echo(f"  {counted(len(runs), 'run')}: {counts}; {used}")
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
