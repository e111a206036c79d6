"""The status of a fleet, from its small files: commits, claims, and what workers report about themselves.

No ledger is read, so a million records take about two seconds. What was changed on this disk since its commit is
noticed by the sizes and times of files, and by the states of the records in the answers; `retouch validate` checks the
content.
"""

from __future__ import annotations

import re
import socket
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from retouch.engine.tiers import EXIT_STATUS, STATUSES, Status
from retouch.engine.types import Usage
from retouch.errors import BadInput, BrokenFile
from retouch.fleet.disk_states import disk_state, file_state
from retouch.fleet.job import input_name
from retouch.fleet.limits import CostAccount, cost_within, expect_known
from retouch.fleet.running import (
    RECORD_STATES,
    cost_of_epoch,
    shard_status,
    spent_under,
    worst_status,
)
from retouch.fleet.shards import (
    ASIDE,
    CLAIMS,
    COMMITS,
    RELEASED,
    STATUS,
    ShardClaims,
    WorkerId,
    claims_of,
    numbers_in,
    parsed,
    release_reason,
    stored_data,
)
from retouch.fleet.shipping import restored_log

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.fleet.job import FleetJob, FleetPlace
    from retouch.fleet.running import RecordState

_NAMED = 5
_STATE = re.compile(rb'^\{"key": "(?:[^"\\]++|\\.)*+", "status": "(\w+)".*', re.MULTILINE)  # in `RecordOutcome.line`


@dataclass(frozen=True, kw_only=True)
class FleetStatus:
    """A fleet as it is: its status, its shards and records by state, and the usage of its committed shards.

    `notes` are sentences for the user. `changed` are shards whose files were changed since their commit, `aside` those
    that were set aside. `limit_usd` is the cost limit of the last command, None without one; `used_usd` is what counts
    against it. `requested` is whether a check that an option requested could not run.
    """

    address: str
    recipe: str
    status: Status
    shards: Mapping[str, int]
    records: Mapping[str, int]
    usage: Usage
    workers: int = 0
    changed: tuple[int, ...] = ()
    aside: tuple[int, ...] = ()
    limit_usd: float | None = None
    used_usd: float | None = None
    requested: bool = False
    notes: tuple[str, ...] = field(default=())

    @property
    def exit_status(self) -> int:
        """The exit status of a command with this result."""
        return 1 if self.requested and self.status == "unverified" else EXIT_STATUS[self.status]

    @property
    def reason(self) -> str:
        """The reason for the status as text, or ""."""
        if self.changed:
            return f"files of {len(self.changed)} shards were changed since they were committed"
        left = self.shards["running"] + self.shards["left"]
        parts = [
            f"{self.shards['set_aside']} shards are set aside" if self.shards["set_aside"] else "",
            f"{left} of {sum(self.shards.values())} shards are not done" if left else "",
            f"{self.records['unverified']} records were not checked completely" if self.status == "unverified" else "",
        ]
        return "; ".join(part for part in parts if part)

    def as_json(self) -> dict[str, JSON]:
        """Return the status with the keys that commands print."""
        usage: dict[str, JSON] = dict(vars(self.usage))
        if self.limit_usd is not None:
            usage["limit"] = {"max_cost": self.limit_usd, "used": self.used_usd}
        return {
            "fleet": self.address,
            "status": self.status,
            "shards": dict(self.shards),
            "records": dict(self.records),
            "usage": usage,
        }

    def with_details(self) -> dict[str, JSON]:
        """Return the status with the keys that `retouch show` prints."""
        return {**self.as_json(), "recipe": self.recipe, "workers": self.workers, "notes": list(self.notes)}


def fleet_status(place: FleetPlace) -> FleetStatus:
    """Return the status of a fleet. Nothing is locked, read in full, or changed.

    Raises:
        BadInput: there is no fleet.
        BrokenFile: a file of it is damaged.
    """
    job, limit_usd = place.job(), place.command().max_cost_usd
    commits, workers = dict(_commits(place, job)), _live_workers(place)
    aside = numbers_in(place.store, ASIDE) - commits.keys()
    uncommitted = set(range(job.shards)) - commits.keys() - aside
    running = {number for number, holder in _open_claims(place, uncommitted).items() if holder in workers}
    changed = _changed_shards(place, commits)
    records = _record_counts(job, commits, changed)
    return FleetStatus(
        address=place.address,
        recipe=job.recipe,
        status=_status(
            place,
            list(commits.values()),
            changed=bool(changed),
            aside=aside,
            uncommitted=uncommitted,
            running=bool(running),
            records=records,
            limit_usd=limit_usd,
        ),
        shards=_shard_counts(job, done=len(commits), running=len(running), set_aside=len(aside)),
        records={state: records.get(state, 0) for state in RECORD_STATES},
        usage=sum((Usage(**one["usage"]) for one in commits.values()), Usage()),
        workers=len(workers),
        changed=changed,
        aside=tuple(sorted(aside)),
        limit_usd=limit_usd,
        requested=any(one.get("requested") for one in commits.values()),
        used_usd=_used(place) if limit_usd is not None else None,
        notes=_notes(place, changed, sorted(aside)),
    )


def _changed_shards(place: FleetPlace, commits: Mapping[int, Mapping[str, Any]]) -> tuple[int, ...]:
    """Return the shards whose files, or the numbers of their commit, are not those that a worker committed."""
    return tuple(
        number
        for number, one in sorted(commits.items())
        if is_changed(place, number, one) or _counts_others(place, one)
    )


def _shard_counts(job: FleetJob, *, done: int, running: int, set_aside: int) -> dict[str, int]:
    """Return the numbers of shards by state."""
    left = job.shards - done - running - set_aside
    return {"done": done, "running": running, "left": left, "set_aside": set_aside}


def _record_counts(job: FleetJob, commits: Mapping[int, Mapping[str, Any]], changed: Sequence[int]) -> Counter[str]:
    """Return the numbers of records by state. Those of a changed shard count as unverified."""
    records = Counter[str]()
    for number, one in commits.items():
        counts = Counter[str](one["records"])
        if number in changed:
            counts["unverified"] += counts.pop("verified", 0)
        records.update(counts)
    records["missing"] += max(0, job.records - records.total())
    return records


def _status(
    place: FleetPlace,
    commits: Sequence[Mapping[str, Any]],
    *,
    changed: bool,
    aside: set[int],
    uncommitted: set[int],
    running: bool,
    records: Mapping[str, int],
    limit_usd: float | None,
) -> Status:
    """Return the status of a fleet: the worst of its shards, and of what keeps it from being done."""
    found: list[Status] = [one["status"] for one in commits]
    if changed:
        found.append("unverified")
    if aside:
        found.append("exhausted")
    if uncommitted:
        limited = not running and _was_limited(place, uncommitted, limit_usd)
        found.append("exhausted" if limited else "incomplete")
    elif records["missing"] and not aside:
        found.append("incomplete")
    return worst_status(found, default="incomplete")


def _used(place: FleetPlace) -> float:
    """Return what counts against the cost limit."""
    account = CostAccount(store=place.store).state()
    return account.used_usd if account is not None else 0.0


def read_commit(place: FleetPlace, number: int) -> dict[str, Any] | None:
    """Return the commit of a shard, None if it has none."""
    return dict(_commits(place, place.job(), {number})).get(number)


def read_commits(place: FleetPlace) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the commit of each committed shard, in order.

    Raises:
        BrokenFile: a commit is damaged, or belongs to another fleet or shard.
    """
    return _commits(place, place.job())


def _commits(place: FleetPlace, job: FleetJob, only: set[int] | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    for number in sorted(numbers_in(place.store, COMMITS) if only is None else only):
        name = f"{COMMITS}/{number:05}.json"
        data = place.store.get(name)
        if data is None:
            continue
        try:
            found = parsed(data)
            _expect_own(found, number, job)
        except (ValueError, KeyError, TypeError) as error:
            hint = "Remove it, and run the fleet again: nothing that was answered is requested again."
            raise BrokenFile(f"{name} of {place.address!r} cannot be read: {error}", hint=hint) from error
        yield number, found


def _expect_own(commit: Mapping[str, Any], number: int, job: FleetJob) -> None:
    """Check that a commit is that of a shard of this fleet, and that its status matches its records."""
    counts: dict[RecordState, int] = {state: int(commit["records"].get(state, 0)) for state in RECORD_STATES}
    if commit["shard"] != number or number >= job.shards or commit["status"] not in STATUSES:
        raise ValueError("it belongs to something else")
    if commit["fleet"] != job.identity:
        raise ValueError("it belongs to another fleet")
    if sum(counts.values()) != job.size_of(number):
        raise ValueError(f"it counts {sum(counts.values())} records, and the shard has {job.size_of(number)}")
    if STATUSES.index(commit["status"]) < STATUSES.index(shard_status(counts)):
        raise ValueError(f"its status {commit['status']!r} does not fit its records")


def _open_claims(place: FleetPlace, uncommitted: set[int]) -> dict[int, str]:
    """Return the worker that has each uncommitted shard, by its latest claim, if it has not released it."""
    found: dict[int, str] = {}
    for number in sorted(_claimed_numbers(place) & uncommitted):
        known = claims_of(place.store, number)
        if known.latest is not None and not known.is_released:
            found[number] = known.latest.worker.name
    return found


def _claimed_numbers(place: FleetPlace) -> set[int]:
    return {int(one.split("/")[1]) for one in place.store.list(CLAIMS)}


def _live_workers(place: FleetPlace) -> set[str]:
    """Return the workers that have not ended, as far as one look can tell."""
    found: set[str] = set()
    for name in place.store.list(STATUS):
        data = stored_data(place.store, name)
        own = {key: data.get(key) for key in WorkerId.__dataclass_fields__}
        if data.get("state") == "running" and not WorkerId(**own).has_died():  # pyright: ignore[reportArgumentType]
            found.add(str(data["name"]))
    return found


def is_changed(place: FleetPlace, number: int, commit: Mapping[str, Any]) -> bool:
    """Return whether the runs or the answers of a shard on this disk differ from their state when it was committed."""
    directory = place.run_directory(number, commit["epoch"])
    if place.ships:
        return directory.is_dir() and bool(commit["run"]) and disk_state(directory) != commit["run"]
    (name,) = commit["files"]
    given = input_name(number)
    states = (disk_state(directory), file_state(place, name), file_state(place, given))
    return states != (commit["run"], commit["out"], commit["input"])


def _counts_others(place: FleetPlace, commit: Mapping[str, Any]) -> bool:
    """Return whether a commit counts other records than its answers on this disk hold: then it was changed itself.

    No line is parsed as a whole.
    """
    states = (state.decode() for name in commit["files"] for state in _STATE.findall(place.store.get(name) or b""))
    return not place.ships and Counter(states) != Counter[str](commit["records"])


def _was_limited(place: FleetPlace, uncommitted: set[int], limit_usd: float | None) -> bool:
    """Return whether the cost limit of the last command has stopped a worker that had one of these shards."""
    if limit_usd is None:
        return False
    for number in sorted(_claimed_numbers(place) & uncommitted):
        reason = release_reason(place.store, claims_of(place.store, number))
        if reason.get("why") == "limit" and float(reason["detail"] or 0.0) >= limit_usd:
            return True
    return False


def _notes(place: FleetPlace, changed: tuple[int, ...], aside: list[int]) -> tuple[str, ...]:
    notes: list[str] = []
    if changed:
        notes.append(
            f"changed since their commit: shards {_names(list(changed))}; run: retouch validate {place.address}"
        )
    for number in aside[:_NAMED]:
        why = stored_data(place.store, f"{ASIDE}/{number:05}.json").get("why", "")
        again = f"retouch fleet work {place.address} --shard {number}"
        notes.append(f"shard {number:05} is set aside: {why}; run it alone: {again}")
    return tuple(notes)


def _names(numbers: list[int]) -> str:
    more = f" and {len(numbers) - _NAMED} more" if len(numbers) > _NAMED else ""
    return ", ".join(f"{one:05}" for one in numbers[:_NAMED]) + more


def costs_so_far(place: FleetPlace, job: FleetJob, open_claims: Container[str] = ()) -> float:
    """Return what a fleet has cost by its ledgers, and by commits and logs of runs that are not on this machine.

    `open_claims` are left out: the account counts their leases.

    Raises:
        BadInput: the cost of a call is unknown.
    """
    commits, epochs = dict(_commits(place, job)), _epochs_here(place)
    return sum(
        _cost_of_shard(place, number, commits.get(number), open_claims, epochs.get(number, 0))
        for number in sorted(_claimed_numbers(place) | commits.keys() | epochs.keys())
    )


def _epochs_here(place: FleetPlace) -> dict[int, int]:
    """Return the latest epoch of each shard with a run directory on this machine, whether or not it has a claim."""
    found: dict[int, int] = {}
    for one in place.runs.glob("*.e*"):
        number, _, epoch = one.name.partition(".e")
        if number.isdigit() and epoch.isdigit():
            found[int(number)] = max(int(epoch), found.get(int(number), 0))
    return found


def _cost_of_shard(
    place: FleetPlace, number: int, commit: Mapping[str, Any] | None, open_claims: Container[str], epoch_here: int
) -> float:
    committed: int = commit["epoch"] if commit is not None else 0
    latest = max(_latest_epoch(claims_of(place.store, number)), committed, epoch_here)
    directories = {epoch: place.run_directory(number, epoch) for epoch in range(1, latest + 1)}
    here = {epoch: one for epoch, one in directories.items() if one.is_dir()}
    if commit is not None and commit.get("is_metered"):
        if not here or (latest == 1 and disk_state(here[1]) == commit["run"]):
            return expect_known(commit["spent_usd"], f"shard {number:05}")
    elif commit is not None and not here:
        return expect_known(commit["spent_usd"], f"shard {number:05}")
    if not here and place.ships and f"{number:05}.e{latest}" not in open_claims:
        with restored_log(place, number, latest) as directory:
            return spent_under(directory)
    counted = {name: one for epoch, one in here.items() if (name := f"{number:05}.e{epoch}") not in open_claims}
    return sum(cost_within(place.store, name, cost_of_epoch(one)) for name, one in counted.items())


def expect_one_kind(place: FleetPlace, limit_usd: float | None) -> None:
    """Check that commands with a cost limit and without one do not run at the same time.

    Raises:
        BadInput: a worker of the other kind is alive on this machine.
    """
    for name in place.store.list(STATUS):
        data = stored_data(place.store, name)
        if data.get("state") != "running" or (data.get("max_cost") is None) == (limit_usd is None):
            continue
        worker = WorkerId(**{key: data.get(key) for key in WorkerId.__dataclass_fields__})  # pyright: ignore[reportArgumentType]
        if worker.host == socket.gethostname() and not worker.has_died():
            other = "without a cost limit" if limit_usd is not None else "with a cost limit"
            hint = "Wait until it has ended, or stop it. A limit is for all workers."
            raise BadInput(f"a worker of this fleet is running {other} (process {worker.pid})", hint=hint)


def _latest_epoch(known: ShardClaims) -> int:
    return known.latest.epoch if known.latest is not None else 0


def settle_dead(place: FleetPlace, account: CostAccount) -> None:
    """Replace the leases of workers that have died on this machine by the cost that their ledgers show."""
    state = account.state()
    for name in state.open_usd if state is not None else ():
        shard, _, epoch = name.partition(".e")
        data = stored_data(place.store, f"{CLAIMS}/{shard}/e{epoch}")
        directory = place.run_directory(int(shard), int(epoch))
        released = place.store.get(f"{CLAIMS}/{shard}/e{epoch}{RELEASED}") is not None
        if directory.is_dir() and (released or WorkerId(**data["worker"]).has_died()):
            account.settle_stopped(name, cost_of_epoch(directory))
