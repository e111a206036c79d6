"""What a call has cost is never less than its provider says or shows, and one withheld page does not end a run."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import retouch
from retouch.cli.root import command
from retouch.errors import TransportError
from retouch.models.pricing import Tokens, price
from retouch.models.tokens import estimate_tokens, request_tokens
from retouch.testing import scripted
from retouch.testing.http_wire import whole
from tests.engine.glossary import RECIPE, Glossary, answer
from tests.models.hosted.conftest import CLAUDE, GPT, asking
from tests.models.hosted.raw_server import RawServer, raw, refusal, said, stream

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from retouch import Reply, Request
    from retouch.testing.http_wire import HttpRequest

LONG = "A tide is the rise and fall of the sea. " * 50


@pytest.fixture(autouse=True)
def no_fuse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pydantic_ai.models.ALLOW_MODEL_REQUESTS", True)


def asked(server: RawServer, spec: str, monkeypatch: pytest.MonkeyPatch, request: Request | None = None) -> Reply:
    """Return the reply of a server to one request."""
    environment = {
        **server.environment,
        "OPENROUTER_BASE_URL": server.openai_url,
        "OPENROUTER_API_KEY": "loopback",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return asyncio.run(retouch.open_model(spec)(request or asking(cap=9_000)))


def completion(usage: Mapping[str, Any], text: str = LONG) -> bytes:
    body = {"choices": [{"index": 0, "message": {"content": text}, "finish_reason": "stop"}], "usage": usage}
    return whole(200, json.dumps(body).encode(), "application/json")


def test_a_call_with_a_key_of_ones_own_costs_the_fee_of_the_router_and_what_the_provider_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 500, "cost": 0.05, "is_byok": True}
    own = {**usage, "cost_details": {"upstream_inference_cost": 1.0}}
    with raw(completion(own)) as server:
        assert pytest.approx(1.05) == asked(server, "openrouter:x/y", monkeypatch).cost
    with raw(completion({**own, "is_byok": False})) as server:
        assert pytest.approx(0.05) == asked(server, "openrouter:x/y", monkeypatch).cost
    with raw(completion(usage)) as server:  # what the provider takes is not known
        assert asked(server, "openrouter:x/y", monkeypatch).cost is None


@pytest.mark.parametrize("spec", [CLAUDE, GPT])
def test_an_answer_that_broke_off_costs_what_had_been_received_of_it(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = said(spec, LONG, usage=spec == CLAUDE)[:3][: 3 if spec == CLAUDE else 2]
    request = asking(cap=9_000)
    with raw(stream(begun)) as server, pytest.raises(TransportError) as caught:
        asked(server, f"{spec}?tries=1", monkeypatch, request)
    received: Any = caught.value.received
    scheme, _, name = spec.partition(":")
    given = 10 if spec == CLAUDE else request_tokens(request)
    arrived = Tokens(input_tokens=given, output_tokens=estimate_tokens(LONG))
    assert price(scheme, name, arrived) == received.cost


def test_a_cost_is_unknown_if_the_tokens_of_the_answer_were_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    with raw(completion({"prompt_tokens": 100, "total_tokens": 100})) as server:
        assert asked(server, GPT, monkeypatch).cost is None
    with raw(completion({"prompt_tokens": 100, "completion_tokens": 500})) as server:
        assert asked(server, GPT, monkeypatch).cost is not None


def test_the_cached_share_is_one_of_the_input_which_alone_can_be_cached(tmp_path: Path) -> None:
    def said_of(request: Request) -> Reply:
        text = answer(request.prompt)
        return retouch.Reply(text=text, model="m", input_tokens=100, output_tokens=100, cached_tokens=90)

    retouch.generate(RECIPE, Glossary(units={"tide": ("ebb", "flow")}), tmp_path / "run", scripted(said_of))
    shown = CliRunner().invoke(command, ["show", str(tmp_path / "run"), "--cost"])
    assert "90% of input cached" in shown.output, shown.output


FILTERS: dict[str, tuple[int, Mapping[str, object]]] = {
    "azure": (400, {"message": "The response was filtered due to the prompt", "code": "content_filter"}),
    "anthropic": (400, {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"}),
    "deepseek": (400, {"message": "Content Exists Risk", "type": "invalid_request_error"}),
    "openrouter": (403, {"code": 403, "message": "x requires moderation. Your input was flagged", "metadata": {}}),
    "openrouter, in the stream": (200, {"code": 403, "message": "Your input was flagged"}),
    "qwen": (400, {"code": "data_inspection_failed", "message": "Input data may contain inappropriate content."}),
}


def test_a_page_that_a_providers_filter_withholds_does_not_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def script(_: int, request: HttpRequest) -> bytes:
        text = json.loads(request.body)["messages"][-1]["content"]
        page = next(prompt for prompt in RECIPE.plan(source) if prompt.user in text)
        if page.unit not in FILTERS:
            return stream(said(GPT, answer(page)))
        status, error = FILTERS[page.unit]
        streamed = stream([f"data: {json.dumps({'error': error})}\n\n".encode()])
        return streamed if status == 200 else refusal(status, {"error": error})

    source = Glossary(units={"moon": ("new", "full"), **dict.fromkeys(FILTERS, ("ebb",)), "wind": ("gust",)})
    with raw(script) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        options = retouch.RunOptions(concurrency=1)
        result = retouch.generate(RECIPE, source, tmp_path / "run", retouch.open_model(GPT), options=options)
    assert "exhausted" == result.status
    attempts = retouch.open_run(tmp_path / "run").history.attempts.values()
    finishes = {(one.unit, one.reply.finish if one.reply is not None else one.error) for one in attempts}
    assert {*((name, "filtered") for name in FILTERS), ("moon", "end"), ("wind", "end")} == finishes
