"""Whatever the words and their order, a sentence is read or refused with a reason."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.recipes.policy.english.compiling import understood
from retouch.recipes.policy.english.tools.toolbox import Toolbox
from tests.recipes.policy.english.ordinary_sentences import SENTENCES, frame

TEXTS: Final = {agent: [one["text"] for one in sentences] for agent, sentences in SENTENCES.items()}
TOOLBOXES: Final[dict[str, Toolbox]] = {}
WORDS: Final = tuple(sorted({word for texts in TEXTS.values() for text in texts for word in text.split()}))


@st.composite
def mixed(draw: st.DrawFn) -> tuple[str, str]:
    """Return an agent, and the beginning of one sentence, the end of another, and some words, without full stops."""
    agent = draw(st.sampled_from(sorted(TEXTS)))
    one, other = (draw(st.sampled_from(TEXTS[agent])).split() for _ in range(2))
    more = draw(st.lists(st.sampled_from(WORDS), max_size=3))
    first, last = draw(st.integers(0, len(one))), draw(st.integers(0, len(other)))
    words = [*one[first:], *more, *other[:last]] if draw(st.booleans()) else [*one[:first], *more, *other[last:]]
    return agent, " ".join(words).replace(".", "")


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(mixed())
def test_mixed_words_are_read_or_refused_with_a_reason(drawn: tuple[str, str]) -> None:
    agent, text = drawn
    if agent not in TOOLBOXES:
        TOOLBOXES[agent] = Toolbox(frame(agent))
    read, refused = understood(text, TOOLBOXES[agent])
    assert all(refused.values())
    assert {one.quote for one in read}.isdisjoint(one.text for one in refused)
