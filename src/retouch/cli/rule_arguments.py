"""What `retouch generate rule` was asked for."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.cli.rule_job import JobArguments
from retouch.cli.running import Running

if TYPE_CHECKING:
    from retouch.engine.recipe import Recipe
    from retouch.engine.types import Model
    from retouch.recipes.rule import RuleJob
    from retouch.recipes.rule.asking.source import Form


@dataclass(frozen=True, kw_only=True)
class RuleArguments(Running, JobArguments):
    """The arguments and options as they were given; see the help of the command."""

    python: bool
    show_sent: bool
    output: Path | None

    @property
    def folder(self) -> Path:
        """The run folder."""
        return self.output or Path("output") / "rule"

    def job(self) -> RuleJob:
        """Return the job; a hint that sounds like a computation is asked about where somebody can answer.

        Raises:
            BadInput: a path, pattern, format or the hint cannot be used.
        """
        return self.job_in(self._form())

    def models(self, recipe: Recipe[Any, Any], *, otherwise: str = "offline") -> tuple[Model, Model | None]:
        """Return the model and the fallback; with `--show-sent` they print what they are sent."""
        from retouch.cli.sent import showing

        model, fallback = super().models(recipe, otherwise=otherwise)
        if not self.show_sent:
            return model, fallback
        return showing(model), showing(fallback) if fallback is not None else None

    def _form(self) -> Form:
        from retouch.recipes.rule.asking.proposals import looks_like_computation

        if self.python or self.form != "columns":
            return "python" if self.python else self.form
        word = looks_like_computation(self.hint)
        if not word or self.silent:
            return self.form
        said = f"{word!r} in the hint sounds like a computation, which only a function in Python can do"
        if sys.stdin.isatty():
            return "either" if click.confirm(f"{said}: use one?", default=False, err=True) else self.form
        click.echo(f"note: {said}: ask for one with --python", err=True)
        return self.form
