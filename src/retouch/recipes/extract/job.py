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
from collections import Counter
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

from retouch._lib.disk import write_files
from retouch._lib.hashing import canonical_hash
from retouch._lib.json_text import json_text
from retouch.engine.tiers import EXIT_STATUS, TierSummary, status_reason
from retouch.engine.types import Usage
from retouch.engine.verbs import generate
from retouch.errors import BadInput, BrokenFile
from retouch.recipes.extract.answers import Extracted
from retouch.recipes.extract.definition import recipe as extract_recipe
from retouch.recipes.extract.results import (
    RECORD_STATUSES,
    RecordResult,
    RecordStatus,
    ShardSummary,
    json_line,
    json_lines,
    results_digest,
    results_file,
    run_state,
    shard_results,
    write_results,
)
from retouch.recipes.extract.source import ExtractShard, InputRecord
from retouch.recipes.extract.summary import summary_page
from retouch.recipes.extract.whole_job import JobChecks, violations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.options import Progress, RunOptions, Watch
    from retouch.engine.recipe import Recipe, Unread
    from retouch.engine.tiers import Status
    from retouch.engine.types import Model
    from retouch.recipes.extract.answers import Extracted

JOB, INPUT, SHARDS = "job.json", "input.jsonl", "shards"
RECORDS, DEAD, REPORT = "records.jsonl", "dead.jsonl", "report.html"
VERSION = 1
SHARD_SIZE = 1_000


@dataclass(frozen=True, kw_only=True)
class ExtractJob:
    """What is extracted, and how it is checked: a shard without records, and the checks over all records.

    `max_dead` is the number of records that may stay without a usable value. `shard_size` is the number of records of
    one run, approximately; it is fixed when the job is begun.
    """

    shared: ExtractShard
    whole: JobChecks = JobChecks()
    max_dead: int = 0
    shard_size: int = SHARD_SIZE


@dataclass(frozen=True, kw_only=True)
class ExtractResult:
    """The result of a job. `counts` are the records by status; `usage` is that of this command."""

    directory: Path
    status: Status
    counts: Mapping[RecordStatus, int]
    tiers: tuple[TierSummary, ...] = ()
    usage: Usage = Usage()
    allowed_dead: int = 0
    notes: tuple[str, ...] = ()

    @property
    def exit_status(self) -> int:
        """0 verified or unverified (1 if a check that was asked for could not judge), 1 issues, 3 exhausted."""
        if self.status == "unverified" and any(tier.requested for tier in self.tiers):
            return 1
        return EXIT_STATUS[self.status]

    @property
    def reason(self) -> str:
        """Why the status is `unverified`, or how many dead records were allowed, in words."""
        dead = f"{self.allowed_dead} dead allowed" if self.allowed_dead else ""
        return ", ".join(one for one in (status_reason(self.status, self.tiers, ()), dead) if one)

    @property
    def records(self) -> Iterator[RecordResult]:
        """The results of all records, in the order of the input, read from disk one by one."""
        return job_results(self.directory)

    @property
    def dead(self) -> list[RecordResult]:
        """The records without a usable value."""
        return [one for one in self.records if one.status == "dead"]

    def as_json(self) -> dict[str, JSON]:
        """Return the result with the keys that commands print."""
        usage = self.usage
        return {
            "run": str(self.directory),
            "status": self.status,
            "records": {status: self.counts.get(status, 0) for status in RECORD_STATUSES},
            "tiers": [tier.to_json() for tier in self.tiers],
            "usage": {
                "calls": usage.calls,
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
                "cached_tokens": usage.cached_tokens,
                "cost": usage.cost,
            },
            "files": [name for name in (RECORDS, DEAD, REPORT) if (self.directory / name).exists()],
            "notes": list(self.notes),
        }


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
    """
    job.whole.expect_usable(job.shared.schema)
    layout = prepare(job, records, directory)
    usage, notes, done = Usage(), list[str](), 0
    for number in (number for number in range(layout.shards) if layout.keys(number)):
        shard = replace(job.shared, records=tuple(layout.read(number)))
        place = directory / SHARDS / f"{number:05}"
        made_from = _made_from(shard)
        if (
            recipe is not extract_recipe or shard.checks or not _is_done(directory, number, made_from)
        ):  # a check may use more than its own file
            watched = replace(options, watch=_shifted(options.watch, done, layout.total))
            values: dict[str, Extracted | Unread] = {}
            result = await generate(_capturing(recipe, values), shard, place, model, watched)
            usage += result.usage
            told = (*([result.lost_ledger] if result.lost_ledger else []), *result.notes)
            notes += [f"shard {number:05}: {note}" for note in told]
            write_results(directory, number, shard, result, values, made_from)
        done += len(shard.records)
        for one in shard_results(directory, number)[1] if on_result is not None else ():
            cast("Callable[[RecordResult], None]", on_result)(one)
    return replace(finish_job(job, layout, directory, usage), notes=tuple(notes))


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

    def keys(self, number: int) -> Sequence[int]:
        """Return the positions of the records of a shard."""
        return self.positions[number]

    def read(self, number: int) -> Iterator[InputRecord]:
        """Yield the records of a shard, in the order of the input."""
        with (self.directory / INPUT).open("rb") as file:
            for position in self.positions[number]:
                file.seek(position)
                data: dict[str, Any] = json.loads(file.readline())
                yield InputRecord(key=data["key"], fields=data["fields"])


def prepare(job: ExtractJob, records: Iterable[InputRecord], directory: Path) -> JobLayout:
    """Write the records into the job's directory, and return where they are.

    Raises:
        BadInput: there is no record, or the directory holds something else.
    """
    known = _known_job(directory)
    directory.mkdir(parents=True, exist_ok=True)
    keys: list[bytes] = []
    positions: list[int] = []
    at = 0
    temporary = directory / f".{INPUT}.new"
    with temporary.open("wb") as file:
        for record in records:
            line = json.dumps({"key": record.key, "fields": record.fields}, ensure_ascii=True).encode() + b"\n"
            file.write(line)
            keys.append(_key_hash(record.key))
            positions.append(at)
            at += len(line)
    if not positions:
        temporary.unlink()
        raise BadInput("the input has no records", hint="Check the input, --where and --limit.")
    temporary.replace(directory / INPUT)
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


def finish_job(job: ExtractJob, layout: JobLayout, directory: Path, usage: Usage) -> ExtractResult:
    """Run the checks over all records, write the files with all results, and return the result of the job."""
    shards = [shard_results(directory, number) if layout.keys(number) else None for number in range(layout.shards)]
    summaries = [one[0] for one in shards if one is not None]
    found: dict[str, list[dict[str, JSON]]] = {}
    if job.whole.given:
        values = {one.key: one.value for shard in shards if shard is not None for one in shard[1] if _has_value(one)}
        found = violations(job.whole, values, job.shared.schema)
    streams = [iter(shard[1]) if shard is not None else iter(()) for shard in shards]
    results = [_with_violations(next(streams[number]), found) for number in layout.order]
    counts = Counter[RecordStatus](one.status for one in results)
    tiers = _merged_tiers([summary.tiers for summary in summaries])
    status = _job_status(job, counts, summaries, tiers)
    dead = [one for one in results if one.status == "dead"]
    result = ExtractResult(
        directory=directory,
        status=status,
        counts=counts,
        tiers=tiers,
        usage=usage,
        allowed_dead=len(dead) if status in {"verified", "unverified"} else 0,
    )
    files = {
        RECORDS: "".join(json_line(one.line()) for one in results),
        DEAD: "".join(json_line(one.dead_line()) for one in dead),
        REPORT: summary_page(result, results),
    }
    write_files(directory, files)
    return result


def job_results(directory: Path) -> Iterator[RecordResult]:
    """Yield the results in records.jsonl, with the issues of dead records."""
    dead = {one["key"]: one for one in json_lines(directory / DEAD)}
    for line in json_lines(directory / RECORDS):
        more = dead.get(line["key"], {})
        yield RecordResult.from_json({"issues": more.get("issues", ()), "best": more.get("best"), **line})


def _known_job(directory: Path) -> int:
    """Return the number of shards of the job in a directory, 0 if there is none.

    Raises:
        BadInput: the directory belongs to something else.
        BrokenFile: job.json cannot be read, or a newer version wrote it.
    """
    place = directory / JOB
    if not place.exists():
        if directory.is_dir() and any(directory.iterdir()):
            if (directory / "ir.json").exists():
                raise BadInput(f"{str(directory)!r} is a run of another recipe", hint="Name another directory with -o.")
            if not (directory / f".{INPUT}.new").exists() and not (directory / INPUT).exists():
                raise BadInput(f"{str(directory)!r} is not empty and not a job", hint="Name another directory with -o.")
        return 0
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


def _made_from(shard: ExtractShard) -> str:
    """Return the hash of everything that the results of a shard depend on."""
    records = [{"key": one.key, "fields": dict(one.fields)} for one in shard.records]
    shared = {name: value for name, value in vars(replace(shard, records=())).items() if not name.startswith("_")}
    plain = json.loads(json.dumps(shared, default=vars))
    return canonical_hash({"shared": plain, "records": records})


def _is_done(directory: Path, number: int, made_from: str) -> bool:
    """Return whether a shard needs no work: its results were made from the same source and the run as it is."""
    place, results = directory / SHARDS / f"{number:05}", results_file(directory, number)
    if not results.exists() or not place.is_dir():
        return False
    summary = ShardSummary.from_json(next(json_lines(results)))
    final = summary.status in {"verified", "unverified"}
    unchanged = summary.made_from == made_from and summary.run == run_state(place)
    return final and unchanged and summary.digest == results_digest(results)


def _capturing(
    recipe: Recipe[ExtractShard, Extracted], values: dict[str, Extracted | Unread]
) -> Recipe[ExtractShard, Extracted]:
    """Return the recipe that also copies the checked values into `values`, because files may be edited by hand."""

    def assemble(shard: ExtractShard, found: Mapping[str, Extracted | Unread]) -> Mapping[str, str]:
        values.update(found)
        return recipe.assemble(shard, found)

    return replace(recipe, assemble=assemble)


def _with_violations(result: RecordResult, found: Mapping[str, list[dict[str, JSON]]]) -> RecordResult:
    own = found.get(result.key)
    if not own:
        return result
    return replace(result, status="issues", issues=(*result.issues, *({**one, "tier": 3} for one in own)))


def _has_value(result: RecordResult) -> bool:
    return result.status in {"verified", "unverified", "issues"}


def _job_status(
    job: ExtractJob, counts: Mapping[RecordStatus, int], shards: Sequence[ShardSummary], tiers: Sequence[TierSummary]
) -> Status:
    """Return the status of a job: the worst that is true of it.

    A shard that is exhausted although no record is dead has reached a limit of cost.
    """
    limited = counts.get("missing", 0) > 0 and any(one.status == "exhausted" for one in shards)
    if counts.get("dead", 0) > job.max_dead or limited:
        return "exhausted"
    found = {one.status for one in shards}
    if counts.get("missing", 0) or "incomplete" in found:
        return "incomplete"
    if counts.get("issues", 0) or any(one.troubled for one in shards):
        return "issues"
    unjudged = counts.get("unverified", 0) or any(tier.not_run and not tier.blocked for tier in tiers)
    return "unverified" if unjudged or "unverified" in found else "verified"


def _merged_tiers(shards: Iterable[Sequence[TierSummary]]) -> tuple[TierSummary, ...]:
    merged: dict[str, TierSummary] = {}
    for tiers in shards:
        for tier in tiers:
            before = merged.get(tier.name)
            merged[tier.name] = tier if before is None else _added(before, tier)
    return tuple(merged.values())


def _added(one: TierSummary, other: TierSummary) -> TierSummary:
    told = one if one.not_run else other
    return replace(
        told,
        passed=one.passed + other.passed,
        failed=one.failed + other.failed,
        not_run=one.not_run + other.not_run,
        requested=one.requested or other.requested,
        blocked=told.blocked,
    )


def _shifted(watch: Watch | None, before: int, total: int) -> Watch | None:
    """Return a watcher of one shard that counts over the whole job."""
    if watch is None:
        return None

    def report(event: Progress) -> None:
        watch(replace(event, done=before + event.done, total=max(total, before + event.total)))

    return report
