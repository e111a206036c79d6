"""The recipe's offline answers as a model."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.recipe import Read, Recipe, open_model
from retouch.engine.types import Event, Prompt
from retouch.errors import BadInput, UnknownName
from retouch.models.offline import offline
from retouch.models.tokens import estimate_tokens

if TYPE_CHECKING:
    from tests.models.conftest import MakeRequest


def shout(prompt: Prompt) -> str:
    return prompt.user.upper()


def recipe_with(**fields: Any) -> Recipe[str, str]:
    return Recipe[str, str](
        name="shouting",
        source=str,
        plan=lambda _source: (),
        read=lambda _source, _unit, pages: Read(pages[0]),
        check=lambda _source, _values, _options: (),
        assemble=lambda _source, _values: {},
        **fields,
    )


def test_a_request_is_answered_by_the_recipe_that_was_given(make_request: MakeRequest):
    model = open_model("offline", recipe=recipe_with(offline=shout))
    reply = asyncio.run(model(make_request(user="three red dogs")))
    assert ("THREE RED DOGS", "end", "offline") == (reply.text, reply.finish, reply.model)


def test_the_reply_has_counts_for_the_ledger(make_request: MakeRequest):
    reply = asyncio.run(offline(shout)(make_request(user="three red dogs")))
    assert (estimate_tokens("Write code only.") + 3 + 4, estimate_tokens("THREE RED DOGS"), 0.0) == (
        reply.input_tokens,
        reply.output_tokens,
        reply.cost,
    )


def test_a_correction_does_not_hide_the_clean_prompt(make_request: MakeRequest):
    request = make_request(user="three red dogs", correction="CORRECTION REQUIRED:\n  [LOUD] not loud")
    assert "THREE RED DOGS" == asyncio.run(offline(shout)(request)).text


def test_a_page_that_is_asked_in_another_way_is_answered_in_that_way(make_request: MakeRequest):
    request = make_request(user="the whole file", asked="only the changes")
    assert "ONLY THE CHANGES" == asyncio.run(offline(shout)(request)).text


def test_an_answer_above_the_cap_is_cut_and_marked(make_request: MakeRequest):
    reply = asyncio.run(offline(shout)(make_request(user="one two three four five", cap=3)))
    assert ("length", 3) == (reply.finish, reply.output_tokens)
    assert "ONE TWO THREE FOUR FIVE".startswith(reply.text)
    assert "" != reply.text


def test_an_answer_at_the_cap_is_whole(make_request: MakeRequest):
    request = make_request(user="one two three")
    needed = asyncio.run(offline(shout)(request)).output_tokens
    assert "end" == asyncio.run(offline(shout)(replace(request, max_output_tokens=needed))).finish


def test_whoever_listens_hears_the_first_byte_and_then_the_text(make_request: MakeRequest):
    heard: list[Event] = []
    asyncio.run(offline(shout)(make_request(user="red"), on_event=heard.append))
    assert [Event(kind="first_byte"), Event(kind="text", text="RED")] == heard


def test_offline_without_a_recipe_shows_how_to_pass_one():
    with pytest.raises(BadInput, match="no recipe was given") as caught:
        open_model("offline")
    assert "recipe=" in caught.value.hint


def test_a_recipe_that_answers_nothing_offline_is_named():
    with pytest.raises(BadInput, match="'shouting' has no offline model"):
        open_model("offline", recipe=recipe_with())


def test_parameters_of_offline_are_refused():
    with pytest.raises(BadInput, match=r"'fast' was given"):
        open_model("offline:fast", recipe=recipe_with(offline=shout))


def test_an_unknown_scheme_lists_the_known_ones():
    with pytest.raises(UnknownName, match=r"'ofline'.*faulty, .*offline, .*replay"):
        open_model("ofline")
