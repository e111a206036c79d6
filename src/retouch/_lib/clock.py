"""The time of day, as rows and files hold it."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """Return the present time, UTC, in ISO 8601 with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
