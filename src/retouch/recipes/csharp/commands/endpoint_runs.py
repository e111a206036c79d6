"""The run of one endpoint of a command with many, in a directory of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.recipes.csharp.commands.arguments import reading_notes
from retouch.recipes.csharp.commands.rewriting import BREAKING
from retouch.recipes.csharp.commands.tally import RefusedEndpoint, refusal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retouch.engine.options import Watch
    from retouch.engine.overview import RunResult
    from retouch.engine.types import Model
    from retouch.recipes.csharp.commands.arguments import CsharpArguments
    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.reading.catalogue import EndpointInfo


@dataclass(frozen=True, kw_only=True)
class SharedInput:
    """The input that all runs of one command share."""

    document: Document
    arguments: CsharpArguments
    parent: Path


def name_of(info: EndpointInfo) -> str:
    """Return the name of an endpoint, such as `GET /pets`."""
    return f"{info.method} {info.path}"


async def run_endpoint(
    shared: SharedInput,
    info: EndpointInfo,
    model: Model,
    fallback: Sequence[Model],
    *,
    watch: Watch | None = None,
    wait: bool = False,
) -> RunResult | RefusedEndpoint:
    """Return the result of the run of one endpoint, or why there is none. `wait` waits for another writer of the run.

    Raises:
        OSError: the disk fails, which affects all endpoints.
    """
    from retouch.engine.verbs import generate
    from retouch.recipes.csharp.commands.rewriting import rewritten, stored_source, with_decisions, written_decisions
    from retouch.recipes.csharp.job import recipe
    from retouch.recipes.csharp.reading.endpoint import read_endpoint

    try:
        endpoint = read_endpoint(shared.document, name_of(info), shared.arguments.reading("connector"))
        options = shared.arguments.run_options(recipe, watch=watch, fallback=fallback)
        options = replace(options, wait=wait or options.wait)
        folder = shared.parent / endpoint.label
        before = stored_source(folder)
        if before is not None and (before.ask, before.runtime) != (endpoint.ask, endpoint.runtime):
            # a run keeps its own, unless the user names the other
            reading = shared.arguments.reading("connector", before.ask, runtime=before.runtime)
            endpoint = read_endpoint(shared.document, name_of(info), reading)
        source, broken = rewritten(before, with_decisions(endpoint, folder))
        result = await generate(recipe, source, folder, model, options)
        notes = await written_decisions(folder) if source.ask == "meaning" else []
        result = replace(result, notes=(*notes, *result.notes))
        changes = (f"{BREAKING}{change}" for change in broken)
        return replace(result, notes=(*reading_notes(endpoint), *changes, *result.notes))
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001 - one endpoint must not stop the others
        return refusal(error)
