"""One batch at work, step by step: created or found again, looked at, read. Each step may be the last of a process."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.errors import ModelError, TransportError
from retouch.models.batch.desk import UNREADABLE, ResultsGone
from retouch.models.batch.job import CREATED, ENDED, SKEW_S

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping

    from retouch._lib.json_text import JSON
    from retouch.engine.types import Journal, Reply, Request
    from retouch.models.batch.desk import BatchApi, BatchProgress, Line, Listed
    from retouch.models.batch.job import Job

TROUBLE, FOUND = "batch_trouble", "batch_found"


def _told_as(line: Line, job: Job) -> str:
    if line.outcome == UNREADABLE:
        return UNREADABLE
    seq = job.entries.get(line.entry)
    return "strange" if seq is None else "doubled" if seq in job.seen else line.outcome


@dataclass(frozen=True, kw_only=True)
class Work:
    """What the batches of one run share.

    `requests` are those that need an answer, by attempt, with their cache markers; `known` are the ids of batches that
    the ledger tells of; `price` is a batch's share of the usual one; `tries` is how often a thing that fails is tried.
    """

    desk: BatchApi
    requests: Mapping[int, Request]
    journal: Journal
    known: frozenset[str]
    on_status: Callable[[str], None]
    price: float
    tries: int
    create_s: float

    async def step(self, job: Job) -> AsyncGenerator[tuple[int, Reply | ModelError]]:
        """Take a batch as far as it can be taken now; yield the answers of one that has ended.

        Raises:
            ModelError: it cannot be created, was refused as a whole, or is not known to this account.
        """
        try:
            if not job.id:
                await self._create_batch(job)
            if job.id:
                async with aclosing(self._collected(job)) as found:
                    async for pair in found:
                        yield pair
            job.troubles = 0
        except TransportError as error:
            job.troubles += 1
            if not job.id and job.troubles >= self.tries:
                raise
            if job.troubles == 1:
                self.journal.note(TROUBLE, {"key": job.key, "batch": job.id, "error": error.message})
            self.on_status(f"{job.id or 'a batch'}: {error.message}; trying again")

    async def give_up(self, job: Job) -> AsyncGenerator[tuple[int, Reply | ModelError]]:
        """Stop a batch; yield a failure for each entry of one that cannot be stopped because nobody knows it."""
        try:
            if job.id:
                if not (await self.desk.standing(job.id)).ended:
                    await self.desk.cancel(job.id)
                return
        except TransportError:
            raise
        except ModelError as error:
            self.on_status(error.message)
        job.over = True
        for seq in self._open(job):
            yield seq, TransportError("it was given up in its batch")
        self._close_job(job, {"given up": len(job.entries)})

    async def _create_batch(self, job: Job) -> None:
        """Create a batch, unless it was created without our knowing; one that cannot be told yet stays doubtful."""
        if job.doubtful:
            found = await self._find_created_batch(job)
            if found is None:
                self.on_status("a batch that may be this run's is under way: it cannot be told before it ends")
                return
            if found:
                self.journal.note(FOUND, {"key": job.key, "batch": found})
                await self._created(job, found)
                return
        bodies = {entry: await self.desk.body(self.requests[seq]) for entry, seq in job.entries.items()}
        now = time.time()
        job.doubtful, job.since, job.until = True, now - SKEW_S, now + self.create_s + SKEW_S
        await self._created(job, await self.desk.create(job.key, bodies))

    async def _created(self, job: Job, batch: str) -> None:
        job.id = batch
        self.journal.note(CREATED, {"key": job.key, "batch": batch})
        await self.journal.synced()
        self.on_status(f"{batch}: {len(job.entries)} entries sent")

    async def _find_created_batch(self, job: Job) -> str | None:
        """Return the id of a batch that was created without our knowing, "" when there is none, None while in doubt."""
        doubt = False
        async with aclosing(self.desk.listed()) as batches:
            async for one in batches:
                if one.created_at < job.since:
                    break
                if one.key == job.key:
                    return one.id
                if not self._may_be(one, job):
                    continue
                if not one.ended:
                    doubt = True
                elif await self._holds(one.id, job):
                    return one.id
                else:
                    job.strangers.add(one.id)
        return None if doubt else ""

    def _may_be(self, one: Listed, job: Job) -> bool:
        elsewhere = one.id in self.known or one.id in job.strangers
        return one.key is None and one.total == len(job.entries) and one.created_at <= job.until and not elsewhere

    async def _holds(self, batch: str, job: Job) -> bool:
        async with aclosing(self.desk.lines(batch)) as lines:
            async for line in lines:
                return line.entry in job.entries
        return False

    async def _collected(self, job: Job) -> AsyncGenerator[tuple[int, Reply | ModelError]]:
        standing = await self.desk.standing(job.id)
        if not standing.ended:
            self.on_status(f"{job.id}: {standing.done} of {standing.total or len(job.entries)} done")
            return
        outcomes: Counter[str] = Counter()
        job.seen.clear()
        if not standing.refused:
            try:
                async with aclosing(self._read_lines(job, outcomes)) as found:
                    async for pair in found:
                        yield pair
                self._expect_whole(job, standing, outcomes)
            except ResultsGone as error:
                self.on_status(error.message)
        for seq in self._open(job):
            yield seq, TransportError(f"the batch {job.id} holds no result for it")
        self._close_job(job, {**outcomes})
        if standing.refused:
            hint = "Give the same command again to send it once more, or without --batch to ask page by page."
            raise ModelError(f"the provider took no entry of the batch {job.id}: {standing.refused}", hint=hint)

    async def _read_lines(self, job: Job, outcomes: Counter[str]) -> AsyncGenerator[tuple[int, Reply | ModelError]]:
        async with aclosing(self.desk.lines(job.id)) as lines:
            async for line in lines:
                seq = job.entries.get(line.entry)
                outcomes[_told_as(line, job)] += 1
                if seq is None or seq in job.seen:
                    continue
                job.seen.add(seq)
                if seq in self.requests and seq not in job.given:
                    job.given.add(seq)
                    yield seq, await self._reply_of_line(line)

    async def _reply_of_line(self, line: Line) -> Reply | ModelError:
        try:
            reply = await self.desk.reply(line)
        except ModelError as error:
            return error
        return replace(reply, cost=None if reply.cost is None else reply.cost * self.price)

    def _expect_whole(self, job: Job, standing: BatchProgress, outcomes: Counter[str]) -> None:
        """Make sure that the results came whole, as long as reading them again may help."""
        missing = standing.done - outcomes.total() + outcomes[UNREADABLE]
        if missing > 0 and job.troubles + 1 < self.tries:
            raise TransportError(f"{missing} of {standing.done} results of {job.id} cannot be read")

    def _open(self, job: Job) -> list[int]:
        """Return the attempts that were to be answered and were not."""
        return [seq for seq in job.entries.values() if seq in self.requests and seq not in job.given]

    def _close_job(self, job: Job, outcomes: Mapping[str, JSON]) -> None:
        job.over = True
        self.journal.note(ENDED, {"key": job.key, "batch": job.id, "outcomes": dict(outcomes)})
