"""Chat completions, as OpenAI and the servers that speak alike send them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.conformance.sample import HALF, JSON_TYPE, TEXT, Sample, dumped, events

if TYPE_CHECKING:
    from collections.abc import Mapping


def _chunk(delta: Mapping[str, Any] | None = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    opening = {"id": "c1", "object": "chat.completion.chunk", "model": "gpt-x"}
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {**opening, "choices": choices, **more}


def _used(output: int = 30, **more: Any) -> dict[str, Any]:
    return {"usage": {"prompt_tokens": 127, "completion_tokens": output, "total_tokens": 127 + output, **more}}


def _chunks(*, finish: str | None = "stop", **more: Any) -> list[dict[str, Any]]:
    half = len(TEXT) // 2
    opening = _chunk({"role": "assistant", "content": ""}, **more)
    return [opening, _chunk({"content": TEXT[:half]}, **more), _chunk({"content": TEXT[half:]}, finish, **more)]


def _whole(message: Mapping[str, Any], finish: str | None = "stop", **more: Any) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return dumped({"id": "c1", "object": "chat.completion", "model": "gpt-x", "choices": [choice], **more}).encode()


_GPT = (127, 30, 0, 0, 0)

OPENAI: Mapping[str, Sample] = {
    "openai stream": Sample(
        dialect="openai",
        body=events(
            *_chunks(),
            _chunk(**_used(prompt_tokens_details={"cached_tokens": 100, "cache_write_tokens": 20})),
            done=True,
        ),
        finish_raw="stop",
        tokens=(127, 30, 100, 20, 0),
    ),
    "openai stream with a byte-order mark": Sample(
        dialect="openai",
        body=b"\xef\xbb\xbf" + events(*_chunks(), _chunk(**_used()), done=True),
        finish_raw="stop",
        tokens=_GPT,
    ),
    "openai stream with comments, CR LF and other fields": Sample(
        dialect="openai",
        body=b": PROCESSING\r\n\r\nretry: 5\r\nid: 1\r\n"
        + events(*_chunks(), _chunk(**_used()), done=True, end="\r\n\r\n: keep-alive\r\n\r\n"),
        finish_raw="stop",
        tokens=_GPT,
    ),
    "openai stream without empty lines": Sample(
        dialect="openai",
        body=events(*_chunks(), _chunk(**_used()), done=True, end="\n"),
        finish_raw="stop",
        tokens=_GPT,
    ),
    "openai stream called plain text, without blanks after colons": Sample(
        dialect="openai",
        content_type="text/plain",
        body=events(*_chunks(), _chunk(**_used()), done=True).replace(b"data: ", b"data:"),
        finish_raw="stop",
        tokens=_GPT,
    ),
    "usage that is repeated with every chunk is a total": Sample(
        dialect="openai", body=events(*_chunks(**_used()), _chunk(**_used()), done=True), finish_raw="stop", tokens=_GPT
    ),
    "an empty usage at the end hides nothing": Sample(
        dialect="openai",
        body=events(*_chunks(), _chunk(**_used()), _chunk(usage={"prompt_tokens": 0, "completion_tokens": 0})),
        finish_raw="stop",
        tokens=_GPT,
    ),
    "usage in x_groq": Sample(
        dialect="openai",
        body=events(*_chunks(finish=None), _chunk({}, "stop", x_groq={"id": "req_1", **_used()}), done=True),
        finish_raw="stop",
        tokens=_GPT,
    ),
    "usage and DONE without a finish reason": Sample(
        dialect="openai", body=events(*_chunks(finish=None), _chunk(**_used()), done=True), tokens=_GPT
    ),
    "usage and DONE without a finish reason, at the cap": Sample(
        dialect="openai",
        body=events(*_chunks(finish=""), _chunk(**_used(500)), done=True),
        finish="length",
        tokens=(127, 500, 0, 0, 0),
    ),
    "DONE without usage or a finish reason": Sample(
        dialect="openai", body=events(*_chunks(finish=None), done=True), finish=None
    ),
    "usage without DONE or a finish reason": Sample(
        dialect="openai", body=events(*_chunks(finish=None), _chunk(**_used())), finish=None, tokens=_GPT
    ),
    "a document where a stream was wanted": Sample(
        dialect="openai",
        content_type=JSON_TYPE,
        body=_whole({"content": TEXT}, **_used()),
        finish_raw="stop",
        tokens=_GPT,
    ),
    "a document with a byte-order mark, called a stream": Sample(
        dialect="openai",
        body=b"\xef\xbb\xbf\n " + _whole({"content": TEXT}, **_used()),
        finish_raw="stop",
        tokens=_GPT,
    ),
    "a document without a finish reason": Sample(
        dialect="openai", content_type=JSON_TYPE, body=_whole({"content": TEXT}, "", **_used()), tokens=_GPT
    ),
    "a document that is cut": Sample(
        dialect="openai",
        content_type=JSON_TYPE,
        body=_whole({"content": TEXT}, **_used())[:-9],
        text="",
        finish=None,
        parts=0,
    ),
    "length, then an error": Sample(
        dialect="openai",
        body=events(
            *_chunks(finish="length"),
            _chunk({"content": ""}, "error", error={"code": 400, "message": "Token limit reached"}, **_used()),
            done=True,
        ),
        finish="length",
        finish_raw="length",
        tokens=_GPT,
    ),
    "an error within a stream": Sample(
        dialect="openai",
        body=events(*_chunks(finish=None)[:2], {"error": {"code": 502, "message": "Upstream is gone"}}, done=True),
        text=TEXT[:HALF],
        finish=None,
    ),
    "an event that is called an error": Sample(
        dialect="openai",
        body=events(*_chunks(finish=None)) + b'event: error\ndata: {"message": "no tool was called"}\n\n',
        finish=None,
    ),
    "an event that is not JSON": Sample(
        dialect="openai",
        body=events(_chunks()[0]) + b'data: {"choices": [{"del\n\n' + events(*_chunks()[1:], done=True),
        finish=None,
        finish_raw="stop",
    ),
    "reasoning_content": Sample(
        dialect="openai",
        content_type=JSON_TYPE,
        body=_whole({"content": TEXT, "reasoning_content": "Well"}, **_used(prompt_cache_hit_tokens=64)),
        finish_raw="stop",
        tokens=(127, 30, 64, 0, 0),
        reasoning="Well",
    ),
    "reasoning_details": Sample(
        dialect="openai",
        body=events(
            _chunk({"reasoning_details": [{"type": "reasoning.text", "text": "We"}]}),
            _chunk({"reasoning_details": [{"type": "reasoning.summary", "summary": "ll"}]}),
            *_chunks(),
        ),
        finish_raw="stop",
        reasoning="Well",
    ),
    "reasoning said twice counts once": Sample(
        dialect="openai",
        body=events(_chunk({"reasoning": "Well", "reasoning_details": [{"text": "Well"}]}), *_chunks()),
        finish_raw="stop",
        reasoning="Well",
    ),
    "content in chunks": Sample(
        dialect="openai",
        content_type=JSON_TYPE,
        body=_whole(
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "Well"}]},
                    {"type": "text", "text": TEXT},
                ]
            },
            "model_length",
            **_used(num_cached_tokens=64),
        ),
        finish="length",
        finish_raw="model_length",
        tokens=(127, 30, 64, 0, 0),
        reasoning="Well",
    ),
    "reasoning that is counted apart from the completion": Sample(
        dialect="openai",
        content_type=JSON_TYPE,
        body=_whole(
            {"content": TEXT},
            usage={
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "total_tokens": 115,
                "completion_tokens_details": {"reasoning_tokens": 100},
            },
        ),
        finish_raw="stop",
        tokens=(10, 105, 0, 0, 100),
    ),
    "a refusal": Sample(
        dialect="openai",
        content_type=JSON_TYPE,
        body=_whole({"content": None, "refusal": "I can't."}, **_used()),
        text="I can't.",
        finish="refused",
        finish_raw="stop",
        tokens=_GPT,
        parts=0,
    ),
    "a tool call without a finish reason": Sample(
        dialect="openai",
        content_type=JSON_TYPE,
        body=_whole({"content": "", "tool_calls": [{"function": {"name": "f"}}]}, None, **_used()),
        text="",
        finish="error",
        tokens=_GPT,
        parts=0,
    ),
    "a second choice": Sample(
        dialect="openai",
        body=events(
            *_chunks(finish=None),
            {**_chunk(), "choices": [{"index": 1, "delta": {"content": "other"}, "finish_reason": "length"}]},
            _chunk({}, "content_filter"),
        ),
        finish="filtered",
        finish_raw="content_filter",
    ),
    "JSON of another shape": Sample(
        dialect="openai", content_type=JSON_TYPE, body=b'{"ok": true, "choices": 5}', text="", finish=None, parts=0
    ),
    "a page": Sample(
        dialect="openai",
        content_type="text/html",
        body=b"<!doctype html>\n<p>data: no</p>",
        text="",
        finish=None,
        parts=0,
    ),
    "nothing at all": Sample(dialect="openai", body=b"", text="", finish=None, parts=0),
}
