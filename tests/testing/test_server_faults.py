"""Faults by name, by script and at a rate, and the part of a response that arrives."""

from __future__ import annotations

import http.client
import json
import time
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.testing import FAULTS, at_rate, model_server, retry_after_date, scripted
from retouch.testing.server_faults import fault_of
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from retouch.testing import Fault

HELLO = {"model": "m", "max_tokens": 900, "messages": [{"role": "user", "content": "Say it."}]}
TEXT = "word " * 100


def raw(fault: Fault | None, *, stream: bool) -> tuple[int, str, bytes, bool]:
    """Return status, content type, body and whether the body was complete, as received."""
    with model_server(scripted([TEXT]), faults=[fault]) as server:
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=MOST_S)
        try:
            connection.request("POST", "/v1/messages", json.dumps(HELLO | {"stream": stream}), {"x-api-key": "k"})
            answer = connection.getresponse()
            kind = answer.headers["content-type"]
            try:
                return answer.status, kind, answer.read(), True
            except http.client.IncompleteRead as error:
                return answer.status, kind, error.partial, False
            except (ConnectionError, TimeoutError):
                return answer.status, kind, b"", False
        finally:
            connection.close()


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("name", ["slow_head", "slow_body", "duplicate_id"])
def test_what_is_only_late_or_odd_is_whole(name: str, *, stream: bool):
    code, _, body, whole = raw(FAULTS[name], stream=stream)
    assert (200, True, True) == (code, whole, b"end_turn" in body)


@pytest.mark.parametrize("stream", [True, False])
def test_a_cut_body_is_known_to_be_cut(*, stream: bool):
    _, _, body, whole = raw(FAULTS["cut_body"], stream=stream)
    assert (False, False) == (whole, b"end_turn" in body)


def test_an_early_end_looks_whole_to_the_http_layer():
    code, _, body, whole = raw(FAULTS["early_end"], stream=True)
    assert (200, True, True, False) == (code, whole, b"content_block_delta" in body, b'stop_reason":"end' in body)


@pytest.mark.parametrize("stream", [True, False])
def test_a_reset_before_the_head_leaves_nothing(*, stream: bool):
    with pytest.raises(ConnectionError):
        raw(FAULTS["cut_head"], stream=stream)


def test_an_error_event_breaks_a_stream_off_and_fails_a_plain_call():
    code, _, body, _ = raw(FAULTS["error_event"], stream=True)
    assert (200, True, False) == (code, b"event: error" in body, b"message_stop" in body)
    assert 529 == raw(FAULTS["error_event"], stream=False)[0]


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("name", "kind", "within"),
    [
        ("garbage", "application/json", b"\xff"),
        ("wrong_shape", "application/json", b'{"ok":true}'),
        ("html", "text/html", b"<!doctype html>"),
        ("wrong_type", "text/plain", b"end_turn"),
    ],
)
def test_bodies_that_violate_the_protocol(name: str, kind: str, within: bytes, *, stream: bool):
    code, found, body, _ = raw(FAULTS[name], stream=stream)
    assert (200, kind) == (code, found)
    assert within in body


def test_a_stall_ends_with_the_test_and_not_with_its_time():
    began = time.monotonic()
    with model_server(scripted([TEXT]), faults=[FAULTS["stall"]]) as server:
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=0.3)
        connection.request("POST", "/v1/messages", json.dumps(HELLO | {"stream": True}), {"x-api-key": "k"})
        with pytest.raises(TimeoutError):
            connection.getresponse().read()
        connection.close()
    assert time.monotonic() - began < FAULTS["stall"].seconds


@pytest.mark.parametrize(
    "sent", [b"", b"nonsense\r\n\r\n", b"GET /\r\n\r\n", b"POST / HTTP/1.1\r\ncontent-length: x\r\n\r\n"]
)
def test_what_is_no_request_closes_the_connection_only(sent: bytes):
    import socket

    with model_server(scripted([TEXT])) as server:
        host, _, port = server.url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), timeout=MOST_S) as connection:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            assert b"" == connection.recv(99)
        answer = http.client.HTTPConnection(host, int(port), timeout=MOST_S)
        answer.request("POST", "/v1/messages", json.dumps(HELLO), {"x-api-key": "k"})
        assert 200 == answer.getresponse().status
        answer.close()


def test_a_script_is_a_list_that_ends_or_a_function():
    one = FAULTS["500"]
    assert [one, None, None] == [fault_of([one, None], call, {}) for call in range(3)]
    assert one is fault_of(lambda call, body: one if call == body["n"] else None, 3, {"n": 3})


@settings(max_examples=25)
@given(st.floats(0, 1), st.integers(0, 99))
def test_a_rate_hits_its_share_whatever_the_order_of_calls(rate: float, seed: int):
    bodies = [{"n": n} for n in range(200)]
    mixed = bodies[:]
    Random(seed).shuffle(mixed)
    found: list[dict[int, Fault | None]] = []
    for order in (bodies, mixed):
        script = at_rate(rate, seed=seed)
        found.append({body["n"]: fault_of(script, call, body) for call, body in enumerate(order)})
    assert found[0] == found[1]
    assert abs(sum(fault is not None for fault in found[0].values()) / 200 - rate) < 0.15


def test_a_body_that_was_sent_often_is_answered_at_last():
    script = at_rate(1.0, most=3)
    assert [True, True, True, False] == [fault_of(script, call, {}) is not None for call in range(4)]


@pytest.mark.parametrize(("rate", "kinds"), [(1.5, ["500"]), (0.5, ["no such"]), (0.5, [])])
def test_a_rate_that_makes_no_sense_is_refused(rate: float, kinds: list[str]):
    with pytest.raises(ValueError, match="must be from 0 to 1"):
        at_rate(rate, kinds=kinds)


def test_a_date_is_written_as_a_header_has_it():
    assert "Thu, 01 Jan 1970 00:01:30 GMT" == retry_after_date(60, 30)
