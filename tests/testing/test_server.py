"""The real client libraries of Anthropic and OpenAI with the loopback server, without faults."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import anthropic
import openai
import pytest

from retouch.engine.types import Prompt, Reply
from retouch.errors import ModelError, TransportError
from retouch.models.offline import offline
from retouch.testing import FAULTS, model_server, scripted, status

if TYPE_CHECKING:
    from retouch.engine.types import Finish
    from retouch.testing import ModelServer, Scripted

HELLO: Any = [{"role": "user", "content": "Say it."}]


@pytest.fixture
def model() -> Scripted:
    return scripted(lambda _: "said\r\n\u2028 twice ")


def claude(server: ModelServer) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=server.url, api_key="k", max_retries=0)


def gpt(server: ModelServer) -> openai.OpenAI:
    return openai.OpenAI(base_url=server.openai_url, api_key="k", max_retries=0)


def test_a_message_reaches_the_model_and_its_answer_the_client(model: Scripted):
    with model_server(model) as server, claude(server) as client:
        message: Any = client.messages.create(model="claude-x", max_tokens=9, system="Be brief.", messages=HELLO)
    assert "said\r\n\u2028 twice " == message.content[0].text
    assert ("claude-x", "end_turn") == (message.model, message.stop_reason)
    (request,) = model.requests
    assert ("Be brief.", 9, "Say it.") == (request.system, request.max_output_tokens, request.messages[0].text)


def test_a_streamed_message_has_the_same_text_in_pieces():
    text = "word " * 200
    with (
        model_server(scripted([text])) as server,
        claude(server) as client,
        client.messages.stream(model="m", max_tokens=900, messages=HELLO) as stream,
    ):
        pieces = list(stream.text_stream)
        final = stream.get_final_message()
    assert text == "".join(pieces)
    assert 1 < len(pieces)
    assert ("end_turn", True) == (final.stop_reason, final.usage.output_tokens > 100)


def test_a_completion_reaches_the_model_and_its_answer_the_client(model: Scripted):
    asked: Any = [{"role": "developer", "content": "Be brief."}, *HELLO]
    with model_server(model) as server, gpt(server) as client:
        done = client.chat.completions.create(model="gpt-x", max_completion_tokens=9, messages=asked)
    assert ("said\r\n\u2028 twice ", "stop") == (done.choices[0].message.content, done.choices[0].finish_reason)
    (request,) = model.requests
    assert ("Be brief.", 9, "Say it.") == (request.system, request.max_output_tokens, request.messages[0].text)


@pytest.mark.parametrize("usage", [True, False])
def test_a_streamed_completion_tells_its_usage_only_when_asked(model: Scripted, *, usage: bool):
    with model_server(model) as server, gpt(server) as client:
        options: Any = {"include_usage": usage}
        chunks = list(client.chat.completions.create(model="m", messages=HELLO, stream=True, stream_options=options))
    assert "said\r\n\u2028 twice " == "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert usage == any(chunk.usage is not None for chunk in chunks)


@pytest.mark.parametrize(
    ("finish", "anthropics", "openais"),
    [("end", "end_turn", "stop"), ("length", "max_tokens", "length"), ("filtered", "refusal", "content_filter")],
)
def test_finish_reasons_are_in_the_words_of_each_provider(finish: Finish, anthropics: str, openais: str):
    replies = [Reply(text="x", model="m", finish=finish) for _ in range(2)]
    with model_server(scripted(replies)) as server, claude(server) as one, gpt(server) as other:
        assert anthropics == one.messages.create(model="m", max_tokens=9, messages=HELLO).stop_reason
        assert openais == other.chat.completions.create(model="m", messages=HELLO).choices[0].finish_reason


def test_a_refusal_of_openai_has_its_own_field():
    with model_server(scripted(["yes"]), faults=[FAULTS["refusal"]]) as server, gpt(server) as client:
        message = client.chat.completions.create(model="m", messages=HELLO).choices[0].message
    assert (None, "I can't help with that.") == (message.content, message.refusal)


def test_errors_of_the_model_behind_are_errors_of_the_provider():
    script = scripted([ModelError("no such thing"), TransportError("too busy")])
    with model_server(script) as server, claude(server) as client:
        with pytest.raises(anthropic.BadRequestError, match="no such thing"):
            client.messages.create(model="m", max_tokens=9, messages=HELLO)
        with pytest.raises(anthropic.APIStatusError, match="too busy") as caught:
            client.messages.create(model="m", max_tokens=9, messages=HELLO)
    assert 529 == caught.value.status_code


def test_a_wrong_key_is_refused_and_calls_nobody(model: Scripted):
    with (
        model_server(model, api_key="right") as server,
        claude(server) as client,
        pytest.raises(anthropic.AuthenticationError),
    ):
        client.messages.create(model="m", max_tokens=9, messages=HELLO)
    assert [] == model.requests


def test_requests_that_a_provider_refuses_are_refused_here(model: Scripted):
    marked: Any = [{"type": "text", "text": f"part {n}", "cache_control": {"type": "ephemeral"}} for n in range(5)]
    with model_server(model) as server, claude(server) as client:
        with pytest.raises(anthropic.BadRequestError, match="maximum of 4"):
            client.messages.create(model="m", max_tokens=9, system=marked, messages=HELLO)
        with pytest.raises(anthropic.BadRequestError, match="max_tokens"):
            client.post("/v1/messages", body={"model": "m", "messages": HELLO}, cast_to=object)
        with pytest.raises(anthropic.NotFoundError):
            client.get("/v1/nowhere", cast_to=object)
    assert [] == model.requests


def test_tools_are_a_part_of_the_prefix_that_is_cached(model: Scripted):
    system: Any = [{"type": "text", "text": "word " * 2_000, "cache_control": {"type": "ephemeral"}}]
    tools: Any = [{"name": "look", "description": "d", "input_schema": {"type": "object"}}]
    sent: list[Any] = [[], tools, tools, []]
    with model_server(model) as server, claude(server) as client:
        for given in sent:
            client.messages.create(model="m", max_tokens=9, system=system, messages=HELLO, tools=given)
    assert [False, False, True, True] == [bool(call.usage and call.usage.read) for call in server.calls]
    assert "word " * 2_000 == model.requests[1].system


@pytest.mark.parametrize(("of_all", "of_the_last", "accepted"), [("5m", "5m", True), ("1h", "5m", False)])
def test_a_marker_of_the_whole_request_may_not_contradict_that_of_its_last_block(
    model: Scripted, of_all: str, of_the_last: str, *, accepted: bool
):
    marked = {"type": "text", "text": "Say it.", "cache_control": {"type": "ephemeral", "ttl": of_the_last}}
    asked: Any = [{"role": "user", "content": [marked]}]
    control: Any = {"type": "ephemeral", "ttl": of_all}
    with model_server(model) as server, claude(server) as client:
        if accepted:
            client.messages.create(model="m", max_tokens=9, messages=asked, cache_control=control)
            return
        with pytest.raises(anthropic.BadRequestError, match="differs"):
            client.messages.create(model="m", max_tokens=9, messages=asked, cache_control=control)


def test_a_status_goes_out_with_its_headers_and_asks_nobody(model: Scripted):
    with model_server(model, faults=[status(429, retry_after="7")]) as server, claude(server) as client:
        with pytest.raises(anthropic.RateLimitError) as caught:
            client.messages.create(model="m", max_tokens=9, messages=HELLO)
        client.messages.create(model="m", max_tokens=9, messages=HELLO)
    assert "7" == caught.value.response.headers["retry-after"]
    assert [429, None] == [call.fault.status if call.fault else None for call in server.calls]
    assert 1 == len(model.requests)


def test_what_breaks_behind_the_server_breaks_the_test():
    def broken(_: object) -> str:
        raise ZeroDivisionError("in the script")

    with (
        pytest.raises(ZeroDivisionError, match="in the script"),
        model_server(scripted(broken)) as server,
        claude(server) as client,
        pytest.raises(anthropic.APIConnectionError),
    ):
        client.messages.create(model="m", max_tokens=9, messages=HELLO)


def test_a_known_prompt_is_recognised_within_a_correction(model: Scripted):
    prompts = [Prompt(unit=name, page=2, system="s", user=f"TYPE {name}") for name in ("Pet", "Pets")]
    asked: Any = [{"role": "user", "content": "CORRECTION REQUIRED:\n\nTYPE Pets"}]
    with model_server(model, prompts=prompts) as server, claude(server) as client:
        client.messages.create(model="m", max_tokens=9, messages=asked)
        client.messages.create(model="m", max_tokens=9, messages=HELLO)
    assert [("Pets", 2), ("unknown", 1)] == [request.prompt.key for request in model.requests]


def test_an_offline_answerer_serves_over_the_wire():
    with model_server(offline(lambda prompt: prompt.user.upper())) as server, gpt(server) as client:
        done = client.chat.completions.create(model="m", messages=HELLO)
    assert "SAY IT." == done.choices[0].message.content


@pytest.mark.parametrize("polls", [1, 3])
def test_an_anthropic_batch_ends_after_some_polls_in_another_order(model: Scripted, polls: int):
    params: Any = {"model": "m", "max_tokens": 9, "messages": HELLO}
    entries: Any = [{"custom_id": name, "params": params} for name in ("a", "b", "c")]
    faults = [None, FAULTS["529"], FAULTS["stall"]]
    with model_server(model, faults=faults, batch_polls=polls) as server, claude(server) as client:
        batch = client.messages.batches.create(requests=entries)
        seen = [client.messages.batches.retrieve(batch.id).processing_status for _ in range(polls)]
        results = {one.custom_id: one.result.type for one in client.messages.batches.results(batch.id)}
        assert [batch.id] == [one.id for one in client.messages.batches.list()]
    assert ["in_progress"] * (polls - 1) + ["ended"] == seen
    assert [("c", "expired"), ("b", "errored"), ("a", "succeeded")] == list(results.items())


def test_an_openai_batch_goes_through_files(model: Scripted):
    body = {"model": "m", "messages": HELLO}
    lines = [{"custom_id": n, "method": "POST", "url": "/v1/chat/completions", "body": body} for n in ("a", "b")]
    upload = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    with model_server(model, faults=[None, FAULTS["500"]]) as server, gpt(server) as client:
        file = client.files.create(file=("in.jsonl", upload), purpose="batch")
        batch = client.batches.create(input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h")
        batch = client.batches.retrieve(batch.id)
        good = json.loads(client.files.content(batch.output_file_id or "").text)
        bad = json.loads(client.files.content(batch.error_file_id or "").text)
    assert ("completed", "a", "b") == (batch.status, good["custom_id"], bad["custom_id"])
    assert (200, 500) == (good["response"]["status_code"], bad["response"]["status_code"])


def test_a_server_that_has_stopped_listens_no_more(model: Scripted):
    with model_server(model) as server:
        pass
    with claude(server) as client, pytest.raises(anthropic.APIConnectionError):
        client.messages.create(model="m", max_tokens=9, messages=HELLO)
