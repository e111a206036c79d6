"""The options that several commands share, and what they become."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from retouch.cli.settings import Setting

if TYPE_CHECKING:
    from retouch.engine.types import RetryBudget

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
quiet_option = click.option(
    "--quiet", "-q", cls=Setting, is_flag=True, show_default=False, help="Show no progress, only the result."
)
wait_option = click.option(
    "--wait", cls=Setting, is_flag=True, show_default=False, help="Wait while another process writes into the folder."
)
dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Show what would be asked; call no model and write nothing."
)
force_option = click.option("--force", is_flag=True, help="Overwrite blocks and files that were edited by hand.")
compiler_option = click.option(
    "--compiler",
    cls=Setting,
    type=click.Choice(["auto", "dotnet", "roslyn", "none"]),
    default="auto",
    help="What compiles C# in tier 3; auto takes what is there, a name must be there.",
)
concurrency_option = click.option(
    "--concurrency",
    cls=Setting,
    type=click.IntRange(1, 1_000),
    default=8,
    metavar="N",
    help="How many calls may be under way at once.",
)
max_output_option = click.option(
    "--max-output-tokens",
    cls=Setting,
    type=click.IntRange(1),
    default=8_192,
    metavar="N",
    help="First output cap of a call; a page that is cut off is asked again with a doubled one.",
)


fallback_option = click.option(
    "--fallback",
    cls=Setting,
    metavar="SPEC",
    help="Another model, asked when the same complaint comes back from the first.",
)


max_cost_option = click.option(
    "--max-cost",
    cls=Setting,
    type=click.FloatRange(min=0),
    metavar="USD",
    help="Stop asking before the calls of this command might cost more; what arrived is kept.",
)


batch_option = click.option(
    "--batch",
    cls=Setting,
    is_flag=True,
    show_default=False,
    help="Ask for first answers through the provider's batch API: later, and for less.",
)


batch_wait_option = click.option(
    "--batch-wait",
    cls=Setting,
    type=click.FloatRange(min=0),
    metavar="S",
    help="Seconds to wait for a batch; what has not come then is collected by 'retouch resume'.",
)


def run_folder_option(by_default: str) -> Decorator[Any]:
    """Return the option -o of a command that makes a run; `by_default` says where the run lies without it."""
    return click.option(
        "-o",
        "--output",
        cls=Setting,
        type=click.Path(path_type=Path),
        show_default=False,
        help=f"The run folder, by default {by_default}.",
    )


def model_option(default: str | None) -> Decorator[Any]:
    """Return the option `--model`; without a default the run's own model is meant."""
    return click.option(
        "--model",
        cls=Setting,
        default=default,
        metavar="SPEC",
        help="Who answers; see 'retouch models'." + ("" if default else " Without it, the run's own model."),
    )


def budget_options(command: F) -> F:
    """Give `command` the options of a retry budget; None means the recipe's own number."""
    for name, what in (
        ("total-retries", "in all"),
        ("tier3-retries", "for tier 3 (semantic)"),
        ("tier2-retries", "for tier 2 (schema)"),
        ("tier1-retries", "for tier 1 (syntax)"),
    ):
        kind = click.IntRange(0, 1_000)
        helped = f"Retries of a unit {what}; without it, the job's own number."
        command = click.option(f"--{name}", cls=Setting, type=kind, metavar="N", help=helped)(command)
    return command


def budget_from(own: RetryBudget, given: tuple[int | None, int | None, int | None, int | None]) -> RetryBudget | None:
    """Return the recipe's `own` budget with the numbers `given` (tiers 1, 2, 3, total); None when none was given."""
    names = ("tier1_remaining", "tier2_remaining", "tier3_remaining", "total_remaining")
    chosen = {name: number for name, number in zip(names, given, strict=True) if number is not None}
    return replace(own, **chosen) if chosen else None
