"""Both batch APIs: jobs that are taken now and answered after some polls, in another order than they came."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, Any

from retouch.testing.http_wire import to_bytes
from retouch.testing.wire import WireRefusal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from retouch.testing.http_wire import HttpRequest

_DAY_S = 86_400.0
_OUTCOMES = ("succeeded", "errored", "expired", "canceled")


@dataclass(frozen=True, kw_only=True)
class BatchEntryResult:
    """What became of one entry: one of succeeded, errored, expired, and the answer's or error's body.

    `times` is how often the results tell of it.
    """

    kind: str
    body: Mapping[str, Any]
    times: int = 1


@dataclass(kw_only=True)
class ServedBatch:
    """One batch: its entries (custom id and body), how often it was looked at, its results once it has ended.

    `refused` says why none of its entries was taken, "" when they were; `created_at` is in seconds since 1970.
    `besides` are bytes that a test wants its results to begin with.
    """

    id: str
    entries: Sequence[tuple[str, Mapping[str, Any]]]
    input_file: str = ""
    polls: int = 0
    outcomes: dict[str, BatchEntryResult] = field(default_factory=dict[str, BatchEntryResult])
    cancelled: bool = False
    refused: str = ""
    metadata: Mapping[str, str] | None = None
    created_at: float = field(default_factory=time.time)
    besides: bytes = b""

    @property
    def ended(self) -> bool:
        """Whether its results can be read."""
        return bool(self.refused) or len(self.outcomes) == len(self.entries)


class ServedBatches:
    """All batches and uploaded files of one server; `answer` makes the outcome of one entry in a dialect."""

    def __init__(
        self,
        answer: Callable[[str, Mapping[str, Any]], Awaitable[BatchEntryResult]],
        *,
        polls: int,
        url: Callable[[], str],
    ) -> None:
        self._answer = answer
        self._polls = polls
        self._url = url
        self._numbers = count(1)
        self.jobs: dict[str, ServedBatch] = {}
        self.files: dict[str, bytes] = {}

    async def anthropic(self, request: HttpRequest, path: Sequence[str]) -> Any:
        """Return the answer to a call below `/v1/messages/batches`; `path` is what follows it."""
        if not path:
            if request.method == "POST":
                raw = json.loads(request.body)["requests"]
                return self._anthropic(self._take("msgbatch", [(one["custom_id"], one["params"]) for one in raw]))
            jobs = [self._anthropic(job) for job in await self._looked_at("msgbatch", "anthropic")]
            return {"data": jobs, "has_more": False, "first_id": None, "last_id": None}
        job = self._job(path[0])
        if path[1:] == ["results"]:
            lines = [_lines(_anthropic_line(*pair), pair[1]) for pair in reversed(job.outcomes.items())]
            return b"".join([job.besides, *lines])
        await self._look(job, "anthropic", cancel=path[1:] == ["cancel"])
        return self._anthropic(job)

    async def openai(self, request: HttpRequest, path: Sequence[str]) -> Any:
        """Return the answer to a call below `/v1/batches`; `path` is what follows it."""
        if not path:
            if request.method == "POST":
                asked = json.loads(request.body)
                name = asked["input_file_id"]
                lines = [json.loads(line) for line in self._file(name).splitlines() if line.strip()]
                job = self._take("batch", [(line["custom_id"], line["body"]) for line in lines])
                job.input_file, job.metadata = name, asked.get("metadata")
                return self._openai(job)
            jobs = [self._openai(job) for job in await self._looked_at("batch", "openai")]
            return {"object": "list", "data": jobs, "has_more": False}
        job = self._job(path[0])
        await self._look(job, "openai", cancel=path[1:] == ["cancel"])
        return self._openai(job)

    def openai_files(self, request: HttpRequest, path: Sequence[str]) -> Any:
        """Return the answer to a call below `/v1/files`: an upload, a file's description, its content."""
        if request.method == "POST":
            name = f"file-{next(self._numbers)}"
            self.files[name] = _uploaded(request)
            return self._described(name)
        if path[1:] == ["content"]:
            return self._file(path[0])
        if request.method == "DELETE":
            self.files.pop(path[0], None)
            return {"id": path[0], "object": "file", "deleted": True}
        return self._described(path[0])

    def _take(self, prefix: str, entries: Sequence[tuple[str, Mapping[str, Any]]]) -> ServedBatch:
        names = [name for name, _ in entries]
        if not entries or len(set(names)) != len(names):
            raise WireRefusal(400, "invalid_request_error", "custom_id: each entry needs one of its own")
        job = ServedBatch(id=f"{prefix}_{next(self._numbers)}", entries=entries)
        self.jobs[job.id] = job
        return job

    async def _look(self, job: ServedBatch, dialect: str, *, cancel: bool) -> None:
        job.polls += 1
        if cancel and job.ended:
            raise WireRefusal(409, "conflict", f"Cannot cancel the batch {job.id!r}: it has ended")
        if cancel:
            job.cancelled = True
            job.outcomes = {name: BatchEntryResult(kind="canceled", body={}) for name, _ in job.entries}
        elif job.polls >= self._polls and not job.ended:
            for name, body in job.entries:
                job.outcomes[name] = await self._answer(dialect, body)
        if dialect == "openai" and job.outcomes and not job.cancelled:
            self._publish(job)

    def _publish(self, job: ServedBatch) -> None:
        lines: dict[str, list[bytes]] = {"output": [job.besides] if job.besides else [], "error": []}
        for name, outcome in reversed(job.outcomes.items()):
            good = outcome.kind == "succeeded"
            lines["output" if good else "error"].append(_lines(_openai_line(name, outcome), outcome))
        for kind, content in lines.items():
            if content:
                self.files[f"{job.id}-{kind}"] = b"".join(content)

    def _anthropic(self, job: ServedBatch) -> dict[str, Any]:
        counts = {kind: sum(one.kind == kind for one in job.outcomes.values()) for kind in _OUTCOMES}
        return {
            "id": job.id,
            "type": "message_batch",
            "processing_status": "ended" if job.ended else "in_progress",
            "request_counts": {"processing": len(job.entries) - len(job.outcomes), **counts},
            "created_at": _date(job.created_at),
            "expires_at": _date(job.created_at + _DAY_S),
            "ended_at": _date(job.created_at) if job.ended else None,
            "archived_at": None,
            "cancel_initiated_at": _date(job.created_at) if job.cancelled else None,
            "results_url": f"{self._url()}/v1/messages/batches/{job.id}/results" if job.ended else None,
        }

    def _openai(self, job: ServedBatch) -> dict[str, Any]:
        good = sum(one.kind == "succeeded" for one in job.outcomes.values())
        files = {f"{kind}_file_id": f"{job.id}-{kind}" for kind in ("output", "error")}
        return {
            "id": job.id,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "errors": {"object": "list", "data": [{"message": job.refused}]} if job.refused else None,
            "input_file_id": job.input_file,
            "completion_window": "24h",
            "status": _openai_status(job),
            **{key: name if name in self.files else None for key, name in files.items()},
            "created_at": int(job.created_at),
            "expires_at": int(job.created_at + _DAY_S),
            "request_counts": {
                "total": len(job.entries),
                "completed": good,
                "failed": len(job.outcomes) - good,
            },
            "metadata": job.metadata,
        }

    async def _looked_at(self, prefix: str, dialect: str) -> list[ServedBatch]:
        """Return the batches of one provider, the newest first; each is looked at once more."""
        found = [job for job in reversed(self.jobs.values()) if job.id.startswith(f"{prefix}_")]
        for job in found:
            await self._look(job, dialect, cancel=False)
        return found

    def _job(self, name: str) -> ServedBatch:
        if name not in self.jobs:
            raise WireRefusal(404, "not_found_error", f"no batch {name!r}; there are: {', '.join(self.jobs) or 'none'}")
        return self.jobs[name]

    def _file(self, name: str) -> bytes:
        if name not in self.files:
            raise WireRefusal(404, "not_found_error", f"no file {name!r}; there are: {', '.join(self.files) or 'none'}")
        return self.files[name]

    def _described(self, name: str) -> dict[str, Any]:
        described = {"id": name, "object": "file", "bytes": len(self._file(name)), "created_at": 1_767_225_600}
        return {**described, "filename": f"{name}.jsonl", "purpose": "batch", "status": "processed"}


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def _openai_status(job: ServedBatch) -> str:
    if job.refused:
        return "failed"
    return "cancelled" if job.cancelled else "completed" if job.ended else "in_progress"


def _lines(line: Mapping[str, Any], outcome: BatchEntryResult) -> bytes:
    return (to_bytes(line) + b"\n") * outcome.times


def _anthropic_line(name: str, outcome: BatchEntryResult) -> dict[str, Any]:
    key = {"succeeded": "message", "errored": "error"}.get(outcome.kind)
    return {"custom_id": name, "result": {"type": outcome.kind, **({key: outcome.body} if key else {})}}


def _openai_line(name: str, outcome: BatchEntryResult) -> dict[str, Any]:
    line = {"id": f"batch_req_{name}", "custom_id": name, "response": None, "error": None}
    if outcome.kind in {"expired", "canceled"}:
        return {**line, "error": {"code": f"batch_{outcome.kind}", "message": f"this entry was {outcome.kind}"}}
    code = 200 if outcome.kind == "succeeded" else 500
    return {**line, "response": {"status_code": code, "request_id": f"req_{name}", "body": outcome.body}}


def _uploaded(request: HttpRequest) -> bytes:
    """Return the content of the part called `file` in a form."""
    _, _, boundary = request.headers.get("content-type", "").partition("boundary=")
    for part in request.body.split(b"--" + boundary.strip('"').encode()) if boundary else ():
        heading, _, content = part.partition(b"\r\n\r\n")
        if b'name="file"' in heading:
            return content.removesuffix(b"\r\n")
    raise WireRefusal(400, "invalid_request_error", "file: the form has no part of that name")
