"""Many runs at once on this machine: in worker processes where the work is computing, in one loop where it is waiting."""

from __future__ import annotations

from retouch.fleet.local import Outcome, in_processes, in_tasks

__all__ = ["Outcome", "in_processes", "in_tasks"]
