"""Runs the shards of a fleet on a Dask cluster, by one function: `run_shard` on a worker of the cluster.

Correctness does not depend on it: claims, leases, commits and the cost limit are in the store of the fleet. A plugin
of the scheduler keeps one set of rates for all machines. Dask sends pickled functions, so whoever reaches its scheduler
can run code on its workers. Therefore an address is on this machine, or uses mutual TLS.
"""

from __future__ import annotations

import asyncio
import importlib
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from retouch.errors import BadInput, MissingTool, RetouchError
from retouch.fleet.engines import POLL_S, STARTS
from retouch.fleet.job import fleet_place
from retouch.fleet.rates import MANY, FleetRates
from retouch.fleet.shards import ASIDE, COMMITS, numbers_in
from retouch.fleet.store import is_remote
from retouch.fleet.worker import WorkerEnd, WorkerInput, opened_account, run_worker
from retouch.telemetry import traceparent, worker_traced

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retouch.fleet.worker import ModelOpener

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_TLS_FILES = ("tls_ca_file", "tls_client_cert", "tls_client_key")
_TAKE, _REFUSED, _CUT = "retouch_take_permits", "retouch_refused", "retouch_cut"
_PLUGIN = "retouch-rates-2"
_CUTS: dict[str, int] = {}
"""The cuts of the rates of each fleet that the scheduler has told this worker of."""
_CLIENT_S = 30
_ALONE = threading.Lock()  # the limits of a worker are for its process, so it runs one shard at a time


def _distributed() -> Any:
    try:
        return importlib.import_module("distributed")
    except ImportError as error:
        raise MissingTool("--cluster needs Dask", hint="pip install 'retouch[cluster]'") from error


def expect_safe(cluster: str, address: str) -> None:
    """Check that a cluster cannot be used by strangers, and that its workers can reach the fleet.

    Raises:
        BadInput: the address has another scheme, or is of another machine and has no TLS, or `address` of the fleet is
            a directory of this machine and the cluster is not on it.
    """
    parts = urlsplit(cluster)
    if parts.scheme not in ("tcp", "tls") or not parts.hostname or not parts.port:
        raise BadInput(f"{cluster!r} is not an address of a scheduler", hint="For example tls://host:8786.")
    is_here = parts.hostname in _LOOPBACK
    if parts.scheme == "tcp" and not is_here:
        hint = "Give the scheduler and its workers certificates, and use tls://."
        raise BadInput(f"{cluster!r} accepts code from everybody who reaches it", hint=hint)
    if not is_here and not is_remote(address):
        message = f"{address!r} is a directory of this machine, and the workers of {cluster!r} may be on others"
        raise BadInput(message, hint="Use an object store: -o s3://BUCKET/NAME.")


def connected(cluster: str) -> Any:
    """Return a client of a scheduler. The certificates of tls:// come from Dask's own configuration.

    Raises:
        BadInput: the scheduler does not answer, or a certificate is missing.
        MissingTool: Dask is not installed.
    """
    distributed = _distributed()
    security: Any = None
    if cluster.startswith("tls://"):
        security = distributed.Security(require_encryption=True)
        missing = [name for name in _TLS_FILES if not getattr(security, name)]
        if missing:
            hint = "Set distributed.comm.tls.ca-file, client.cert and client.key in Dask's configuration."
            raise BadInput(f"Dask's configuration has no {' and no '.join(missing)}", hint=hint)
    try:
        return distributed.Client(cluster, security=security, timeout=_CLIENT_S, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise BadInput(f"no scheduler answers at {cluster!r}: {error}", hint="Start one: dask scheduler.") from error


@dataclass(frozen=True, kw_only=True)
class ClusterRates(FleetRates):
    """The rates of a fleet over all machines of a cluster: the scheduler keeps the state. `place` is their name."""

    def take(self, tokens: int, wanted: int = MANY) -> tuple[int, int, int, float, float]:
        """Return permits of the scheduler: see `FleetRates.take`."""
        limits = (self.requests_per_minute, self.tokens_per_minute)
        worker = _distributed().get_worker()
        worker.stream_handlers[_CUT] = cut_was_told
        found: Any = self._sent(_TAKE, limits=limits, tokens=tokens, wanted=wanted, worker=worker.address)
        return tuple(found)  # pyright: ignore[reportReturnType] - the message has the five values of the plugin

    def refused(self, cuts: int, retry_after_s: float) -> None:
        """Report a refusal to the scheduler, which lowers the rate of all machines."""
        self._sent(_REFUSED, cuts=cuts, retry_after_s=retry_after_s)

    def was_cut(self, cuts: int) -> bool:
        """Return whether the scheduler reported a cut since permits with this number were given. It is local."""
        return _CUTS.get(str(self.place), 0) > cuts

    def _sent(self, what: str, **message: Any) -> Any:
        distributed = _distributed()
        worker = distributed.get_worker()
        sync = importlib.import_module("distributed.utils").sync
        try:
            send = getattr(worker.scheduler, what)
            return sync(worker.loop, send, name=str(self.place), callback_timeout=_CLIENT_S, **message)
        except (OSError, TimeoutError) as error:
            raise asyncio.CancelledError("the scheduler has gone; it was not sent") from error


def cut_was_told(name: str, cuts: int, **_more: Any) -> None:
    """Record a cut that the scheduler reports to this worker."""
    _CUTS[name] = max(cuts, _CUTS.get(name, 0))


@dataclass(kw_only=True)
class RatesPlugin:
    """The plugin of the scheduler with the rates of all fleets that run on it.

    It notifies all workers that have permits of a cut at once. `base` is added to the number of cuts, so that it never
    falls when a scheduler is started again.
    """

    directory: Path = field(default_factory=Path)
    messages: int = 0
    base: int = 0
    scheduler: Any = None
    workers: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])

    def start(self, scheduler: Any) -> None:
        """Add the handlers to the scheduler."""
        self.scheduler, self.base = scheduler, int(time.time()) * 10_000
        self.directory = Path(mkdtemp(prefix="retouch-rates-"))
        scheduler.handlers[_TAKE] = self.take
        scheduler.handlers[_REFUSED] = self.refused

    async def take(
        self, name: str, limits: Sequence[float], tokens: int, wanted: int = MANY, worker: str = ""
    ) -> tuple[int, int, int, float, float]:
        """Return permits from the rates with this name, for the worker with this address."""
        self.messages += 1
        if worker:
            self.workers.setdefault(name, set()).add(worker)
        requests, by_token = limits
        rates = FleetRates(place=self._place(name), requests_per_minute=requests, tokens_per_minute=by_token)
        found, share, cuts, wait_s, every_s = rates.take(tokens, wanted)
        return found, share, cuts + self.base, wait_s, every_s

    async def refused(self, name: str, cuts: int, retry_after_s: float) -> None:
        """Lower the rate, and tell the workers, whose permits are for a rate too high."""
        rates = FleetRates(place=self._place(name))
        before = rates.read().cuts
        rates.refused(cuts - self.base, retry_after_s)
        now = rates.read().cuts
        if now == before or self.scheduler is None:  # another refusal of the same burst
            return
        told = self.workers.get(name, set())
        told &= self.scheduler.stream_comms.keys()
        for worker in told:
            self.scheduler.worker_send(worker, {"op": _CUT, "name": name, "cuts": int(now) + self.base})

    def _place(self, name: str) -> Path:
        from hashlib import sha256

        return self.directory / sha256(name.encode()).hexdigest()[:32]


def _plugin() -> Any:
    """Return the plugin as a class of Dask's."""
    base: Any = _distributed().SchedulerPlugin
    return type("RetouchRates", (RatesPlugin, base), {"name": _PLUGIN, "idempotent": True})()


@dataclass(frozen=True, kw_only=True)
class ShardOrder:
    """What a worker of the cluster gets: which shard of which fleet, and how models are opened.

    `parent` is the span of the command, "" if it is not traced.
    """

    address: str
    shard: int
    work_directory: str | None
    open_model: ModelOpener
    recipe: Any
    parent: str = ""


def run_shard(order: ShardOrder) -> tuple[str, str, str]:
    """Run one shard, as `retouch fleet work` does. Return why it is not done, "" if it is, and an error with its hint.

    For a shard with records that are left without an answer, the error is the server's message.

    It is safe to run it more than once, at any time: the claim, the commit and the cost limit are in the store.
    """
    work_directory = Path(order.work_directory) if order.work_directory is not None else None
    with _ALONE, worker_traced(order.parent):
        place = fleet_place(order.address, work_directory)
        given = WorkerInput(
            place=place,
            job=place.job(),
            command=place.command(),
            recipe=order.recipe,
            open_model=order.open_model,
            rates=ClusterRates,
            rates_name=order.address,
        )
        try:
            opened_account(given)
            end = run_worker(given, only=order.shard)
        except RetouchError as error:
            return "failed", error.message, error.hint or ""
        error = end.error
        return end.why, str(error) if error else end.detail, getattr(error, "hint", "") or ""


def run_on_cluster(given: WorkerInput, cluster: str, on_poll: Callable[[], object]) -> WorkerEnd:
    """Run all shards on the workers of a cluster, and return how it ended.

    Raises:
        BadInput: the cluster cannot be used.
        RetouchError: a shard failed.
    """
    expect_safe(cluster, given.place.address)
    opened_account(given)
    with connected(cluster) as client:
        client.register_plugin(_plugin())
        return _Orders(given=given, client=client, on_poll=on_poll).run()


@dataclass(kw_only=True)
class _Orders:
    """The shards of one command that are with the cluster."""

    given: WorkerInput
    client: Any
    on_poll: Callable[[], object]
    futures: dict[int, Any] = field(default_factory=dict[int, Any])
    fruitless: int = 0

    def run(self) -> WorkerEnd:
        store, before = self.given.place.store, -1
        while True:
            if self.on_poll():
                return WorkerEnd(why="interrupted")
            done = numbers_in(store, COMMITS)
            if len(done) != before:
                before, self.fruitless = len(done), 0
            left = {*self.given.shards} - done - numbers_in(store, ASIDE)
            if not left:
                return WorkerEnd(committed=len(done))
            for number in sorted(left - self.futures.keys()):
                self.futures[number] = self._submitted(number)
            end = self._ended()
            if end is not None:
                return end
            time.sleep(POLL_S)

    def _submitted(self, number: int) -> Any:
        place = self.given.place
        order = ShardOrder(
            address=place.address if place.ships else str(Path(place.address).absolute()),
            shard=number,
            work_directory=None if place.ships else str(place.runs.absolute()),
            open_model=self.given.open_model,
            recipe=self.given.recipe,
            parent=traceparent(),
        )
        return self.client.submit(run_shard, order, pure=False, retries=STARTS)

    def _ended(self) -> WorkerEnd | None:
        """Forget the shards that have ended, and return why the command ends, None while it goes on."""
        for number, future in [*self.futures.items()]:
            if not future.done():
                continue
            del self.futures[number]
            if future.status == "cancelled":
                raise RetouchError("the scheduler has gone", hint="Start it, and give the same command again.")
            if future.status == "error":
                hint = "Look at the logs of Dask, then give the same command again."
                raise RetouchError(f"shard {number} failed: {future.exception()}", hint=hint)
            why, message, hint = future.result()
            if why == "failed":
                raise RetouchError(message or f"shard {number} failed", hint=hint)
            if why in ("limit", "incomplete"):
                return WorkerEnd(why=why, detail=message)
            if why:  # busy, lost, interrupted: another worker had it, or took over
                self.fruitless += 1
                time.sleep(POLL_S)
        if self.fruitless > STARTS * max(1, len(self.given.shards)):
            return WorkerEnd(why="no worker is left")
        return None
