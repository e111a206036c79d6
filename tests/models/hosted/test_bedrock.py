"""Bedrock's Converse API: boto3 signs, Retouch sends and reads. The loopback server speaks the binary protocol."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from retouch import open_model
from retouch.errors import BadInput, ModelError, TransportError
from retouch.models.endpoints import PROVIDERS
from retouch.testing import FAULTS, model_server, scripted
from retouch.testing.bedrock_wire import STREAM_TYPE, frame
from retouch.testing.http_wire import whole
from tests.models.hosted.conftest import asking
from tests.models.hosted.raw_server import raw

if TYPE_CHECKING:
    from tests.models.hosted.conftest import Ask
    from tests.models.hosted.raw_server import RawServer

CLAUDE, NOVA = "bedrock:us.anthropic.claude-haiku-4-5-20251001-v1:0", "bedrock:amazon.nova-lite-v1:0"
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}
END = frame("messageStop", {"stopReason": "end_turn"}), frame("metadata", {"usage": {"inputTokens": 3}})


@pytest.fixture(autouse=True)
def no_account_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_BEARER_TOKEN_BEDROCK", "AWS_BEDROCK_BASE_URL", "AWS_PROFILE", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")


def of_bedrock(server: RawServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let boto3 call a raw server."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"):
        monkeypatch.setenv(name, "eu-west-1")


def test_a_call_is_sent_and_read_in_bedrocks_own_protocol(ask: Ask):
    request = replace(asking(cap=4_000), breakpoints=(-1, 0), answer_schema=SCHEMA)
    heard: list[Any] = []
    with model_server(scripted(["Say yes. " * 40])) as server:
        reply = ask(server, f"{CLAUDE}?temperature=0.2&thinking=2000", request, on_event=heard.append)
    body, point = server.calls[0].body, {"cachePoint": {"type": "default", "ttl": "5m"}}
    assert ("Say yes. " * 40, "end", "end_turn") == (reply.text, reply.finish, reply.finish_raw)
    assert (True, "strict") == ((reply.cost or 0) > 0, reply.schema_mode)
    assert [{"text": "Be brief."}, point] == body["system"]
    assert [{"role": "user", "content": [{"text": "Say it."}, point]}] == body["messages"]
    assert {"maxTokens": 4_000, "temperature": 0.2} == body["inferenceConfig"]
    assert 2_000 == body["additionalModelRequestFields"]["thinking"]["budget_tokens"]
    assert "outputConfig" in body
    assert 1 < len([event for event in heard if event.kind == "text"])


def test_the_request_arrives_as_boto3_signed_it(ask: Ask, monkeypatch: pytest.MonkeyPatch):
    body = b"".join([frame("contentBlockDelta", {"delta": {"text": "yes"}}), *END])
    with raw(whole(200, body, STREAM_TYPE)) as server:
        of_bedrock(server, monkeypatch)
        assert "yes" == ask(server, NOVA).text
    (received,) = server.requests
    given = received.headers
    names = given["authorization"].partition("SignedHeaders=")[2].partition(",")[0].split(";")
    signed: Any = AWSRequest("POST", f"{server.url}{received.path.replace(':', '%3A')}", data=received.body)
    signed.context["timestamp"] = given["x-amz-date"]
    for name in names:
        signed.headers[name] = given[name]
    auth: Any = SigV4Auth(Credentials("eu-west-1", "eu-west-1"), "bedrock", "eu-west-1")
    canonical = auth.canonical_request(signed)
    again = auth.signature(auth.string_to_sign(signed, canonical), signed)
    assert given["authorization"].endswith(f"Signature={again}")


def test_a_model_that_has_no_answer_schemas_is_sent_none(ask: Ask):
    with model_server(scripted(["yes"])) as server:
        assert "prompt" == ask(server, NOVA, replace(asking(), answer_schema=SCHEMA)).schema_mode
    assert "outputConfig" not in server.calls[0].body


def test_a_rejected_schema_is_left_out_of_the_next_request(ask: Ask):
    with model_server(scripted(["yes"])) as server:
        server.accept_schemas("none")
        assert "prompt" == ask(server, CLAUDE, replace(asking(), answer_schema=SCHEMA)).schema_mode
    assert [True, False] == ["outputConfig" in call.body for call in server.calls]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["429_retry_after_ms", "529", "error_event", "cut_body", "early_end", "garbage", "html"]
)
def test_a_fault_is_retried_and_the_answer_is_whole(ask: Ask, name: str):
    with model_server(scripted(["Say yes. " * 40] * 2), faults=[FAULTS[name]]) as server:
        assert "Say yes. " * 40 == ask(server, f"{NOVA}?first_wait_s=0.01&max_wait_s=2").text
    assert 2 == len(server.calls)


def test_a_damaged_frame_is_no_answer(ask: Ask, monkeypatch: pytest.MonkeyPatch):
    good = frame("contentBlockDelta", {"delta": {"text": "yes"}})
    damaged = good.replace(b"yes", b"yet")
    with raw(whole(200, b"".join([good, damaged, *END]), STREAM_TYPE)) as server:
        of_bedrock(server, monkeypatch)
        with pytest.raises(TransportError, match="damaged frame"):
            ask(server, f"{NOVA}?tries=1")


def test_a_model_that_the_account_may_not_call_ends_the_run(ask: Ask, monkeypatch: pytest.MonkeyPatch):
    with raw(whole(403, b'{"message": "You don\'t have access"}', "application/json")) as server:
        of_bedrock(server, monkeypatch)
        with pytest.raises(ModelError, match="no access") as raised:
            ask(server, NOVA)
    assert (1, False) == (len(server.requests), isinstance(raised.value, TransportError))


@pytest.mark.parametrize("missing", ["AWS_ACCESS_KEY_ID", "AWS_REGION"])
def test_without_credentials_or_a_region_nothing_is_sent(ask: Ask, monkeypatch: pytest.MonkeyPatch, missing: str):
    with raw(b"") as server:
        of_bedrock(server, monkeypatch)
        monkeypatch.delenv(missing)
        with pytest.raises(ModelError, match="cannot be called") as raised:
            ask(server, NOVA)
    assert ([], False) == (server.requests, isinstance(raised.value, TransportError))


def test_with_an_address_bedrock_has_openais_protocol(ask: Ask, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "k")
    with model_server(scripted(["yes", "yes"])) as server:
        assert "yes" == ask(server, "bedrock:openai.gpt-oss-120b-1:0@URL").text
        monkeypatch.setenv("AWS_BEDROCK_BASE_URL", server.openai_url)
        assert "yes" == ask(server, "bedrock:openai.gpt-oss-120b-1:0").text
    assert ["openai", "openai"] == [call.dialect for call in server.calls]
    assert not PROVIDERS["bedrock"].tested


@pytest.mark.parametrize(
    ("spec", "knob"),
    [(f"{CLAUDE}?seed=7", "seed"), (f"{NOVA}?thinking=100", "thinking"), (f"{CLAUDE}?temperature=1.5", "temperature")],
)
def test_knobs_that_bedrock_has_not_are_refused(spec: str, knob: str):
    with pytest.raises(BadInput, match=knob):
        open_model(spec)
