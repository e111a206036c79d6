"""A run from its source to its end: as `retouch generate` begins it, and as `retouch resume` goes on with it.

What belongs to a job besides the loop is a function that takes an errand and returns the exit status. The table names
these functions; a job without one is the loop alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from retouch.cli.outcome import keeping, show_result
from retouch.cli.progress import watching
from retouch.cli.runs import expect_compiler

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.options import RunOptions
    from retouch.engine.overview import RunResult
    from retouch.engine.recipe import Recipe
    from retouch.engine.types import Model

T = TypeVar("T")

TABLE = {
    "chisel": "retouch.cli.generate_chisel:carry_out",
    "csharp": "retouch.cli.single:carry_out",
    "edit": "retouch.cli.generate_edit:carry_out",
    "policy": "retouch.cli.generate_policy:carry_out",
    "rule": "retouch.cli.generate_rule:carry_out",
}


@dataclass(frozen=True, kw_only=True)
class Errand:
    """What is to be made, where, by which model, and in which way; whether progress is shown, and JSON printed."""

    recipe: Recipe[Any, Any]
    source: Any
    folder: Path
    model: Model
    way: RunOptions
    silent: bool
    as_json: bool

    @property
    def ending(self) -> Mapping[str, JSON]:
        """What the command that began the run was to do in the end; nothing where that is not known."""
        return self.way.ending or {}

    def done(self, work: Callable[[RunOptions], Coroutine[Any, Any, T]]) -> T:
        """Return what `work` comes to, a verb of the engine that is given the way; Ctrl-C becomes a sentence."""
        from retouch._lib.run_sync import run_sync

        with keeping(self.folder), watching(silent=self.silent) as watch:
            return run_sync(work(replace(self.way, watch=watch)))

    def generated(self, model: Model | None = None) -> RunResult:
        """Return the run after the loop; `model` takes the place of the errand's own."""
        from retouch.engine.verbs import generate

        asked = model or self.model
        return self.done(lambda way: generate(self.recipe, self.source, self.folder, asked, way))

    def show(self, result: RunResult, **more: Sequence[str]) -> int:
        """Print the result, and `more` lists of the job's own, and return the exit status."""
        return show_result(result, as_json=self.as_json, more=more)


def carry_out(errand: Errand) -> int:
    """Do all that belongs to the errand's job, print what it came to, and return the exit status.

    Raises:
        MissingTool: a compiler that was named is not there.
    """
    expect_compiler(errand.recipe.name, errand.way.options.compiler)
    entry = TABLE.get(errand.recipe.name)
    if entry is None:
        return errand.show(errand.generated())
    module, _, name = entry.partition(":")
    return getattr(import_module(module), name)(errand)
