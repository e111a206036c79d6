"""A cost limit that several processes share."""

from __future__ import annotations

import multiprocessing
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from filelock import FileLock

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from retouch.errors import LimitReached
    from retouch.models.spending import CostLimit


class SharedCostLimit:
    """A cost limit in memory that processes share. It has the methods of `CostLimit` that a model with a limit uses.

    A request is reserved at its maximum cost, under a lock of the operating system, which a process that is killed
    releases. What it had reserved stays reserved: its requests may have been paid for.
    """

    def __init__(self, limit: CostLimit, lock: Path) -> None:
        self.whole_runs = limit.whole_runs
        self._limit_usd = limit.limit_usd
        self._lock = str(lock)
        context: Any = multiprocessing.get_context()
        self._used: Any = context.RawArray("d", [limit.spent_usd, limit.held_usd])

    def reserve(self, most_usd: float, what: str) -> None:
        """Reserve the maximum cost of `what`, before it is sent.

        Raises:
            LimitReached: that is more than what is left over all processes.
        """
        if not most_usd:
            return
        with self._locked():
            spent, held = self._used
            if most_usd > self._limit_usd - spent - held:
                raise self._reached(f"{what} may cost {most_usd:.4f}")
            self._used[1] = held + most_usd

    def settle(self, most_usd: float, cost_usd: float) -> None:
        """Replace a reserved maximum by a cost."""
        if most_usd or cost_usd:
            with self._locked():
                self._used[0] += cost_usd
                self._used[1] -= most_usd

    def _reached(self, reason: str) -> LimitReached:
        from retouch.models.spending import CostLimit

        return CostLimit(limit_usd=self._limit_usd, spent_usd=self._used[0]).reached(reason)

    @contextmanager
    def _locked(self) -> Generator[None]:
        with FileLock(self._lock):  # opened anew: a lock that was open before a fork would be held by all processes
            yield
