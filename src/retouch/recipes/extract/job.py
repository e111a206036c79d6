"""A job: the records of an input in shards, one run for each shard, and the files with all results.

    DIR/job.json              the number of shards and what the job is about
    DIR/input.jsonl           the records with their keys, in the order of the input
    DIR/shards/00000/         a run directory
    DIR/results/00000.jsonl   the result of each record of a shard, and in its first line what it was made from
    DIR/records.jsonl         one line per input record: key, value, status
    DIR/dead.jsonl            the records without a usable value, with their issues and the best partial answer
    DIR/report.html           a summary

A record belongs to the shard that the hash of its key names, so that a new record never moves another.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from retouch._lib.disk import is_temporary, write_files
from retouch._lib.json_text import json_text
from retouch.engine.ledger import HOLDER, LOCK, one_writer
from retouch.engine.types import Usage
from retouch.engine.verbs import generate
from retouch.errors import BadInput, BrokenFile
from retouch.recipes.extract.definition import recipe as extract_recipe
from retouch.recipes.extract.merging import ExtractJob, ExtractResult, MergedRecords, merge_results
from retouch.recipes.extract.results import (
    RecordResult,
    ShardSummary,
    is_intact,
    json_lines,
    results_file,
    run_state,
    shard_results,
    write_results,
)
from retouch.recipes.extract.source import ExtractShard, InputRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from retouch.engine.options import Progress, RunOptions, Watch
    from retouch.engine.recipe import Recipe, Unread
    from retouch.engine.types import Model
    from retouch.recipes.extract.answers import Extracted

JOB, INPUT, SHARDS = "job.json", "input.jsonl", "shards"
VERSION = 1
_NEW_INPUT = f".{INPUT}.new"
_OWN = frozenset({LOCK, HOLDER, INPUT, _NEW_INPUT})  # in the directory before a job is begun


async def run_job(
    job: ExtractJob,
    records: Iterable[InputRecord],
    directory: Path,
    model: Model,
    options: RunOptions,
    *,
    recipe: Recipe[ExtractShard, Extracted] = extract_recipe,
    on_result: Callable[[RecordResult], None] | None = None,
) -> ExtractResult:
    """Run every shard that is not done, write the files with all results, and return the result.

    Run it again after an interruption or a change: only records whose prompts have no answer are requested. `recipe`
    may replace the built-in one, for example with check functions of the caller. `on_result` receives each result of
    a shard when it is done.

    Raises:
        BadInput: a record has no key or the key of another, or the directory belongs to another job.
        FolderBusy: another process runs this job, and the options do not say to wait.
    """
    job.whole.expect_usable(job.shared.schema)
    _known_job(directory)  # nothing of somebody else's is touched, not even by a lock
    async with one_writer(directory, wait=options.wait):
        layout = prepare(job, records, directory)
        work = _JobRun(job=job, layout=layout, directory=directory, recipe=recipe, on_result=on_result)
        try:
            for number in range(layout.shards):
                await work.run_shard(number, model, options)
        except BaseException:
            with suppress(Exception):  # the reason why the job stopped is worth more
                work.merge()
            raise
        return work.merge()


@dataclass(kw_only=True)
class _JobRun:
    """A job at work: its finished shards, and what they cost."""

    job: ExtractJob
    layout: JobLayout
    directory: Path
    recipe: Recipe[ExtractShard, Extracted]
    on_result: Callable[[RecordResult], None] | None
    usage: Usage = Usage()
    notes: list[str] = field(default_factory=list[str])
    finished: set[int] = field(default_factory=set[int])
    done: int = 0

    async def run_shard(self, number: int, model: Model, options: RunOptions) -> None:
        """Run a shard, unless its results are those of the same input, and its run is unchanged."""
        if not self.layout.positions[number]:
            return
        made_from = _made_from(self.job.shared, self.layout.lines(number))
        own_checks = self.recipe is not extract_recipe or self.job.shared.checks  # they may use more than their file
        if own_checks or not _is_done(self.directory, number, made_from):
            await self._run(number, made_from, model, options)
        self.finished.add(number)
        self.done += len(self.layout.positions[number])
        if self.on_result is not None:
            for one in shard_results(self.directory, number):
                self.on_result(one)

    async def _run(self, number: int, made_from: str, model: Model, options: RunOptions) -> None:
        shard = replace(self.job.shared, records=tuple(self.layout.read(number)))
        watched = replace(options, watch=_shifted(options.watch, self.done, self.layout.total))
        values: dict[str, Extracted | Unread] = {}
        place = self.directory / SHARDS / f"{number:05}"
        result = await generate(_capturing(self.recipe, values), shard, place, model, watched)
        self.usage += result.usage
        told = (*([result.lost_ledger] if result.lost_ledger else []), *result.notes)
        self.notes += [f"shard {number:05}: {note}" for note in told]
        write_results(self.directory, number, shard, result, values, made_from)

    def merge(self) -> ExtractResult:
        """Write the files with all results. Records of shards that are not finished are missing."""
        layout = self.layout
        left = [number for number in range(layout.shards) if number not in self.finished]
        keys = {number: [one.key for one in layout.read(number)] for number in left}
        merged = MergedRecords(order=layout.order, finished=frozenset(self.finished), unfinished_keys=keys)
        return merge_results(self.job, self.directory, merged, self.usage, self.notes)


@dataclass(frozen=True, kw_only=True)
class JobLayout:
    """Where the records of a job are: for each shard, the byte positions of its records in input.jsonl, in order."""

    directory: Path
    positions: Sequence[Sequence[int]]
    order: Sequence[int]

    @property
    def shards(self) -> int:
        """The number of shards."""
        return len(self.positions)

    @property
    def total(self) -> int:
        """The number of records."""
        return len(self.order)

    def lines(self, number: int) -> Iterator[bytes]:
        """Yield the lines of the records of a shard, in the order of the input."""
        with (self.directory / INPUT).open("rb") as file:
            for position in self.positions[number]:
                file.seek(position)
                yield file.readline()

    def read(self, number: int) -> Iterator[InputRecord]:
        """Yield the records of a shard, in the order of the input."""
        for line in self.lines(number):
            data: dict[str, Any] = json.loads(line)
            yield InputRecord(key=data["key"], fields=data["fields"])


def prepare(job: ExtractJob, records: Iterable[InputRecord], directory: Path) -> JobLayout:
    """Write the records into the job's directory, and return where they are.

    Raises:
        BadInput: there is no record, or the directory holds something else.
    """
    known = _known_job(directory)
    keys: list[bytes] = []
    positions: list[int] = []
    at = 0
    temporary = directory / _NEW_INPUT
    try:
        with temporary.open("wb") as file:
            for record in records:
                line = json.dumps({"key": record.key, "fields": record.fields}, ensure_ascii=True).encode() + b"\n"
                file.write(line)
                keys.append(_key_hash(record.key))
                positions.append(at)
                at += len(line)
        if not positions:
            raise BadInput("the input has no records", hint="Check the input, --where and --limit.")
        temporary.replace(directory / INPUT)
    finally:
        temporary.unlink(missing_ok=True)
    shards = known or max(1, -(-len(positions) // job.shard_size))
    order = [int.from_bytes(key, "big") % shards for key in keys]
    places: list[list[int]] = [[] for _ in range(shards)]
    for number, position in zip(order, positions, strict=True):
        places[number].append(position)
    write_files(directory, {JOB: json_text({"version": VERSION, "recipe": "extract", "shards": shards})})
    return JobLayout(directory=directory, positions=places, order=order)


def by_shard(records: Iterable[InputRecord], directory: Path) -> Iterator[tuple[Path, tuple[InputRecord, ...]]]:
    """Yield the records of each shard of an existing or planned job with the shard's run directory. Nothing is written.

    Raises:
        BadInput: the directory belongs to something else.
    """
    shards = _known_job(directory) or 1
    found: list[list[InputRecord]] = [[] for _ in range(shards)]
    for record in records:
        found[int.from_bytes(_key_hash(record.key), "big") % shards].append(record)
    for number, own in enumerate(found):
        yield directory / SHARDS / f"{number:05}", tuple(own)


def _key_hash(key: str) -> bytes:
    return sha256(key.encode("utf-8", "surrogatepass")).digest()[:8]


def _known_job(directory: Path) -> int:
    """Return the number of shards of the job in a directory, 0 if there is none.

    Raises:
        BadInput: the directory belongs to something else.
        BrokenFile: job.json cannot be read, or a newer version wrote it.
    """
    place = directory / JOB
    if not place.exists():
        names = [path.name for path in directory.iterdir()] if directory.is_dir() else []
        found = {name for name in names if not is_temporary(name)}  # of a process that was killed here
        if found <= _OWN:
            return 0
        what = "a run of another recipe" if "ir.json" in found else "not empty and not a job"
        raise BadInput(f"{str(directory)!r} is {what}", hint="Name another directory with -o.")
    try:
        data: dict[str, Any] = json.loads(place.read_bytes())
        version, shards = data["version"], data["shards"]
    except (ValueError, KeyError, TypeError) as error:
        raise BrokenFile(
            f"{str(place)!r} cannot be read: {error}", hint="Restore it, or name another directory."
        ) from error
    if version != VERSION or not isinstance(shards, int) or shards < 1:
        message = f"{str(place)!r} was written by another version of Retouch (version {version!r})"
        raise BrokenFile(message, hint="Use that version, or name another directory with -o.")
    return shards


def _made_from(shared: ExtractShard, lines: Iterable[bytes]) -> str:
    """Return the hash of everything that the results of a shard depend on."""
    fields = {name: value for name, value in vars(shared).items() if name != "records" and not name.startswith("_")}
    found = sha256(json.dumps(fields, sort_keys=True, default=vars).encode())
    for line in lines:
        found.update(line)
    return f"sha256:{found.hexdigest()}"


def _is_done(directory: Path, number: int, made_from: str) -> bool:
    """Return whether a shard needs no work: its results were made from the same source and the run as it is."""
    place, results = directory / SHARDS / f"{number:05}", results_file(directory, number)
    if not results.exists() or not place.is_dir():
        return False
    summary = ShardSummary.from_json(next(json_lines(results)))
    final = summary.status in {"verified", "unverified"}
    unchanged = summary.made_from == made_from and summary.run == run_state(place)
    return final and unchanged and is_intact(results, summary)


def _capturing(
    recipe: Recipe[ExtractShard, Extracted], values: dict[str, Extracted | Unread]
) -> Recipe[ExtractShard, Extracted]:
    """Return the recipe that also copies the checked values into `values`, because files may be edited by hand."""

    def assemble(shard: ExtractShard, found: Mapping[str, Extracted | Unread]) -> Mapping[str, str]:
        values.update(found)
        return recipe.assemble(shard, found)

    return replace(recipe, assemble=assemble)


def _shifted(watch: Watch | None, before: int, total: int) -> Watch | None:
    """Return a watcher of one shard that counts over the whole job."""
    if watch is None:
        return None

    def report(event: Progress) -> None:
        watch(replace(event, done=before + event.done, total=max(total, before + event.total)))

    return report
