"""Responses that no provider should send: they are parsed exactly, reported, and never used as an answer."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from retouch import Message, open_model
from retouch.errors import BadInput, ModelError, Throttled, TransportError
from retouch.models.endpoints import PROVIDERS, endpoint_of
from tests.models.hosted.conftest import CLAUDE, GEMINI, GPT, asking
from tests.models.hosted.raw_server import raw, refusal, said, stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.engine.types import Event
    from tests.models.hosted.conftest import Ask

LLAMA = "openai:llama3.2@URL"
EACH = pytest.mark.parametrize("spec", [CLAUDE, GPT, GEMINI, LLAMA])
ONCE = "?tries=1&idle_s=5&first_byte_s=9"
TWICE = "?tries=2&first_wait_s=0.01"
NASTY = "a\r\nb \u2028c\u2029 \x85 \x0b\x0c\x1c \x07 tab\t é \U0001f600 日本 <|im_end|>  \n"

WAYS: dict[str, Callable[[bytes], list[bytes]]] = {
    "byte by byte": lambda body: [body[n : n + 1] for n in range(len(body))],
    "with comments": lambda body: [b": hello\n\n", body.replace(b"\n\n", b"\n\n: ping\n\n")],
    "with CR LF": lambda body: [body.replace(b"\n", b"\r\n")],
    "with CR": lambda body: [body.replace(b"\n", b"\r")],
    "without blanks": lambda body: [body.replace(b"data: ", b"data:")],
    "with other fields": lambda body: [b"retry: 9\nid: 1\n" + body],
}


@pytest.mark.slow
@EACH
@pytest.mark.parametrize("way", WAYS)
def test_a_text_that_no_one_escaped_comes_back_byte_for_byte(ask: Ask, spec: str, way: str):
    body = b"".join(said(spec, NASTY, escaped=False))
    with raw(stream(WAYS[way](body))) as server:
        assert (NASTY, "end") == ((reply := ask(server, spec + ONCE)).text, reply.finish)


@EACH
def test_a_compressed_stream_is_read_and_a_cut_one_is_not_believed(ask: Ask, spec: str):
    packed = gzip.compress(b"".join(said(spec, NASTY)))
    zipped = {"content-encoding": "gzip"}
    with raw([stream([packed[: len(packed) // 2]], **zipped), stream([packed], **zipped)]) as server:
        assert NASTY == ask(server, spec + TWICE).text
    assert 2 == len(server.requests)


@pytest.mark.slow
@EACH
@pytest.mark.parametrize("broken", [b"\xff\xfe", b"data: \xff{}", b"data: " + b"[" * 99_999])
def test_an_invalid_response_is_retried(ask: Ask, spec: str, broken: bytes):
    good = said(spec, "yes")
    with raw([stream([broken + b"\n\n", *good[:2]]), stream(good)]) as server:
        assert "yes" == ask(server, spec + TWICE).text
    assert 2 == len(server.requests)


@EACH
def test_a_byte_order_mark_before_a_stream_is_no_part_of_it(ask: Ask, spec: str):
    with raw(stream([b"\xef\xbb\xbf", *said(spec, "yes")])) as server:
        assert ("yes", "end") == ((reply := ask(server, spec + ONCE)).text, reply.finish)
    assert 1 == len(server.requests)


@EACH
@pytest.mark.parametrize("code", [429, 500])
def test_a_server_that_wants_no_second_try_gets_none(ask: Ask, spec: str, code: int):
    answer = refusal(code, {"error": {"message": "no"}}, x_should_retry="false")
    with raw(answer) as server, pytest.raises(TransportError, match="no"):
        ask(server, spec + TWICE)
    assert 1 == len(server.requests)


@pytest.mark.slow
@EACH
@pytest.mark.parametrize(
    ("told", "understood"), [("2.5", 2.5), ("-1", None), ("nan", None), ("inf", None), ("x", None)]
)
def test_odd_waits_are_understood_or_left_aside(ask: Ask, spec: str, told: str, understood: float | None):
    answer = refusal(429, {"error": {"message": "no"}}, retry_after=told)
    with raw(answer) as server, pytest.raises(Throttled) as caught:
        ask(server, spec + ONCE)
    assert understood == caught.value.retry_after_s


@pytest.mark.slow
@EACH
@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_neither_prompt_nor_key_follows_to_another_host(ask: Ask, spec: str, code: int):
    with raw(stream(said(spec, "from elsewhere"))) as other:
        address = f"http://me:secret-word@localhost:{other.port}/v1/loopback?key=loopback"  # which is the key
        with (
            raw(refusal(code, {}, location=address)) as server,
            pytest.raises(ModelError, match=f"answered {code}") as at,
        ):
            ask(server, spec + TWICE)
    assert (1, 0) == (len(server.requests), len(other.requests))
    assert not isinstance(at.value, TransportError)
    told = (f"http://localhost:{other.port}/v1", "secret-word", "loopback")
    assert (True, False, False) == tuple(word in str(at.value) for word in told)


@EACH
def test_a_server_may_send_a_call_on_to_another_path_of_its_own(ask: Ask, spec: str):
    with raw([refusal(307, {}, location="/elsewhere"), stream(said(spec, "yes"))]) as server:
        assert "yes" == ask(server, spec + ONCE).text
    assert (["POST", "POST"], "/elsewhere") == ([one.method for one in server.requests], server.requests[1].path)
    assert server.requests[0].body == server.requests[1].body


@EACH
def test_a_server_that_redirects_in_a_circle_is_told_so_and_not_asked_again(ask: Ask, spec: str):
    with raw(refusal(307, {}, location="/again")) as server, pytest.raises(ModelError, match="redirects") as at:
        ask(server, spec + TWICE)
    assert ("circle" in at.value.message, "address" in at.value.hint) == (True, True)
    assert not isinstance(at.value, TransportError)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "code"),
    [*((spec, code) for spec in (CLAUDE, GPT, GEMINI, LLAMA) for code in (400, 500)), (CLAUDE, 304), (LLAMA, 304)],
)
def test_an_error_without_a_body_is_told_without_text_of_a_library(ask: Ask, spec: str, code: int):
    empty = f"HTTP/1.1 {code} x\r\ncontent-length: 0\r\n\r\n".encode()
    with raw(empty) as server, pytest.raises(ModelError, match=rf"answered {code}: without a message") as at:
        ask(server, spec + ONCE)
    assert "status_code" not in str(at.value)


@pytest.mark.slow
@EACH
@pytest.mark.parametrize(
    "error", [{"code": 402, "message": "none left"}, {"type": "billing_error", "message": "none left"}]
)
def test_an_error_in_a_successful_response_that_there_is_no_credit_says_to_add_some(
    ask: Ask, spec: str, error: dict[str, Any]
):
    body = json.dumps({"error": error, "type": "error"}).encode()
    with raw(stream([b"event: error\ndata: " + body + b"\n\n"])) as server, pytest.raises(ModelError) as at:
        ask(server, spec + TWICE)
    assert ("has no credit left" in at.value.message, "Add credit" in at.value.hint) == (True, True)
    assert 1 == len(server.requests)


def test_half_a_character_in_a_prompt_is_named_and_nothing_is_sent(ask: Ask):
    with raw(b"") as server:
        for spec in (CLAUDE, GPT, LLAMA):
            with pytest.raises(ModelError, match=r"U\+D83D") as caught:
                ask(server, spec + TWICE, asking("a\ud83d"))
            assert not isinstance(caught.value, TransportError)
    assert [] == server.requests


@EACH
def test_whoever_listens_and_fails_is_to_blame_and_not_the_answer(ask: Ask, spec: str):
    def broken(_: Event) -> None:
        raise KeyError("of the listener")

    with raw(stream(said(spec, "yes"))) as server, pytest.raises(KeyError, match="of the listener"):
        ask(server, spec + TWICE, on_event=broken)
    assert 1 == len(server.requests)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "finish", "expected"),
    [
        *((CLAUDE, finish, "error") for finish in ("pause_turn", "tool_use", "something_new")),
        *((CLAUDE, finish, "length") for finish in ("max_tokens", "model_context_window_exceeded")),
        (CLAUDE, "stop_sequence", "end"),
        *((LLAMA, finish, "error") for finish in ("tool_calls", "eos", "something_new")),
        *(
            (GEMINI, finish, "filtered")
            for finish in ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII")
        ),
        *((GEMINI, finish, "error") for finish in ("OTHER", "MALFORMED_FUNCTION_CALL")),
    ],
)
def test_every_reason_to_stop_has_a_name_of_ours(ask: Ask, spec: str, finish: str, expected: str):
    with raw(stream(said(spec, "so", finish=finish))) as server:
        assert (expected, "so") == ((reply := ask(server, spec + ONCE)).finish, reply.text)


def test_a_prompt_that_gemini_blocks_is_filtered_and_not_asked_again(ask: Ask):
    blocked = b'data: {"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":10}}\n\n'
    with raw(stream([blocked])) as server:
        assert ("filtered", "") == ((reply := ask(server, GEMINI + TWICE)).finish, reply.text)
    assert 1 == len(server.requests)


@pytest.mark.parametrize("spec", [CLAUDE, GPT, GEMINI])
def test_a_cost_that_nobody_counted_is_unknown_and_not_zero(ask: Ask, spec: str):
    with raw(stream(said(spec, "yes", usage=False))) as server:
        assert None is ask(server, spec + ONCE).cost


@pytest.mark.parametrize(
    ("spec", "code", "body", "expected"),
    [
        (GEMINI, 400, {"error": {"message": "API key not valid. Please pass one."}}, "GOOGLE_API_KEY"),
        (LLAMA, 400, {"error": {"message": "oh", "code": "model_not_found"}}, "has no model 'llama3.2'"),
        (LLAMA, 404, {"detail": "Not Found"}, "has no model 'llama3.2': Not Found"),
        (LLAMA, 400, "plain words", "answered 400: plain words"),
        (GPT, 400, {"error": {"message": "long", "code": "context_length_exceeded"}}, "Use smaller pages"),
        (CLAUDE, 413, {"error": {"message": "large"}}, "Use smaller pages"),
        (CLAUDE, 400, {"error": {"message": "\x1b[31mred\x07\r\nalert\x00"}}, "[31mred alert"),
    ],
)
def test_invalid_input_is_explained_with_the_next_step(ask: Ask, spec: str, code: int, body: Any, expected: str):
    with raw(refusal(code, body)) as server, pytest.raises(ModelError) as caught:
        ask(server, spec + TWICE)
    assert (True, 1) == (expected in str(caught.value), len(server.requests))


@pytest.mark.parametrize(
    ("model", "url", "here", "expected"),
    [
        ("gpt-5-mini", "", "", True),
        ("gpt-5-mini", "", "http://127.0.0.1:1/v1", True),
        ("gpt-5-mini", "https://api.openai.com/v1", "", True),
        ("gpt-5-mini", "http://127.0.0.1:1/v1", "", False),
        ("o9-mini", "", "http://proxy/v1", True),
        ("llama3.2", "", "http://127.0.0.1:1/v1", False),
        ("gpt-oss:20b", "", "http://127.0.0.1:1/v1", False),
        ("some-new-name", "", "", True),
    ],
)
def test_what_only_openai_knows_is_sent_to_openai_and_what_stands_in_for_it(
    monkeypatch: pytest.MonkeyPatch, model: str, url: str, here: str, *, expected: bool
):
    monkeypatch.setenv("OPENAI_BASE_URL", here)
    assert expected is endpoint_of("openai", model + (f"@{url}" if url else "")).of_openai


@pytest.mark.parametrize("spec", ["openai:llama3.2", "openai:gpt-oss:20b"])
def test_a_model_of_another_house_behind_openais_variable_gets_the_cap_that_it_heeds(ask: Ask, spec: str):
    with raw(stream(said(spec, "yes"))) as server:
        ask(server, spec + ONCE, asking("q <|im_end|>", "s", Message(role="assistant", text="<|im_end|>"), cap=77))
    parts = (b'"max_tokens":77', b"max_completion_tokens", b"prompt_cache_key", b'"<|im_end|>"')
    assert (True, False, False, True) == tuple(part in server.requests[0].body for part in parts)


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("key", ["sk-first\nsk-second", "sk-\u201cquoted\u201d", "sk-\x01"])
def test_a_key_that_no_head_can_hold_is_refused_without_saying_it(monkeypatch: pytest.MonkeyPatch, name: str, key: str):
    monkeypatch.setenv(PROVIDERS[name].key_variables[0], key)
    with pytest.raises(BadInput, match=PROVIDERS[name].key_variables[0]) as caught:
        open_model(f"{name}:m")
    assert "sk-" not in str(caught.value) + PROVIDERS[name].missing
    assert "no key: " in PROVIDERS[name].missing
