"""Runs the workers of a fleet: in this process, or in several processes of this machine.

Nothing depends on this module for correctness: claims, leases and commits are in the store. It starts workers,
replaces those that have died or hang, and stops them.
"""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from retouch._lib.logs import redact_record
from retouch.errors import BadInput, ModelError, RetouchError
from retouch.fleet.isolating import TRIALS
from retouch.fleet.shards import ASIDE, COMMITS, HUNG, LeaseWatch, WorkerId, claims_of, numbers_in, stored_data
from retouch.fleet.worker import LEASE_OVER, WorkerEnd, WorkerInput, opened_account, run_worker
from retouch.telemetry import traceparent, worker_traced

if TYPE_CHECKING:
    from collections.abc import Callable

_LOG = logging.getLogger(__name__)
_LOG.addFilter(redact_record)

POLL_S = 0.1
_STOP_S = 8.0  # after the time that replies in flight get
_KILLED_S = 5.0  # until a killed process has given back its locks
STARTS = 50  # of replacements without any commit between them: then the machine has a problem


@dataclass(kw_only=True)
class _Started:
    """A worker process: what it sends when it ends, and when it was last seen alive."""

    process: Any
    results: Any
    end: WorkerEnd | None = None
    is_replaced: bool = False


@dataclass(kw_only=True)
class LocalWorkers:
    """The worker processes of one command. They stop if `on_poll` returns True.

    It is called several times a second.
    """

    given: WorkerInput
    workers: int
    on_poll: Callable[[], object] = lambda: None
    started: list[_Started] = field(default_factory=list["_Started"])
    _replacements: int = 0
    _done: int = -1

    def run(self) -> WorkerEnd:
        """Run until every shard is committed or set aside, or a worker had to stop. Return how it ended."""
        self.start()
        try:
            while (end := self.poll()) is None:
                time.sleep(POLL_S)
            return end
        finally:
            self.stop()

    def start(self) -> None:
        """Start the workers. `stop` must be called in the end."""
        context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        self._context = context
        self._stopping = context.Event()
        gc.collect()
        gc.freeze()  # the collector would touch, and therefore copy, every shared page in each process
        self._watch = LeaseWatch(store=self.given.place.store, lease_s=self.given.command.lease_s)
        for _ in range(self.workers):
            self._start()

    def stop(self) -> None:
        """Tell the workers to stop, and wait until they have ended."""
        self._stopping.set()
        try:
            self._stop()
        finally:
            gc.unfreeze()

    def _start(self) -> None:
        receiver, sender = self._context.Pipe(duplex=False)
        process = self._context.Process(
            target=_work,
            args=(self.given, self._stopping, sender, os.getpid(), traceparent()),
            name="retouch-worker",
            daemon=False,
        )
        process.start()
        sender.close()
        _LOG.debug("started worker process %d", process.pid)
        self.started.append(_Started(process=process, results=receiver))

    def poll(self) -> WorkerEnd | None:
        """Look at the workers once, and return how the command ends, None while it goes on."""
        if self.on_poll():
            return WorkerEnd(why="interrupted")
        for one in self.started:
            self._look_at(one, self._watch)
        ends = [one.end for one in self.started if one.end is not None]
        early = next((end for end in ends if end.why not in ("", "died", LEASE_OVER)), None)
        if early is not None:
            return early
        if self._finished() == len(self.given.shards):
            return WorkerEnd(committed=sum(end.committed for end in ends))
        if all(one.end is not None for one in self.started):
            return WorkerEnd(why="no worker is left")
        return None

    def _look_at(self, one: _Started, watch: LeaseWatch) -> None:
        """Notice what a worker has ended with, and start another one for one that has died or hangs."""
        if one.end is not None:
            return
        with suppress(EOFError, OSError):
            if one.results.poll():
                one.end = one.results.recv()
        if one.end is None and not one.process.is_alive():
            one.end = WorkerEnd(why="died")
            _LOG.info("worker process %d died, exit code %s", one.process.pid, one.process.exitcode)
        hangs = self._hangs(one.process.pid, watch) if one.end is None and not one.is_replaced else ""
        if (one.end is not None and one.end.why in ("died", LEASE_OVER) and not one.is_replaced) or hangs:
            one.is_replaced = True
            _LOG.info("worker process %d is replaced: %s", one.process.pid, hangs or "it ended")
            if hangs == HUNG or (hangs and self.given.own is not None):
                one.process.kill()  # it uses the processor for nothing, or has the lock of a run that goes on
                one.process.join(_KILLED_S)
            self._replace()

    def _hangs(self, pid: int, watch: LeaseWatch) -> str:
        """Return HUNG if the code of a worker hangs, "silent" if it does not renew its lease, else ""."""
        store = self.given.place.store
        for name in store.list("status"):
            data = stored_data(store, name)
            if data.get("pid") == pid and data.get("state") in ("running", HUNG):
                worker = WorkerId(**{key: data[key] for key in WorkerId.__dataclass_fields__})
                if watch.is_over(worker):
                    return HUNG if data["state"] == HUNG else "silent"
        return ""

    def _replace(self) -> None:
        done = self._finished() + len(self.given.place.store.list(TRIALS))  # each step of an isolation is progress
        self._replacements = 1 if done > self._done else self._replacements + 1
        self._done = done
        if self._replacements > STARTS:
            raise RetouchError(
                f"{STARTS} workers have died, and no shard was finished", hint="Run it with --workers 1 to see why."
            )
        self._start()

    def _finished(self) -> int:
        store = self.given.place.store
        return len((numbers_in(store, COMMITS) | numbers_in(store, ASIDE)) & {*self.given.shards})

    def _stop(self) -> None:
        """Wait until the workers have ended by themselves, then stop those that have not."""
        end = time.monotonic() + self.given.command.run_options().grace_s + _STOP_S
        finished = self._finished() == len(self.given.shards)
        for one in self.started:
            hung = one.is_replaced and one.process.is_alive()
            one.process.join(0.2 if hung or finished else max(end - time.monotonic(), 0.1))
        for one in self.started:
            if one.process.is_alive():
                one.process.kill()
                one.process.join()


def _work(given: WorkerInput, stopping: Any, sender: Any, parent: int, span: str) -> None:
    """Run a worker in its own process. It stops if its parent wants to stop, or has died."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent decides
    try:
        with worker_traced(span):
            end = run_worker(given, lambda: stopping.is_set() or os.getppid() != parent)
    except (RetouchError, OSError) as error:  # what the disk refuses is the user's to repair
        end = WorkerEnd(why="failed", error=error)
    except Exception as error:  # noqa: BLE001 - the parent reports it
        end = WorkerEnd(why="failed", error=RetouchError(f"{type(error).__name__}: {error}", hint="See the fleet."))
    with suppress(OSError):
        sender.send(_picklable(end))


def _picklable(end: WorkerEnd) -> WorkerEnd:
    """Return the end of a worker with its error as a plain one, since other exceptions may not survive pickling."""
    if end.error is None:
        return end
    if isinstance(end.error, OSError):
        return replace(end, error=OSError(*end.error.args[:2]))  # a class of its own may not survive pickling
    error = end.error
    kind = next((one for one in (BadInput, ModelError) if isinstance(error, one)), RetouchError)
    plain = kind(end.error.message, hint=end.error.hint)
    plain.exit_status = end.error.exit_status
    return replace(end, error=plain)


def _have_died(given: WorkerInput) -> bool:
    """Return whether a worker has died with a shard that is left: the next one must not be this process."""
    store = given.place.store
    left = {*given.shards} - numbers_in(store, COMMITS) - numbers_in(store, ASIDE)
    return any(claims_of(store, one).deaths for one in left)


def run_local(given: WorkerInput, *, workers: int, on_poll: Callable[[], object] = lambda: None) -> WorkerEnd:
    """Run all shards with `workers` processes, and return how it ended.

    One worker runs in this process, unless an earlier one has died with a shard that is left.
    """
    given = replace(given, command=replace(given.command, workers=max(1, workers)))
    opened_account(given)
    if workers <= 1 and not _have_died(given):
        return run_worker(given, lambda: bool(on_poll()))
    return LocalWorkers(given=given, workers=workers, on_poll=on_poll).run()
