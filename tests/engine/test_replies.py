"""What models wrap around answers is taken off, and nothing else is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch.errors import Invalid
from retouch.text import code_in, fenced_blocks, json_in, without_thinking

if TYPE_CHECKING:
    from pathlib import Path

JSON_VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def test_code_without_a_fence_is_the_whole_reply() -> None:
    assert "int x;\n" == code_in("int x;\n")


def test_a_fence_and_the_prose_around_it_are_taken_off() -> None:
    assert "int x;" == code_in("Here you are:\n```csharp\nint x;\n```\nAnything else?")


def test_a_fence_that_is_never_closed_gives_what_is_there() -> None:
    block = fenced_blocks("```csharp\nint x;")[0]
    assert ("int x;", "csharp", False) == (block.text, block.language, block.closed)


def test_of_several_blocks_the_wanted_language_wins_over_the_longer_one() -> None:
    reply = "```text\na much longer block of text\n```\n```cs\nint x;\n```"
    assert "int x;" == code_in(reply, languages=("csharp", "cs"))


def test_a_shorter_fence_inside_a_longer_one_is_content() -> None:
    assert "```\ninner\n```" == code_in("````\n```\ninner\n```\n````")


def test_reasoning_in_tags_is_left_out() -> None:
    assert "int x;" == without_thinking("\ufeff<think>\nint y;\n</think>\n\nint x;")


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"a": [1, 2,],}', {"a": [1, 2]}),
        ('Sure! {"a": "b,}"} is it.', {"a": "b,}"}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ("prose [1] and [1, 2, 3] prose", [1, 2, 3]),
        ('{"a": ",]"}', {"a": ",]"}),
        ("12345678901234567890123", 12345678901234567890123),
    ],
)
def test_json_is_found_where_a_model_puts_it(reply: str, value: object) -> None:
    assert value == json_in(reply)


@pytest.mark.parametrize("reply", ["", "   ", "no json here", "NaN", '{"a": Infinity}', '{"a": 1', "[" * 100_000])
def test_a_reply_without_json_says_where_it_broke(reply: str) -> None:
    with pytest.raises(Invalid, match="not JSON") as caught:
        json_in(reply)
    assert "INVALID_JSON" == caught.value.code


@given(JSON_VALUES)
def test_any_json_survives_a_fence_and_prose(value: object) -> None:
    assert value == json_in(f"Here:\n```json\n{json.dumps(value, indent=1)}\n```\nDone.")


@given(st.text(alphabet=st.characters(blacklist_characters="`~\r"), max_size=60))
def test_any_text_survives_a_fence(text: str) -> None:
    assert text == fenced_blocks(f"```\n{text}\n```")[0].text


def test_recorded_replies_give_their_json_and_never_a_crash(shared_data: Path) -> None:
    rows = (shared_data / "llm_outputs" / "outputs.jsonl").read_text(encoding="utf-8").splitlines()
    replies = [json.loads(row) for row in rows]
    whole = [reply for reply in replies if "bare_json" in reply["shape"] and reply["kind"] == "text"]
    assert 12 == len(whole)
    for reply in whole:
        assert json.loads(reply["text"]) == json_in(reply["text"])
    for reply in replies:
        assert isinstance(code_in(reply["text"]), str)
