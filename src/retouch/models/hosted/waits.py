"""Parses the wait time that a server requests."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def asked_wait_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds in `retry-after-ms` or `retry-after`, or None if neither is valid.

    Names of `headers` are in lower case. A date is relative to the response's own date, because this machine's clock
    can be off. A date in the past means no wait.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1_000
    header = headers.get("retry-after", "")
    seconds, until = _number(header), _date(header)
    if seconds is not None or until is None:
        return seconds
    now = _date(headers.get("date", "")) or datetime.now(UTC)
    return max((until - now).total_seconds(), 0.0)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) and number >= 0 else None


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
