"""Jobs as they are on disk: their state without any work, and checking them again without a model."""

from __future__ import annotations

from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from retouch.engine.directory import IR
from retouch.engine.ledger import one_writer
from retouch.engine.stored_files import file_hash
from retouch.engine.tiers import STATUSES, TierSummary, exit_status_of, status_reason
from retouch.engine.types import Issue, Tier, Usage
from retouch.engine.verbs import read_values, validate
from retouch.errors import BadInput
from retouch.recipes.extract.definition import recipe
from retouch.recipes.extract.layout import finish_input, shard_directory, stored_layout
from retouch.recipes.extract.merging import MergedRecords, merge_results
from retouch.recipes.extract.results import RECORD_STATUSES, died_before, shard_results, shard_summary, write_results
from retouch.recipes.extract.shard_runs import ShardWork, is_current
from retouch.recipes.extract.stored import INPUT, NEW_INPUT, expect_job_file, job_of, read_job_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.options import RunOptions
    from retouch.engine.tiers import Status
    from retouch.recipes.extract.merging import ExtractResult
    from retouch.recipes.extract.results import RecordStatus
    from retouch.recipes.extract.stored import ExtractJob, JobFile

_AT_WORK = "a command is at work on this job, or was interrupted"


@dataclass(frozen=True, kw_only=True)
class ShardView:
    """One shard as it is on disk: its number, its run, its status, and its records by status.

    `changed` is whether its run or its results were changed since the results were written.
    """

    number: int
    run: Path
    status: Status
    counts: Mapping[RecordStatus, int]
    changed: bool = False

    def as_json(self) -> dict[str, JSON]:
        """Return the shard as plain data."""
        records: dict[str, JSON] = {status: self.counts.get(status, 0) for status in RECORD_STATUSES}
        head: dict[str, JSON] = {"shard": self.number, "run": str(self.run), "status": self.status}
        return {**head, "records": records, "changed": self.changed}


@dataclass(frozen=True, kw_only=True)
class JobView:
    """A job as it is on disk. `usage` is that of the last command. `file_issues` are of files that were changed."""

    directory: Path
    status: Status
    reason: str
    counts: Mapping[RecordStatus, int]
    tiers: tuple[TierSummary, ...]
    shards: tuple[ShardView, ...]
    usage: Mapping[str, Any]
    files: tuple[str, ...] = ()
    file_issues: tuple[Issue, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def exit_status(self) -> int:
        """The exit status of a command that ended with this result."""
        return exit_status_of(self.status, self.tiers)

    def as_json(self) -> dict[str, JSON]:
        """Return the job with the keys that `retouch show` prints."""
        return {
            "run": str(self.directory),
            "recipe": "extract",
            "status": self.status,
            "records": {status: self.counts.get(status, 0) for status in RECORD_STATUSES},
            "tiers": [tier.to_json() for tier in self.tiers],
            "shards": [one.as_json() for one in self.shards],
            "usage": dict(self.usage),
            "files": list(self.files),
            "file_issues": [issue.summary() for issue in self.file_issues],
            "notes": list(self.notes),
        }


def job_view(directory: Path) -> JobView:
    """Return the state of a job. Nothing is locked, checked again or changed.

    Raises:
        BadInput: there is no job.
        BrokenFile: a file of the job is damaged.
    """
    file = read_job_file(directory)
    if file is None:
        raise BadInput(f"{str(directory)!r} does not hold a job", hint="'retouch extract' makes one.")
    shards = tuple(one for number in range(file.shards) if (one := _shard_view(directory, number)) is not None)
    if file.result is None:
        return _view_of_unfinished(directory, shards)
    result: Mapping[str, Any] = file.result
    issues = file_issues(directory, file)
    tiers = (*(TierSummary(**one) for one in result["tiers"]), *_changed_tier(directory, shards))
    status: Status = result["status"]
    if any(one.changed for one in shards):
        status = _worse(status, "unverified")
    status = _worse(status, "issues") if issues else status
    dead = result["allowed_dead"]
    reasons = (status_reason(status, tiers), f"{dead} dead allowed" if dead and status == result["status"] else "")
    return JobView(
        directory=directory,
        status=status,
        reason=", ".join(one for one in reasons if one),
        counts=result["records"],
        tiers=tiers,
        shards=shards,
        usage=result["usage"],
        files=tuple(result["files"]),
        file_issues=issues,
        notes=tuple(result["notes"]),
    )


def _shard_view(directory: Path, number: int) -> ShardView | None:
    run, summary = shard_directory(directory, number), shard_summary(directory, number)
    if summary is None:
        return ShardView(number=number, run=run, status="incomplete", counts={}) if run.is_dir() else None
    counts = Counter["RecordStatus"](one.status for one in shard_results(directory, number))
    changed = not is_current(directory, number, summary)
    return ShardView(number=number, run=run, status=summary.status, counts=counts, changed=changed)


def _view_of_unfinished(directory: Path, shards: Sequence[ShardView]) -> JobView:
    counts = sum((Counter(one.counts) for one in shards), Counter["RecordStatus"]())
    place = directory / INPUT
    with (place if place.exists() else directory / NEW_INPUT).open("rb") as file:
        total = sum(1 for _ in file)
    counts["missing"] += max(0, total - counts.total())
    usage: dict[str, Any] = dict.fromkeys(("calls", "input_tokens", "output_tokens", "cached_tokens", "cost"))
    return JobView(
        directory=directory,
        status="incomplete",
        reason=_AT_WORK,
        counts=counts,
        tiers=(),
        shards=tuple(shards),
        usage=usage,
        notes=(f"'retouch resume {directory}' goes on with it.",),
    )


def _changed_tier(directory: Path, shards: Sequence[ShardView]) -> list[TierSummary]:
    """Return the tier of what was changed since the last command of the job, if anything was."""
    changed = [f"{one.number:05}" for one in shards if one.changed]
    if not changed:
        return []
    number = sum(sum(one.counts.values()) for one in shards if one.changed)
    why = f"shards were changed since the last command of the job: {', '.join(changed)}"
    again = f"retouch resume {directory}"
    return [TierSummary(tier=4, name="shards", passed=0, failed=0, not_run=number, why=why, next=again)]


def _worse(one: Status, other: Status) -> Status:
    return STATUSES[max(STATUSES.index(one), STATUSES.index(other))]


def file_issues(directory: Path, file: JobFile) -> tuple[Issue, ...]:
    """Return an issue for each file with results that is missing, or was changed, since the last command wrote it."""
    found: list[Issue] = []
    for name, known in (file.result or {}).get("files", {}).items():
        now = file_hash(directory / name)
        if now != known:
            code, what = ("FILE_CHANGED", "was changed since it was written") if now else ("FILE_MISSING", "is missing")
            fix = f"Write it again: retouch resume {directory}"
            found.append(Issue(code=code, message=f"{name!r} {what}", tier=Tier.SEMANTIC, unit=name, fix=fix))
    return tuple(found)


async def validate_job(
    directory: Path, options: RunOptions, *, write: bool = True
) -> tuple[ExtractResult, tuple[Issue, ...]]:
    """Check every record of a job again, as its runs are on disk, and return the result and the issues of its files.

    No model is called. Without `write`, nothing is locked or changed. Files with results that were changed by somebody
    else are an issue, and are not overwritten.

    Raises:
        BadInput: there is no job, or a check cannot be loaded.
    """
    job = job_of(expect_job_file(directory).settings)
    job.whole.expect_usable(job.shared.schema)
    async with AsyncExitStack() as stack:
        if write:
            await stack.enter_async_context(one_writer(directory, wait=options.wait))
        file = expect_job_file(directory)
        if write:
            finish_input(directory, file)
        issues = file_issues(directory, file)
        place = directory
        if issues or not write:
            place = Path(stack.enter_context(TemporaryDirectory(prefix="retouch-")))
        result = await _validated(job, file, directory, place, replace(options, wait=False), write=write)
        status = _worse(result.status, "issues") if issues else result.status
        return replace(result, directory=directory, status=status), issues


async def _validated(
    job: ExtractJob, file: JobFile, directory: Path, place: Path, options: RunOptions, *, write: bool
) -> ExtractResult:
    """Check each shard, and merge its results in the directory `place`."""
    layout, finished = stored_layout(directory, file), list[int]()
    work = ShardWork(shared=job.shared, layout=layout)
    for number, positions in enumerate(layout.positions):
        run = shard_directory(directory, number)
        if not positions or not (run / IR).exists():
            continue
        result = await validate(recipe, run, write=write, options=options)
        source, values = await read_values(recipe, run)
        whole, made_from = replace(job.shared, records=tuple(layout.read(number))), work.made_from(number)
        died = died_before(directory, number, made_from)
        if source != replace(whole, records=tuple(one for one in whole.records if one.key not in died)):
            continue  # the input or a setting has changed since: its records are missing until the job is resumed
        write_results(place, number, whole, result, values, made_from, died=died)
        finished.append(number)
    return merge_results(job, place, MergedRecords.of(layout, finished), Usage())
