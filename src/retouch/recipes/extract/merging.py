"""The files with the results of all records of a job, and the status of the job."""

from __future__ import annotations

import json
from collections import Counter, deque
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from retouch._lib.disk import write_files
from retouch.engine.stored_files import file_hash
from retouch.engine.tiers import TierSummary, exit_status_of, status_reason
from retouch.engine.types import Usage
from retouch.errors import RetouchError
from retouch.recipes.extract.parquet import write_parquet
from retouch.recipes.extract.results import (
    RECORD_STATUSES,
    RecordResult,
    RecordStatus,
    ShardSummary,
    json_line,
    json_lines,
    results_file,
)
from retouch.recipes.extract.stored import JOB, read_job_file
from retouch.recipes.extract.summary import summary_page
from retouch.recipes.extract.whole_job import violations

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from retouch._lib.disk import Text
    from retouch._lib.json_text import JSON
    from retouch.engine.tiers import Status
    from retouch.recipes.extract.layout import JobLayout
    from retouch.recipes.extract.stored import ExtractJob

RECORDS, DEAD, REPORT, PARQUET = "records.jsonl", "dead.jsonl", "report.html", "records.parquet"
RESULT_FILES = (RECORDS, PARQUET, DEAD, REPORT)
ALL_RECORDS = "all records"
"""The name of the tier of checks over all records together."""
_AT_ONCE = 256  # lines of a shard in memory
_SHOWN = 200  # records in the report
_FINE = b'"status": "verified"}\n'


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
        """0 verified or unverified (1 if a requested check could not judge), 1 issues, 3 exhausted."""
        return exit_status_of(self.status, self.tiers)

    @property
    def reason(self) -> str:
        """Why the status is `unverified`, or how many dead records were allowed, as text."""
        dead = f"{self.allowed_dead} dead allowed" if self.allowed_dead else ""
        return ", ".join(one for one in (status_reason(self.status, self.tiers, ()), dead) if one)

    @property
    def records(self) -> Iterator[RecordResult]:
        """The results of all records, in the order of the input, read from disk one by one."""
        return job_results(self.directory)

    @property
    def dead(self) -> list[RecordResult]:
        """The records without a usable value."""
        lines = json_lines(self.directory / DEAD)
        return [RecordResult.of({"key": line["key"], "status": "dead"}, {line["key"]: line}) for line in lines]

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files with all results."""
        return tuple(name for name in RESULT_FILES if (self.directory / name).exists())

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
            "files": list(self.files),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, kw_only=True)
class MergedRecords:
    """The order of a job's records: for each record its shard, and the keys of the records of unfinished shards.

    `finished` are the shards whose results belong to the present input.
    """

    order: Sequence[int]
    finished: frozenset[int]
    unfinished_keys: Mapping[int, Sequence[str]]

    @staticmethod
    def of(layout: JobLayout, finished: Collection[int]) -> MergedRecords:
        """Return the order of the records of a job, of whose shards these are finished."""
        left = [number for number in range(layout.shards) if number not in finished]
        keys = {number: [one.key for one in layout.read(number)] for number in left}
        return MergedRecords(order=layout.order, finished=frozenset(finished), unfinished_keys=keys)


@dataclass(kw_only=True)
class RecordMerge:
    """What is learnt while the lines of all records are merged.

    `found` are the violations of checks over all records. If those checks could not run, records are `unjudged`.
    """

    directory: Path
    merged: MergedRecords
    found: Mapping[str, Sequence[Mapping[str, JSON]]]
    dead: Mapping[str, Mapping[str, Any]]
    unjudged: bool = False
    counts: Counter[RecordStatus] = field(default_factory=Counter["RecordStatus"])
    troubled: list[RecordResult] = field(default_factory=list["RecordResult"])

    def lines(self) -> Iterator[str]:
        """Yield the lines of records.jsonl in the order of the input, and count them."""
        self.counts.clear()
        self.troubled.clear()
        streams = {number: _shard_lines(results_file(self.directory, number)) for number in self.merged.finished}
        missing = {number: iter(keys) for number, keys in self.merged.unfinished_keys.items()}
        is_plain = not self.found and not self.unjudged
        for number in self.merged.order:
            if number not in streams:
                self.counts["missing"] += 1
                yield json_line(RecordResult(key=next(missing[number]), status="missing").line())
                continue
            line = next(streams[number])
            if is_plain and line.endswith(_FINE):
                self.counts["verified"] += 1
                yield line.decode("ascii")
                continue
            result = self._judged(RecordResult.of(json.loads(line), self.dead))
            self.counts[result.status] += 1
            if result.status in {"dead", "issues"} and len(self.troubled) < _SHOWN:
                self.troubled.append(result)
            yield json_line(result.line())

    def _judged(self, result: RecordResult) -> RecordResult:
        own = self.found.get(result.key)
        if own:
            return replace(result, status="issues", issues=(*result.issues, *({**one, "tier": 3} for one in own)))
        return replace(result, status="unverified") if self.unjudged and result.status == "verified" else result


def merge_results(
    job: ExtractJob, directory: Path, merged: MergedRecords, usage: Usage, notes: Sequence[str] = ()
) -> ExtractResult:
    """Run the checks over all records, write the files with all results, and return the result of the job.

    Memory holds a few lines of each shard, and the values only if there are checks over all records.
    """
    summaries = [_summary(directory, number) for number in sorted(merged.finished)]
    dead = {one["key"]: one for summary in summaries for one in summary.dead}
    found, whole = _whole_job(job, directory, merged)
    unjudged = whole is not None and bool(whole.not_run)
    merge = RecordMerge(directory=directory, merged=merged, found=found, dead=dead, unjudged=unjudged)
    write_files(directory, {RECORDS: merge.lines}, sync_directories=False)  # job.json, which is written last, syncs it
    tiers = (*_merged_tiers([summary.tiers for summary in summaries]), *([whole] if whole is not None else ()))
    status = _job_status(job, merge.counts, summaries, tiers)
    result = ExtractResult(
        directory=directory,
        status=status,
        counts=dict(merge.counts),
        tiers=tiers,
        usage=usage,
        allowed_dead=merge.counts["dead"] if status in {"verified", "unverified"} else 0,
        notes=tuple(notes),
    )
    page = summary_page(result, merge.troubled, total=len(merged.order))
    others: dict[str, Text] = {DEAD: lambda: map(json_line, dead.values()), REPORT: page}
    write_files(directory, others, sync_directories=False)
    if job.parquet:
        write_parquet(directory / RECORDS, directory / PARQUET, job.shared.schema)
    else:
        (directory / PARQUET).unlink(missing_ok=True)  # it would be that of an earlier command
    file = read_job_file(directory) if (directory / JOB).exists() else None  # a copy for a check has none
    if file is not None:
        replace(file, result=_stored_result(result, len(summaries))).write(directory)
    return result


def _stored_result(result: ExtractResult, shards: int) -> Mapping[str, Any]:
    """Return what `job.json` keeps of a result; the hashes show whether a file was changed since."""
    kept = ("status", "records", "tiers", "usage", "notes")
    data = {name: one for name, one in result.as_json().items() if name in kept}
    flags = [{**tier.to_json(), "requested": tier.requested, "blocked": tier.blocked} for tier in result.tiers]
    files = {name: file_hash(result.directory / name) for name in result.files}
    return {**data, "tiers": flags, "allowed_dead": result.allowed_dead, "finished": shards, "files": files}


def _whole_job(
    job: ExtractJob, directory: Path, merged: MergedRecords
) -> tuple[Mapping[str, Sequence[Mapping[str, JSON]]], TierSummary | None]:
    """Return the violations of the checks over all records, and their tier, None if there are no such checks.

    If they cannot run on these values, nothing is lost: the records are unverified, and the reason is given.
    """
    if not job.whole.given:
        return {}, None
    lines = (json.loads(line) for one in merged.finished for line in _shard_lines(results_file(directory, one)))
    values = {line["key"]: line["value"] for line in lines if line["status"] not in {"dead", "missing"}}
    tier = TierSummary(tier=3, name=ALL_RECORDS, passed=0, failed=0, not_run=0)
    try:
        found = violations(job.whole, values, job.shared.schema)
    except RetouchError as error:
        why = f"the checks over all records could not run: {error.message}"
        return {}, replace(tier, not_run=len(values), why=why, next=error.hint, requested=True)
    wrong = sum(key in values for key in found)
    return found, replace(tier, passed=len(values) - wrong, failed=wrong)


def job_results(directory: Path) -> Iterator[RecordResult]:
    """Yield the results in records.jsonl, with the issues of dead records."""
    dead = {one["key"]: one for one in json_lines(directory / DEAD)}
    for line in json_lines(directory / RECORDS):
        yield RecordResult.of(line, dead)


def _summary(directory: Path, number: int) -> ShardSummary:
    return ShardSummary.from_json(next(json_lines(results_file(directory, number))))


def _shard_lines(place: Path) -> Iterator[bytes]:
    """Yield the lines of a file of results after the first one. The file is only open while it reads some of them."""
    position, lines = 0, deque[bytes]()
    is_first = True
    while True:
        with place.open("rb") as file:
            file.seek(position)
            lines.extend(islice(file, _AT_ONCE))
        if not lines:
            return
        position += sum(map(len, lines))
        if is_first:
            lines.popleft()
            is_first = False
        while lines:
            yield lines.popleft()


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
