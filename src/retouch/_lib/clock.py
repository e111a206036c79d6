"""The time of day, as rows and files hold it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from functools import lru_cache


def now() -> str:
    """Return the present time, UTC, in ISO 8601 with milliseconds."""
    second, nanoseconds = divmod(time.time_ns(), 1_000_000_000)
    return f"{_to_the_second(second)}.{nanoseconds // 1_000_000:03d}Z"


@lru_cache(maxsize=1)
def _to_the_second(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat().removesuffix("+00:00")
