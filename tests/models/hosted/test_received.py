"""Received bytes are recorded as sent, whatever their content, and are not paid for repeatedly."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

import retouch
from retouch.engine.events import parse_event
from retouch.engine.history import History, read_history
from retouch.engine.ledger import folded
from retouch.engine.types import AnswerRepeats, Event
from retouch.engine.usage import transport_report
from retouch.errors import ModelError, Throttled, TransportError
from retouch.text import without_thinking
from tests.engine.glossary import RECIPE, Glossary
from tests.models.hosted.conftest import CLAUDE, GEMINI, GPT, asking
from tests.models.hosted.raw_server import USAGE, RawServer, raw, refusal, said, stream

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retouch import Reply
    from retouch.testing.http_wire import HttpRequest
    from tests.models.hosted.conftest import Ask

LLAMA = "openai:llama3.2@URL"
EACH = pytest.mark.parametrize("spec", [CLAUDE, GPT, GEMINI, LLAMA])
QUICK = "?tries=8&first_wait_s=0.01&max_wait_s=0.02&idle_s=5&first_byte_s=9"
CODE = "TAG = '<think>plan</think>'\nEND = '</think>'\n"
SOURCE = Glossary(units={"tide": ("ebb", "flow")})


def chunks(*deltas: Any, **last: Any) -> bytes:
    """Return a stream of OpenAI's; `last` is the chunk after the text."""
    bodies: list[dict[str, Any]] = [
        *({"choices": [{"index": 0, "delta": delta}]} for delta in deltas),
        {"choices": [], **last},
    ]
    return stream([*(f"data: {json.dumps(one)}\n\n".encode() for one in bodies), b"data: [DONE]\n\n"])


def run(server: RawServer, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the result of a run of one page against `server`."""
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    model = retouch.open_model(f"openai:x@{server.openai_url}{QUICK}")
    return retouch.generate(RECIPE, SOURCE, folder, model)


@pytest.mark.slow
@EACH
@pytest.mark.parametrize("text", [CODE, f"<think>Hm.</think>\n{CODE}", "\ufeffa\r\nb", "<think>\nnever closed"])
def test_tags_and_marks_in_an_answer_come_back_as_they_were_sent(ask: Ask, spec: str, text: str):
    with raw(stream(said(spec, text))) as server:
        assert text == ask(server, spec + QUICK).text


def test_reasoning_that_begins_an_answer_is_named_and_left_in_it(ask: Ask):
    with raw(stream(said(LLAMA, f"<think>\nHm.\n</think>\n\n{CODE}"))) as server:
        reply = ask(server, LLAMA + QUICK)
    assert ("Hm.", CODE) == (reply.reasoning, without_thinking(reply.text))


def test_the_ledger_keeps_the_response_of_the_provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    used = {**USAGE, "completion_tokens_details": {"reasoning_tokens": 3}, "speed": 2.5}
    finish: dict[str, Any] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": used}
    with raw(chunks({"reasoning": "Ebb is "}, {"reasoning": "easy."}, {"content": "EBB = x\n"}, **finish)) as server:
        run(server, tmp_path, monkeypatch)
    reply = read_history(tmp_path / "ledger.db").attempts
    first = next(one.reply for one in reply.values() if one.reply is not None)
    assert ("EBB = x\n", "Ebb is easy.", "stop") == (first.text, first.reasoning, first.finish_raw)
    assert (3, 7, used) == (first.reasoning_tokens, first.output_tokens, first.usage)


def test_a_request_id_is_kept_whether_it_is_in_the_head_or_the_body(ask: Ask):
    told = stream(said(CLAUDE, "yes"), **{"request-id": "req_7"})
    with raw([told, stream(said(LLAMA, "yes"))]) as server:
        assert ["req_7", "c"] == [ask(server, spec + QUICK).request_id for spec in (CLAUDE, LLAMA)]


def test_the_blocks_of_a_text_are_kept(ask: Ask):
    body = {
        "type": "message",
        "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 1, "output_tokens": 2},
    }
    with raw(refusal(200, body)) as server:
        assert ("ab", ("a", "b")) == ((reply := ask(server, CLAUDE + QUICK)).text, reply.parts)


def test_rows_of_older_ledgers_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with raw(stream(said(LLAMA, "EBB = x\n"))) as server:
        run(server, tmp_path, monkeypatch)
    older = {"text", "finish", "model", "input_tokens", "output_tokens", "cached_tokens", "written_tokens", "cost"}
    history = History()
    for row in folded(tmp_path / "ledger.db", list).value:
        data: Any = row.data
        if row.kind == "reply":
            assert {"request_id", "finish_raw", "usage"} == data["reply"].keys() - older
            data = {**data, "reply": {name: data["reply"][name] for name in older}}
        event = parse_event(row.kind, data, history.texts, attempt=row.attempt, unit=row.unit)
        history.apply(row.seq, row.at, event)
    replies = [one.reply for one in history.attempts.values() if one.reply is not None]
    assert {("EBB = x\n", "", ())} == {(one.text, one.request_id, one.parts) for one in replies}


WITHOUT_END: Sequence[tuple[str, bytes]] = [
    ("without a finish reason", stream([one for one in said(LLAMA, "EBB") if b"stop" not in one])),
    ("not JSON", stream([b"data: {\n\n"])),
    ("no text", refusal(200, {"ok": True})),
    ("no text", stream([b"<html><p>Please sign in</p></html>"])),
    ("Token limit", stream([b'data: {"error": {"code": 400, "message": "Token limit"}}\n\n'])),
]


@pytest.mark.parametrize(("words", "answer"), WITHOUT_END)
def test_an_answer_without_an_end_is_bought_twice_and_not_eight_times(ask: Ask, words: str, answer: bytes):
    with raw(answer) as server, pytest.raises(TransportError, match=words):
        ask(server, LLAMA + QUICK)
    assert 2 == len(server.requests)


def test_a_model_that_has_answered_before_gets_a_third_try(monkeypatch: pytest.MonkeyPatch):
    broken = WITHOUT_END[0][1]
    with raw([stream(said(LLAMA, "yes")), *[broken] * 3]) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        model = retouch.open_model(f"openai:x@{server.openai_url}{QUICK}")

        async def twice() -> None:
            await model(asking())
            with pytest.raises(TransportError, match="without a finish reason"):
                await model(asking())

        asyncio.run(twice())
    assert 4 == len(server.requests)


@pytest.mark.parametrize("answer", [refusal(500, {}), refusal(429, {}), b""])
def test_failures_that_may_heal_use_all_tries(ask: Ask, answer: bytes):
    with raw(answer) as server, pytest.raises(TransportError):
        ask(server, LLAMA + QUICK)
    assert 8 == len(server.requests)


def test_two_failures_that_differ_do_not_end_the_tries(ask: Ask):
    (_, one), (_, other), *_ = WITHOUT_END
    with raw([one, other, one, other, stream(said(LLAMA, "yes"))]) as server:
        assert "yes" == ask(server, LLAMA + QUICK).text


def test_what_was_paid_for_in_vain_is_on_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    cut: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"content": "EBB = "}}]},
        {"choices": [], "usage": USAGE},
    ]
    with raw(stream(f"data: {json.dumps(one)}\n\n".encode() for one in cut)) as server:
        result = run(server, tmp_path, monkeypatch)
    history = read_history(tmp_path / "ledger.db")
    failed = [one for one in history.attempts.values() if one.received is not None]
    assert ("incomplete", 2 * len(failed)) == (result.status, len(server.requests))
    assert {("EBB = ", 10, 7)} == {
        (one.received.text, one.received.input_tokens, one.received.output_tokens) for one in failed if one.received
    }
    lost = transport_report(history.notes)
    assert (len(server.requests), 17 * len(server.requests)) == (lost.lost_calls, lost.lost_tokens)


@pytest.mark.parametrize(
    ("code", "kind"), [(401, ModelError), (402, ModelError), (429, Throttled), (529, Throttled), (500, TransportError)]
)
def test_an_error_within_an_answer_means_what_its_status_means(ask: Ask, code: int, kind: type):
    answer = stream([b'data: {"error": {"code": %d, "message": "No more"}}\n\n' % code])
    with raw(answer) as server, pytest.raises(ModelError) as caught:
        ask(server, LLAMA + "?tries=1")
    assert kind is type(caught.value)


def test_the_message_of_the_provider_behind_a_router_is_shown(ask: Ask):
    behind = {"provider_name": "Google", "raw": '{"error": {"message": "Quota of the project is used up"}}'}
    answer = refusal(429, {"error": {"code": 429, "message": "Provider returned error", "metadata": behind}})
    with raw(answer) as server, pytest.raises(Throttled) as caught:
        ask(server, LLAMA + "?tries=1")
    assert "Provider returned error (Google: Quota of the project is used up)" in caught.value.message


@pytest.mark.slow
@EACH
def test_an_answer_that_is_complete_needs_no_end_of_the_connection(ask: Ask, spec: str):
    whole = stream([*said(spec, "yes"), *([b"data: [DONE]\n\n"] if "openai" in spec else [])])
    with raw(whole.removesuffix(b"0\r\n\r\n")) as server:
        reply: Reply = ask(server, spec + "?tries=1&idle_s=1000")
    assert ("yes", "end") == (reply.text, reply.finish)


def test_a_reset_after_the_finish_reason_costs_nothing(ask: Ask):
    def closing(number: int, _request: object) -> bytes:
        return stream(said(LLAMA, "yes")).removesuffix(b"0\r\n\r\n") if number == 0 else b""

    with raw(closing) as server:
        assert "yes" == ask(server, LLAMA + "?tries=1&idle_s=1").text
    assert 1 == len(server.requests)


BLOCK = "public class Axe\n{\n    public string Handle { get; set; }\n    public int Edge { get; set; } // mm\n}\n"


@EACH
def test_an_answer_that_repeats_itself_is_stopped_and_what_was_received_is_counted(ask: Ask, spec: str):
    received: list[str] = []

    def stop_at_six(event: Event) -> None:
        received.append(event.text)
        if "".join(received).count(BLOCK) >= 6:
            raise AnswerRepeats

    with raw(stream(said(spec, BLOCK * 40))) as server:
        reply = ask(server, spec + QUICK, on_event=stop_at_six)
    assert ("repeated", 1) == (reply.finish, len(server.requests))
    assert reply.text.count(BLOCK) >= 6
    assert reply.output_tokens > 100


REFUSALS = {
    "OpenAI": "max_tokens is too large: 8192. This model supports at most 4096 completion tokens.",
    "vLLM": "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 5000 "
    "tokens and your request has 904 input tokens (8192 > 5000 - 904).",
    "Anthropic": "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for this model",
    "nothing named": "max_tokens is too large",
}


@pytest.mark.parametrize("words", REFUSALS.values(), ids=REFUSALS)
def test_the_output_limit_of_a_server_is_learned_from_its_refusal_and_kept_for_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
):
    caps: list[int] = []

    def script(_number: int, request: HttpRequest) -> bytes:
        body: Any = json.loads(request.body)
        caps.append(body.get("max_tokens") or body["max_completion_tokens"])
        if caps[-1] > 4096:
            return refusal(400, {"error": {"message": words, "type": "invalid_request_error"}})
        return stream(said(LLAMA, "ebb=EBB\nflow=FLOW"))

    with raw(script) as server:
        assert "verified" == run(server, tmp_path / "run", monkeypatch).status
    assert [8192, 4096] == caps
    assert {"openai:x@" + server.openai_url: 4096} == read_history(tmp_path / "run" / "ledger.db").output_limits


def test_a_server_that_refuses_every_cap_ends_the_run_with_its_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with raw(refusal(400, {"error": {"message": "max_tokens is too large"}})) as server:
        with pytest.raises(ModelError, match="max_tokens is too large") as failed:
            run(server, tmp_path / "run", monkeypatch)
        assert 8 == len(server.requests)
    assert "--max-output-tokens" in failed.value.hint
