"""Shards of a fleet: which are left, who works on one, and what it ended with.

A worker claims a shard by creating `claims/00042/e3`, the file of its third epoch. It may work as long as its lease
holds: its own file `status/WORKER.json` is renewed by a thread. Another worker takes over only if the first one has
released the shard, has died on this machine, or has not renewed its file for a whole lease. So no clocks are compared.
The result of a shard is `commits/00042.json`, which is written last.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import socket
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch._lib.clock import now
from retouch._lib.logs import redact_record
from retouch.errors import BrokenFile
from retouch.fleet.store import StoreBusy, StoreFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from retouch._lib.json_text import JSON
    from retouch.fleet.store import Store

_LOG = logging.getLogger(__name__)
_LOG.addFilter(redact_record)

CLAIMS, COMMITS, STATUS, ASIDE = "claims", "commits", "status", "aside"
RELEASED = ".released"
DEATHS = 3
"""How many workers may die with the same shard before its records are run part by part: see `isolating`."""
MOST_DEATHS = 40
"""How many workers may die with the same shard before it is set aside: enough to find three records of 1,000."""
LEASE_S = 60.0
HANG_S = 3_600.0
"""How long a worker with a shard may make no progress before it counts as dead."""
HUNG = "hung"
_NEXT = "Free some space, or correct the access to the directory or store of the fleet, and run the same command again."
_BEATS = 4  # renewals in one lease
_SAFE = 0.8  # the share of a lease after which its holder stops
_LATE = 1.25  # a wait that takes so much longer than it should shows that the process had no processor, or was stopped


def dumped(data: Mapping[str, Any]) -> bytes:
    """Return plain data as the bytes of a small file."""
    return (json.dumps(data, ensure_ascii=True) + "\n").encode()


def parsed(data: bytes | None) -> dict[str, Any]:
    """Return the data of a small file, {} if there is none."""
    return {} if data is None else json.loads(data)


def stored_data(store: Store, name: str) -> dict[str, Any]:
    """Return the data of a small file in a store, {} if there is none.

    Raises:
        BrokenFile: it cannot be read.
    """
    try:
        return dict(parsed(store.get(name)))
    except (ValueError, TypeError) as error:
        hint = "Restore it, or remove it if no command is running."
        raise BrokenFile(f"{name} of the fleet cannot be read: {error}", hint=hint) from error


@dataclass(frozen=True, kw_only=True)
class WorkerId:
    """A worker process: a unique name, and where to look whether it is alive."""

    name: str
    host: str
    boot: str
    pid: int
    started: str

    @staticmethod
    def own() -> WorkerId:
        """Return a new name for this process."""
        pid = os.getpid()
        name = f"{socket.gethostname()[:40]}-{pid}-{secrets.token_hex(3)}"
        return WorkerId(name=name, host=socket.gethostname(), boot=_boot(), pid=pid, started=_started(pid))

    def has_died(self) -> bool:
        """Return whether the process ran on this machine and has ended. False if that is unknown."""
        if self.host != socket.gethostname() or sys.platform == "win32":
            return False
        if self.boot and self.boot != _boot():
            return True
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        return self.started != _started(self.pid) or _is_zombie(self.pid)


@cache
def _boot() -> str:
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return ""


def _stat(pid: int) -> list[str]:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    return []


def _started(pid: int) -> str:
    columns = _stat(pid)
    return columns[19] if len(columns) > 19 else ""


def _is_zombie(pid: int) -> bool:
    return _stat(pid)[:1] == ["Z"]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """The right of a worker to work on a shard, as long as its lease holds and no later epoch exists."""

    shard: int
    epoch: int
    worker: WorkerId

    @property
    def name(self) -> str:
        """The claim in the ledgers of costs, for example `00042.e3`."""
        return f"{self.shard:05}.e{self.epoch}"


@dataclass(kw_only=True)
class Lease:
    """The lease of one worker for all of its claims. A thread renews it; `is_valid` is checked before each call.

    `lease_s` is how long other workers wait for a renewal. `progress` returns what the status file shows. The lease of
    a worker that `hangs` is over at once.
    """

    store: Store
    worker: WorkerId
    lease_s: float = LEASE_S
    progress: Callable[[], Mapping[str, JSON]] = dict
    hangs: Callable[[], bool] = lambda: False
    clock: Callable[[], float] = time.monotonic
    failure: str = ""
    _until: float = 0.0
    _beat: int = 0
    _over: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Write the status file, and renew it until `stop`."""
        self.renew()
        if self.failure:
            raise StoreFailed(self.failure, hint=_NEXT)
        self._thread = threading.Thread(target=self._keep, name="retouch-lease", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the lease: other workers may immediately take over what was not committed."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        self.renew(state="ended")
        self._until = 0.0

    @property
    def is_valid(self) -> bool:
        """Whether no other worker can have taken over yet."""
        return self.clock() < self._until

    def _keep(self) -> None:
        began, every_s = self.clock(), self.lease_s / _BEATS
        while not self._over.wait(every_s):
            before, began = began, self.clock()
            stood_still = began - before > _LATE * every_s  # the whole process: the code in it had no time either
            if not stood_still and self.hangs():
                self._until = 0.0
                self.renew(state=HUNG)
                return
            self.renew()

    def renew(self, *, state: str = "running") -> None:
        """Write the status file once. A lease that has ended is not renewed."""
        began = self.clock()  # before the file is written, so that the others' wait ends later than ours
        self._beat += 1
        data = {**asdict(self.worker), "beat": self._beat, "at": now(), "state": state, **self.progress()}
        try:
            self.store.put(f"{STATUS}/{self.worker.name}.json", dumped(data))
        except (OSError, StoreBusy, StoreFailed) as error:
            self.failure = f"the lease cannot be renewed: {error}"
            _LOG.info("%s: %s", self.worker.name, self.failure)
            return
        if state == "running" and (self._until == 0.0 or began < self._until):
            _LOG.debug("%s: the lease is renewed for %.1f s", self.worker.name, self.lease_s)
            self._until = began + self.lease_s * _SAFE  # a lease that has ended is not renewed


@dataclass(kw_only=True)
class LeaseWatch:
    """What this process has seen of the leases of other workers."""

    store: Store
    lease_s: float = LEASE_S
    clock: Callable[[], float] = time.monotonic
    _seen: dict[str, tuple[int, float]] = field(default_factory=dict[str, "tuple[int, float]"])

    def is_over(self, worker: WorkerId) -> bool:
        """Return whether a worker has ended or hangs, or has not renewed its lease for a whole lease."""
        if worker.has_died():
            return True
        status = stored_data(self.store, f"{STATUS}/{worker.name}.json")
        if status.get("state") in ("ended", HUNG):
            return True
        beat, at = int(status.get("beat", 0)), self.clock()
        known = self._seen.get(worker.name)
        if known is None or known[0] != beat:
            self._seen[worker.name] = (beat, at)
            return False
        return at - known[1] > self.lease_s


@dataclass(frozen=True, kw_only=True)
class ShardClaims:
    """The claims of one shard: the epochs so far, and those that were released, with the reason."""

    shard: int
    latest: Claim | None = None
    released: frozenset[int] = frozenset()
    epochs: int = 0

    @property
    def deaths(self) -> int:
        """How many workers have lost the shard without releasing it, if the latest one has."""
        return self.epochs - len(self.released)

    @property
    def is_released(self) -> bool:
        """Whether the latest worker has released it, or there was none."""
        return self.latest is None or self.latest.epoch in self.released


def claims_of(store: Store, shard: int) -> ShardClaims:
    """Return the claims of a shard."""
    names = [one.rpartition("/")[2] for one in store.list(f"{CLAIMS}/{shard:05}")]
    released = frozenset(int(one[1 : -len(RELEASED)]) for one in names if one.endswith(RELEASED))
    epochs = [int(one[1:]) for one in names if not one.endswith(RELEASED)]
    if not epochs:
        return ShardClaims(shard=shard)
    name = f"{CLAIMS}/{shard:05}/e{max(epochs)}"
    try:
        worker = WorkerId(**stored_data(store, name)["worker"])
    except (KeyError, TypeError) as error:
        raise BrokenFile(f"{name} of the fleet names no worker", hint="Restore it.") from error
    latest = Claim(shard=shard, epoch=max(epochs), worker=worker)
    return ShardClaims(shard=shard, latest=latest, released=released, epochs=len(epochs))


def claim(
    store: Store, shard: int, worker: WorkerId, watch: LeaseWatch, *, most_deaths: float = MOST_DEATHS
) -> Claim | None:
    """Claim a shard, and return the claim. None if another worker has it, or was faster.

    A shard that too many workers have died with is set aside.
    """
    known = claims_of(store, shard)
    if not known.is_released and known.latest is not None and not watch.is_over(known.latest.worker):
        return None
    if known.deaths >= most_deaths:
        set_aside(store, shard, f"{known.deaths} workers have died with it")
        return None
    new = Claim(shard=shard, epoch=(known.latest.epoch if known.latest else 0) + 1, worker=worker)
    data = {"shard": shard, "epoch": new.epoch, "worker": asdict(worker), "at": now(), "token": secrets.token_hex(8)}
    if not store.put_new(f"{CLAIMS}/{shard:05}/e{new.epoch}", dumped(data)):
        return None
    _LOG.debug("shard %05d: claimed by %s, epoch %d, %d deaths before", shard, worker.name, new.epoch, known.deaths)
    return new


def release(store: Store, own: Claim, why: str, detail: str = "") -> None:
    """Release a claim, so that no other worker waits. `why` is "interrupted", "limit", "incomplete" or "failed"."""
    _LOG.info("shard %05d: released by %s, %s", own.shard, own.worker.name, why)
    data = {"why": why, "detail": detail, "worker": own.worker.name, "at": now()}
    store.put_new(f"{CLAIMS}/{own.shard:05}/e{own.epoch}{RELEASED}", dumped(data))


def release_reason(store: Store, known: ShardClaims) -> dict[str, Any]:
    """Return why the last worker that was not interrupted has released a shard, {} if there is none."""
    for epoch in sorted(known.released, reverse=True):
        found = stored_data(store, f"{CLAIMS}/{known.shard:05}/e{epoch}{RELEASED}")
        if found.get("why") != "interrupted":
            return found
    return {}


def set_aside(store: Store, shard: int, why: str) -> None:
    """Exclude a shard from further work, until somebody requests it by number."""
    _LOG.info("shard %05d: set aside, %s", shard, why)
    store.put_new(f"{ASIDE}/{shard:05}.json", dumped({"shard": shard, "why": why, "at": now()}))


def is_current(store: Store, own: Claim) -> bool:
    """Return whether no later epoch of the shard exists."""
    return f"{CLAIMS}/{own.shard:05}/e{own.epoch + 1}" not in store.list(f"{CLAIMS}/{own.shard:05}")


def commit(store: Store, own: Claim, lease: Lease, data: Mapping[str, Any]) -> bool:
    """Write the result of a shard, and return whether it counts. The first commit counts, later ones are refused.

    A claim whose lease is over, or that a later epoch has replaced, is refused too.
    """
    if not lease.is_valid or not is_current(store, own):
        _LOG.info("shard %05d: the claim of %s is over, its result does not count", own.shard, own.worker.name)
        return False
    _LOG.debug("shard %05d: committed by %s", own.shard, own.worker.name)
    content = dumped({"shard": own.shard, "epoch": own.epoch, "worker": own.worker.name, "at": now(), **data})
    return store.put_new(f"{COMMITS}/{own.shard:05}.json", content)


def commit_again(store: Store, own: Claim, data: Mapping[str, Any]) -> None:
    """Replace the result of a committed shard, after a verb that worked on its runs."""
    content = dumped({"shard": own.shard, "epoch": own.epoch, "worker": own.worker.name, "at": now(), **data})
    store.put(f"{COMMITS}/{own.shard:05}.json", content)


def numbers_in(store: Store, place: str) -> set[int]:
    """Return the numbers of the shards with a file in a directory, for example `commits`."""
    names = (one.rpartition("/")[2] for one in store.list(place))
    return {int(one.removesuffix(".json")) for one in names if one.removesuffix(".json").isdigit()}
