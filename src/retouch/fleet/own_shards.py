"""Runs the shards of a job with its own files: worker processes, claims, one cost limit and one set of rate limits.

The job keeps its runs and results where it wants. A command over it uses a directory of its own for claims, commits,
the account and the rates, which is removed at its end. What is done is the job's own business: the next command gets
the numbers of the shards that are left.
"""

from __future__ import annotations

import asyncio
import secrets
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from retouch.engine.tiers import EXIT_STATUS
from retouch.errors import RetouchError
from retouch.fleet.engines import POLL_S, LocalWorkers
from retouch.fleet.job import FleetCommand, FleetJob, FleetPlace
from retouch.fleet.limits import AccountState, CostAccount
from retouch.fleet.shards import ASIDE, COMMITS, MOST_DEATHS, numbers_in, stored_data
from retouch.fleet.store import LocalStore, expect_local_disk
from retouch.fleet.worker import WorkerInput

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping
    from pathlib import Path

    from retouch.engine.recipe import Recipe
    from retouch.fleet.worker import ModelOpener, OwnRuns

WORK = ".fleet"


@dataclass(frozen=True, kw_only=True)
class OwnShards:
    """The shards of one command over a job in `directory`.

    `runs` defines how one of them is run in a worker process. `spent_usd` counts against the cost limit of `command`
    when the command starts.
    """

    directory: Path
    numbers: tuple[int, ...]
    command: FleetCommand
    recipe: Recipe[Any, Any]
    open_model: ModelOpener
    runs: OwnRuns
    spent_usd: float = 0.0


async def run_own_shards(given: OwnShards) -> AsyncGenerator[tuple[int, Mapping[str, Any]]]:
    """Yield the number of each shard when it is done, and what its run returned.

    The writer of the job calls this, so no other command works on it. If the generator is closed, workers stop; replies
    in flight get a moment. A worker that dies or hangs is replaced, and its shard goes on from its ledger.

    Raises:
        RetouchError: a shard failed, no worker can go on, or workers have died very often with the same shard. The
            other shards are done by then.
    """
    _remove_earlier(given.directory)
    command = _Command(given=given, directory=given.directory / f"{WORK}-{secrets.token_hex(4)}")
    try:
        command.workers.start()
        while True:
            end = command.workers.poll()
            for number, data in command.new_commits():
                yield number, data
            if end is not None:
                break
            await asyncio.sleep(POLL_S)
        if end.error is not None:
            raise end.error
        command.expect_all()
    finally:
        await asyncio.shield(asyncio.to_thread(command.close))


@dataclass(kw_only=True)
class _Command:
    """One command at work: its workers, and the shards that it has seen done."""

    given: OwnShards
    directory: Path
    seen: set[int] = field(default_factory=set[int])

    def __post_init__(self) -> None:
        """Make the directory and open the account."""
        given, self.directory = self.given, self.directory.absolute()
        self.directory.mkdir(parents=True)
        expect_local_disk(self.directory)
        self.store = LocalStore(directory=self.directory)
        if given.command.max_cost_usd is not None:
            CostAccount(store=self.store).open(lambda: AccountState(settled_usd=given.spent_usd))
        place = FleetPlace(address=str(self.directory), store=self.store, runs=self.directory)
        job = FleetJob(recipe=given.recipe.name, digest="", shards=max(given.numbers) + 1, records=0)
        self.workers = LocalWorkers(
            given=WorkerInput(
                place=place,
                job=job,
                command=given.command,
                recipe=given.recipe,
                open_model=given.open_model,
                own=given.runs,
                numbers=given.numbers,
            ),
            workers=given.command.workers,
        )

    def new_commits(self) -> list[tuple[int, Mapping[str, Any]]]:
        """Return the shards that were committed since the last call, with their data."""
        new = sorted(numbers_in(self.store, COMMITS) - self.seen)
        self.seen.update(new)
        return [(number, stored_data(self.store, f"{COMMITS}/{number:05}.json")) for number in new]

    def expect_all(self) -> None:
        """Check that every shard is done."""
        aside = sorted(numbers_in(self.store, ASIDE))
        if aside:
            names = ", ".join(f"{number:05}" for number in aside)
            hint = f"Run it in one process to see why: --workers 1. Nothing in {str(self.given.directory)!r} is lost."
            error = RetouchError(f"the process of shard {names} died {MOST_DEATHS} times: set aside", hint=hint)
            error.exit_status = EXIT_STATUS["exhausted"]
            raise error
        left = len(self.given.numbers) - len(self.seen)
        if left:
            raise RetouchError(
                f"the workers have stopped, and {left} shards are not done", hint="Give the same command again."
            )

    def close(self) -> None:
        """Stop the workers, and remove the directory of this command."""
        self.workers.stop()
        shutil.rmtree(self.directory, ignore_errors=True)


def _remove_earlier(directory: Path) -> None:
    """Remove what commands that were killed have left. A worker of theirs that still ends commits nothing here."""
    for one in directory.glob(f"{WORK}-*"):
        shutil.rmtree(one, ignore_errors=True)
