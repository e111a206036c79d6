"""What every command that calls models shares: its options, and what they mean for a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from retouch.cli import options
from retouch.cli.errand import Errand, carry_out
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.cli.options import Decorator
    from retouch.engine.batches import Batching
    from retouch.engine.options import RunOptions, Watch
    from retouch.engine.recipe import Recipe
    from retouch.engine.types import Model
    from retouch.models.spending import Purse


@dataclass(frozen=True, kw_only=True)
class Running:
    """The shared options as they were given; a command's own arguments are a subclass of it."""

    model: str | None
    fallback: str | None
    max_cost: float | None
    concurrency: int
    max_output_tokens: int
    tier1_retries: int | None
    tier2_retries: int | None
    tier3_retries: int | None
    total_retries: int | None
    dry_run: bool
    force: bool
    wait: bool
    quiet: bool
    as_json: bool
    batch: bool = False
    batch_wait: float | None = None

    @cached_property
    def purse(self) -> Purse | None:
        """What may be spent by all models of this command together, None without a limit."""
        from retouch.models.spending import Purse

        return Purse(limit_usd=self.max_cost) if self.max_cost is not None else None

    @property
    def silent(self) -> bool:
        """Whether no progress is shown."""
        return self.quiet or self.as_json

    def models(self, recipe: Recipe[Any, Any], *, otherwise: str = "offline") -> tuple[Model, Model | None]:
        """Return the model and the fallback, held within the limit of cost together.

        Raises:
            BadInput: a limit of cost was given, and a price is unknown.
        """
        from retouch.cli.runs import opened_models

        return opened_models(self.model or otherwise, self.fallback, recipe, self.purse)

    def way(self, recipe: Recipe[Any, Any], *, watch: Watch | None = None, fallback: Model | None = None) -> RunOptions:
        """Return how the loop goes about it."""
        from retouch.engine.options import RunOptions

        limit = max(RunOptions().max_output_limit, self.max_output_tokens)
        run = RunOptions(concurrency=self.concurrency, max_output_tokens=self.max_output_tokens, max_output_limit=limit)
        given = (self.tier1_retries, self.tier2_retries, self.tier3_retries, self.total_retries)
        return RunOptions(
            options=replace(run, **self.own_options()),
            watch=watch,
            fallback=fallback,
            budget=options.budget_from(recipe.budget, given),
            wait=self.wait,
            force=self.force,
            batching=self.batching(self.model or "offline"),
            ending=self.own_ending(),
        )

    def generate(self, recipe: Recipe[Any, Any], source: Any, folder: Path) -> int:
        """Make the run, or with `--dry-run` print what would be asked; return the exit status."""
        if self.dry_run:
            from retouch.cli.plan import missing, planned

            left = missing(folder, list(recipe.plan(source)))
            planned(folder, left, recipe, self.model or "offline").show(as_json=self.as_json)
            return 0
        model, fallback = self.models(recipe)
        way = self.way(recipe, fallback=fallback)
        return carry_out(
            Errand(
                recipe=recipe,
                source=source,
                folder=folder,
                model=model,
                way=way,
                silent=self.silent,
                as_json=self.as_json,
            )
        )

    def batching(self, spec: str) -> Batching | None:
        """Return how first answers go through the batch API of the model that `spec` names, None without one.

        Without `--batch` nothing new is sent through it, and what is on its way is collected.

        Raises:
            BadInput: `--batch` was given, and the model has no batch API.
        """
        from retouch.cli.runs import batching

        if self.batch_wait is not None and not self.batch:
            raise BadInput("--batch-wait says how long to wait for a batch, and there is none", hint="Add --batch.")
        return batching(spec, self.purse, submit=self.batch, wait_s=self.batch_wait)

    def own_options(self) -> dict[str, Any]:
        """Return the run options that this command sets beside the shared ones."""
        return {}

    def own_ending(self) -> Mapping[str, JSON] | None:
        """Return what this command does once the loop is through, for `retouch resume`; None leaves what was said."""
        return None


def running_options(model: str | None) -> Decorator[Any]:
    """Return what gives a command the shared options; `model` is the default of `--model`, None the run's own.

    One that makes runs, and so has a default, can send their first answers in batches.
    """
    shared = (
        options.model_option(model),
        options.fallback_option,
        options.max_cost_option,
        *(() if model is None else (options.batch_option, options.batch_wait_option)),
        options.concurrency_option,
        options.max_output_option,
        options.budget_options,
        options.dry_run_option,
        options.force_option,
        options.wait_option,
        options.quiet_option,
        options.as_json_option,
    )

    def decorate(command: Any) -> Any:
        for option in reversed(shared):
            command = option(command)
        return command

    return decorate
