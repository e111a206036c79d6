"""A worker: it claims shards of a fleet, one after another, and runs them, until nothing is left for it."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from retouch._lib.redaction import redacted
from retouch.engine.planned_calls import CallSlots, slot_of
from retouch.engine.recipe import guarded
from retouch.engine.types import Model
from retouch.errors import LimitReached, RetouchError
from retouch.fleet.isolating import Isolation, is_isolated
from retouch.fleet.limits import ROUNDING_USD, AccountState, CostAccount, EpochCost, FleetCostLimit
from retouch.fleet.rates import FleetRates
from retouch.fleet.running import ShardRun, ShardSetup, lost_under, spent_under
from retouch.fleet.shards import (
    ASIDE,
    COMMITS,
    MOST_DEATHS,
    Claim,
    Lease,
    LeaseWatch,
    WorkerId,
    claim,
    commit,
    dumped,
    numbers_in,
    release,
    stored_data,
)
from retouch.fleet.statuses import costs_so_far, expect_one_kind, settle_dead
from retouch.models.limits import CALL_LIMITS, Pace, pace_of
from retouch.models.named import inside, wrapping
from retouch.models.spending import capped, price_of
from retouch.telemetry import shard_traced

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator

    from retouch._lib.json_text import JSON
    from retouch.engine.recipe import Recipe
    from retouch.engine.types import OnEvent, Reply, Request
    from retouch.fleet.job import FleetCommand, FleetJob, FleetPlace

ModelOpener: TypeAlias = Callable[[str], Model]
"""A function that opens the model of a spec."""
OwnShardRun: TypeAlias = "Callable[[ShardCall], Awaitable[Mapping[str, Any]]]"
"""A function that runs one shard of a job with its own files, and returns what its commit contains."""
_POLL_S = 0.1
_WAITING_S = 0.5
RATES, BASES = ".rates", "bases"
LEASE_OVER = "the lease was over"


@dataclass(frozen=True, kw_only=True)
class ShardCall:
    """What the run of one claimed shard of a job with its own files gets: its number, and the models under limits.

    `isolation` runs its records part by part if workers have died with some of them. `is_repeated` is whether another
    worker has begun it before.
    """

    number: int
    model: Model
    isolation: Isolation
    fallbacks: tuple[Model, ...] = ()
    is_repeated: bool = False


@dataclass(frozen=True, kw_only=True)
class OwnRuns:
    """How the shards of a job with its own files are run, and where the run directory of each is."""

    run_shard: OwnShardRun
    directory: Callable[[int], Path]


@dataclass(frozen=True, kw_only=True)
class WorkerInput:
    """Everything that a worker process gets. `open_model` opens a model in it.

    `own` is None for the shards of a fleet. `numbers` are the shards to run, None for all. `rates` makes the limits
    that all processes share, under `rates_name` if they are not in files of this machine.
    """

    place: FleetPlace
    job: FleetJob
    command: FleetCommand
    recipe: Recipe[Any, Any]
    open_model: ModelOpener
    own: OwnRuns | None = None
    numbers: tuple[int, ...] | None = None
    rates: type[FleetRates] = FleetRates
    rates_name: str = ""

    @property
    def shards(self) -> Sequence[int]:
        """The numbers of the shards to run."""
        return range(self.job.shards) if self.numbers is None else self.numbers


@dataclass(frozen=True, kw_only=True)
class WorkerEnd:
    """What a worker has ended with: the shards that it has committed, and why it stopped early, "" if it did not.

    `detail` is the server's message for a record without an answer.
    """

    committed: int = 0
    why: str = ""
    detail: str = ""
    error: RetouchError | OSError | None = None


@dataclass(kw_only=True)
class FleetWorker:
    """A worker in this process. `is_stopping` is checked often; `only` is the one shard to run, None for all."""

    given: WorkerInput
    is_stopping: Callable[[], bool] = lambda: False
    only: int | None = None
    committed: int = 0
    _running: set[int] = field(default_factory=set[int])
    _is_alone: bool = False
    _turned: float = 0.0
    _moved: float = 0.0
    _in_flight: int = 0
    _end: WorkerEnd | None = None

    def __post_init__(self) -> None:
        """Create the lease and the shared limits of this process."""
        place, command = self.given.place, self.given.command
        self.id = WorkerId.own()
        self.lease = Lease(
            store=place.store, worker=self.id, lease_s=command.lease_s, progress=self._progress, hangs=self._hangs
        )
        self._watch = LeaseWatch(store=place.store, lease_s=command.lease_s)
        self._slots = CallSlots(command.run_options().concurrency, is_closed=self._must_stop)
        self._setup = ShardSetup(
            place=place,
            job=self.given.job,
            recipe=guarded(self.given.recipe),
            options=command.run_options(),
            lease=self.lease,
        )

    async def run(self) -> WorkerEnd:
        """Work until every shard is committed or set aside, or this worker must stop. Return how it ended."""
        command = self.given.command
        self._turned = self._moved = time.monotonic()
        self.lease.start()
        try:
            models = self._opened_models()
            slots = [asyncio.create_task(self._slot(models)) for _ in range(max(1, command.at_once))]
            await self._until_over(slots)
        finally:
            self.lease.stop()
        return self._end or WorkerEnd(committed=self.committed)

    def _opened_models(self) -> list[Model]:
        """Open the models. The limits of their specs, and of the command, are for all processes together."""
        command, rates = self.given.command, self.given.rates
        runs = Path(self.given.rates_name) if self.given.rates_name else self.given.place.runs
        common = rates(
            place=runs / RATES,
            requests_per_minute=command.requests_per_minute,
            tokens_per_minute=command.tokens_per_minute,
        )
        models: list[Model] = []
        for number, spec in enumerate(self._specs()):
            pace = pace_of(spec)
            own = rates(
                place=runs / f"{RATES}-{number}",
                requests_per_minute=pace.requests_per_minute,
                tokens_per_minute=pace.tokens_per_minute,
            )
            limits = [own, common] if pace != Pace() else [common]
            token = CALL_LIMITS.set(lambda model, limits=limits: self._paced(model, limits))
            try:
                models.append(self._leased(self.given.open_model(spec)))
            finally:
                CALL_LIMITS.reset(token)
        return models

    def _paced(self, model: Model, limits: Sequence[FleetRates]) -> Model:
        paced = self._leased(model)
        for one in limits:
            paced = one.limit(paced)
        return paced

    async def _until_over(self, slots: Sequence[asyncio.Task[None]]) -> None:
        """Wait for the slots. If the worker must stop, cancel them: replies in flight get a moment."""
        try:
            while not all(one.done() for one in slots):
                self._turned = time.monotonic()
                await asyncio.wait(slots, timeout=_POLL_S, return_when=asyncio.FIRST_EXCEPTION)
                failed = [one for one in slots if one.done() and not one.cancelled() and one.exception()]
                if failed or self._must_stop():
                    break
        finally:
            for one in slots:
                one.cancel()
            found = await asyncio.gather(*slots, return_exceptions=True)
        error = next((one for one in found if isinstance(one, Exception)), None)
        if error is not None and not isinstance(error, RetouchError):
            raise error
        if error is not None:
            self._end = WorkerEnd(committed=self.committed, why="failed", error=error)
        elif self._must_stop() and self._end is None:
            why = "interrupted" if self.lease.is_valid else self.lease.failure or LEASE_OVER
            self._end = WorkerEnd(committed=self.committed, why=why)

    def _hangs(self) -> bool:
        """Return whether code of a recipe hangs: it blocks the event loop, or no shard has requested anything."""
        limit, at = self.given.command.hang_s, time.monotonic()
        is_idle = bool(self._running) and not self._in_flight and at - self._moved > limit
        return is_idle or at - self._turned > limit

    def _must_stop(self) -> bool:
        return self.is_stopping() or not self.lease.is_valid

    async def _slot(self, models: Sequence[Model]) -> None:
        while not self._must_stop() and self._end is None:
            left = self._left()
            if not left:
                return
            own = next((found for number in left if (found := self._claimed(number)) is not None), None)
            if own is None:
                if self.only is not None and not self._running:
                    self._end = WorkerEnd(why="busy")
                    return
                await asyncio.sleep(_WAITING_S)
                continue
            with shard_traced(f"shard {own.shard:05}"):
                await self._one(own, models)

    def _left(self) -> list[int]:
        """Return the shards that are neither done nor worked on by this process."""
        store = self.given.place.store
        numbers = self.given.shards if self.only is None else (self.only,)
        done = numbers_in(store, COMMITS)
        aside = numbers_in(store, ASIDE) if self.only is None else set[int]()
        return [one for one in numbers if one not in done and one not in aside]

    def _claimed(self, number: int) -> Claim | None:
        if number in self._running or self._is_alone:
            return None
        alone = is_isolated(self.given.place.store, number)
        if alone and self._running:
            return None
        most = MOST_DEATHS if self.only is None else math.inf  # a shard that was set aside can be requested
        found = claim(self.given.place.store, number, self.id, self._watch, most_deaths=most)
        if found is not None:
            self._moved = time.monotonic()
            self._running.add(number)
            self._is_alone = alone
        return found

    async def _one(self, own: Claim, models: Sequence[Model]) -> None:
        """Run a claimed shard. Whatever happens, the claim is released, unless the lease is over."""
        limit = self._limit(own)
        model, *fallbacks = [self._limited(one, spec, limit) for one, spec in zip(models, self._specs(), strict=True)]
        why, detail = "failed", ""
        try:
            if self.given.own is not None:
                isolation = Isolation(store=self.given.place.store, claim=own)
                call = ShardCall(
                    number=own.shard,
                    model=model,
                    isolation=isolation,
                    fallbacks=tuple(fallbacks),
                    is_repeated=own.epoch > 1,
                )
                why = await self._own_run(self.given.own, own, call, limit)
            else:
                run = ShardRun(setup=self._setup, claim=own, model=model, fallbacks=tuple(fallbacks), limit=limit)
                why = await run.run()
                detail = redacted(run.failure) if why == "incomplete" else ""
        except asyncio.CancelledError:
            why = "interrupted"
            raise
        except LimitReached:
            why = "limit"
        except Exception as error:
            detail = redacted(f"{type(error).__name__}: {error}")
            raise
        finally:
            self._running.discard(own.shard)
            self._is_alone = False
            if why == "limit":  # a higher limit continues
                detail = str(self.given.command.max_cost_usd or 0.0)
            if why and why != "lost" and self.lease.is_valid:
                release(self.given.place.store, own, why, detail)
        if not why:
            self.committed += 1
        elif why != "lost" or self.only is not None:
            self._end = WorkerEnd(committed=self.committed, why=why, detail=detail if why == "incomplete" else "")

    async def _own_run(self, runs: OwnRuns, own: Claim, call: ShardCall, limit: FleetCostLimit | None) -> str:
        """Run a shard of a job with its own files, and commit what it returns. Return "" if the commit counts.

        The ledger of such a shard grows over all epochs, so the cost of one epoch is what it has added.
        """
        store, directory = self.given.place.store, runs.directory(own.shard)
        before = spent_under(directory) if limit is not None else 0.0
        lost = lost_under(directory) if limit is not None else 0.0
        if limit is not None and own.epoch > 1:
            earlier = replace(own, epoch=own.epoch - 1).name
            base = stored_data(store, f"{BASES}/{earlier}.json")
            most = max(before - base.get("spent_usd", before), 0.0)
            known = max(most - max(lost - base.get("lost_usd", lost), 0.0), 0.0)
            limit.account.settle_stopped(earlier, EpochCost(known_usd=known, most_usd=most))
        if limit is not None:
            store.put(f"{BASES}/{own.name}.json", dumped({"spent_usd": before, "lost_usd": lost}))
            limit.begin()
        try:
            data = await runs.run_shard(call)
        finally:
            if limit is not None:
                limit.close(max(spent_under(directory) - before, limit.spent_usd))
        return "" if commit(store, own, self.lease, data) else "lost"

    def _specs(self) -> tuple[str, ...]:
        return (self.given.command.model, *self.given.command.fallbacks)

    def _limit(self, own: Claim) -> FleetCostLimit | None:
        command = self.given.command
        if command.max_cost_usd is None:
            return None
        account = CostAccount(store=self.given.place.store)
        return FleetCostLimit(account=account, claim=own.name, limit_usd=command.max_cost_usd, workers=command.workers)

    def _limited(self, model: Model, spec: str, limit: FleetCostLimit | None) -> Model:
        counted = self._counted(model)
        return self._slots.limit(counted if limit is None else capped(counted, limit, price_of(spec)))

    def _counted(self, model: Model) -> Model:
        """Return `model`, whose calls, and waits for permits, are progress."""

        @contextmanager
        def counted() -> Generator[None]:
            self._in_flight += 1
            try:
                yield
            finally:
                self._in_flight -= 1
                self._moved = time.monotonic()

        return inside(model, counted)

    def _leased(self, model: Model) -> Model:
        """Return `model` that sends nothing, and records nothing as sent, once the lease of this worker is over."""

        def expect_lease() -> None:
            if not self.lease.is_valid:
                raise asyncio.CancelledError("the lease is over; it was not sent")

        @asynccontextmanager
        async def slot(request: Request) -> AsyncGenerator[None]:
            async with slot_of(model, request):
                expect_lease()
                yield

        async def answer(request: Request, on_event: OnEvent | None) -> Reply:
            expect_lease()
            return await model(request, on_event=on_event)

        return replace(wrapping(model, answer), slot=slot)

    def _progress(self) -> dict[str, JSON]:
        return {
            "committed": self.committed,
            "max_cost": self.given.command.max_cost_usd,
            "shards": [*sorted(self._running)],
        }


def opened_account(given: WorkerInput) -> AccountState | None:
    """Return the state of the fleet's account, None without a limit.

    It starts with what the ledgers show. Later, what they show and the account does not is added to it, for example
    the calls of a command without a limit.

    Raises:
        BadInput: a limit is given, and what the fleet has cost so far is unknown, or a worker without a limit is
            running. Or no limit is given, and a worker with one is running.
    """
    expect_one_kind(given.place, given.command.max_cost_usd)
    if given.command.max_cost_usd is None:
        return None
    for spec in (given.command.model, *given.command.fallbacks):
        price_of(spec)
    account = CostAccount(store=given.place.store)
    account.open(lambda: AccountState(settled_usd=costs_so_far(given.place, given.job)))
    with suppress(RetouchError):
        settle_dead(given.place, account)
    before = account.state() or AccountState()
    missing_usd = costs_so_far(given.place, given.job, before.open_usd) - before.settled_usd
    if missing_usd > ROUNDING_USD:
        account.add(missing_usd)
    return account.state()


def run_worker(
    given: WorkerInput, is_stopping: Callable[[], bool] = lambda: False, only: int | None = None
) -> WorkerEnd:
    """Run a worker in this process until it ends. `only` is the one shard to run."""
    from retouch._lib.run_sync import run_sync

    return run_sync(FleetWorker(given=given, is_stopping=is_stopping, only=only).run())
