"""Runs for many endpoints of one command: several names, `--all` or `--match`."""

from __future__ import annotations

from contextlib import aclosing, suppress
from typing import TYPE_CHECKING

import click

from retouch.commands import counted, keeping, missing, planned, printable, workers_traced
from retouch.engine.options import RunOptions
from retouch.errors import BadInput, RetouchError
from retouch.recipes.csharp.commands.arguments import OUTPUT, expect_compiler
from retouch.recipes.csharp.commands.endpoint_runs import SharedInput, name_of, run_endpoint
from retouch.recipes.csharp.commands.endpoints import matching
from retouch.recipes.csharp.commands.processes import run_in_processes
from retouch.recipes.csharp.commands.tally import RefusedEndpoint, Tally, refusal, show_plans

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retouch.commands import PlanPreview
    from retouch.engine.overview import RunResult
    from retouch.fleet import TaskResult
    from retouch.recipes.csharp.commands.arguments import CsharpArguments
    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.reading.catalogue import EndpointInfo


def generate_many(arguments: CsharpArguments) -> int:
    """Start or resume one run for each selected endpoint, print the summary and return the exit status."""
    from retouch.recipes.csharp.document.document import load_document

    document = load_document(arguments.spec, allow_remote=arguments.allow_remote)
    endpoints = chosen(document, arguments)
    shared = SharedInput(document=document, arguments=arguments, parent=arguments.output or OUTPUT)
    if arguments.is_collecting:
        return _collect(shared, endpoints)
    at_once = None if arguments.batch else arguments.concurrency
    tally = Tally([name_of(info) for info in endpoints], silent=arguments.silent, at_once=at_once)
    if arguments.dry_run:
        return _show_plans(shared, endpoints)
    expect_compiler(RunOptions(compiler=arguments.compiler))
    arguments.batching(arguments.model_spec())  # refuse a model without a batch API before any run starts
    arguments.count_earlier(_begun(shared, endpoints) if arguments.cost_limit is not None else ())
    shared.parent.mkdir(parents=True, exist_ok=True)
    hint = "Run the same command again. Only missing pages are requested."
    with keeping(shared.parent, hint=hint), workers_traced(), tally.progress.shown():
        specs = [arguments.model_spec(), *arguments.fallback]
        is_local = all(map(_is_local, specs))
        if not arguments.batch and (is_local or (arguments.workers or 1) > 1):
            run_in_processes(shared, endpoints, tally, is_local=is_local)
        else:
            _in_one_loop(shared, endpoints, tally)
    tally.show(as_json=arguments.as_json)
    status = tally.exit_status
    return 1 if status == 0 and arguments.fail_on_breaking and tally.breaking else status


def _collect(shared: SharedInput, endpoints: Sequence[EndpointInfo]) -> int:
    """Pass each endpoint to `ModelOptions.generate`, which makes no run now. Skip those that cannot be read."""
    from retouch.recipes.csharp.job import recipe
    from retouch.recipes.csharp.reading.endpoint import read_endpoint

    for info in endpoints:
        try:
            endpoint = read_endpoint(shared.document, name_of(info), shared.arguments.reading())
        except RetouchError as error:
            click.echo(printable(f"skipped: {name_of(info)}: {error.message}"), err=True)
        else:
            shared.arguments.generate(recipe, endpoint, shared.parent / endpoint.label)
    return 0


def chosen(document: Document, arguments: CsharpArguments) -> list[EndpointInfo]:
    """Return the selected endpoints, in document order; those that were named, in the order of their names."""
    from retouch.recipes.csharp.reading.catalogue import list_endpoints

    found = list_endpoints(document)
    if arguments.names:
        return _named(document, found, arguments.names)
    if arguments.match:
        found = matching(found, arguments.match)
    usable = [one for one in found if one.json or arguments.request_body or arguments.include]
    if not usable:
        look = f"'retouch csharp endpoints {arguments.spec}' lists the responses of each"
        hint = f"{look}; --request-body reads request bodies."
        raise BadInput(f"none of the selected endpoints of {arguments.spec.name!r} has a JSON response", hint=hint)
    if len(usable) < len(found) and not arguments.silent:
        click.echo(f"skipped: {counted(len(found) - len(usable), 'endpoint')} without a JSON response", err=True)
    return usable


def _begun(shared: SharedInput, endpoints: Sequence[EndpointInfo]) -> list[Path]:
    """Return the run directories of the endpoints that exist already: a limit of cost is for all runs together."""
    from retouch.recipes.csharp.reading.endpoint import read_endpoint

    found: list[Path] = []
    for info in endpoints if shared.parent.is_dir() and any(shared.parent.iterdir()) else ():
        with suppress(RetouchError):  # its own run reports the error
            endpoint = read_endpoint(shared.document, name_of(info), shared.arguments.reading("connector"))
            if (shared.parent / endpoint.label).is_dir():
                found.append(shared.parent / endpoint.label)
    return found


def _named(document: Document, endpoints: Sequence[EndpointInfo], names: Sequence[str]) -> list[EndpointInfo]:
    """Return the endpoints that were named on the command line. One without a JSON response fails in its own run."""
    from retouch.recipes.csharp.reading.catalogue import find_endpoint

    known = {(one.method, one.path): one for one in endpoints}
    found = [find_endpoint(document, name) for name in names]
    return list(dict.fromkeys(known[one.method, one.path] for one in found))


def _is_local(spec: str) -> bool:
    """Return whether a model computes in this process. Then processes are faster, else one event loop."""
    while spec.startswith("faulty:"):
        spec = spec.removeprefix("faulty:")
    return spec.partition("?")[0] == "offline" or spec.startswith("replay:")


def _in_one_loop(shared: SharedInput, endpoints: Sequence[EndpointInfo], tally: Tally) -> None:
    """Run all endpoints in one event loop, because the work is waiting. `--concurrency` limits all of them together."""
    from retouch._lib.run_sync import run_sync
    from retouch.engine.planned_calls import CallSlots
    from retouch.fleet import in_tasks
    from retouch.telemetry import shard_traced

    calls = shared.arguments.concurrency
    at_once = len(endpoints) if shared.arguments.batch else calls  # all batches wait at the same time
    from retouch.recipes.csharp.job import recipe

    model, fallback = shared.arguments.models(recipe)
    slots = CallSlots(calls, is_closed=lambda: tally.progress.is_stopping)
    model, fallback = slots.limit(model), tuple(map(slots.limit, fallback))

    async def one(info: EndpointInfo) -> RunResult | RefusedEndpoint:
        with shard_traced(name_of(info), watch=tally.progress.watch(name_of(info))) as watch:
            return await run_endpoint(shared, info, model, fallback, watch=watch)

    async def together() -> None:
        async with aclosing(in_tasks(one, endpoints, at_once=at_once)) as outcomes:
            async for outcome in outcomes:
                tally.add(name_of(outcome.task), _result_of(outcome))

    run_sync(together())


def _result_of(outcome: TaskResult[EndpointInfo, RunResult | RefusedEndpoint]) -> RunResult | RefusedEndpoint:
    if isinstance(outcome.error, OSError) and not isinstance(outcome.error, TimeoutError):
        raise outcome.error
    if outcome.error is not None:
        return refusal(outcome.error)
    if outcome.value is None:
        raise AssertionError("an outcome has a value or an error")
    return outcome.value


def _show_plans(shared: SharedInput, endpoints: Sequence[EndpointInfo]) -> int:
    from retouch.recipes.csharp.job import recipe
    from retouch.recipes.csharp.reading.endpoint import read_endpoint

    spec = shared.arguments.model_spec()

    def plan(info: EndpointInfo) -> PlanPreview | RefusedEndpoint:
        try:
            endpoint = read_endpoint(shared.document, name_of(info), shared.arguments.reading("connector"))
            folder = shared.parent / endpoint.label
            left = missing(folder, list(recipe.plan(endpoint)))
            return planned(folder, left, recipe, spec, source=endpoint, pack=shared.arguments.pack)
        except RetouchError as error:
            return refusal(error)

    plans = {name_of(info): plan(info) for info in endpoints}
    return show_plans(plans, recipe, spec, as_json=shared.arguments.as_json)
