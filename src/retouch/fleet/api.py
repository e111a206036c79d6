"""`retouch.fleet.run` and its like: a fleet as functions."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch._lib.hashing import canonical_hash
from retouch._lib.redaction import redactor
from retouch.engine.options import RunOptions
from retouch.engine.recipe import Recipe, ShardRecord, find_recipe, guarded, open_model
from retouch.engine.types import model_name
from retouch.errors import BadInput
from retouch.fleet.engines import run_local
from retouch.fleet.job import (
    COMMAND,
    FLEET,
    PLAN,
    SHARD_SIZE,
    FleetCommand,
    FleetJob,
    FleetPlace,
    RecordsFile,
    expect_free,
    fleet_place,
    split,
)
from retouch.fleet.retrying import retry_dead
from retouch.fleet.running import expect_usable
from retouch.fleet.shards import WorkerId, dumped, stored_data
from retouch.fleet.statuses import FleetStatus, fleet_status
from retouch.fleet.worker import WorkerEnd, WorkerInput, opened_account, run_worker
from retouch.models.named import wrapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from dataclasses import Field

    from retouch._lib.json_text import JSON
    from retouch.engine.types import Model, OnEvent, Reply, Request

_OF_COMMAND: Mapping[str, Field[Any]] = FleetCommand.__dataclass_fields__


@dataclass(frozen=True, kw_only=True)
class FleetResult:
    """The status of a fleet after a command, and why that stopped early: "" if it did not.

    `detail` is the server's message for a record without an answer, if that stopped it.
    """

    status: FleetStatus
    stopped: str = ""
    detail: str = ""


def run(
    recipe: Recipe[Any, Any] | str,
    records: Iterable[Mapping[str, JSON]] | Path,
    directory: Path | str,
    *,
    model: Model | str = "offline",
    key: str = "id",
    shared: Mapping[str, JSON] | None = None,
    shard_size: int = SHARD_SIZE,
    **settings: Any,
) -> FleetResult:
    """Run a recipe on many records, and return the status of the fleet. The same call again continues it.

    `records` are mappings, or the path of a file of JSON lines, CSV or Parquet; `key` names the field that identifies a
    record. `shared` are the parts of a source that all records share. `directory` is a directory or an address such as
    "s3://bucket/fleet". `settings` are fields of `FleetCommand`, for example `workers=4, max_cost_usd=5.0`, or of
    `retouch.RunOptions`. `work_directory` is where runs are written. Workers stop if `on_poll`, called often, is true.
    With `retry_dead=True`, records that workers have died with are first tried again. With `cluster`, the address of a
    Dask scheduler, its workers run the shards; the recipe must be installed there, and a model is opened by its spec.

    Raises:
        BadInput: the records have changed, a setting is unusable, or the directory belongs to something else.
        ModelError: the model cannot answer at all.
    """
    found = find_recipe(recipe) if isinstance(recipe, str) else recipe
    on_poll: Callable[[], object] = settings.pop("on_poll", nothing)
    dead, cluster = bool(settings.pop("retry_dead", False)), str(settings.pop("cluster", ""))
    place = fleet_place(str(directory), settings.pop("work_directory", None))
    job = planned_job(place, found, records, key=key, shared=shared or {}, shard_size=shard_size)
    command = command_of(model if isinstance(model, str) else model_name(model), settings)
    opener = _opener(found, model)
    if dead:
        retry_dead(place, found, command, opener)
    if fleet_is_done(place, job):
        return FleetResult(status=fleet_status(place))
    for spec in (command.model, *command.fallbacks):
        opener(spec)  # an unusable model is reported before anything starts
    place.save_command(command)
    given = WorkerInput(place=place, job=job, command=command, recipe=found, open_model=opener)
    return _result(place, _run_with(given, cluster, on_poll))


def _run_with(given: WorkerInput, cluster: str, on_poll: Callable[[], object]) -> WorkerEnd:
    """Run the shards on the workers of a cluster, or without one in processes of this machine."""
    if not cluster:
        return run_local(given, workers=given.command.workers, on_poll=on_poll)
    from retouch.fleet.dask_cluster import run_on_cluster

    return run_on_cluster(given, cluster, on_poll)


def resume(
    directory: Path | str,
    *,
    recipe: Recipe[Any, Any] | None = None,
    model: Model | None = None,
    work_directory: Path | None = None,
    on_poll: Callable[[], object] | None = None,
    **settings: Any,
) -> FleetResult:
    """Continue a fleet with the settings of its last command, and return its status. Its records are stored in it.

    `settings` are fields of `FleetCommand` that replace the stored ones, for example `max_cost_usd=20.0, workers=4`.

    Raises:
        BadInput: there is no fleet, no command was given before, or a setting is unusable.
        ModelError: the model cannot answer at all.
    """
    place = fleet_place(str(directory), work_directory)
    job = place.job()
    command = replace(_stored_command(place), **settings)
    found = recipe if recipe is not None else find_recipe(job.recipe)
    if fleet_is_done(place, job):
        return FleetResult(status=fleet_status(place))
    opener = _opener(found, model if model is not None else command.model)
    for spec in (command.model, *command.fallbacks):
        opener(spec)
    place.save_command(command)
    given = WorkerInput(place=place, job=job, command=command, recipe=found, open_model=opener)
    return _result(place, run_local(given, workers=command.workers, on_poll=on_poll or nothing))


def _stored_command(place: FleetPlace) -> FleetCommand:
    if place.store.get(COMMAND) is None:
        raise BadInput(f"{place.address!r} has no settings of a command", hint="'retouch fleet run' stores them.")
    return place.command()


def nothing() -> None:
    """Do nothing between two looks at the workers."""


def work(
    directory: Path | str,
    shard: int,
    *,
    recipe: Recipe[Any, Any] | None = None,
    model: Model | None = None,
    work_directory: Path | None = None,
    on_poll: Callable[[], object] | None = None,
) -> FleetResult:
    """Run one shard of an existing fleet with the settings of its last command, and return the fleet's status.

    Raises:
        BadInput: there is no fleet, or it has no such shard.
    """
    place = fleet_place(str(directory), work_directory)
    job = place.job()
    if not 0 <= shard < job.shards:
        raise BadInput(f"there is no shard {shard}", hint=f"The fleet has the shards 0 to {job.shards - 1}.")
    found = recipe if recipe is not None else find_recipe(job.recipe)
    command = _stored_command(place)
    opener = _opener(found, model if model is not None else command.model)
    given = WorkerInput(place=place, job=job, command=command, recipe=found, open_model=opener)
    opened_account(given)
    return _result(place, run_worker(given, lambda: bool((on_poll or nothing)()), only=shard))


def status(directory: Path | str, work_directory: Path | None = None) -> FleetStatus:
    """Return the status of a fleet from its small files. No ledger is read."""
    return fleet_status(fleet_place(str(directory), work_directory))


def planned_job(
    place: FleetPlace,
    recipe: Recipe[Any, Any],
    records: Iterable[Mapping[str, JSON]] | Path,
    *,
    key: str,
    shared: Mapping[str, JSON],
    shard_size: int = SHARD_SIZE,
) -> FleetJob:
    """Return the job of a fleet. If there is none, write its records into shards and then `fleet.json`.

    Raises:
        BadInput: the fleet is about other records, another recipe, or other settings.
    """
    rows, digest = _rows_of(records, key)
    shared = redactor().value(dict(shared))
    stored = place.store.get(FLEET)
    if stored is not None:
        job = place.job()
        _expect_same(job, place, recipe.name, digest, shared)
        return job
    expect_free(place.address)
    shard_size = _expect_same_plan(place, recipe.name, digest, shared, shard_size)
    inputs, total = split(place.store, rows, key, shard_size)
    expect_usable(guarded(recipe), shared, (ShardRecord(key=str(row.get(key)), fields=row) for row in rows))
    job = FleetJob(
        recipe=recipe.name,
        digest=digest,
        shards=len(inputs),
        inputs=inputs,
        records=total,
        shard_size=shard_size,
        shared=shared,
        together=recipe.sharding is not None,
    )
    place.store.put_new(FLEET, dumped(vars(job)))
    found = place.job()  # another command may have been faster
    _expect_same(found, place, recipe.name, digest, shared)
    return found


def _expect_same_plan(place: FleetPlace, recipe: str, digest: str, shared: Mapping[str, JSON], shard_size: int) -> int:
    """Write down what is about to be split, and return the size of the shards. The first of two commands decides.

    Raises:
        BadInput: another command is making a fleet of something else here, or was stopped while it did.
    """
    wanted = {"recipe": recipe, "records": digest, "shared settings": canonical_hash(dict(shared))}
    own = WorkerId.own()
    plan = dumped({**wanted, "shard_size": shard_size, "worker": asdict(own)})
    if place.store.put_new(PLAN, plan):
        return shard_size
    stored = stored_data(place.store, PLAN)
    other = [name for name, value in wanted.items() if stored.get(name) != value]
    first = WorkerId(**stored["worker"])
    if first.has_died() or (first.host, first.pid, first.started) == (own.host, own.pid, own.started):
        place.store.put(PLAN, plan)  # the first command was stopped, or its records could not be used
        return shard_size
    if other:
        hint = "Name another directory with -o, or remove this one if no command is running."
        raise BadInput(f"{place.address!r} was begun as a fleet with other {' and '.join(other)}", hint=hint)
    return int(stored["shard_size"])


def _rows_of(records: Iterable[Mapping[str, JSON]] | Path, key: str) -> tuple[Iterable[Mapping[str, JSON]], str]:
    """Return the records, and the hash of them and of the name of their key."""
    if isinstance(records, Path):
        file = RecordsFile(path=records, key=key)
        return file, file.digest()
    rows = list(records)
    return rows, canonical_hash([key, *map(dict, rows)])


def _expect_same(job: FleetJob, place: FleetPlace, recipe: str, digest: str, shared: Mapping[str, JSON]) -> None:
    wanted = {"recipe": recipe, "records": digest, "shared settings": canonical_hash(dict(shared))}
    stored = {"recipe": job.recipe, "records": job.digest, "shared settings": canonical_hash(dict(job.shared))}
    other = [name for name, value in wanted.items() if stored[name] != value]
    if other:
        hint = "Name another directory with -o. The records of a fleet cannot change."
        raise BadInput(f"{place.address!r} holds a fleet with other {' and '.join(other)}", hint=hint)


def fleet_is_done(place: FleetPlace, job: FleetJob) -> bool:
    """Return whether every shard is committed, so that nothing is to be run."""
    from retouch.fleet.shards import COMMITS, numbers_in

    return numbers_in(place.store, COMMITS) >= {*range(job.shards)}


def command_of(model: str, settings: Mapping[str, Any]) -> FleetCommand:
    """Return the settings of a command from fields of `FleetCommand` and of `RunOptions`.

    Raises:
        TypeError: a field is unknown.
    """
    own: dict[str, Any] = {name: value for name, value in settings.items() if name in _OF_COMMAND}
    rest = {name: value for name, value in settings.items() if name not in _OF_COMMAND}
    options = replace(RunOptions(), **rest)
    own.setdefault("options", options.stored())
    return FleetCommand(model=model, **own)


def _opener(recipe: Recipe[Any, Any], model: Model | str) -> Callable[[str], Model]:
    def opened(spec: str) -> Model:
        if not isinstance(model, str) and spec == model_name(model):
            return model
        found = open_model(spec, recipe=recipe)
        return found if model_name(found) == spec else _with_name(found, spec)

    return opened


def _with_name(model: Model, spec: str) -> Model:
    """Return `model` under its whole spec, so that ledgers know its price."""

    async def answer(request: Request, on_event: OnEvent | None) -> Reply:
        return await model(request, on_event=on_event)

    return replace(wrapping(model, answer), name=spec)


def _result(place: FleetPlace, end: WorkerEnd) -> FleetResult:
    if end.error is not None:
        raise end.error
    return FleetResult(status=fleet_status(place), stopped=end.why, detail=end.detail)
