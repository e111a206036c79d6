"""Many runs at once on this machine: in worker processes, or in one event loop."""

from __future__ import annotations

from retouch.fleet.local import Outcome, in_processes, in_tasks

__all__ = ["Outcome", "in_processes", "in_tasks"]
