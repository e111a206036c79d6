"""Runs many tasks at once on this machine: in worker processes, or in one event loop."""

from __future__ import annotations

from retouch.fleet.local import TaskResult, in_processes, in_tasks

__all__ = ["TaskResult", "in_processes", "in_tasks"]
