"""Measures the minutes from one time to another one, as two arguments of a call name them: the length of an event."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from retouch.recipes.policy.deciding.sizes import UNKNOWN, Passes
from retouch.recipes.policy.language.clock import written_moment

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.values import Limit

SOME_START = "2024-01-08T00:00:00"
_DAY = len("2025-01-01")
_FIELDS = ("dateTime", "date_time", "date")
_ZONES = ("timeZone", "time_zone", "timezone")


def judge_minutes(limit: Limit, start: JSON, end: JSON) -> Passes:
    """Return whether the minutes from one time to another pass. It is uncertain if one is missing, or cannot be read.

    A day without a time may be meant with its last minute, or without. Times without an offset are of one zone.
    """
    first, last = _text_of(start), _text_of(end)
    if first is None or last is None or _zone_of(start) != _zone_of(end):
        return UNKNOWN
    begin, finish = written_moment(first), written_moment(last)
    if begin is None or finish is None or (begin.tzinfo is None) != (finish.tzinfo is None):
        return UNKNOWN
    least = _minutes(begin, finish)
    most = least + 24 * 60 if len(last) == _DAY else least
    least = least - 24 * 60 if len(first) == _DAY != len(last) else least
    if most < 0 or (len(first) == _DAY) != (len(last) == _DAY):
        return UNKNOWN
    found = [limit.admits(one) for one in (least, most)]
    return Passes(all(found), any(found))


def from_some_start(limit: Limit, end: JSON) -> Passes:
    """Return whether the minutes to a time pass, from one start that stands for all."""
    return judge_minutes(limit, SOME_START, end)


def ends_around(limit: Limit) -> list[str]:
    """Return ends on both sides of every bound, from one start that stands for all."""
    start = datetime.fromisoformat(SOME_START)
    numbers = {int(bound) + step for bound in limit.bounds for step in (-1, 0, 1)} | {0}
    return [(start + timedelta(minutes=one)).isoformat() for one in sorted(numbers) if one >= 0]


def _minutes(begin: datetime, finish: datetime) -> float:
    if begin.tzinfo is not None and finish.tzinfo is not None:
        return (finish.astimezone(UTC) - begin.astimezone(UTC)).total_seconds() / 60
    return (finish - begin).total_seconds() / 60


def _text_of(value: JSON) -> str | None:
    """Return a time as text, also in an object with a `dateTime` or a `date`."""
    if isinstance(value, dict):
        found = [value[name] for name in _FIELDS if value.get(name) is not None]
        value = found[0] if len(found) == 1 and not value.keys() - {*_FIELDS, *_ZONES} else None
    return value if isinstance(value, str) else None


def _zone_of(value: JSON) -> JSON:
    found = [value.get(name) for name in _ZONES if value.get(name)] if isinstance(value, dict) else []
    return found[0] if found else None
