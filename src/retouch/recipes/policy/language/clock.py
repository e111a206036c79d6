"""Hours of a day and time zones, as rules use them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import TYPE_CHECKING

from retouch.recipes.policy.language.values import DAYS

if TYPE_CHECKING:
    from collections.abc import Iterable

_HOURS = re.compile(r"([01]\d|2[0-4]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)")
_MINUTES = 24 * 60
_WRITTEN = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{3}(?:\d{3})?)?)?(?:Z|[+-]\d\d:\d\d)?)?",
    re.IGNORECASE | re.ASCII,
)

_TIME_ONLY = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?", re.ASCII)


@lru_cache(maxsize=64)
def hours_of(text: str) -> tuple[int, int]:
    """Return the first minute of a day, and the minute after the last one, of a span such as `09:00-17:00`.

    A span may go over midnight: `22:00-06:00`. `24:00` is the end of the day.

    Raises:
        ValueError: the text is not such a span, or it is empty.
    """
    found = _HOURS.fullmatch(text)
    start, end = (int(found[1]) * 60 + int(found[2]), int(found[3]) * 60 + int(found[4])) if found else (0, 0)
    if found is None or start >= _MINUTES or end > _MINUTES or start == end:
        raise ValueError(f"{text!r} is not a span of hours such as '09:00-17:00'")
    return start, end


def is_in_hours(text: str, at: datetime) -> bool:
    """Return whether a moment, in the zone of the hours, is in a span of hours. The end does not belong to it."""
    start, end = hours_of(text)
    minute = at.hour * 60 + at.minute
    return start <= minute < end if start < end else minute >= start or minute < end


def is_on(hours: Iterable[str], days: Iterable[str], at: datetime) -> bool:
    """Return whether a moment is in one of some spans of hours, on one of some days. None of them are any."""
    spans, names = tuple(hours), tuple(days)
    return (not names or DAYS[at.weekday()] in names) and (not spans or any(is_in_hours(one, at) for one in spans))


def moments_written(text: str, zone: tzinfo) -> tuple[datetime, ...]:
    """Return the local times that an ISO text can mean: as written, and in the zone if the text has an offset.

    Empty if it is not such a text. A day without a time has a time of midnight.

    Example:
        >>> [str(one) for one in moments_written("2025-06-06T23:30:00-02:00", UTC)]
        ['2025-06-06 23:30:00', '2025-06-07 01:30:00']
    """
    if not _WRITTEN.fullmatch(text):
        return ()
    try:
        whole = datetime.fromisoformat(text.upper())
        local = whole.replace(tzinfo=None)
        return (local,) if whole.tzinfo is None else (local, whole.astimezone(zone).replace(tzinfo=None))
    except (ValueError, OverflowError):
        return ()


def written_moment(text: str) -> datetime | None:
    """Return the moment that an ISO text names, with its offset if it has one. None if it is not such a text.

    Example:
        >>> str(written_moment("2025-06-06T23:30:00-02:00")), written_moment("tomorrow")
        ('2025-06-06 23:30:00-02:00', None)
    """
    try:
        return datetime.fromisoformat(text.upper()) if _WRITTEN.fullmatch(text) else None
    except ValueError:
        return None


def minute_written(text: str) -> int | None:
    """Return the minute of the day that a text such as `19:30` names. None if it is not such a text.

    Example:
        >>> minute_written("19:30"), minute_written("9:30 pm")
        (1170, None)
    """
    if not _TIME_ONLY.fullmatch(text):
        return None
    return int(text[:2]) * 60 + int(text[3:5])


@lru_cache(maxsize=16)
def zone_of(name: str | None) -> tzinfo:
    """Return a time zone by its name, UTC for None.

    Raises:
        ValueError: this machine knows no such zone.
    """
    if name is None or name == "UTC":
        return UTC
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"no time zone {name!r} on this machine; use a name such as 'Europe/Berlin'") from error
