"""What `retouch wizard` was asked for."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from retouch.cli.options import budget_from
from retouch.cli.rule_job import JobArguments
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule import Rule
    from retouch.recipes.rule.wizard.desk import Setup

RULES = frozenset({".yaml", ".yml"})


@dataclass(frozen=True, kw_only=True)
class WizardArguments(JobArguments):
    """The arguments and options as they were given; see the help of the command."""

    model: str
    fallback: str | None
    rules: Path | None
    output: Path
    run: Path | None
    show_sent: bool
    no_tui: bool
    yes: bool
    serve: bool
    port: int
    max_cost: float | None
    tier1_retries: int | None
    tier2_retries: int | None
    tier3_retries: int | None
    total_retries: int | None
    as_json: bool

    @property
    def is_plain(self) -> bool:
        """Whether no screen is wanted."""
        return self.no_tui or self.yes or self.as_json

    def setup(self) -> Setup:
        """Return what the wizard works with.

        Raises:
            BadInput: a path, the hint, a model or a rule at hand cannot be used.
        """
        from retouch.cli.runs import opened_models
        from retouch.engine.options import RunOptions
        from retouch.models.spending import Purse
        from retouch.recipes.rule import recipe
        from retouch.recipes.rule.wizard.desk import Setup

        job = self.job_in(self.form)
        purse = Purse(limit_usd=self.max_cost) if self.max_cost is not None else None
        model, fallback = opened_models(self.model, self.fallback, recipe, purse)
        given = (self.tier1_retries, self.tier2_retries, self.tier3_retries, self.total_retries)
        return Setup(
            job=job,
            folder=self.run or Path("output") / "wizard" / _name_of(job.paths),
            model=model,
            output=self.output,
            way=RunOptions(budget=budget_from(recipe.budget, given), fallback=fallback),
            rules=_rules_in(self.rules or self.output),
        )


def _name_of(paths: Sequence[str]) -> str:
    """Return a name for the run folder that is the same whenever the paths are."""
    return hashlib.sha256("\0".join(sorted(paths)).encode()).hexdigest()[:8]


def _rules_in(folder: Path) -> tuple[Rule, ...]:
    from retouch.cli.rule_files import read_rule_file

    if not folder.exists():
        return ()
    if not folder.is_dir():
        raise BadInput(f"{str(folder)!r} is a file", hint="Name a folder.")
    files = sorted(file for file in folder.iterdir() if file.suffix in RULES and file.is_file())
    return tuple(rule for file in files for rule in read_rule_file(file))
