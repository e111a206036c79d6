"""The answer to a packed request: which text belongs to which page, and the shares of the usage."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.engine.packs import KEYS, packed_answer, parts_of_answer, replies_of_parts
from retouch.engine.types import Prompt, Reply, Request, Usage

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from([*KEYS[:4], "page", "maple ", "1"])
NOISE = st.sampled_from(["", "```json\n", "\n```", "Here it is: ", "{", "}", '"copper"', "<think>x</think>", ","])


@given(st.lists(st.tuples(NAMES, VALUES), max_size=6), NOISE, NOISE, st.integers(0, 400), st.booleans())
@settings(deadline=None)
def test_a_part_is_always_the_whole_value_that_the_answer_gives_to_its_page(
    members: list[tuple[str, Any]], before: str, after: str, length: int, is_cut: bool
):
    text = before + "{" + ", ".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in members) + "}" + after
    text = text[:length] if is_cut else text
    parts = parts_of_answer(text, KEYS[:4], is_cut=is_cut)
    known = dict(reversed(members))  # of two equal names, the second one may be cut off
    assert {name: known[name] for name in parts} == {name: json.loads(part) for name, part in parts.items()}
    assert all(part in text for part in parts.values())
    if parts and not is_cut:
        assert set(parts) == {name for name, _ in members} <= set(KEYS[:4])
        assert len(members) == len(parts)


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@given(st.text(max_size=200), st.booleans())
@settings(deadline=None)
def test_any_text_at_all_has_parts_or_none(text: str, is_cut: bool):
    parts = parts_of_answer(text, KEYS[:3], is_cut=is_cut)
    assert [] == [part for part in parts.values() if part not in text or not is_json(part)]


AMOUNTS = st.integers(0, 100_000)


@given(st.integers(1, 40), AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS, st.floats(0, 50) | st.none(), st.randoms())
@settings(deadline=None)
def test_the_shares_of_the_pages_add_up_to_the_usage_exactly(
    pages: int, plain: int, cached: int, written: int, visible: int, reasoning: int, cost: float | None, random: Any
):
    prompts = [Prompt(unit=str(n), system="s", user="x" * random.randrange(500)) for n in range(pages)]
    parts = tuple(zip(KEYS, prompts, strict=False))
    request = Request(prompt=prompts[0], system="s", messages=(), max_output_tokens=1, parts=parts)
    reply = Reply(
        text=packed_answer(request, {key: json.dumps("y" * random.randrange(300)) for key, _ in parts}),
        model="m",
        input_tokens=plain + cached + written,
        cached_tokens=cached,
        written_tokens=written,
        output_tokens=visible + reasoning,
        reasoning_tokens=reasoning,
        cost=cost,
    )
    shares = [*replies_of_parts(request, reply).values()]
    random.shuffle(shares)
    total = sum((replace(Usage.of_replies([(one, 1)]), calls=0) for one in shares), Usage())
    assert replace(Usage.of_replies([(reply, 1)]), calls=0) == total
    assert reasoning == sum(one.reasoning_tokens for one in shares)
    for one in shares:
        assert 0 <= one.cached_tokens + one.written_tokens <= one.input_tokens
        assert 0 <= one.reasoning_tokens <= one.output_tokens
        assert one.cost is None or one.cost >= 0
