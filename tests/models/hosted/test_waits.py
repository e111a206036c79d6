"""The wait time that a server requests."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.models.hosted.waits import asked_wait_s
from retouch.testing import retry_after_date

NOW = time.time()


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after-ms": "2500", "retry-after": "9"}, 2.5),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": retry_after_date(30, NOW), "date": retry_after_date(0, NOW)}, 30.0),
        ({"retry-after": retry_after_date(-172_770, NOW), "date": retry_after_date(-172_800, NOW)}, 30.0),
        ({"retry-after": retry_after_date(-9, NOW)}, 0.0),
        ({"retry-after": "Sun Nov  6 08:49:37 1994"}, 0.0),
        *(({"retry-after": odd}, None) for odd in ("", "-1", "nan", "inf", "1e999", "soon", "Sun, 99 Nov 1994")),
    ],
)
def test_a_wait_is_understood_or_left_aside(headers: dict[str, str], expected: float | None):
    assert expected == asked_wait_s(headers)


def test_a_date_without_the_servers_own_is_counted_from_here():
    wait_s = asked_wait_s({"retry-after": retry_after_date(3_600, time.time())})
    assert wait_s is not None
    assert 3_000 < wait_s <= 3_600


@settings(max_examples=60)
@given(st.text(max_size=40), st.text(max_size=40))
def test_no_header_is_too_odd(told: str, date: str):
    wait_s = asked_wait_s({"retry-after": told, "retry-after-ms": told[:9], "date": date})
    assert wait_s is None or wait_s >= 0
