"""The current time, in the format of rows and files."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from functools import lru_cache


def now() -> str:
    """Return the current UTC time in ISO 8601 with milliseconds."""
    seconds, milliseconds = divmod(time.time_ns() // 1_000_000, 1_000)
    return f"{_of_second(seconds)}.{milliseconds:03}Z"


@lru_cache(maxsize=1)  # many rows are written in one second
def _of_second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
