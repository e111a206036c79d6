"""A job: the records of an input in shards, one run for each shard, and the files with all results.

DIR/job.json              what the job is about, its shards, and its last result
DIR/input.jsonl           the records with their keys, in the order of the input
DIR/shards/00000/         a run directory
DIR/results/00000.jsonl   the result of each record of a shard, and in its first line what it was made from
DIR/records.jsonl         one line per input record: key, value, status
DIR/dead.jsonl            the records without a usable value, with their issues and the best partial answer
DIR/report.html           a summary
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from retouch._lib.frozen import with_fields
from retouch.engine.ledger import one_writer
from retouch.engine.options import Progress
from retouch.engine.planned_calls import CallSlots
from retouch.engine.types import Usage, model_name
from retouch.recipes.extract.definition import recipe as extract_recipe
from retouch.recipes.extract.layout import JobLayout, finish_input, prepare, stored_layout
from retouch.recipes.extract.merging import ExtractResult, MergedRecords, merge_results
from retouch.recipes.extract.processes import WorkerModels, run_in_processes
from retouch.recipes.extract.results import shard_results
from retouch.recipes.extract.shard_runs import ShardOutcome, ShardWork
from retouch.recipes.extract.stored import ExtractJob, JobFile, expect_job_file, job_of, read_job_file, settings_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
    from pathlib import Path

    from retouch.engine.options import RunOptions, Watch
    from retouch.engine.recipe import Recipe
    from retouch.engine.types import Model
    from retouch.recipes.extract.answers import Extracted
    from retouch.recipes.extract.results import RecordResult
    from retouch.recipes.extract.source import ExtractShard, InputRecord


@dataclass(frozen=True, kw_only=True)
class JobRunning:
    """How a job is run, which does not change its result.

    With `retry_dead`, records that ended dead in an earlier command are requested again. `at_once` is the number of
    shards that this process runs together: the next one starts while the last replies of one are awaited. With
    `workers` above 1, so many processes run shards, with `worker_models`. `on_result` receives each result of a shard
    when it is done.
    """

    retry_dead: bool = False
    at_once: int = 1
    workers: int = 1
    worker_models: WorkerModels | None = None
    on_result: Callable[[RecordResult], None] | None = None


PLAINLY = JobRunning()
SHARDS_AT_ONCE = 2  # of a process that waits for replies
_LATER_S = 0.5  # the next shard is prepared when the first requests of the one before are sent, not before them


def is_local(spec: str) -> bool:
    """Return whether a model computes in this process, by its name, so that nothing is awaited."""
    while spec.startswith("faulty:"):
        spec = spec.removeprefix("faulty:")
    return spec.partition("?")[0] == "offline" or spec.startswith("replay:")


async def run_job(
    job: ExtractJob,
    records: Iterable[InputRecord],
    directory: Path,
    model: Model,
    options: RunOptions,
    *,
    recipe: Recipe[ExtractShard, Extracted] = extract_recipe,
    running: JobRunning = PLAINLY,
) -> ExtractResult:
    """Run every shard that is not done, write the files with all results, and return the result.

    Run it again after an interruption or a change: only records whose prompts have no answer are requested. `recipe`
    may replace the built-in one, for example with check functions of the caller.

    Raises:
        BadInput: a record has no key or the key of another, or the directory belongs to another job.
        FolderBusy: another process runs this job, and the options do not request waiting.
    """
    job.expect_known_parts()
    job.whole.expect_usable(job.shared.schema)
    read_job_file(directory)  # nothing of somebody else's is touched, not even by a lock
    async with one_writer(directory, wait=options.wait):
        before = read_job_file(directory)
        file = JobFile(
            ranges=before.ranges if before is not None else (),
            settings=settings_of(job),
            model=model_name(model),
            fallbacks=tuple(map(model_name, options.fallbacks)),
            options=options.stored(),
        )
        layout = prepare(
            records, directory, file, job.shard_size
        )  # an iterator of the caller may belong to this thread
        return await _run_shards(job, layout, model, options, recipe, running)


async def resume_job(
    directory: Path, model: Model, options: RunOptions, *, running: JobRunning = PLAINLY
) -> ExtractResult:
    """Run every shard of an existing job that is not done, from its stored records, and return the result.

    Raises:
        BadInput: there is no job, or it has check functions of a calling program.
        FolderBusy: another process runs this job, and the options do not request waiting.
    """
    job = job_of(expect_job_file(directory).settings)
    async with one_writer(directory, wait=options.wait):
        file = expect_job_file(directory)
        job.whole.expect_usable(job.shared.schema)
        layout = await asyncio.to_thread(_stored, directory, replace(file, model=model_name(model), result=None))
        return await _run_shards(job, layout, model, options, extract_recipe, running)


def _stored(directory: Path, file: JobFile) -> JobLayout:
    """Return where the records of an existing job are, and store that a command is at work."""
    finish_input(directory, file)
    layout = stored_layout(directory, file)
    file.write(directory)
    return layout


async def _run_shards(
    job: ExtractJob,
    layout: JobLayout,
    model: Model,
    options: RunOptions,
    recipe: Recipe[ExtractShard, Extracted],
    running: JobRunning,
) -> ExtractResult:
    work = ShardWork(shared=job.shared, layout=layout, recipe=recipe, retry_dead=running.retry_dead)
    command = _JobCommand(job=job, work=work, running=running, watch=options.watch)
    try:
        await command.run(model, options)
    except BaseException:
        with suppress(Exception):  # the reason why the job stopped is worth more
            command.merge()
        raise
    return await asyncio.to_thread(command.merge)


@dataclass(kw_only=True)
class _JobCommand:
    """A command at work on a job: its finished shards, and what they cost."""

    job: ExtractJob
    work: ShardWork
    running: JobRunning
    watch: Watch | None
    usage: Usage = Usage()
    notes: list[str] = field(default_factory=list[str])
    finished: set[int] = field(default_factory=set[int])
    done: int = 0

    async def run(self, model: Model, options: RunOptions) -> None:
        """Run all shards that are not done."""
        layout, todo = self.work.layout, list[int]()
        for number, positions in enumerate(layout.positions):
            if positions and self.work.is_done(number):
                self._finish(ShardOutcome(number=number, usage=Usage()))
            elif positions:
                todo.append(number)
        async with aclosing(self._outcomes(todo, model, options)) as outcomes:
            async for outcome in outcomes:
                self._finish(outcome)

    def _outcomes(self, todo: Sequence[int], model: Model, options: RunOptions) -> AsyncGenerator[ShardOutcome]:
        workers, models = min(self.running.workers, len(todo)), self.running.worker_models
        if workers > 1 and models is not None:
            return self._in_processes(todo, options, models, workers)
        progress = _JobProgress(watch=self.watch, finished=self.done, total=self.work.layout.total)
        if min(self.running.at_once, len(todo)) > 1:
            return self._together(todo, model, options, progress)
        return self._one_by_one(todo, model, options, progress)

    async def _in_processes(
        self,
        todo: Sequence[int],
        options: RunOptions,
        models: WorkerModels,
        workers: int,
    ) -> AsyncGenerator[ShardOutcome]:
        async with aclosing(run_in_processes(self.work, options, models, todo, workers=workers)) as outcomes:
            async for outcome in outcomes:
                yield outcome
                if self.watch is not None:  # what happens within a shard is not seen from here
                    unit = f"shard {outcome.number:05}"
                    self.watch(Progress(kind="settled", unit=unit, done=self.done, total=self.work.layout.total))

    async def _one_by_one(
        self, todo: Sequence[int], model: Model, options: RunOptions, progress: _JobProgress
    ) -> AsyncGenerator[ShardOutcome]:
        for number in todo:
            yield await self.work.run(number, model, replace(options, watch=progress.of_shard(number)))

    async def _together(
        self, todo: Sequence[int], model: Model, options: RunOptions, progress: _JobProgress
    ) -> AsyncGenerator[ShardOutcome]:
        """Yield the outcome of each shard; up to `at_once` run together in this event loop, and share its calls.

        The calls of an earlier shard go first, so that shards do not end together: one writes its results while the
        replies of the next one are awaited.
        """
        slots, latest = CallSlots(options.concurrency), _UnderWay()
        left, active = deque(todo), set[asyncio.Task[ShardOutcome]]()

        async def run(number: int, earlier: _UnderWay, mine: _UnderWay) -> ShardOutcome:
            await earlier.event.wait()
            limited = partial(slots.limit, turn=number)
            fallback, watch = tuple(map(limited, options.fallbacks)), mine.watching(progress.of_shard(number))
            try:
                return await self.work.run(number, limited(model), replace(options, fallback=fallback, watch=watch))
            finally:
                mine.event.set()

        latest.event.set()
        try:
            while left or active:
                while left and len(active) < self.running.at_once:
                    earlier, latest = latest, _UnderWay()
                    active.add(asyncio.create_task(run(left.popleft(), earlier, latest)))
                done, _ = await asyncio.wait(active, return_when=asyncio.FIRST_COMPLETED)
                for one in done:
                    active.discard(one)
                    yield one.result()
        finally:
            for one in active:
                one.cancel()
            await asyncio.gather(*active, return_exceptions=True)

    def _finish(self, outcome: ShardOutcome) -> None:
        self.finished.add(outcome.number)
        self.done += len(self.work.layout.positions[outcome.number])
        self.usage += outcome.usage
        self.notes += outcome.notes
        if self.running.on_result is not None:
            for one in shard_results(self.work.directory, outcome.number):
                self.running.on_result(one)

    def merge(self) -> ExtractResult:
        """Write the files with all results. Records of shards that are not finished are missing."""
        layout = self.work.layout
        merged = MergedRecords.of(layout, self.finished)
        return merge_results(self.job, self.work.directory, merged, self.usage, self.notes)


class _UnderWay:
    """Whether the first requests of a shard are under way: some time after the first one, or at its end."""

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None

    def watching(self, watch: Watch | None) -> Watch:
        """Return `watch`, which also notices the first request."""

        def report(event: Progress) -> None:
            if self._timer is None and event.kind == "asked":
                self._timer = asyncio.get_running_loop().call_later(_LATER_S, self.event.set)
            if watch is not None:
                watch(event)

        return report


@dataclass(kw_only=True)
class _JobProgress:
    """Counts over the whole job what is reported of its shards."""

    watch: Watch | None
    finished: int
    total: int
    done: dict[int, int] = field(default_factory=dict[int, int])

    def of_shard(self, number: int) -> Watch | None:
        """Return the watcher of one shard."""
        watch = self.watch
        if watch is None:
            return None

        def report(event: Progress) -> None:
            self.finished += event.done - self.done.get(number, 0)
            self.done[number] = event.done
            watch(with_fields(event, done=self.finished, total=max(self.total, self.finished)))

        return report
