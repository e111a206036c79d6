"""Models with scripted answers."""

from __future__ import annotations

import asyncio

import pytest

from retouch.engine.types import Event, Message, Prompt, Reply, Request
from retouch.errors import ModelError, TransportError
from retouch.testing import Answer, Scripted, scripted


def request_for(unit: str) -> Request:
    prompt = Prompt(unit=unit, system="", user=f"say {unit}")
    return Request(prompt=prompt, system="", messages=(Message(role="user", text=prompt.user),), max_output_tokens=100)


def ask(model: Scripted, unit: str = "Pet") -> Reply:
    return asyncio.run(model(request_for(unit)))


def test_a_list_is_given_one_answer_per_call():
    model = scripted(["one", Reply(text="two", model="m", finish="length")])
    assert [("one", "end"), ("two", "length")] == [(reply.text, reply.finish) for reply in (ask(model), ask(model))]


def test_a_text_becomes_a_reply_with_counts():
    reply = ask(scripted(["three red dogs"]))
    assert ("scripted", 3, True) == (reply.model, reply.output_tokens, reply.input_tokens > 0)


def test_an_exception_in_the_script_is_raised():
    with pytest.raises(TransportError, match="timed out"):
        ask(scripted([TransportError("timed out")]))


def test_an_exhausted_script_names_the_surplus_call():
    model = scripted(["one"])
    ask(model)
    with pytest.raises(ModelError, match="has 1 answers, but call 2 requests page 1 of 'Toy'"):
        ask(model, "Toy")


def test_a_function_answers_from_the_request():
    assert "say Toy!" == ask(scripted(lambda request: request.messages[0].text + "!"), "Toy").text


def test_a_function_may_be_async():
    async def later(request: Request) -> Answer:
        await asyncio.sleep(0)
        return request.prompt.unit

    assert "Toy" == ask(scripted(later), "Toy").text


def test_requests_are_kept_oldest_first():
    model = scripted(["one", "two"])
    ask(model, "Pet")
    ask(model, "Toy")
    assert ["Pet", "Toy"] == [request.prompt.unit for request in model.requests]


def test_whoever_listens_to_a_script_hears_it():
    heard: list[Event] = []
    asyncio.run(scripted(["one"])(request_for("Pet"), on_event=heard.append))
    assert [Event(kind="first_byte"), Event(kind="text", text="one")] == heard
