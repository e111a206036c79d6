"""How long a server asks to be left alone."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def asked_wait_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that `retry-after-ms` or `retry-after` ask for, None when neither can be understood.

    Names of `headers` are in lower case. A date is counted from the answer's own, since this machine's clock may be
    wrong; one that has passed is no wait.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1_000
    told = headers.get("retry-after", "")
    seconds, until = _number(told), _date(told)
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
