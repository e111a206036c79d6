"""The results of records: their statuses, and the file of results of each shard."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from retouch._lib.disk import write_files
from retouch._lib.json_text import JSON, row_pieces
from retouch.engine.tiers import TierSummary
from retouch.engine.types import errors_of
from retouch.errors import BrokenFile
from retouch.recipes.extract.answers import Extracted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from retouch.engine.overview import RunResult
    from retouch.engine.recipe import Unread
    from retouch.engine.tiers import Status
    from retouch.engine.types import Issue
    from retouch.recipes.extract.source import ExtractShard

RecordStatus: TypeAlias = Literal["verified", "unverified", "issues", "dead", "missing"]
RECORD_STATUSES: tuple[RecordStatus, ...] = ("verified", "unverified", "issues", "dead", "missing")
RESULTS = "results"
DEAD_STATES = frozenset({"exhausted", "disputed"})
DIED = "WORKER_DIED"
_DIED_WITH: Mapping[str, JSON] = {
    "code": DIED,
    "tier": 1,
    "pointer": "",
    "message": "processes died whenever they worked on this record: a check may end the process; see --retry-dead",
}


@dataclass(frozen=True, kw_only=True)
class RecordResult:
    """The result of one record. `value` is None if the status is dead or missing.

    `issues` have the keys `code`, `tier`, `pointer` and `message`. `best` is the last partial value of a dead record.
    The attributes can also be read as keys, for example `result["value"]`.
    """

    key: str
    status: RecordStatus
    value: Any = None
    quotes: Mapping[str, str] = field(default_factory=dict[str, str])
    issues: tuple[Mapping[str, Any], ...] = ()
    best: Any = None

    def __getitem__(self, name: str) -> Any:
        if name not in self.__dataclass_fields__:
            raise KeyError(name)
        return getattr(self, name)

    def line(self) -> dict[str, JSON]:
        """Return the record's line in records.jsonl."""
        quotes: dict[str, JSON] = {"quotes": dict(self.quotes)} if self.quotes else {}
        told = self.status in {"issues", "unverified"}  # those of dead records are in dead.jsonl
        issues: dict[str, JSON] = {"issues": [dict(one) for one in self.issues]} if told else {}
        return {"key": self.key, "value": self.value, "status": self.status, **quotes, **issues}

    def dead_line(self) -> dict[str, JSON]:
        """Return the record's line in dead.jsonl."""
        return {"key": self.key, "issues": [dict(one) for one in self.issues], "best": self.best}

    @staticmethod
    def of(line: Mapping[str, Any], dead: Mapping[str, Mapping[str, Any]]) -> RecordResult:
        """Return the result of a line of records.jsonl; `dead` are the lines of dead.jsonl by key."""
        more = dead.get(line["key"], {})
        found: dict[str, Any] = {"issues": more.get("issues", ()), "best": more.get("best"), **line}
        found["issues"] = tuple(found["issues"])
        return RecordResult(**found)


@dataclass(frozen=True, kw_only=True)
class ShardSummary:
    """The state of one shard: the first line of its file of results.

    `run` changes whenever the run does. `troubled` is whether an issue concerns the run and not a record, for example a
    changed file. `digest` is the hash of the other lines. `dead` are the lines of this shard in dead.jsonl.
    """

    made_from: str
    run: str
    status: Status
    tiers: tuple[TierSummary, ...]
    troubled: bool
    digest: str
    dead: tuple[Mapping[str, Any], ...] = ()

    def to_json(self) -> dict[str, JSON]:
        """Return the summary as plain data."""
        tiers: list[JSON] = [cast("JSON", dict(vars(tier))) for tier in self.tiers]
        head: dict[str, JSON] = {"made_from": self.made_from, "run": self.run, "status": self.status}
        dead: list[JSON] = [dict(one) for one in self.dead]
        return {**head, "troubled": self.troubled, "digest": self.digest, "tiers": tiers, "dead": dead}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> ShardSummary:
        """Return the summary that `to_json` wrote."""
        plain_data: dict[str, Any] = {**data, "tiers": tuple(TierSummary(**one) for one in data["tiers"])}
        plain_data["dead"] = tuple(data["dead"])
        return ShardSummary(**plain_data)


def died_before(directory: Path, number: int, made_from: str) -> set[str]:
    """Return the keys of the records of a shard that processes have died with, if nothing has changed since."""
    summary = shard_summary(directory, number)
    if summary is None or summary.made_from != made_from:
        return set()
    return {one["key"] for one in summary.dead if DIED in {issue["code"] for issue in one["issues"]}}


def shard_summary(directory: Path, number: int) -> ShardSummary | None:
    """Return the state of a shard when its results were written, None if there are none."""
    head = next(json_lines(results_file(directory, number)), None)
    return None if head is None else ShardSummary.from_json(head)


def shard_results(directory: Path, number: int) -> Iterator[RecordResult]:
    """Yield the results of the records of a shard."""
    lines = json_lines(results_file(directory, number))
    dead = {one["key"]: one for one in ShardSummary.from_json(next(lines)).dead}
    for line in lines:
        yield RecordResult.of(line, dead)


def write_results(
    directory: Path,
    number: int,
    shard: ExtractShard,
    result: RunResult,
    values: Mapping[str, Extracted | Unread],
    made_from: str,
    *,
    died: Collection[str] = (),
) -> None:
    """Write the file of results of a shard from the result of its run and its checked values.

    The run lacks the records with the keys `died`: processes died with them.
    """
    issues: dict[str, list[Issue]] = {}
    for issue in result.issues:
        issues.setdefault(issue.unit, []).append(issue)
    states = dict(result.states)
    unjudged = any(tier.not_run and not tier.blocked for tier in result.tiers)
    lines, dead = list[str](), list[dict[str, JSON]]()
    for record in shard.records:
        own = issues.get(record.key, [])
        status = record_status(states.get(record.key, "unanswered"), own, unjudged=unjudged)
        one = _result_of(record.key, status, own, values.get(record.key))
        if record.key in died:
            one = RecordResult(key=record.key, status="dead", issues=(_DIED_WITH,))
        lines.append(json_line(one.line()))
        dead += [one.dead_line()] if one.status == "dead" else []
    text = "".join(lines)
    summary = ShardSummary(
        made_from=made_from,
        run=run_state(result.run),
        status="exhausted" if died else result.status,
        tiers=result.tiers,
        troubled=any(issue.is_error for unit, own in issues.items() if unit not in states for issue in own),
        digest=_digest(dead, text.encode()),
        dead=tuple(dead),
    )
    content = json_line(summary.to_json()) + text
    write_files(directory, {f"{RESULTS}/{number:05}.jsonl": content}, sync_directories=False)  # it can be made again


def _result_of(
    key: str, status: RecordStatus, issues: Sequence[Issue], found: Extracted | Unread | None
) -> RecordResult:
    extracted = found if isinstance(found, Extracted) else Extracted(value=None)
    usable = status in {"verified", "unverified", "issues"}
    return RecordResult(
        key=key,
        status=status,
        value=extracted.value if usable else None,
        quotes=extracted.quotes if usable else {},
        issues=tuple(_plain_issue(one) for one in issues),
        best=None if usable else extracted.value,
    )


def record_status(state: str, issues: Sequence[Issue], *, unjudged: bool) -> RecordStatus:
    """Return the status of a record from its unit's state and issues.

    `unjudged` is whether a declared check was not run for the whole shard.
    """
    if state == "unanswered":
        return "missing"
    if state in DEAD_STATES:
        return "dead"
    errors = errors_of(issues)
    if any(one.is_failure for one in errors):
        return "issues"
    return "unverified" if errors or unjudged or state == "failing" else "verified"


def _plain_issue(issue: Issue) -> dict[str, JSON]:
    return {
        "code": issue.code,
        "tier": int(issue.tier),
        "pointer": str(issue.detail.get("pointer", "")),
        "message": issue.message,
    }


def is_intact(results: Path, summary: ShardSummary) -> bool:
    """Return whether a file of results is as it was written."""
    return summary.digest == _digest(summary.dead, results.read_bytes().partition(b"\n")[2])


def _digest(dead: Sequence[Mapping[str, Any]], lines: bytes) -> str:
    return sha256(json.dumps(list(dead)).encode() + lines).hexdigest()


def results_file(directory: Path, number: int) -> Path:
    """Return the file of results of a shard."""
    return directory / RESULTS / f"{number:05}.jsonl"


def json_line(data: Mapping[str, JSON]) -> str:
    """Return plain data as one line of ASCII JSON."""
    return "".join(row_pieces(data, 0)) + "\n"


def json_lines(place: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file of JSON lines; nothing if it does not exist.

    Raises:
        BrokenFile: a line is damaged.
    """
    if not place.exists():
        return
    with place.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                yield json.loads(line)
            except ValueError as error:
                hint = "It is written again if you remove it."
                raise BrokenFile(f"line {number} of {str(place)!r} is damaged: {error}", hint=hint) from error


def run_state(place: Path) -> str:
    """Return what changes whenever the run of a shard changes: the sizes and times of its files."""
    found = sorted(path for path in place.iterdir() if path.is_file() and path.suffix in {".json", ".jsonl", ".db"})
    return ";".join(f"{path.name}:{path.stat().st_size}:{path.stat().st_mtime_ns}" for path in found)
