"""OpenAI-compatible providers, names and addresses, sampling, and user-defined prices."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch import Message, Request, open_model
from retouch.edits import detect_truncation
from retouch.engine.types import Prompt
from retouch.errors import BadInput
from retouch.models.endpoints import PROVIDERS, endpoint_of, name_and_address
from retouch.models.spending import price_of
from retouch.testing import model_server, scripted
from tests.models.hosted.conftest import CLAUDE, GEMINI, GPT, asking
from tests.models.hosted.raw_server import USAGE, raw, said, stream

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.models.hosted.conftest import Ask

ALIKE = ("openrouter", "groq", "mistral", "deepseek", "litellm")
OF_ACCOUNTS = ("azure", "vertex")
ONCE = "?tries=1"
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}


def sent(ask: Ask, spec: str) -> Mapping[str, Any]:
    """Return the body of a call of the model `spec`."""
    with model_server(scripted(["yes"])) as server:
        assert "yes" == ask(server, spec).text
    return server.calls[0].body


@pytest.mark.parametrize("scheme", ALIKE)
def test_each_provider_has_a_scheme_of_its_own(ask: Ask, scheme: str):
    body = sent(ask, f"{scheme}:org/some-model@v2:free{ONCE}&stream=library")
    assert ("org/some-model@v2:free", 100, True) == (body["model"], body["max_tokens"], body["stream"])
    assert "max_completion_tokens" not in body


@pytest.mark.parametrize("scheme", OF_ACCOUNTS)
def test_a_provider_without_a_common_address_uses_that_of_the_account(ask: Ask, scheme: str):
    body = sent(ask, f"{scheme}:some/model-1:0{ONCE}")
    caps = {"max_completion_tokens"} if scheme == "azure" else {"max_tokens"}
    assert ("some/model-1:0", caps) == (body["model"], body.keys() & {"max_tokens", "max_completion_tokens"})
    assert not PROVIDERS[scheme].tested


@pytest.mark.parametrize("scheme", OF_ACCOUNTS)
def test_without_an_address_or_a_key_nothing_is_sent_anywhere(scheme: str, monkeypatch: pytest.MonkeyPatch):
    provider = PROVIDERS[scheme]
    monkeypatch.delenv(provider.url_variable, raising=False)
    monkeypatch.setenv(provider.key_variables[0], "k")
    with pytest.raises(BadInput, match="has no address"):
        open_model(f"{scheme}:m")
    assert provider.url_variable in provider.missing
    monkeypatch.delenv(provider.key_variables[0])
    with pytest.raises(BadInput, match="needs a key"):
        open_model(f"{scheme}:m@http://127.0.0.1:1/v1")


@pytest.mark.parametrize(("cap", "stream"), [(100, False), (4_000, True)])
def test_the_responses_api_gets_the_whole_conversation_and_stores_nothing(ask: Ask, cap: int, stream: bool):
    more = Message(role="assistant", text="<|im_end|> No."), Message(role="user", text="Again.")
    request = asking("Say it.", "Be brief.", *more, cap=cap)
    request = replace(request, answer_schema=SCHEMA)
    with model_server(scripted(["yes"])) as server:
        reply = ask(server, "openai-responses:gpt-5-mini?effort=low", request)
    (call,) = server.calls
    body = call.body
    turns = [("user", "Say it."), ("assistant", "<|im_end|> No."), ("user", "Again.")]
    assert ("yes", "end", "strict", True) == (reply.text, reply.finish, reply.schema_mode, (reply.cost or 0) > 0)
    assert ("responses", "Be brief.", turns) == (
        call.dialect,
        body["instructions"],
        [(one["role"], one["content"]) for one in body["input"]],
    )
    assert (cap, stream, False) == (body["max_output_tokens"], body.get("stream", False), body["store"])
    assert ({"effort": "low"}, "json_schema") == (body["reasoning"], body["text"]["format"]["type"])
    assert not {"include", "temperature"} & body.keys()


def test_a_schema_that_a_server_of_the_responses_api_rejects_is_relaxed(ask: Ask):
    with model_server(scripted(["yes"])) as server:
        server.accept_schemas("json")
        reply = ask(server, "openai-responses:gpt-5-mini", replace(asking("Say it as JSON."), answer_schema=SCHEMA))
    shapes = [call.body["text"]["format"]["type"] for call in server.calls]
    assert ("json", ["json_schema", "json_schema", "json_object"]) == (reply.schema_mode, shapes)


def test_the_responses_api_of_ones_own_server_has_no_price(ask: Ask):
    with model_server(scripted(["yes"])) as server:
        assert None is ask(server, "openai-responses:qwen3@URL").cost
    assert "prompt_cache_key" not in server.calls[0].body
    assert 0 < price_of("openai-responses:gpt-5-mini")(1_000, 10)


def test_mistral_is_sent_nothing_that_it_refuses(ask: Ask):
    body = sent(ask, "mistral:mistral-large-latest?seed=7&stream=library")
    assert {"model", "messages", "max_tokens", "stream", "random_seed"} == body.keys()
    assert {"include_usage": True} == sent(ask, "groq:x?stream=library")["stream_options"]


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("gpt-5", ("gpt-5", "")),
        ("gpt-5@http://h/v1", ("gpt-5", "http://h/v1")),
        ("org/m@v2@https://h:8/v1", ("org/m@v2", "https://h:8/v1")),
        ("claude@20250929", ("claude@20250929", "")),
        ("@cf/meta/llama@http://h", ("@cf/meta/llama", "http://h")),
        ("m@http://a@http://b", ("m@http://a", "http://b")),
    ],
)
def test_an_address_begins_at_the_last_at_sign_before_http(named: str, expected: tuple[str, str]):
    assert expected == name_and_address(named)


@given(st.text(max_size=20), st.sampled_from(["", "http://127.0.0.1:8000/v1", "https://host/a/b"]))
def test_any_name_comes_back_with_its_address(name: str, url: str):
    named = f"{name}@{url}" if url else name
    if "@http" not in name:
        assert (name, url) == name_and_address(named)


@pytest.mark.parametrize("host", ["unit.openai.azure.com", "unit.cognitiveservices.azure.com"])
def test_azure_gets_the_cap_by_the_name_that_it_demands(host: str):
    assert endpoint_of("openai", f"my-deployment@https://{host}/openai/v1").caps_completion
    assert not endpoint_of("openai", "my-deployment@https://example.com/openai/v1").caps_completion


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (f"{GPT}?effort=low", {"reasoning_effort": "low"}),
        ("openai:x@URL?temperature=0&top_p=0.5&seed=7", {"temperature": 0.0, "top_p": 0.5, "seed": 7}),
        ("openrouter:x?effort=high&temperature=0.3", {"reasoning_effort": "high", "temperature": 0.3}),
        (f"{CLAUDE}?temperature=0.2", {"temperature": 0.2}),
    ],
)
def test_sampling_is_sent_as_in_the_spec(ask: Ask, spec: str, expected: Mapping[str, Any]):
    body = sent(ask, spec)
    assert expected == {name: body.get(name) for name in expected}


def test_effort_makes_claude_and_gemini_reason(ask: Ask):
    assert "thinking" in sent(ask, f"{CLAUDE}?effort=low")
    assert "thinkingConfig" in sent(ask, f"{GEMINI}?effort=low")["generationConfig"]


def test_a_commands_temperature_goes_before_the_specs(ask: Ask):
    prompt = Prompt(unit="Pet", system="Be brief.", user="Say it.")
    messages = (Message(role="user", text="Say it."),)
    request = Request(prompt=prompt, system="s", messages=messages, max_output_tokens=9, temperature=0.9)
    with model_server(scripted(["yes"])) as server:
        ask(server, "groq:x?temperature=0.1", request)
    assert 0.9 == server.calls[0].body["temperature"]


def test_what_changes_answers_is_part_of_a_models_name_and_limits_are_not():
    endpoint = endpoint_of("openai", "m@http://h/v1?tries=3&seed=7&temperature=0.25&price_in=1&price_out=2")
    assert "openai:m@http://h/v1?temperature=0.25&seed=7" == endpoint.spec
    assert endpoint.spec == endpoint_of("openai", endpoint.spec.removeprefix("openai:")).spec
    assert endpoint.spec + "&idle_s=9" == endpoint.with_limit("idle_s=9")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("groq:x?price_in=1", "belong together"),
        ("groq:x?price_in=-1&price_out=2", "out of range"),
        ("groq:x?seed=1.5", "'1.5', which is not a number"),
        ("groq:x?effort=very much", "effort is 'very much'"),
        (f"{CLAUDE}?seed=7", "no seed"),
    ],
)
def test_knobs_that_cannot_be_turned_are_refused(monkeypatch: pytest.MonkeyPatch, spec: str, words: str):
    monkeypatch.setenv("GROQ_API_KEY", "k")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    with pytest.raises(BadInput, match=words):
        open_model(spec)


def test_a_price_of_ones_own_is_what_calls_cost_and_what_a_limit_counts(ask: Ask):
    spec = "openai:llama3.2@URL?price_in=2&price_out=10"
    with raw(stream(said(spec, "yes"))) as server:
        assert pytest.approx((10 * 2 + 7 * 10) / 1e6) == ask(server, spec).cost
    assert pytest.approx(0.00009) == price_of("faulty:openai:llama3.2?price_in=2&price_out=10?rate=0.5")(10, 7)
    with pytest.raises(BadInput, match="unknown"):
        price_of("openai:llama3.2")


def test_the_charge_of_openrouter_is_the_cost_of_a_call(ask: Ask):
    chunk: dict[str, Any] = {"choices": [{"index": 0, "delta": {"content": "yes"}, "finish_reason": "stop"}]}
    used: dict[str, Any] = {"choices": [], "usage": {**USAGE, "cost": 0.0125}}
    events = [f"data: {json.dumps(one)}\n\n".encode() for one in (chunk, used)]
    with raw(stream(events)) as server:
        assert 0.0125 == ask(server, f"openrouter:x@{server.openai_url}").cost
        assert None is ask(server, f"groq:x@{server.openai_url}").cost


@pytest.mark.parametrize("cost", ["NaN", "Infinity", "-5", "true", '"0.01"'])
def test_a_charge_that_is_no_amount_leaves_the_cost_unknown_so_that_a_limit_still_holds(cost: str, ask: Ask):
    chunk: dict[str, Any] = {"choices": [{"index": 0, "delta": {"content": "yes"}, "finish_reason": "stop"}]}
    used = json.dumps({"choices": [], "usage": {**USAGE, "cost": 0.0125}}).replace("0.0125", cost)
    with raw(stream([f"data: {one}\n\n".encode() for one in (json.dumps(chunk), used)])) as server:
        assert None is ask(server, f"openrouter:x@{server.openai_url}").cost


def test_providers_with_recorded_answers_are_called_tested():
    tested = {name for name, one in PROVIDERS.items() if one.tested}
    assert {"anthropic", "openai", "google", "openrouter", "groq", "mistral", "deepseek"} == tested


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"stopReason": "max_tokens"}, True),
        ({"stopReason": "end_turn"}, False),
        ({"done": True, "done_reason": "length"}, True),
        ({"done": True, "done_reason": "stop"}, False),
    ],
)
def test_replies_of_bedrock_and_ollama_say_whether_they_were_cut(message: Mapping[str, Any], expected: bool):
    assert expected == detect_truncation(message)
