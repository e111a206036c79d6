"""Records of committed shards that workers have died with, tried again: for example after a check was repaired.

The shards with such records are run once more by worker processes, from their ledgers, with these records added. A
process that dies again does not affect the other records: records are halved as before. Then the shards are checked
again and their commits are replaced.
"""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from retouch._lib.run_sync import run_sync
from retouch.engine.recipe import guarded
from retouch.engine.verbs import validate
from retouch.errors import BadInput
from retouch.fleet.isolating import dead_positions, keep_dead
from retouch.fleet.limits import CostAccount
from retouch.fleet.own_shards import OwnShards, run_own_shards
from retouch.fleet.running import ShardRun, ShardSetup, spent_under
from retouch.fleet.shards import Lease
from retouch.fleet.upkeep import CommittedShard, check_shard, committed
from retouch.fleet.worker import OwnRuns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from retouch.engine.recipe import Recipe
    from retouch.fleet.isolating import IsolationStep
    from retouch.fleet.job import FleetCommand, FleetJob, FleetPlace
    from retouch.fleet.worker import ModelOpener, ShardCall


@dataclass(frozen=True, kw_only=True)
class _RetryTask:
    """What a worker does with a committed shard: its runs once more, with records that were left out."""

    place: FleetPlace
    job: FleetJob
    recipe: Recipe[Any, Any]
    command: FleetCommand
    shards: Mapping[int, CommittedShard]

    async def __call__(self, call: ShardCall) -> Mapping[str, Any]:
        """Return the positions of the records that no worker died with, and the usage."""
        one = self.shards[call.number]
        records, dead = self.place.records(one.shard, self.job), sorted(dead_positions(self.place.store, one.shard))
        directory = self.place.run_directory(one.shard, one.epoch)
        lease = Lease(store=self.place.store, worker=one.claim.worker)
        options = replace(self.command.run_options(), wait=True)  # a process that died may still give back its lock
        setup = ShardSetup(place=self.place, job=self.job, recipe=self.recipe, options=options, lease=lease)
        run = ShardRun(setup=setup, claim=one.claim, model=call.model, fallbacks=call.fallbacks)

        async def part(step: IsolationStep | None) -> Sequence[int]:
            tried = dead if step is None else step.kept(dead)
            left_out = {*dead} - {*tried}
            chosen = [record for position, record in enumerate(records) if position not in left_out]
            outcomes = await run.run_records(directory, chosen)
            missing = {outcome.key for outcome in outcomes if outcome.status == "missing"}  # for example by the limit
            return [position for position in tried if records[position].key not in missing]

        return {"alive": [*(await call.isolation.run(len(dead), part))[-1]]}


def retry_dead(place: FleetPlace, recipe: Recipe[Any, Any], command: FleetCommand, open_model: ModelOpener) -> None:
    """Request records again that are `exhausted` because workers have died with them, and commit their shards again.

    The cost limit of `command` holds for these requests too.

    Raises:
        BadInput: the fleet is in an object store.
        ModelError: the model cannot answer at all.
    """
    job = place.job()
    shards = {one.shard: one for one in committed(place) if dead_positions(place.store, one.shard)}
    if not shards:
        return
    if place.ships:
        hint = "Run these records as a fleet of their own: retouch fleet export lists them."
        raise BadInput("records of a fleet in an object store cannot be tried again", hint=hint)
    state = CostAccount(store=place.store).state()
    task = _RetryTask(place=place, job=job, recipe=guarded(recipe), command=command, shards=shards)
    given = OwnShards(
        directory=place.runs,
        numbers=tuple(shards),
        command=replace(command, at_once=1),
        recipe=recipe,
        open_model=open_model,
        runs=OwnRuns(run_shard=task, directory=partial(_directory, place, shards)),
        spent_usd=state.used_usd if state is not None else 0.0,
    )
    run_sync(_retried(place, job, guarded(recipe), given, shards))


async def _retried(
    place: FleetPlace,
    job: FleetJob,
    recipe: Recipe[Any, Any],
    given: OwnShards,
    shards: Mapping[int, CommittedShard],
) -> None:
    options, account = replace(given.command.run_options(), wait=True), CostAccount(store=place.store)
    is_metered = account.state() is not None
    before = {number: spent_under(_directory(place, shards, number)) for number in shards if is_metered}
    async with aclosing(run_own_shards(given)) as commits:
        async for number, data in commits:
            if is_metered:
                account.add(spent_under(_directory(place, shards, number)) - before[number])
            keep_dead(place.store, number, dead_positions(place.store, number) - {*data["alive"]})
            await check_shard(place, job, recipe, shards[number], lambda run: validate(recipe, run, options=options))


def _directory(place: FleetPlace, shards: Mapping[int, CommittedShard], number: int) -> Path:
    return place.run_directory(number, shards[number].epoch)
