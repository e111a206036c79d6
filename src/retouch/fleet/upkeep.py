"""The committed shards of a fleet: their runs, and checking them again.

Shards are checked as their runs are on disk. Then their answers are written again, and their commits are replaced.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from retouch._lib.run_sync import run_sync
from retouch.engine.directory import IR
from retouch.engine.verbs import read_values, validate
from retouch.fleet.limits import CostAccount, expect_known
from retouch.fleet.running import (
    REFUSED,
    RecordOutcome,
    outcomes_by_unit,
    run_name,
    run_outcome,
    spent_under,
    usage_under,
    written_result,
)
from retouch.fleet.shards import COMMITS, Claim, WorkerId, commit_again, numbers_in
from retouch.fleet.shipping import restored
from retouch.fleet.statuses import FleetStatus, fleet_status, read_commit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from retouch.engine.options import RunOptions
    from retouch.engine.overview import RunResult
    from retouch.engine.recipe import Recipe, ShardRecord
    from retouch.engine.tiers import Status
    from retouch.engine.types import Usage
    from retouch.fleet.job import FleetJob, FleetPlace

RunVerb: TypeAlias = Callable[["Path"], Awaitable["RunResult"]]
"""What is done to one run; it returns the result."""


@dataclass(frozen=True, kw_only=True)
class CommittedShard:
    """A committed shard: its number, the epoch that counts, and its commit."""

    shard: int
    epoch: int
    commit: Mapping[str, Any]

    @property
    def claim(self) -> Claim:
        """The claim whose result counts, in the name of this process."""
        return Claim(shard=self.shard, epoch=self.epoch, worker=WorkerId.own())


def committed(place: FleetPlace) -> Iterator[CommittedShard]:
    """Yield the committed shards, in order."""
    for number in sorted(numbers_in(place.store, COMMITS)):
        found = read_commit(place, number)
        if found is not None:
            yield CommittedShard(shard=number, epoch=found["epoch"], commit=found)


def fleet_runs(place: FleetPlace) -> list[Path]:
    """Return the run directories of all committed shards."""
    found: list[Path] = []
    for one in committed(place):
        directory = restored(place, one.shard, one.epoch)
        found += [directory] if (directory / IR).exists() else sorted(run.parent for run in directory.glob(f"*/{IR}"))
    return found


def validate_fleet(place: FleetPlace, recipe: Recipe[Any, Any], options: RunOptions) -> FleetStatus:
    """Check every committed shard again, as its runs are on disk, and return the status. No model is called.

    The answers in `out` are written again from the runs.
    """
    return _each(place, recipe, lambda run: validate(recipe, run, options=options))


def count_cost(place: FleetPlace, usage: Usage) -> None:
    """Count the cost of a command over the runs of a fleet against the fleet's limit.

    Raises:
        BadInput: the fleet has a limit, and the cost is unknown.
    """
    account = CostAccount(store=place.store)
    if usage.calls and account.state() is not None:
        account.add(expect_known(usage.cost, "this command"))


def _each(place: FleetPlace, recipe: Recipe[Any, Any], verb: RunVerb) -> FleetStatus:
    job = place.job()

    async def work() -> None:
        for one in committed(place):
            await _one(place, job, recipe, one, verb)

    run_sync(work())
    return fleet_status(place)


async def _one(place: FleetPlace, job: FleetJob, recipe: Recipe[Any, Any], one: CommittedShard, verb: RunVerb) -> None:
    records = place.records(one.shard)
    directory = restored(place, one.shard, one.epoch)
    outcomes: list[RecordOutcome]
    statuses: list[Status] = []
    if job.together:
        outcomes, result = await _as_one_run(recipe, records, directory, verb)
        statuses.append(result.status)
    else:
        outcomes = []
        for record in records:
            run = directory / run_name(record.key)
            if not (run / IR).exists():
                outcomes.append(_refused(record))
                continue
            result = await verb(run)
            statuses.append(result.status)
            outcomes.append(run_outcome(record.key, run.name, result))
    usage, spent = usage_under(directory), one.commit.get("spent_usd")
    if spent is not None and dict(vars(usage)) != one.commit["usage"]:
        spent = spent_under(directory)
    data = written_result(place, one.claim, outcomes, usage=usage, spent_usd=spent, runs=statuses)
    commit_again(place.store, one.claim, data)


async def _as_one_run(
    recipe: Recipe[Any, Any], records: list[ShardRecord], directory: Path, verb: RunVerb
) -> tuple[list[RecordOutcome], RunResult]:
    result = await verb(directory)
    _, values = await read_values(recipe, directory)
    units = {name for name, _ in result.states}
    refused = {one.key: _refused(one) for one in records if one.key not in units}
    return outcomes_by_unit(recipe, records, result, values, refused), result


def _refused(record: ShardRecord) -> RecordOutcome:
    issue: dict[str, Any] = {"code": REFUSED, "tier": 1, "message": "no prompt could be made for this record"}
    return RecordOutcome(key=record.key, status="exhausted", issues=(issue,))
