"""The life of a batch: it is sent once, found again after a crash, polled and read.

A batch is created only after the ledger has its content, and polled only after the ledger has its id. If a process
ended between the two, or the response to the creation was lost, the provider's list is searched first. An existing
batch is used and never created again.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from retouch.engine.batches import prepared_attempts
from retouch.engine.types import BATCH_PREPARED
from retouch.models.batch.job import created, known_jobs, new_jobs
from retouch.models.batch.work import Work

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

    from retouch.engine.types import Journal, Note, Reply, Request
    from retouch.errors import ModelError
    from retouch.models.batch.api import BatchApi
    from retouch.models.batch.facts import BatchFacts
    from retouch.models.batch.job import Job
    from retouch.models.cache_marks import RunPlans

_GROWTH = 1.5  # factor between two polling intervals


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How often a batch is polled: first after `first_poll_s`, then with growing intervals up to `max_poll_s`.

    `tries` is the number of attempts to create one, `create_s` the time limit of each.
    """

    first_poll_s: float
    max_poll_s: float
    tries: int
    create_s: float


class Batches:
    """A model that answers through its provider's batch API; a `BatchModel`.

    `open_batch_api` returns the provider's API, and imports it. `price` is the share of the usual price. `give_up`
    stops batches in progress: finished answers are used, and the rest fails.
    """

    def __init__(
        self,
        name: str,
        open_batch_api: Callable[[], BatchApi],
        facts: BatchFacts,
        *,
        plans: RunPlans,
        patience: Patience,
        give_up: bool = False,
    ) -> None:
        self.name = name
        self.price = facts.price
        self._api = cache(open_batch_api)
        self._facts = facts
        self._plans = plans
        self._patience = patience
        self._give_up = give_up

    async def answers(
        self,
        requests: Mapping[int, Request],
        journal: Journal,
        earlier: Sequence[Note],
        *,
        wait_s: float | None,
        on_status: Callable[[str], None],
    ) -> AsyncGenerator[tuple[int, Reply | ModelError]]:
        """Yield the result of each of the `requests`, by attempt: a reply or an error.

        Raises:
            ModelError: a batch cannot be created, or this account does not know it.
        """
        work = self._work(requests, journal, earlier, on_status)
        jobs = list(known_jobs(earlier, requests, self._patience.create_s))
        sent = prepared_attempts(earlier)
        if self._give_up:
            for job in jobs:
                async with aclosing(work.give_up(job)) as failed:
                    async for pair in failed:
                        yield pair
            jobs = [job for job in jobs if not job.over]
        for job in new_jobs({seq: one for seq, one in requests.items() if seq not in sent}, self._facts):
            journal.note(BATCH_PREPARED, job.note())
            jobs.append(job)
        await journal.synced()
        async with aclosing(self._polled(work, jobs, wait_s)) as found:
            async for pair in found:
                yield pair

    def _work(
        self,
        requests: Mapping[int, Request],
        journal: Journal,
        earlier: Sequence[Note],
        on_status: Callable[[str], None],
    ) -> Work:
        marked = {seq: replace(one, breakpoints=self._plans.breakpoints(one)) for seq, one in requests.items()}
        return Work(
            api=self._api(),
            requests=marked,
            journal=journal,
            known=frozenset(created(earlier).values()),
            on_status=on_status,
            price=self._facts.price,
            tries=self._patience.tries,
            create_s=self._patience.create_s,
        )

    async def _polled(
        self, work: Work, jobs: Sequence[Job], wait_s: float | None
    ) -> AsyncGenerator[tuple[int, Reply | ModelError]]:
        started_at, pause_s = time.monotonic(), self._patience.first_poll_s
        while True:
            for job in jobs:
                async with aclosing(work.step(job)) as found:
                    async for pair in found:
                        yield pair
            jobs = [job for job in jobs if not job.over]
            left_s = pause_s if wait_s is None else min(pause_s, started_at + wait_s - time.monotonic())
            if not jobs or left_s <= 0:
                return
            await asyncio.sleep(left_s)
            pause_s = min(pause_s * _GROWTH, self._patience.max_poll_s)
