"""The shards of a job in several processes of this machine, as workers of a fleet.

Each process opens the models for itself, and runs one shard after another. A process that dies or hangs costs at most
its requests in flight: its shard is run again by another one, from its ledger. If the command itself dies, its
processes notice, finish what is in flight, and end.
"""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from retouch._lib.clock import now
from retouch.engine.history import read_history
from retouch.engine.ledger import LEDGER
from retouch.engine.types import Usage
from retouch.recipes.extract.layout import shard_directory
from retouch.recipes.extract.shard_runs import ShardOutcome

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

    from retouch.engine.options import RunOptions
    from retouch.engine.types import Model
    from retouch.fleet.isolating import IsolationStep
    from retouch.fleet.worker import ShardCall
    from retouch.recipes.extract.shard_runs import ShardWork


@dataclass(frozen=True, kw_only=True)
class WorkerModels:
    """The models that each process opens by their specs, and the limits that hold for all processes together.

    `limit_usd` is the cost limit, None without one; `spent_usd` counts against it from the start. `at_once` is the
    number of shards that one process runs together. A process that does not answer for `lease_s` seconds, or makes no
    progress for `hang_s`, is replaced.
    """

    open_model: Callable[[str], Model]
    model: str
    fallbacks: tuple[str, ...] = ()
    limit_usd: float | None = None
    spent_usd: float = 0.0
    at_once: int = 1
    lease_s: float = 60.0
    hang_s: float = 3_600.0


@dataclass(frozen=True, kw_only=True)
class ShardTask:
    """What a worker does with a shard. `since` is when the command began, in the form of the ledger's times."""

    work: ShardWork
    options: RunOptions
    since: str

    async def __call__(self, call: ShardCall) -> Mapping[str, Any]:
        """Run a shard, write its results, and return its usage and its notes.

        If workers have died with it, its records are added part by part. Those that they die with are left out.
        """
        options = replace(self.options, fallback=call.fallbacks)
        keys = [one.key for one in self.work.layout.read(call.number)]

        async def part(step: IsolationStep | None) -> ShardOutcome:
            if step is None:
                return await self.work.run(call.number, call.model, options)
            died = {keys[position] for position in step.dead}
            later = {*keys} - {*step.kept(keys)} - died
            return await self.work.run(call.number, call.model, options, died=died, later=later)

        outcomes = await call.isolation.run(len(keys), part)
        usage = sum((one.usage for one in outcomes), Usage())
        if call.is_repeated:
            usage = self._usage_since(call.number)
        return {"usage": dict(vars(usage)), "notes": list(outcomes[-1].notes)}

    def _usage_since(self, number: int) -> Usage:
        """Return the usage of a shard in this command, with the calls of workers that have died."""
        attempts = read_history(shard_directory(self.work.directory, number) / LEDGER).attempts.values()
        return Usage.of_attempts([one for one in attempts if one.reply is not None and one.at >= self.since])


async def run_in_processes(
    work: ShardWork, options: RunOptions, models: WorkerModels, numbers: Sequence[int], *, workers: int
) -> AsyncGenerator[ShardOutcome]:
    """Yield the outcome of each shard, in order of completion. Except on Linux, `work` and `models` are pickled.

    Raises:
        RetouchError: a shard failed, or processes died very often with the same shard.
    """
    from retouch.fleet.job import FleetCommand
    from retouch.fleet.own_shards import OwnShards, run_own_shards
    from retouch.fleet.worker import OwnRuns

    own = replace(options, watch=None, fallback=None, wait=True, concurrency=max(1, options.concurrency // workers))
    given = OwnShards(
        directory=work.directory,
        numbers=tuple(numbers),
        command=FleetCommand(
            model=models.model,
            fallbacks=models.fallbacks,
            options=own.stored(),
            max_cost_usd=models.limit_usd,
            workers=workers,
            at_once=models.at_once,
            lease_s=models.lease_s,
            hang_s=models.hang_s,
        ),
        recipe=work.recipe,
        open_model=models.open_model,
        runs=OwnRuns(
            run_shard=ShardTask(work=work, options=own, since=now()), directory=partial(shard_directory, work.directory)
        ),
        spent_usd=models.spent_usd,
    )
    async with aclosing(run_own_shards(given)) as commits:
        async for number, data in commits:
            yield ShardOutcome(number=number, usage=Usage(**data["usage"]), notes=tuple(data["notes"]))
