"""The fix of a run directory, and what was shown for it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from retouch._lib.run_sync import run_sync
from retouch.engine.directory import open_run
from retouch.engine.record import cached_result
from retouch.engine.verbs import read_values
from retouch.recipes.chisel import recipe
from retouch.recipes.chisel.answers import Fix
from retouch.recipes.chisel.checking import proof_of

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.chisel.proofs import Proof
    from retouch.recipes.chisel.source import FixJob


@dataclass(frozen=True, kw_only=True)
class StoredFix:
    """The current fix of a run, its job, and what the commands have shown for it, None if it failed."""

    job: FixJob
    fix: Fix
    proof: Proof | None

    @property
    def old(self) -> dict[str, str]:
        """The content that the files of the fix had when they were shown to the model, by path in the workspace."""
        return {self.job.in_workspace(path): self.job.file(path).text for path in self.fix.texts}

    @property
    def new(self) -> dict[str, str]:
        """Their content after the fix."""
        return {self.job.in_workspace(path): text for path, text in self.fix.texts.items()}


def stored_fix(run: Path) -> StoredFix | None:
    """Return the current fix of a run directory, or None if no answer can be read."""
    job, values = run_sync(read_values(recipe, run))
    found = next((fix for fix in values.values() if isinstance(fix, Fix)), None)
    if found is None:
        return None
    return StoredFix(job=job, fix=found, proof=proof_of(job, found, partial(cached_result, open_run(run).history)))
