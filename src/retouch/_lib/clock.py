"""The current time, in the format of rows and files."""

from __future__ import annotations

import time
from datetime import UTC, datetime

_LATEST = [(-1, "")]  # the latest second and its text: many rows are written in one second


def now() -> str:
    """Return the current UTC time in ISO 8601 with milliseconds."""
    seconds, milliseconds = divmod(time.time_ns() // 1_000_000, 1_000)
    known, text = _LATEST[0]
    if known != seconds:
        text = datetime.fromtimestamp(seconds, UTC).isoformat()[:19]
        _LATEST[0] = seconds, text
    return f"{text}.{milliseconds:03}Z"
