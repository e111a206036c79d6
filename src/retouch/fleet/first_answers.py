"""The first answers of one run, requested by several worker processes.

The units of the run are cut into parts. Each part is a shard, and a run of its own below `RUN/ledger.db-workers`, whose
answers are read and not checked. Then the run itself takes these replies instead of requesting them, with their usage
(`batches` of the engine), and goes on as with one process: it checks, repairs and writes. The directories of the
parts are removed at the end.
"""

from __future__ import annotations

import json
import secrets
import shutil
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from retouch.engine.batches import (
    WORKERS,
    answered,
    is_taken,
    part_directories,
    prompt_key,
    replies_in,
    replies_left,
    reply_key,
)
from retouch.engine.history import read_history
from retouch.engine.ledger import LEDGER, one_writer
from retouch.engine.recipe import Recipe, grouped
from retouch.engine.types import RetryBudget
from retouch.errors import BadInput
from retouch.fleet.limits import expect_known
from retouch.fleet.own_shards import OwnShards, run_own_shards
from retouch.fleet.worker import OwnRuns, ShardCall
from retouch.models.spending import attempt_cost, spent_in

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
    from pathlib import Path

    from retouch.engine.options import RunOptions
    from retouch.engine.types import Prompt
    from retouch.fleet.isolating import IsolationStep
    from retouch.fleet.job import FleetCommand
    from retouch.fleet.worker import ModelOpener

_LOST = "lost.json"
_PARTS = 4  # for each worker, so that none waits long for the last one
_UNITS = 8  # at least, in a part


@dataclass(frozen=True, kw_only=True)
class FirstAnswers:
    """The first answers of one run in `directory`, by the model of `name`.

    `command` has the limits; `spent_usd` counts against its limit.
    """

    recipe: Recipe[Any, Any]
    source: Any
    directory: Path
    prompts: Sequence[Prompt]
    name: str
    command: FleetCommand
    open_model: ModelOpener
    spent_usd: float = 0.0
    wait: bool = False


@dataclass(frozen=True, kw_only=True)
class _PartTask:
    """Requests the units of one part in a worker."""

    given: FirstAnswers
    parts: Sequence[Sequence[Prompt]]
    options: RunOptions
    directory: partial[Path]

    async def __call__(self, call: ShardCall) -> Mapping[str, Any]:
        from retouch.engine.verbs import generate

        units = grouped(self.parts[call.number])

        async def part(step: IsolationStep | None) -> None:
            kept = {*units} if step is None else {*step.kept([*units])}
            prompts = tuple(one for name in units if name in kept for one in units[name])
            recipe = _without_checks(self.given.recipe, prompts)
            await generate(recipe, self.given.source, self.directory(call.number), call.model, self.options)

        await call.isolation.run(len(units), part)
        return {}


async def request_first_answers(given: FirstAnswers) -> AsyncGenerator[tuple[int, int]]:
    """Request the first answers of all units that have none. Yield the number of finished parts, and of all.

    A process that dies is replaced. A unit that processes die with is left to the run itself, and so is everything that
    the cost limit does not allow.

    Raises:
        FolderBusy: another command writes into the run.
        ModelError: the model cannot answer at all.
    """
    async with one_writer(given.directory, wait=given.wait):
        parts = _parts(given)
        if not parts:
            return
        done = 0
        async with aclosing(run_own_shards(_shards(given, parts))) as commits:
            async for _ in commits:
                done += 1
                yield done, len(parts)


def _parts(given: FirstAnswers) -> list[Sequence[Prompt]]:
    """Return the prompts of the units that neither the run nor earlier workers have an answer to, in parts."""
    own = read_history(given.directory / LEDGER)
    known = {reply_key(one.request) for one in answered(own)}
    left = replies_left(own, part_directories(given.directory), given.name)
    known |= {reply_key(one.request) for one in left}
    units = grouped(given.prompts)
    open_units = [name for name, pages in units.items() if not all(prompt_key(page) in known for page in pages)]
    return [tuple(page for name in names for page in units[name]) for names in _cut(open_units, given.command.workers)]


def _shards(given: FirstAnswers, parts: Sequence[Sequence[Prompt]]) -> OwnShards:
    place = given.directory / WORKERS
    place.mkdir(exist_ok=True)
    run = given.command.run_options()
    options = replace(
        run,
        concurrency=max(1, run.concurrency // given.command.workers),
        budget=RetryBudget(tier1_remaining=0, tier2_remaining=0, tier3_remaining=0, total_remaining=0),
        wait=True,
    )
    directory = partial(_part_directory, place / secrets.token_hex(4))
    task = _PartTask(given=given, parts=parts, options=options, directory=directory)
    return OwnShards(
        directory=place,
        numbers=tuple(range(len(parts))),
        command=replace(given.command, options=options.stored()),
        recipe=given.recipe,
        open_model=given.open_model,
        runs=OwnRuns(run_shard=task, directory=directory),
        spent_usd=given.spent_usd,
    )


def remove_first_answers(directory: Path, parts: Sequence[Path], *, is_complete: bool) -> None:
    """Remove the directories `parts` of workers. The cost of calls whose reply the run did not get stays known.

    If the run is not complete, a directory with replies that the run has not taken yet is kept for the next command.
    """
    place = directory / WORKERS
    if not is_complete:
        own = read_history(directory / LEDGER)
        parts = [one for one in parts if not replies_left(own, [one])]
    if not place.is_dir():
        return
    try:
        usd: float | None = _lost_before(directory) + _cost_of(directory, parts)
    except BadInput:
        usd = None
    if usd is None or usd > 0:
        (place / f"{_LOST}.new").write_text(json.dumps({"usd": usd}), encoding="ascii")
        (place / f"{_LOST}.new").replace(place / _LOST)
    for one in parts:
        shutil.rmtree(one, ignore_errors=True)
    with suppress(OSError):  # it still has files
        place.rmdir()


def cost_elsewhere(directory: Path) -> float:
    """Return what workers have spent for a run that its own ledger does not show, in US dollars.

    Raises:
        BadInput: it is unknown.
    """
    return _lost_before(directory) + _cost_of(directory, part_directories(directory))


def _lost_before(directory: Path) -> float:
    lost = directory / WORKERS / _LOST
    return expect_known(json.loads(lost.read_bytes())["usd"], str(directory)) if lost.exists() else 0.0


def _cost_of(directory: Path, parts: Sequence[Path]) -> float:
    """Return what the calls in `parts` have cost, without those whose reply the run has taken."""
    own = replies_in(read_history(directory / LEDGER))
    total = 0.0
    for part in parts:
        history = read_history(part / LEDGER)
        taken = sum(attempt_cost(one) for one in answered(history) if is_taken(own, one))
        total += max(spent_in(history) - taken, 0.0)
    return total


def _cut(names: Sequence[str], workers: int) -> Iterator[Sequence[str]]:
    size = max(_UNITS, -(-len(names) // (workers * _PARTS)))
    return (names[start : start + size] for start in range(0, len(names), size))


def _part_directory(place: Path, number: int) -> Path:
    return place.with_name(f"{place.name}-{number:05}")


def _without_checks(recipe: Recipe[Any, Any], prompts: Sequence[Prompt]) -> Recipe[Any, Any]:
    """Return a recipe that requests these prompts once, and only reads the answers."""
    return Recipe[Any, Any](
        name=recipe.name,
        source=recipe.source,
        plan=partial(_planned, prompts),
        read=recipe.read,
        check=_no_issues,
        assemble=_no_files,
        session=recipe.session,
        pack=recipe.pack,
        offline=recipe.offline,
        faults=recipe.faults,
    )


def _planned(prompts: Sequence[Prompt], _source: object) -> Sequence[Prompt]:
    return prompts


def _no_issues(_source: object, _values: object, _options: object) -> tuple[()]:
    return ()


def _no_files(_source: object, _values: object) -> Mapping[str, str]:
    return {}
