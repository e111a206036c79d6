"""The runs of many endpoints in several processes of this machine, as workers of a fleet: an endpoint is a shard."""

from __future__ import annotations

from contextlib import aclosing, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch.commands import opened_models
from retouch.engine.options import RunOptions
from retouch.engine.overview import RunResult
from retouch.engine.tiers import TierSummary
from retouch.engine.types import Usage, issues_from_json
from retouch.errors import RetouchError
from retouch.recipes.csharp.commands.endpoint_runs import SharedInput, name_of, run_endpoint
from retouch.recipes.csharp.commands.tally import RefusedEndpoint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.engine.types import Model
    from retouch.fleet.isolating import IsolationStep
    from retouch.fleet.job import FleetCommand
    from retouch.fleet.worker import ShardCall
    from retouch.recipes.csharp.commands.tally import Tally
    from retouch.recipes.csharp.reading.catalogue import EndpointInfo

_LOCAL_WORKERS = 2
_NEEDED_BY_RUNS = (
    "retouch.engine.verbs",
    "retouch.models.offline",
    "retouch.recipes.csharp.job",
    "retouch.recipes.csharp.reading.endpoint",
)
_DIED = RefusedEndpoint(
    message="the processes that ran it have died",
    hint="Run this endpoint alone to see why.",
    exit_status=1,
)


@dataclass(frozen=True, kw_only=True)
class EndpointTask:
    """What a worker does with an endpoint: its run, whose result goes into the commit."""

    shared: SharedInput
    endpoints: Sequence[EndpointInfo]

    async def __call__(self, call: ShardCall) -> Mapping[str, Any]:
        """Return the result of the run as plain data."""
        info = self.endpoints[call.number]

        async def part(step: IsolationStep | None) -> RunResult | RefusedEndpoint:
            if step is not None and step.dead:
                return _DIED
            return await run_endpoint(self.shared, info, call.model, call.fallbacks, wait=True)

        return result_to_json((await call.isolation.run(1, part))[-1])


def run_in_processes(shared: SharedInput, endpoints: Sequence[EndpointInfo], tally: Tally, *, is_local: bool) -> None:
    """Run the endpoints, and count each when it has ended. One cost limit and one set of rates hold for all of them."""
    from retouch._lib.run_sync import run_sync

    for module in _NEEDED_BY_RUNS:
        import_module(module)  # before the fork, so that the workers share them
    run_sync(_run(shared, endpoints, tally, is_local=is_local))


async def _run(shared: SharedInput, endpoints: Sequence[EndpointInfo], tally: Tally, *, is_local: bool) -> None:
    from retouch.fleet.own_shards import OwnShards, run_own_shards
    from retouch.fleet.worker import OwnRuns
    from retouch.recipes.csharp.job import recipe

    arguments, limit = shared.arguments, shared.arguments.cost_limit
    command = _command(shared, is_local=is_local)
    own = replace(arguments, concurrency=command.run_options().concurrency)
    places = _places(shared, endpoints) if limit is not None else {}
    given = OwnShards(
        directory=shared.parent,
        numbers=tuple(range(len(endpoints))),
        command=command,
        recipe=recipe,
        open_model=_opened,
        runs=OwnRuns(
            run_shard=EndpointTask(shared=replace(shared, arguments=own), endpoints=endpoints),
            directory=partial(_place, places, shared.parent),
        ),
        spent_usd=limit.spent_usd if limit is not None else 0.0,
    )
    async with aclosing(run_own_shards(given)) as commits:
        async for number, data in commits:
            tally.add(name_of(endpoints[number]), result_from_json(data))


def _command(shared: SharedInput, *, is_local: bool) -> FleetCommand:
    """Return the settings of the workers. Each gets its share of --concurrency."""
    from retouch.fleet.job import FleetCommand

    arguments, limit = shared.arguments, shared.arguments.cost_limit
    workers = arguments.workers or _LOCAL_WORKERS
    at_once = max(1, arguments.concurrency // workers)
    return FleetCommand(
        model=arguments.model_spec(),
        fallbacks=arguments.fallback,
        options=RunOptions(concurrency=at_once).stored(),
        max_cost_usd=limit.limit_usd if limit is not None else None,
        workers=workers,
        hang_s=arguments.hang,
        at_once=1 if is_local else at_once,
    )


def _places(shared: SharedInput, endpoints: Sequence[EndpointInfo]) -> dict[int, Path]:
    """Return the run directories of the endpoints that can be read."""
    from retouch.recipes.csharp.reading.endpoint import read_endpoint

    found: dict[int, Path] = {}
    for number, info in enumerate(endpoints):
        with suppress(RetouchError):  # its own run reports the error
            endpoint = read_endpoint(shared.document, name_of(info), shared.arguments.reading("connector"))
            found[number] = shared.parent / endpoint.label
    return found


def _place(places: Mapping[int, Path], parent: Path, number: int) -> Path:
    return places.get(number, parent / f".none-{number}")


def _opened(spec: str) -> Model:
    """Open a model in a process of a worker."""
    from retouch.recipes.csharp.job import recipe

    return opened_models(spec, (), recipe, None)[0]


def result_to_json(ended: RunResult | RefusedEndpoint) -> dict[str, Any]:
    """Return the result of a run, or why there is none, as plain data."""
    if isinstance(ended, RefusedEndpoint):
        return {"refused": asdict(ended)}
    issues = [issue.to_json() for issue in ended.issues]
    tiers = [asdict(tier) for tier in ended.tiers]
    usage = dict(vars(ended.usage))
    return {"result": {**vars(ended), "run": str(ended.run), "issues": issues, "tiers": tiers, "usage": usage}}


def result_from_json(data: Mapping[str, Any]) -> RunResult | RefusedEndpoint:
    """Return what `result_to_json` wrote."""
    if "refused" in data:
        return RefusedEndpoint(**data["refused"])
    found = data["result"]
    plain: dict[str, Any] = {
        **found,
        "run": Path(found["run"]),
        "tiers": tuple(TierSummary(**one) for one in found["tiers"]),
        "issues": issues_from_json(found["issues"]),
        "states": tuple((unit, state) for unit, state in found["states"]),
        "files": tuple(found["files"]),
        "usage": Usage(**found["usage"]),
        "notes": tuple(found["notes"]),
    }
    return RunResult(**plain)
