"""Runs many records on several processes: shards, claims, one cost limit, one status. Also many tasks at once.

result = retouch.fleet.run("extract", Path("tickets.jsonl"), "fleet", model=SPEC, shared={"schema": SCHEMA})
result.status.records  # {"verified": 998, "exhausted": 2, ...}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._lib.lazy import lazy_attributes

if TYPE_CHECKING:
    from retouch.fleet.api import FleetResult, resume, run, status, work
    from retouch.fleet.job import FleetCommand, FleetJob
    from retouch.fleet.local import TaskResult, in_tasks
    from retouch.fleet.statuses import FleetStatus

__all__ = [
    "FleetCommand",
    "FleetJob",
    "FleetResult",
    "FleetStatus",
    "TaskResult",
    "in_tasks",
    "resume",
    "run",
    "status",
    "work",
]

__getattr__ = lazy_attributes(
    __name__,
    {
        "FleetCommand": ".job",
        "FleetJob": ".job",
        "FleetResult": ".api",
        "FleetStatus": ".statuses",
        "TaskResult": ".local",
        "in_tasks": ".local",
        "resume": ".api",
        "run": ".api",
        "status": ".api",
        "work": ".api",
    },
)
