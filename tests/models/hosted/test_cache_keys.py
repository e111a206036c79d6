"""Routing keys: one for a shared text, more when it is asked too often for one."""

from __future__ import annotations

from collections import Counter

from retouch.models.hosted.cache_keys import CacheKeys


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_few_requests_share_one_key_and_texts_have_keys_of_their_own() -> None:
    keys = CacheKeys(15, clock=Clock())
    assert {15: 1} == Counter(Counter(keys.key("shared") for _ in range(15)).values())
    assert keys.key("other").startswith("retouch-")
    assert keys.key("other") != CacheKeys(15).key("shared")


def test_no_key_gets_more_than_it_bears_within_a_minute() -> None:
    keys = CacheKeys(15, clock=Clock())
    assert [15, 15, 10] == sorted(Counter(keys.key("shared") for _ in range(40)).values(), reverse=True)


def test_a_key_is_used_again_when_its_minute_is_over() -> None:
    clock = Clock()
    keys = CacheKeys(2, clock=clock)
    first = keys.key("shared")
    clock.now_s = 30.0
    assert [first, False] == [keys.key("shared"), keys.key("shared") == first]
    clock.now_s = 60.0
    assert first == keys.key("shared")


def test_without_a_limit_there_is_one_key() -> None:
    keys = CacheKeys(0)
    assert 1 == len({keys.key("shared") for _ in range(100)})


def test_keys_fit_into_what_the_provider_takes() -> None:
    keys = CacheKeys(1, clock=Clock())
    assert all(len(keys.key("shared")) <= 64 for _ in range(200))
