"""The emulated prompt cache: what is read, written and counted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retouch.models.tokens import estimate_tokens
from retouch.testing.openai_wire import OpenAIDialect
from retouch.testing.prompt_cache import PromptCache
from retouch.testing.wire import PromptBlock, WireCall, WireUsage

LONG = "word " * 2_000
SHARED = estimate_tokens(LONG)


class Clock:
    """Seconds that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def asked(*blocks: PromptBlock, key: str = "", model: str = "m") -> WireCall:
    return WireCall(model=model, blocks=blocks, system="", messages=(), max_output_tokens=9, cache_key=key)


def system(text: str = LONG, ttl_s: float | None = 300.0) -> PromptBlock:
    return PromptBlock(role="system", text=text, ttl_s=ttl_s)


def user(text: str, ttl_s: float | None = None) -> PromptBlock:
    return PromptBlock(role="user", text=text, ttl_s=ttl_s)


def spent(cache: PromptCache, one: WireCall) -> WireUsage:
    lookup = cache.marked(one)
    cache.begun(lookup)
    return lookup.usage


def test_a_marked_prefix_is_written_once_and_read_by_others():
    cache = PromptCache()
    assert WireUsage(total=SHARED + 3, written=SHARED) == spent(cache, asked(system(), user("page 1")))
    assert WireUsage(total=SHARED + 3, read=SHARED) == spent(cache, asked(system(), user("page 2")))
    assert 1 == cache.most_writes


def test_an_entry_cannot_be_read_before_its_response_has_begun():
    cache = PromptCache()
    first = cache.marked(asked(system(), user("a")))
    second = cache.marked(asked(system(), user("b")))
    assert (SHARED, SHARED) == (first.usage.written, second.usage.written)
    cache.begun(first)
    assert SHARED == cache.marked(asked(system(), user("c"))).usage.read
    assert 1 == cache.most_writes
    cache.begun(second)
    assert 2 == cache.most_writes


def test_a_prefix_below_the_minimum_is_silently_not_cached():
    cache = PromptCache(min_tokens=4_096)
    for _ in range(2):
        assert WireUsage(total=SHARED + 1) == spent(cache, asked(system(), user("a")))


def test_one_changed_character_or_another_model_reads_nothing():
    cache = PromptCache()
    spent(cache, asked(system()))
    assert 0 == spent(cache, asked(system("W" + LONG[1:]))).read
    assert 0 == spent(cache, asked(system(), model="n")).read


@pytest.mark.parametrize(("ttl_s", "written_1h"), [(300.0, 0), (3_600.0, SHARED)])
def test_an_entry_lives_from_its_last_use_until_its_time_is_over(ttl_s: float, written_1h: int):
    clock = Clock()
    cache = PromptCache(clock=clock)
    assert written_1h == spent(cache, asked(system(ttl_s=ttl_s))).written_1h
    for now in (ttl_s - 1, 2 * ttl_s - 2):
        clock.now = now
        assert SHARED == spent(cache, asked(system(ttl_s=ttl_s))).read
    clock.now = 3 * ttl_s
    assert 0 == spent(cache, asked(system(ttl_s=ttl_s))).read


def test_a_moving_marker_reads_the_turns_before_and_writes_the_new_ones():
    cache = PromptCache()
    turns = [user("word " * 1_000), user("fix it " * 500)]
    spent(cache, asked(system(), user(turns[0].text, ttl_s=300.0)))
    found = spent(cache, asked(system(), turns[0], user(turns[1].text, ttl_s=300.0)))
    assert (SHARED + estimate_tokens(turns[0].text), True) == (found.read, found.written > 900)


@pytest.mark.parametrize(("between", "read"), [(18, SHARED), (19, SHARED), (20, 0)])
def test_a_read_looks_back_over_at_most_twenty_blocks(between: int, read: int):
    cache = PromptCache()
    spent(cache, asked(system()))
    more = [user(f"block {n}") for n in range(between - 1)]
    assert read == spent(cache, asked(system(ttl_s=None), *more, user("last", ttl_s=300.0))).read


def test_without_a_marker_nothing_is_kept_for_anthropic():
    cache = PromptCache()
    for _ in range(2):
        assert WireUsage(total=SHARED) == spent(cache, asked(system(ttl_s=None)))


def test_openai_keeps_long_prompts_by_itself_in_steps():
    cache = PromptCache()
    first = cache.automatic(asked(system(), user("a")))
    cache.begun(first)
    second = cache.automatic(asked(system(), user("b")))
    assert (0, 1_920) == (first.usage.read, second.usage.read)
    assert 1 == cache.most_writes


def test_an_entry_is_looked_for_at_the_markers_alone_where_a_cache_does_not_look_back():
    cache = PromptCache()
    spent(cache, asked(system(), user("a", 300.0)))
    further = asked(system(ttl_s=None), user("a"), user("b", 300.0))
    assert SHARED + 1 == cache.marked(further).usage.read
    assert 0 == cache.marked(replace(further, look_back_blocks=1)).usage.read
    both = asked(system(ttl_s=None), user("a", 300.0), user("b", 300.0))
    assert SHARED + 1 == cache.marked(replace(both, look_back_blocks=1)).usage.read


@pytest.mark.parametrize(
    ("model", "mode", "marked", "by_itself", "look_back"),
    [
        ("gpt-5-mini", "", [], True, 20),
        ("gpt-5.6", "", ["one", "two"], False, 20),
        ("gpt-5.6", "implicit", ["one", "two"], False, 20),
        ("gpt-5.6", "explicit", ["one"], False, 1),
    ],
)
def test_what_openai_caches_depends_on_the_model_and_its_mode(
    model: str, mode: str, marked: list[str], *, by_itself: bool, look_back: int
):
    breakpoint_ = {"prompt_cache_breakpoint": {"mode": "explicit"}} if model == "gpt-5.6" else {}
    first = {"role": "user", "content": [{"type": "text", "text": "one", **breakpoint_}]}
    more = [{"role": "assistant", "content": "yes"}, {"role": "user", "content": "two"}]
    body = {"model": model, "messages": [first, *more], "prompt_cache_options": {"mode": mode} if mode else None}
    found = OpenAIDialect().read(body)
    assert marked == [block.text for block in found.blocks if block.ttl_s is not None]
    assert (by_itself, look_back) == (found.caches_by_itself, found.look_back_blocks)


def test_openai_keeps_nothing_short_and_nothing_for_another_key():
    cache = PromptCache()
    for key in ("one", "two"):
        cache.begun(cache.automatic(asked(user("word " * 900), key=key)))
        assert 0 == cache.automatic(asked(user("word " * 900), key=key)).usage.read
    cache.begun(cache.automatic(asked(system(), key="one")))
    assert 0 == cache.automatic(asked(system(), key="two")).usage.read
