"""The minutes from one time to another one that a call names."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.recipes.policy.deciding.lengths import judge_minutes
from retouch.recipes.policy.language.values import Limit

OVER_AN_HOUR = Limit(arg="end", size="minutes", since="start", above=60)


@pytest.mark.parametrize(
    ("wanted", "start", "end"),
    [
        ((False, False), "2026-03-10T10:00:00", "2026-03-10T11:00:00"),
        ((True, True), "2026-03-10T10:00:00", "2026-03-10T11:01:00"),
        ((True, True), "2026-03-10T22:00", "2026-03-11T02:00"),
        ((False, False), "2026-03-10T10:00:00Z", "2026-03-10T12:00:00+01:00"),
        ((True, True), "2026-03-10T10:00:00+01:00", "2026-03-10T10:30:00Z"),
        ((False, True), "2026-03-10T10:00:00Z", "2026-03-10T10:30:00"),
        ((False, True), "2026-03-10T10:00:00", None),
        ((False, True), None, "2026-03-10T10:00:00"),
        ((False, True), "2026-03-10T10:00:00", "noon"),
        ((False, True), "2026-03-10T10:00:00", "2026-03-10T09:00:00"),  # an end before the start
        ((True, True), "2026-03-10", "2026-03-11"),
        ((False, True), "2026-03-10", "2026-03-10"),  # it may be a whole day
        ((False, False), {"dateTime": "2026-03-10T10:00:00"}, {"dateTime": "2026-03-10T10:30:00"}),
        (
            (False, True),
            {"dateTime": "2026-03-10T10:00:00", "timeZone": "Europe/London"},
            {"dateTime": "2026-03-10T10:30:00", "timeZone": "Europe/Athens"},
        ),
        ((False, True), {"dateTime": "2026-03-10T10:00:00", "more": "x"}, "2026-03-10T10:30:00"),
    ],
)
def test_a_length_is_certain_if_both_times_are(wanted: tuple[bool, bool], start: Any, end: Any) -> None:
    assert wanted == judge_minutes(OVER_AN_HOUR, start, end)
