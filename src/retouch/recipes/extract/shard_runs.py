"""One shard of a job at work: its run, and the file with the results of its records."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from retouch.engine.targets import Targets
from retouch.engine.verbs import generate, regenerate
from retouch.recipes.extract.definition import recipe as extract_recipe
from retouch.recipes.extract.layout import JobLayout, shard_directory
from retouch.recipes.extract.results import (
    DEAD_STATES,
    died_before,
    is_intact,
    results_file,
    run_state,
    shard_summary,
    write_results,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from retouch.engine.options import RunOptions
    from retouch.engine.overview import RunResult
    from retouch.engine.recipe import Recipe, Unread
    from retouch.engine.types import Model, Usage
    from retouch.recipes.extract.answers import Extracted
    from retouch.recipes.extract.results import ShardSummary
    from retouch.recipes.extract.source import ExtractShard, InputRecord


@dataclass(frozen=True, kw_only=True)
class ShardOutcome:
    """What a command did to one shard: what it used, and its notes."""

    number: int
    usage: Usage
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ShardWork:
    """Everything that the run of any shard of a job needs, except its model.

    With `retry_dead`, records that ended dead in an earlier command are requested again.
    """

    shared: ExtractShard
    layout: JobLayout
    recipe: Recipe[ExtractShard, Extracted] = extract_recipe
    retry_dead: bool = False

    @property
    def directory(self) -> Path:
        """The job's directory."""
        return self.layout.directory

    def is_done(self, number: int) -> bool:
        """Return whether a shard needs no work: its results were made from the same source and the run as it is."""
        if self.recipe is not extract_recipe or self.shared.checks or self.shared.model:
            return False  # they may use more than their file
        summary = shard_summary(self.directory, number)
        if summary is None or not shard_directory(self.directory, number).is_dir():
            return False
        if self.retry_dead and summary.dead:
            return False
        final = summary.status in {"verified", "unverified"}
        return final and is_current(self.directory, number, summary) and summary.made_from == self.made_from(number)

    def made_from(self, number: int) -> str:
        """Return the hash of everything that the results of a shard depend on."""
        fields = {
            name: one for name, one in vars(self.shared).items() if name != "records" and not name.startswith("_")
        }
        found = sha256(json.dumps(fields, sort_keys=True, default=vars).encode())
        for line in self.layout.lines(number):
            found.update(line)
        return f"sha256:{found.hexdigest()}"

    def _to_run(self, number: int) -> Sequence[InputRecord]:
        """Return the records of a shard, without those that processes have died with in an earlier command."""
        died = set[str]() if self.retry_dead else died_before(self.directory, number, self.made_from(number))
        return [one for one in self.layout.read(number) if one.key not in died]

    async def run(
        self,
        number: int,
        model: Model,
        options: RunOptions,
        *,
        died: Collection[str] = (),
        later: Collection[str] = (),
    ) -> ShardOutcome:
        """Run a shard, and write its results.

        The records with the keys `died` are left out, and are dead. So are those with the keys `later`; then this is a
        part of the work, and no results are written.
        """
        records = tuple(one for one in self._to_run(number) if one.key not in died and one.key not in later)
        shard = replace(self.shared, records=records)
        dead = self._dead_before(number, shard) if self.retry_dead else dict[str, bool]()
        values: dict[str, Extracted | Unread] = {}
        recipe, place = capturing(self.recipe, values), shard_directory(self.directory, number)
        result = await generate(recipe, shard, place, model, options)
        usage = result.usage
        for targets in _targets(result, dead) if not later else ():
            result = await regenerate(recipe, place, model, targets, options=options)
            usage += result.usage
        if not later:
            await asyncio.to_thread(self._write, number, shard, result, values)
        notes = (*([result.lost_ledger] if result.lost_ledger else []), *result.notes)
        return ShardOutcome(number=number, usage=usage, notes=tuple(f"shard {number:05}: {note}" for note in notes))

    def _write(
        self, number: int, shard: ExtractShard, result: RunResult, values: Mapping[str, Extracted | Unread]
    ) -> None:
        """Write the results of all records. Processes have died with those that `shard` lacks."""
        ran = {one.key for one in shard.records}
        whole = replace(self.shared, records=tuple(self.layout.read(number)))
        died = {one.key for one in whole.records} - ran
        write_results(self.directory, number, whole, result, values, self.made_from(number), died=died)

    def _dead_before(self, number: int, shard: ExtractShard) -> Mapping[str, bool]:
        """Return the records that are dead so far, and whether they have a partial value."""
        summary = shard_summary(self.directory, number)
        known = {record.key for record in shard.records}
        dead = summary.dead if summary is not None else ()
        return {one["key"]: one["best"] is not None for one in dead if one["key"] in known}


def _targets(result: RunResult, dead: Mapping[str, bool]) -> Iterable[Targets]:
    """Yield what to request again: the invalid parts of partial values, and other dead records from the start."""
    still = [key for key, state in result.states if key in dead and state in DEAD_STATES]
    for has_value in (True, False):
        units = tuple(key for key in still if dead[key] is has_value)
        if units:
            yield Targets(units=units, from_errors=has_value)


def is_current(directory: Path, number: int, summary: ShardSummary) -> bool:
    """Return whether the results of a shard are as they were written, and its run has not changed since."""
    place = shard_directory(directory, number)
    return place.is_dir() and summary.run == run_state(place) and is_intact(results_file(directory, number), summary)


def capturing(
    recipe: Recipe[ExtractShard, Extracted], values: dict[str, Extracted | Unread]
) -> Recipe[ExtractShard, Extracted]:
    """Return the recipe that also copies the checked values into `values`, because files may be edited by hand."""

    def assemble(shard: ExtractShard, found: Mapping[str, Extracted | Unread]) -> Mapping[str, str]:
        values.update(found)
        return recipe.assemble(shard, found)

    return replace(recipe, assemble=assemble)
