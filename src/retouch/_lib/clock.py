"""The current time, in the format of rows and files."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """Return the current UTC time in ISO 8601 with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
