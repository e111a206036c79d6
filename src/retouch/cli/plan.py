"""What a run would ask: `--dry-run`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from retouch.cli.failure import printable
from retouch.cli.output import counted, print_json, print_table
from retouch.cli.preview import estimate, prompt_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from retouch.cli.preview import Estimate
    from retouch.cli.tally import Refused
    from retouch.engine.recipe import Recipe
    from retouch.engine.types import Prompt


@dataclass(frozen=True, kw_only=True)
class Planned:
    """The prompts that would be sent for the run folder `run`, which may not exist yet, and what they would take."""

    run: Path
    prompts: tuple[Prompt, ...]
    spec: str
    estimate: Estimate

    @property
    def tokens(self) -> int:
        """About how many tokens would go in."""
        return self.estimate.input_tokens

    def as_json(self) -> dict[str, Any]:
        """Return the plan as plain data."""
        pages = [
            {
                "unit": prompt.type_name,
                "page": prompt.page,
                "total_pages": prompt.total_pages,
                "input_tokens": prompt_tokens(prompt),
            }
            for prompt in self.prompts
        ]
        head = {"run": str(self.run), "calls": len(pages), "input_tokens": self.tokens}
        return {**head, "model": self.spec, "estimate": vars(self.estimate), "pages": pages}

    def show(self, *, as_json: bool) -> None:
        """Print the plan."""
        if as_json:
            print_json(self.as_json())
            return
        rows = [[one.type_name, f"{one.page}/{one.total_pages}", prompt_tokens(one)] for one in self.prompts]
        print_table(["unit", "page", "input tokens, about"], rows)
        click.echo(f"{counted(len(rows), 'call')} with about {self.tokens:,} input tokens would be made for {self.run}")
        click.echo(self.estimate.words(self.spec))


def planned(run: Path, prompts: Sequence[Prompt], recipe: Recipe[Any, Any], spec: str) -> Planned:
    """Return what `prompts` would take, asked of the model that `spec` names."""
    return Planned(run=run, prompts=tuple(prompts), spec=spec, estimate=estimate(prompts, recipe, spec))


def show_plans(plans: Mapping[str, Planned | Refused], recipe: Recipe[Any, Any], spec: str, *, as_json: bool) -> int:
    """Print what many runs would ask, by endpoint, and return the exit status.

    All together they are cheaper than in sum: they share what a provider's cache holds.
    """
    found = {name: plan for name, plan in plans.items() if isinstance(plan, Planned)}
    refused = {name: plan for name, plan in plans.items() if not isinstance(plan, Planned)}
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


def missing(folder: Path, prompts: Sequence[Prompt]) -> tuple[Prompt, ...]:
    """Return those of `prompts` that have no answer in the run folder yet; all when there is no such run."""
    from retouch.engine.directory import PROMPTS, open_run

    if not (folder / PROMPTS).exists():
        return tuple(prompts)
    history = open_run(folder).history
    return tuple(
        prompt for prompt in prompts if history.answer_to(prompt) is None and history.adopted(prompt.type_name) is None
    )
