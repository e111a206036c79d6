"""The committed shards of a fleet: their runs, and checking them again.

Shards are checked as their runs are on disk. Then their answers are written again, and their commits are replaced.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from retouch._lib.run_sync import run_sync
from retouch.engine.directory import IR, clean_source, load_ir, open_run, source_hash
from retouch.engine.recipe import guarded
from retouch.engine.verbs import assemble, read_values, validate
from retouch.errors import BadInput, BrokenFile, ModelError
from retouch.fleet.isolating import dead_positions
from retouch.fleet.limits import CostAccount, expect_known
from retouch.fleet.running import (
    REFUSED,
    RecordOutcome,
    ShardRun,
    ShardSetup,
    died_with,
    outcomes_by_unit,
    refused_records,
    run_name,
    run_outcome,
    source_of,
    spent_under,
    usage_under,
    written_result,
)
from retouch.fleet.shards import Claim, Lease, WorkerId, commit_again
from retouch.fleet.shipping import restored
from retouch.fleet.statuses import FleetStatus, fleet_status, read_commits

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence
    from pathlib import Path

    from retouch.engine.options import RunOptions
    from retouch.engine.overview import RunResult
    from retouch.engine.recipe import Recipe, ShardRecord
    from retouch.engine.types import OnEvent, Reply, Request, Usage
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
    for number, found in read_commits(place):
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

    The answers in `out` are written again from the runs. Commands that the fleet's own options name are run again,
    unless `options` names others: without them a check that has failed would only be left out.
    """
    last = place.command().run_options()
    if not options.commands:
        options = replace(
            options,
            workspace=options.workspace or last.workspace,
            commands=last.commands,
            check_timeout_s=last.check_timeout_s,
            checks=last.checks,
        )
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
    job, guarded_recipe = place.job(), guarded(recipe)

    async def work() -> None:
        for one in committed(place):
            await check_shard(place, job, guarded_recipe, one, verb)

    run_sync(work())
    return fleet_status(place)


async def check_shard(
    place: FleetPlace, job: FleetJob, recipe: Recipe[Any, Any], one: CommittedShard, verb: RunVerb
) -> None:
    """Do something with each run of a committed shard, write its answers again, and replace its commit."""
    records = place.records(one.shard, job)
    directory = restored(place, one.shard, one.epoch)
    outcomes: list[RecordOutcome]
    results: list[RunResult] = []
    dead = {records[position].key for position in dead_positions(place.store, one.shard)}
    if place.ships and not any(directory.rglob(IR)):  # another machine has run it, and copied its ledgers alone
        await _made_again(place, job, recipe, one, [record for record in records if record.key not in dead])
    if job.together and not (directory / IR).exists():
        outcomes = _all_refused(job, recipe, records, dead, directory)
    elif job.together:
        _expect_own_sources(job, recipe, records, directory)
        outcomes, result = await _as_one_run(recipe, records, directory, verb, dead)
        results.append(result)
    else:
        _expect_own_sources(job, recipe, records, directory)
        outcomes = []
        for record in records:
            run = directory / run_name(record.key)
            if record.key in dead or not (run / IR).exists():
                outcomes.append(_left_out(record, dead))
                continue
            result = await verb(run)
            results.append(result)
            outcomes.append(run_outcome(record.key, run.name, result))
    usage, spent = usage_under(directory), one.commit.get("spent_usd")
    if spent is not None and dict(vars(usage)) != one.commit["usage"]:
        spent = spent_under(directory)
    data = written_result(place, job, one.claim, outcomes, usage=usage, spent_usd=spent, runs=results)
    data["is_metered"] = one.commit.get("is_metered", False)
    commit_again(place.store, one.claim, data)


async def _made_again(
    place: FleetPlace, job: FleetJob, recipe: Recipe[Any, Any], one: CommittedShard, records: Sequence[ShardRecord]
) -> None:
    """Write the runs of a shard again from its ledgers.

    Raises:
        ModelError: a ledger lacks an answer.
    """
    lease = Lease(store=place.store, worker=one.claim.worker)
    setup = ShardSetup(place=place, job=job, recipe=recipe, options=place.command().run_options(), lease=lease)
    run = ShardRun(setup=setup, claim=one.claim, model=_no_model)
    directory = place.run_directory(one.shard, one.epoch)
    await run.run_records(directory, records)
    for made in directory.rglob(IR):
        await assemble(recipe, made.parent)


async def _no_model(request: Request, *, on_event: OnEvent | None = None) -> Reply:  # noqa: ARG001 - the protocol
    what = f"page {request.prompt.page} of {request.prompt.unit!r}"
    raise ModelError(f"the log of the fleet has no answer for {what}", hint="Look at it on the machine that ran it.")


def _expect_own_sources(
    job: FleetJob, recipe: Recipe[Any, Any], records: Sequence[ShardRecord], directory: Path
) -> None:
    """Check that the runs of a shard are about its records: a run of something else can be right in itself.

    Raises:
        BrokenFile: a run has another source.
    """
    if not job.together:
        for record in records:
            if (directory / run_name(record.key) / IR).exists():
                source = source_of(recipe, {**job.shared, **record.fields})
                _expect_source(recipe, directory / run_name(record.key), source)
        return
    if recipe.sharding is None:
        raise BadInput(f"the recipe {recipe.name!r} cannot run many records as one run", hint="See its page.")
    units = {prompt.unit for prompt in open_run(directory).prompts}
    planned = [one for one in records if one.key in units]
    source = recipe.sharding.source(job.shared, planned if len(planned) < len(records) else records)
    _expect_source(recipe, directory, source)


def _expect_source(recipe: Recipe[Any, Any], run: Path, source: Any) -> None:
    if load_ir(run, recipe).hash != source_hash(recipe, clean_source(recipe, source)):
        hint = "Restore it, or remove the commit of its shard and run the fleet again."
        raise BrokenFile(f"{str(run)!r} was made from other records or other shared settings", hint=hint)


def _all_refused(
    job: FleetJob, recipe: Recipe[Any, Any], records: Sequence[ShardRecord], dead: Container[str], directory: Path
) -> list[RecordOutcome]:
    """Return the outcomes of the records of a shard that has no run, because none of them has a prompt.

    Raises:
        BrokenFile: one of them has.
    """
    refused = refused_records(recipe, job.shared, [one for one in records if one.key not in dead])
    usable = next((one.key for one in records if one.key not in dead and one.key not in refused), None)
    if usable is not None:
        hint = "Restore it, or remove the commit of its shard and run the fleet again."
        raise BrokenFile(f"the run of the record {usable!r} is missing in {str(directory)!r}", hint=hint)
    return [died_with(one.key) if one.key in dead else refused[one.key] for one in records]


async def _as_one_run(
    recipe: Recipe[Any, Any], records: list[ShardRecord], directory: Path, verb: RunVerb, dead: Container[str]
) -> tuple[list[RecordOutcome], RunResult]:
    result = await verb(directory)
    _, values = await read_values(recipe, directory)
    units = {name for name, _ in result.states}
    refused = {one.key: _left_out(one, dead) for one in records if one.key not in units or one.key in dead}
    return outcomes_by_unit(recipe, records, result, values, refused), result


def _left_out(record: ShardRecord, dead: Container[str]) -> RecordOutcome:
    """Return the outcome of a record without a run."""
    if record.key in dead:
        return died_with(record.key)
    issue: dict[str, Any] = {"code": REFUSED, "tier": 1, "message": "no prompt could be made for this record"}
    return RecordOutcome(key=record.key, status="exhausted", issues=(issue,))
