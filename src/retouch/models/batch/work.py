"""One batch, step by step: create it or find it again, poll it, read it. The process can end after each step."""

from __future__ import annotations

import logging
import time
from collections import Counter
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch._lib.logs import redact_record
from retouch.errors import ModelError, TransportError
from retouch.models.batch.api import UNREADABLE, ResultsGone
from retouch.models.batch.job import CREATED, ENDED, SKEW_S

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping

    from retouch._lib.json_text import JSON
    from retouch.engine.types import Journal, Reply, Request
    from retouch.models.batch.api import BatchApi, BatchProgress, Line, Listed
    from retouch.models.batch.job import Job

_LOG = logging.getLogger(__name__)
_LOG.addFilter(redact_record)

TROUBLE, FOUND = "batch_trouble", "batch_found"


def _outcome_of(line: Line, job: Job) -> str:
    if line.outcome == UNREADABLE:
        return UNREADABLE
    seq = job.entries.get(line.entry)
    return "strange" if seq is None else "doubled" if seq in job.seen else line.outcome


@dataclass(frozen=True, kw_only=True)
class Work:
    """The shared input of the batches of one run.

    `requests` are the ones that need an answer, by attempt, with their cache markers. `known` are the batch ids in the
    ledger. `price` is the share of the usual price. `tries` is the number of attempts of a failing operation.
    """

    api: BatchApi
    requests: Mapping[int, Request]
    journal: Journal
    known: frozenset[str]
    on_status: Callable[[str], None]
    price: float
    tries: int
    create_s: float

    async def step(self, job: Job) -> AsyncGenerator[tuple[int, Reply | ModelError]]:
        """Advance a batch as far as possible now. Yield the answers if it has ended.

        Raises:
            ModelError: it cannot be created, was rejected as a whole, or this account does not know it.
        """
        try:
            if not job.id:
                await self._create_or_find(job)
            if job.id:
                async with aclosing(self._collect(job)) as found:
                    async for pair in found:
                        yield pair
            job.troubles = 0
        except TransportError as error:
            job.troubles += 1
            _LOG.info(
                "batch %s: trouble %d of %d, %s", job.id or job.key, job.troubles, self.tries, type(error).__name__
            )
            if not job.id and job.troubles >= self.tries:
                raise
            if job.troubles == 1:
                self.journal.note(TROUBLE, {"key": job.key, "batch": job.id, "error": error.message})
            self.on_status(f"{job.id or 'a batch'}: {error.message}; retrying")

    async def give_up(self, job: Job) -> AsyncGenerator[tuple[int, Reply | ModelError]]:
        """Cancel a batch. If it cannot be cancelled because its id is unknown, yield a failure for each entry."""
        try:
            if job.id:
                if not (await self.api.progress(job.id)).ended:
                    await self.api.cancel(job.id)
                return
        except TransportError:
            raise
        except ModelError as error:
            self.on_status(error.message)
        job.over = True
        for seq in self._open(job):
            yield seq, TransportError("its batch was cancelled")
        self._end(job, {"given up": len(job.entries)})

    async def _create_or_find(self, job: Job) -> None:
        """Create a batch, unless it already exists. If this is not yet certain, it stays doubtful."""
        if job.doubtful:
            found = await self._found(job)
            if found is None:
                self.on_status("a batch in progress may belong to this run, which is only known when it ends")
                return
            if found:
                self.journal.note(FOUND, {"key": job.key, "batch": found})
                await self._created(job, found)
                return
        bodies = {entry: await self.api.body(self.requests[seq]) for entry, seq in job.entries.items()}
        now = time.time()
        job.doubtful, job.since, job.until = True, now - SKEW_S, now + self.create_s + SKEW_S
        await self._created(job, await self.api.create(job.key, bodies))

    async def _created(self, job: Job, batch: str) -> None:
        job.id = batch
        _LOG.info("batch %s: %d entries", batch, len(job.entries))
        self.journal.note(CREATED, {"key": job.key, "batch": batch})
        await self.journal.synced()
        self.on_status(f"{batch}: {len(job.entries)} entries sent")

    async def _found(self, job: Job) -> str | None:
        """Return the id of a batch that already exists, "" if there is none, or None if it is not yet certain."""
        doubt = False
        async with aclosing(self.api.listed()) as batches:
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
        async with aclosing(self.api.lines(batch)) as lines:
            async for line in lines:
                return line.entry in job.entries
        return False

    async def _collect(self, job: Job) -> AsyncGenerator[tuple[int, Reply | ModelError]]:
        progress = await self.api.progress(job.id)
        _LOG.debug("batch %s: %d of %d done", job.id, progress.done, progress.total or len(job.entries))
        if not progress.ended:
            self.on_status(f"{job.id}: {progress.done} of {progress.total or len(job.entries)} done")
            return
        outcomes: Counter[str] = Counter()
        job.seen.clear()
        if not progress.refused:
            try:
                async with aclosing(self._read(job, outcomes)) as found:
                    async for pair in found:
                        yield pair
                self._expect_whole(job, progress, outcomes)
            except ResultsGone as error:
                self.on_status(error.message)
        for seq in self._open(job):
            yield seq, TransportError(f"the batch {job.id} has no result for it")
        self._end(job, {**outcomes})
        if progress.refused:
            hint = "Run the same command again to send it once more, or without --batch to send the pages one by one."
            raise ModelError(f"the provider rejected the batch {job.id}: {progress.refused}", hint=hint)

    async def _read(self, job: Job, outcomes: Counter[str]) -> AsyncGenerator[tuple[int, Reply | ModelError]]:
        async with aclosing(self.api.lines(job.id)) as lines:
            async for line in lines:
                seq = job.entries.get(line.entry)
                outcomes[_outcome_of(line, job)] += 1
                if seq is None or seq in job.seen:
                    continue
                job.seen.add(seq)
                if seq in self.requests and seq not in job.given:
                    job.given.add(seq)
                    yield seq, await self._answer(line, self.requests[seq])

    async def _answer(self, line: Line, request: Request) -> Reply | ModelError:
        try:
            reply = await self.api.reply(line, request)
        except ModelError as error:
            return error
        return replace(reply, cost=None if reply.cost is None else reply.cost * self.price)

    def _expect_whole(self, job: Job, progress: BatchProgress, outcomes: Counter[str]) -> None:
        """Check that the results are complete, as long as another reading can help."""
        missing = progress.done - outcomes.total() + outcomes[UNREADABLE]
        if missing > 0 and job.troubles + 1 < self.tries:
            raise TransportError(f"{missing} of {progress.done} results of {job.id} cannot be read")

    def _open(self, job: Job) -> list[int]:
        """Return the attempts that still need an answer."""
        return [seq for seq in job.entries.values() if seq in self.requests and seq not in job.given]

    def _end(self, job: Job, outcomes: Mapping[str, JSON]) -> None:
        job.over = True
        _LOG.info("batch %s ended: %s", job.id or job.key, dict(outcomes))
        self.journal.note(ENDED, {"key": job.key, "batch": job.id, "outcomes": dict(outcomes)})
