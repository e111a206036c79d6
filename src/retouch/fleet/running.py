"""One shard at work: its runs, the answers in `out/00042.jsonl`, and its commit."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from retouch._lib.hashing import text_hash
from retouch.engine.history import read_history
from retouch.engine.judge import NO_REPLY, UNANSWERED
from retouch.engine.tiers import STATUSES
from retouch.engine.types import Usage, errors_of
from retouch.engine.usage import cost_report
from retouch.engine.verbs import generate, read_values
from retouch.errors import BadInput, CannotJudge, ModelError, RetouchError
from retouch.fleet.disk_states import disk_state, file_state
from retouch.fleet.isolating import DIED, first_step, save_step
from retouch.fleet.job import OUT, input_name
from retouch.fleet.limits import EpochCost
from retouch.fleet.shards import DEATHS, Claim, commit, dumped
from retouch.fleet.shipping import LogShipper, base_costs, ledgers_in, prepare, save_base
from retouch.models.spending import lost_in, spent_in
from retouch.telemetry import shard_traced

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.options import RunOptions
    from retouch.engine.overview import RunResult
    from retouch.engine.recipe import Recipe, ShardRecord
    from retouch.engine.tiers import Status
    from retouch.engine.types import Issue, Model
    from retouch.fleet.job import FleetJob, FleetPlace
    from retouch.fleet.limits import FleetCostLimit
    from retouch.fleet.shards import Lease

RecordState: TypeAlias = Literal["verified", "unverified", "issues", "missing", "exhausted"]
RECORD_STATES: tuple[RecordState, ...] = ("verified", "unverified", "issues", "missing", "exhausted")
REFUSED = "RECORD_REFUSED"
_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_TRIED = 1_000  # records, until one can be used
_TOGETHER = 8  # runs of one shard at once, if each record is a run


@dataclass(frozen=True, kw_only=True)
class RecordOutcome:
    """The outcome of one record: its status, its value if it has a usable one, its issues, and its run."""

    key: str
    status: RecordState
    value: JSON = None
    issues: tuple[Mapping[str, JSON], ...] = ()
    run: str = ""
    files: tuple[str, ...] = ()

    def line(self) -> bytes:
        """Return its line in `out/00042.jsonl`."""
        data: dict[str, Any] = {"key": self.key, "status": self.status, "value": self.value}
        data |= {"issues": list(self.issues)} if self.issues else {}
        data |= {"run": self.run, "files": list(self.files)} if self.run else {}
        return dumped(data)


@dataclass(frozen=True, kw_only=True)
class ShardSetup:
    """What all shards of a fleet share in one process."""

    place: FleetPlace
    job: FleetJob
    recipe: Recipe[Any, Any]
    options: RunOptions
    lease: Lease


@dataclass(kw_only=True)
class ShardRun:
    """A claimed shard at work. `limit` is its part of the cost limit, None without one."""

    setup: ShardSetup
    claim: Claim
    model: Model
    fallbacks: tuple[Model, ...] = ()
    limit: FleetCostLimit | None = None
    results: list[RunResult] = field(default_factory=list["RunResult"])

    @property
    def failure(self) -> str:
        """Why a record has no answer: the first message of the model's server, "" if there is none."""
        missing = (issue for result in self.results for issue in result.issues if issue.code == UNANSWERED)
        return next(
            (one.message.partition(NO_REPLY)[2].partition("\n")[0] for one in missing if NO_REPLY in one.message), ""
        )

    async def run(self) -> str:
        """Run the shard and commit its result. Return "" if it counts, else the reason why the shard is not done.

        Raises:
            ModelError: the model cannot answer at all.
            OSError: the disk fails.
        """
        directory, earlier = prepare(self.setup.place, self.claim)
        is_metered = self.limit is not None
        before = spent_under(directory) if earlier and is_metered else 0.0
        if earlier != self.claim.epoch:
            lost = lost_under(directory) if earlier and is_metered else 0.0
            save_base(directory, self.claim.name, before, lost)
        self._settle_earlier(earlier)
        if self.limit is not None:
            self.limit.begin()
        shipper = LogShipper(place=self.setup.place, claim=self.claim) if self.setup.place.ships else None
        shipping = asyncio.create_task(shipper.keep_shipping()) if shipper is not None else None
        try:
            outcomes = await self._outcomes(directory)
        finally:
            if shipping is not None and shipper is not None:
                shipping.cancel()
                await asyncio.gather(shipping, return_exceptions=True)
                if self.setup.lease.is_valid:
                    shipper.ship()
            self._close(directory, before)
        if self.limit is not None and self.limit.reached_limit:
            return "limit"
        if any(one.status == "missing" for one in outcomes):
            return "incomplete"
        return "" if self._commit(directory, outcomes, earlier=earlier) else "lost"

    async def _outcomes(self, directory: Path) -> list[RecordOutcome]:
        """Run the records, part by part if workers have died with some of them, and return the outcome of each."""
        store, records = self.setup.place.store, self.setup.place.records(self.claim.shard, self.setup.job)
        step = first_step(store, self.claim, len(records))
        if step is None:
            return await self.run_records(directory, records)
        while True:
            save_step(store, self.claim.shard, step)
            self.results.clear()
            found = await self.run_records(directory, step.kept(records))
            if not step.parts or any(one.status == "missing" for one in found):
                break
            step = step.after_end()
        by_key = {one.key: one for one in [*found, *(died_with(records[one].key) for one in step.dead)]}
        return [by_key[one.key] for one in records if one.key in by_key]

    async def run_records(self, directory: Path, records: Sequence[ShardRecord]) -> list[RecordOutcome]:
        """Run these records of the shard in a directory, with what its ledgers hold, and return their outcomes."""
        if not records:
            return []
        if self.setup.job.together:
            return await self._as_one_run(directory, records)
        return await self._as_runs(directory, records)

    async def _as_one_run(self, directory: Path, records: Sequence[ShardRecord]) -> list[RecordOutcome]:
        recipe, sharding = self.setup.recipe, self.setup.recipe.sharding
        if sharding is None:
            raise BadInput(f"the recipe {recipe.name!r} cannot run many records as one run", hint="See its page.")
        refused: dict[str, RecordOutcome] = {}
        try:
            source = sharding.source(self.setup.job.shared, records)
            prompts = list(recipe.plan(source))
        except (ModelError, CannotJudge):
            raise
        except Exception as error:
            refused = refused_records(recipe, self.setup.job.shared, records)
            if not refused:
                raise _as_input_error(error) from error
            if len(refused) == len(records):  # there is nothing to run; other shards have prompts
                return [*refused.values()]
            source = sharding.source(self.setup.job.shared, [one for one in records if one.key not in refused])
            prompts = list(recipe.plan(source))
        values: dict[str, Any] = {}
        result = await generate(_capturing(recipe, values), source, directory, self.model, self._options())
        self.results.append(result)
        if not values and prompts:
            values = dict((await read_values(recipe, directory))[1])
        return outcomes_by_unit(recipe, records, result, values, refused)

    async def _as_runs(self, directory: Path, records: Sequence[ShardRecord]) -> list[RecordOutcome]:
        """Run each record as a run of its own in a directory that its key names."""
        slots = asyncio.Semaphore(_TOGETHER)

        async def one(record: ShardRecord) -> RecordOutcome:
            async with slots:
                return await self._one_run(directory, record)

        tasks = [asyncio.create_task(one(record)) for record in records]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _one_run(self, directory: Path, record: ShardRecord) -> RecordOutcome:
        name = run_name(record.key)
        try:
            source = source_of(self.setup.recipe, {**self.setup.job.shared, **record.fields})
            with shard_traced(record.key):  # units of different runs may have the same names
                result = await generate(self.setup.recipe, source, directory / name, self.model, self._options())
        except (ModelError, CannotJudge, OSError):
            raise
        except RetouchError as error:
            return _refusal(record.key, error)
        self.results.append(result)
        return run_outcome(record.key, name, result)

    def _options(self) -> RunOptions:
        return replace(self.setup.options, fallback=self.fallbacks, watch=None)

    def _settle_earlier(self, earlier: int) -> None:
        """Replace the lease of the epoch that this one continues by the cost that its ledger shows."""
        if self.limit is None or not earlier or self.setup.place.ships:
            return
        cost = cost_of_epoch(self.setup.place.run_directory(self.claim.shard, earlier))
        if earlier == self.claim.epoch:  # its claim was removed, and its calls go on
            self.limit.account.settle({self.claim.name: cost.most_usd})
        else:
            self.limit.account.settle_stopped(replace(self.claim, epoch=earlier).name, cost)

    def _close(self, directory: Path, before_usd: float) -> None:
        if self.limit is None:
            return
        actual: float | None = None
        with suppress(RetouchError):
            actual = max(spent_under(directory) - before_usd, self.limit.spent_usd)
        self.limit.close(actual)

    def _commit(self, directory: Path, outcomes: Sequence[RecordOutcome], *, earlier: int) -> bool:
        of_this_run = sum((one.usage for one in self.results), Usage())
        usage = usage_under(directory) if earlier or self.claim.epoch > DEATHS else of_this_run
        spent = spent_under(directory) if self.limit is not None else usage.cost
        place, job = self.setup.place, self.setup.job
        data = written_result(place, job, self.claim, outcomes, usage=usage, spent_usd=spent, runs=self.results)
        data["is_metered"] = self.limit is not None
        return commit(self.setup.place.store, self.claim, self.setup.lease, data)


def written_result(
    place: FleetPlace,
    job: FleetJob,
    claim: Claim,
    outcomes: Sequence[RecordOutcome],
    *,
    usage: Usage,
    spent_usd: float | None,
    runs: Sequence[RunResult] = (),
) -> dict[str, Any]:
    """Write the answers of a shard, and return the content of its commit.

    `runs` are the results of its runs: the shard is no better than the worst of them. `requested` is whether one of
    them could not run a check that an option requested.
    """
    text = b"".join(one.line() for one in outcomes)
    name = out_name(claim.shard, claim.epoch)
    place.store.put(name, text)
    counts = Counter["RecordState"](one.status for one in outcomes)
    statuses: list[Status] = [one.status for one in runs]
    return {
        "fleet": job.identity,
        "status": worst_status([shard_status(counts), *statuses]),
        "requested": any(tier.requested for one in runs for tier in one.tiers),
        "records": {state: counts.get(state, 0) for state in RECORD_STATES},
        "usage": dict(vars(usage)),
        "spent_usd": spent_usd,
        "files": {name: f"sha256:{sha256(text).hexdigest()}"},
        "run": disk_state(place.run_directory(claim.shard, claim.epoch)),
        "out": file_state(place, name),
        "input": file_state(place, input_name(claim.shard)),
    }


def out_name(shard: int, epoch: int) -> str:
    """Return the name of the file with the answers of a shard."""
    return f"{OUT}/{shard:05}.e{epoch}.jsonl"


def run_outcome(key: str, run: str, result: RunResult) -> RecordOutcome:
    """Return the outcome of a record that is a run of its own."""
    status: RecordState = "missing" if result.status == "incomplete" else result.status
    if status == "exhausted" and any(state == "unanswered" for _, state in result.states):
        status = "missing"
    return RecordOutcome(
        key=key, status=status, issues=tuple(map(_plain, result.issues)), run=run, files=tuple(result.files)
    )


def outcomes_by_unit(
    recipe: Recipe[Any, Any],
    records: Sequence[ShardRecord],
    result: RunResult,
    values: Mapping[str, Any],
    refused: Mapping[str, RecordOutcome],
) -> list[RecordOutcome]:
    """Return the outcome of each record of a shard that is one run. A record without a unit is missing."""
    issues: dict[str, list[Issue]] = {}
    for issue in result.issues:
        issues.setdefault(issue.unit, []).append(issue)
    states = dict(result.states)
    unjudged = any(tier.not_run and not tier.blocked for tier in result.tiers) or not result.tiers
    troubled = any(issue.is_error for unit, own in issues.items() if unit not in states for issue in own)
    outcomes: list[RecordOutcome] = []
    for one in records:
        if one.key in refused:
            outcomes.append(refused[one.key])
            continue
        own = issues.get(one.key, [])
        status = record_state(states.get(one.key, "unanswered"), own, unjudged=unjudged or troubled)
        value = values.get(one.key)
        usable = status in {"verified", "unverified", "issues"} and not _is_unread(value)
        plain = recipe.sharding.value(value) if usable and recipe.sharding else None
        outcomes.append(RecordOutcome(key=one.key, status=status, value=plain, issues=tuple(map(_plain, own))))
    return outcomes


def shard_status(counts: Mapping[RecordState, int]) -> Status:
    """Return the status of a shard from its records: the worst of theirs."""
    found: list[Status] = ["incomplete" if state == "missing" else state for state, number in counts.items() if number]
    return worst_status(found)


def worst_status(statuses: Sequence[Status], *, default: Status = "unverified") -> Status:
    """Return the worst of some statuses."""
    return STATUSES[max(map(STATUSES.index, statuses), default=STATUSES.index(default))]


def record_state(state: str, issues: Sequence[Issue], *, unjudged: bool) -> RecordState:
    """Return the status of a record from the state of its unit and its issues.

    `unjudged` is whether a declared check was not run for the whole shard.
    """
    if state == "unanswered":
        return "missing"
    if state == "exhausted":
        return "exhausted"
    errors = errors_of(issues)
    if any(one.is_failure for one in errors):
        return "issues"
    return "unverified" if errors or unjudged or state == "failing" else "verified"


def refused_records(
    recipe: Recipe[Any, Any], shared: Mapping[str, JSON], records: Sequence[ShardRecord]
) -> dict[str, RecordOutcome]:
    """Return the outcomes of records for which no prompt can be made, found by planning each alone."""
    found: dict[str, RecordOutcome] = {}
    if recipe.sharding is None:
        return found
    for one in records:
        try:
            list(recipe.plan(recipe.sharding.source(shared, [one])))
        except Exception as error:  # noqa: BLE001 - a recipe may raise anything for a record that it cannot use
            found[one.key] = _refusal(one.key, error)
    return found


def expect_usable(recipe: Recipe[Any, Any], shared: Mapping[str, JSON], records: Iterable[ShardRecord]) -> None:
    """Check that the recipe can use one of the first 1,000 records, before a fleet is made of them.

    Raises:
        BadInput: it can use none. The message is about the first one.
    """
    first: Exception | None = None
    for one in islice(records, _TRIED):
        try:
            if recipe.sharding is None:
                source_of(recipe, {**shared, **one.fields})
            else:
                list(recipe.plan(recipe.sharding.source(shared, [one])))
        except (ModelError, CannotJudge):
            raise
        except Exception as error:  # noqa: BLE001 - a recipe may raise anything for a record that it cannot use
            first = first or error
        else:
            return
    if first is not None:
        raise _as_input_error(first) from first


def _capturing(recipe: Recipe[Any, Any], values: dict[str, Any]) -> Recipe[Any, Any]:
    """Return the recipe that also copies the checked values, so that no file is read again."""

    def assemble(source: Any, found: Mapping[str, Any]) -> Mapping[str, str]:
        values.update(found)
        return recipe.assemble(source, found)

    return replace(recipe, assemble=assemble)


def _is_unread(value: Any) -> bool:
    from retouch.engine.recipe import Unread

    return value is None or isinstance(value, Unread)


def _refusal(key: str, error: Exception) -> RecordOutcome:
    message = error.message if isinstance(error, RetouchError) else f"{type(error).__name__}: {error}"
    issue: dict[str, JSON] = {"code": REFUSED, "tier": 1, "message": message}
    return RecordOutcome(key=key, status="exhausted", issues=(issue,))


def died_with(key: str) -> RecordOutcome:
    """Return the outcome of a record that workers have died with."""
    message = "workers died whenever they worked on this record: a check or the recipe may end the process"
    issue: dict[str, JSON] = {"code": DIED, "tier": 1, "message": message}
    return RecordOutcome(key=key, status="exhausted", issues=(issue,))


def _as_input_error(error: Exception) -> Exception:
    if isinstance(error, RetouchError):
        return error
    return BadInput(f"no prompts can be made: {type(error).__name__}: {error}", hint="Correct --shared or the records.")


def _plain(issue: Issue) -> Mapping[str, JSON]:
    data: dict[str, JSON] = {"code": issue.code, "tier": int(issue.tier), "message": issue.message}
    return {**data, "severity": issue.severity} if not issue.is_error else data


def run_name(key: str) -> str:
    """Return the directory of a record's run: its key, without characters that paths cannot hold, and a hash."""
    plain = _NAME.sub("_", key).strip("_")[:60]
    return plain if plain == key and len(key) < 60 else f"{plain or 'record'}-{text_hash(key)[-16:]}"


def source_of(recipe: Recipe[Any, Any], data: Mapping[str, Any]) -> Any:
    """Return the source of a recipe from plain data.

    Raises:
        BadInput: the data does not fit.
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        adapter: TypeAdapter[Any] = TypeAdapter(recipe.source)
        return adapter.validate_python(dict(data))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "record"
        hint = f"A record holds the fields of {recipe.source.__name__}; --shared FILE holds what all of them share."
        raise BadInput(f"the record is not a source of {recipe.name!r}: {where}: {first['msg']}", hint=hint) from error


def spent_under(directory: Path) -> float:
    """Return what all calls in the ledgers of a directory may have cost, in US dollars.

    Raises:
        BadInput: the price of a call is unknown.
    """
    return sum(spent_in(read_history(one)) for one in ledgers_in(directory))


def lost_under(directory: Path) -> float:
    """Return the part of `spent_under` that may not have been spent: the most of calls whose reply was lost."""
    return sum(lost_in(read_history(one)) for one in ledgers_in(directory))


def cost_of_epoch(directory: Path) -> EpochCost:
    """Return what the calls of the epoch that a directory belongs to have cost, without those of earlier epochs."""
    before, lost_before = base_costs(directory)
    most = max(spent_under(directory) - before, 0.0)
    lost = max(lost_under(directory) - lost_before, 0.0) if lost_before is not None else 0.0
    return EpochCost(known_usd=max(most - lost, 0.0), most_usd=most)


def usage_under(directory: Path) -> Usage:
    """Return the usage of all calls in the ledgers of a directory."""
    total = Usage()
    for one in ledgers_in(directory):
        total += cost_report(read_history(one).attempts.values()).total
    return total


def read_out(place: FleetPlace, files: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the lines of the answers of a committed shard.

    Raises:
        BadInput: the file is missing, or is not as it was committed.
    """
    lines: list[dict[str, Any]] = []
    for name, known in files.items():
        data = place.store.get(name)
        if data is None or f"sha256:{sha256(data).hexdigest()}" != known:
            what = "is missing" if data is None else "was changed since it was committed"
            hint = f"Write it again: retouch validate {place.address}"
            raise BadInput(f"{name} of {place.address!r} {what}", hint=hint)
        lines += [json.loads(line) for line in data.splitlines()]
    return lines
