"""Routing keys: one for a shared text, more if there are too many requests for one."""

from __future__ import annotations

from collections import Counter
from itertools import count

from retouch.models.hosted.cache_keys import CacheKeys

NUMBERS = count()


def fresh() -> str:
    """A first turn that was not sent before."""
    return f"page {next(NUMBERS)}"


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_few_requests_share_one_key_and_texts_have_keys_of_their_own() -> None:
    keys = CacheKeys(15, clock=Clock())
    assert {15: 1} == Counter(Counter(keys.key("shared", fresh()) for _ in range(15)).values())
    assert keys.key("other", fresh()).startswith("retouch-")
    assert keys.key("other", fresh()) != CacheKeys(15).key("shared", fresh())


def used(keys: CacheKeys, times: int, *, begin: bool = True) -> list[str]:
    """The keys of pages that are requested one after another. With `begin`, each response begins before the next
    request.
    """
    found: list[str] = []
    for _ in range(times):
        found.append(keys.key("shared", fresh()))
        if begin:
            keys.begun(found[-1])
            keys.over(found[-1])
    return found


def test_no_key_gets_more_than_it_bears_within_a_minute() -> None:
    counts = Counter(used(CacheKeys(15, clock=Clock()), 40))
    assert [15, 15, 10] == sorted(counts.values(), reverse=True)


def test_the_first_request_with_a_further_key_goes_alone() -> None:
    keys = CacheKeys(15, clock=Clock())
    counts = Counter(used(keys, 40, begin=False))
    assert [39, 1] == sorted(counts.values(), reverse=True)
    alone = min(counts, key=lambda key: counts[key])
    keys.begun(alone)
    assert alone == keys.key("shared", fresh())


def test_a_further_key_whose_first_request_failed_is_tried_again() -> None:
    keys = CacheKeys(1, clock=Clock())
    _, second = used(keys, 2, begin=False)
    keys.over(second)
    assert second == keys.key("shared", fresh())


def test_a_key_is_used_again_when_its_minute_is_over() -> None:
    clock = Clock()
    keys = CacheKeys(2, clock=clock)
    first = used(keys, 1)[0]
    clock.now_s = 30.0
    same, other = used(keys, 2)
    assert (first, False) == (same, other == first)
    clock.now_s = 60.0
    assert [first] == used(keys, 1)


def test_without_a_limit_there_is_one_key() -> None:
    keys = CacheKeys(0)
    assert 1 == len({keys.key("shared", fresh()) for _ in range(100)})


def test_keys_fit_into_what_the_provider_takes() -> None:
    keys = CacheKeys(1, clock=Clock())
    assert max(len(key) for key in used(keys, 200)) <= 64


def test_a_conversation_keeps_the_key_of_its_first_turn() -> None:
    keys = CacheKeys(3, clock=Clock())
    first = [keys.key("shared", f"talk {number}") for number in range(9)]
    for key in first:
        keys.begun(key)
    for _ in range(3):
        assert first == [keys.key("shared", f"talk {number}") for number in range(9)]
