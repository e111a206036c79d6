"""Calls without the client library: the same bodies and headers, without a stream if short, and the same errors."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest
from httpx2 import Request as HttpRequest

from retouch import Message
from retouch.engine.types import Event
from retouch.errors import ModelError, TransportError
from retouch.models.endpoints import endpoint_of
from retouch.models.hosted.lean import LeanClient
from retouch.testing import FAULTS, Fault, model_server, scripted
from tests.models.hosted.conftest import CLAUDE, GEMINI, GPT, asking
from tests.models.hosted.raw_server import raw, refusal
from tests.models.hosted.test_hosted_wire import LONG, NASTY

if TYPE_CHECKING:
    from retouch import Request
    from tests.models.hosted.conftest import Ask

MARK = (
    'a "\ue000retouchm0\ue001" and \\ue000retouchs\\ue001'  # how the places of texts are marked while one is recorded
)
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
SPECS = [CLAUDE, GPT, "openai:gpt-5.6", "openai:some@URL", "mistral:some?seed=3", "ollama:qwen3@URL"]
EACH = pytest.mark.parametrize("spec", SPECS)
TURNS = (Message(role="assistant", text=NASTY + MARK), Message(role="user", text=MARK))
REQUESTS = {
    "one turn": asking(cap=1_024),
    "turns with odd texts": asking(NASTY, MARK, *TURNS, cap=500),
    "without a system text": asking("page", "", cap=500),
    "with markers": replace(asking("one " * 9, LONG, *TURNS, cap=500), breakpoints=(-1, 2)),
    "sampled": replace(asking(cap=500), temperature=0.5),
    "with a schema": replace(asking(system="JSON", cap=500), answer_schema=SCHEMA),
}


def without_stream(body: Any) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in {"stream", "stream_options"}}


@pytest.mark.slow
@EACH
def test_the_body_is_that_of_the_client_library_with_or_without_a_stream(ask: Ask, spec: str):
    first = spec + ("&" if "?" in spec else "?")
    for name, request in REQUESTS.items():
        with model_server(scripted(lambda _: "{}")) as server:
            for way in (spec, first + "stream=always", first + "stream=library"):
                ask(server, way, request)
        short, streamed, library = (call.body for call in server.calls)
        assert (name, False, True) == (name, "stream" in short, library.get("stream"))
        assert (name, library) == (name, streamed)
        assert (name, without_stream(library)) == (name, short)


def test_calls_that_begin_together_record_their_shape_once():
    recorded: list[object] = []

    async def record(*given: object) -> HttpRequest:
        recorded.append(given)
        await asyncio.sleep(0)
        return HttpRequest("POST", "http://127.0.0.1:1", content=b"{}")

    async def together() -> int:
        client: Any = LeanClient(endpoint_of("openai", "gpt-5"), cast("Any", None), record)
        return len({id(one) for one in await asyncio.gather(*(client.template(asking(), None) for _ in range(9)))})

    assert (1, 1) == (asyncio.run(together()), len(recorded))


@pytest.mark.parametrize("spec", [one for one in SPECS if not one.startswith("mistral")])
def test_a_long_answer_is_streamed_with_the_headers_of_the_client_library(ask: Ask, spec: str):
    first = spec + ("&" if "?" in spec else "?")
    with raw(refusal(418, {"error": {"message": "no"}})) as server:
        for one in ("auto", "library"):
            with pytest.raises(ModelError):
                ask(server, first + f"stream={one}", asking(cap=2_000))
    ours, theirs = (dict(request.headers) for request in server.requests)
    for name in theirs.keys() - {"host", "connection", "content-length", "accept-encoding", "transfer-encoding"}:
        assert (name, theirs[name]) == (name, ours.get(name))
    assert server.requests[0].body == server.requests[1].body


@pytest.mark.parametrize(
    ("spec", "request_", "streamed"),
    [
        (GPT, asking(cap=1_024), False),
        (GPT, asking(cap=1_025), True),
        (GEMINI, asking(cap=10), True),
        (CLAUDE, asking(" \n", cap=10), True),
        (CLAUDE, asking("page", "\t", cap=10), True),
    ],
)
def test_long_answers_blank_texts_and_googles_models_are_left_to_the_library(
    ask: Ask, spec: str, request_: Request, *, streamed: bool
):
    with model_server(scripted(["yes"])) as server:
        ask(server, spec, request_)
    assert streamed is bool(server.calls[0].body.get("stream"))


@EACH
def test_a_short_answer_is_heard_when_it_arrives(ask: Ask, spec: str):
    heard: list[Event] = []
    with model_server(scripted([NASTY])) as server:
        reply = ask(server, spec, on_event=heard.append)
    assert [Event(kind="first_byte"), Event(kind="text", text=NASTY)] == heard
    assert (NASTY, "end") == (reply.text, reply.finish)
    assert reply.input_tokens > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "status", "body", "told"),
    [
        (GPT, 429, {"error": {"message": "broke", "code": "insufficient_quota"}}, "no credit left"),
        (GPT, 402, {"error": {"message": "broke"}}, "no credit left"),
        (
            CLAUDE,
            400,
            {"type": "error", "error": {"type": "invalid_request_error", "message": "Your credit balance is too low"}},
            "no credit left",
        ),
        (CLAUDE, 400, {"type": "error", "error": {"message": "prompt is too long: 9 > 8"}}, "Use smaller pages"),
        (GPT, 401, {"error": {"message": "bad key"}}, "does not accept the key"),
        (GPT, 404, {"error": {"message": "gone", "code": "model_not_found"}}, "has no model"),
    ],
)
@pytest.mark.parametrize("query", ["?tries=1", "?tries=1&stream=always", "?tries=1&stream=library"])
def test_a_refusal_is_told_alike_by_both(ask: Ask, spec: str, status: int, body: Any, told: str, query: str):
    with raw(refusal(status, body)) as server, pytest.raises(ModelError) as caught:
        ask(server, spec + query)
    assert not isinstance(caught.value, TransportError)
    assert told in f"{caught.value.message} {caught.value.hint}"


def test_no_message_contains_the_key(ask: Ask):
    fault = Fault(kind="status", status=400, message="the key loopback is wrong")
    with model_server(scripted([]), faults=[fault]) as server, pytest.raises(ModelError) as caught:
        ask(server, GPT)
    assert "loopback" not in str(caught.value)


@EACH
def test_a_call_that_is_cut_is_a_passing_failure(ask: Ask, spec: str):
    with model_server(scripted(["yes"] * 3), faults=[FAULTS["cut_body"]]) as server, pytest.raises(TransportError):
        ask(server, spec + ("&" if "?" in spec else "?") + "tries=1")
