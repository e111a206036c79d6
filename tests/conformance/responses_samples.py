"""Responses of OpenAI's Responses API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.conformance.sample import HALF, JSON_TYPE, TEXT, Sample, dumped, events

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_USAGE = {
    "input_tokens": 127,
    "input_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 20},
    "output_tokens": 30,
    "output_tokens_details": {"reasoning_tokens": 12},
    "total_tokens": 157,
}
_TOKENS = (127, 30, 100, 20, 12)


def _response(status: str, output: Sequence[Mapping[str, Any]], **more: Any) -> dict[str, Any]:
    fixed: dict[str, Any] = {"id": "r1", "object": "response", "model": "gpt-x", "status": status, "error": None}
    return {**fixed, "incomplete_details": None, "output": [*output], "usage": _USAGE, **more}


def _output(text: str = TEXT) -> list[dict[str, Any]]:
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Well"}]}
    part = {"type": "output_text", "text": text}
    return [thought, {"type": "message", "role": "assistant", "status": "completed", "content": [part]}]


def _begun(text: str = TEXT) -> list[dict[str, Any]]:
    half = min(HALF, len(text))
    deltas = [{"type": "response.output_text.delta", "delta": one} for one in (text[:half], text[half:])]
    return [
        {"type": "response.created", "response": {**_response("in_progress", []), "usage": None}},
        {"type": "response.output_item.added", "item": {"type": "reasoning", "summary": []}},
        {"type": "response.reasoning_summary_text.delta", "delta": "Well"},
        {"type": "response.output_item.added", "item": {"type": "message", "content": []}},
        {"type": "response.content_part.added", "part": {"type": "output_text", "text": ""}},
        *deltas,
        {"type": "response.output_text.done", "text": text},
        {"type": "response.output_item.done", "item": _output(text)[1]},
    ]


_CUT = {"incomplete_details": {"reason": "max_output_tokens"}}
_REFUSAL = [{"type": "message", "content": [{"type": "refusal", "refusal": TEXT}]}]

RESPONSES: Mapping[str, Sample] = {
    "responses stream": Sample(
        dialect="responses",
        body=events(*_begun(), {"type": "response.completed", "response": _response("completed", _output())}),
        finish_raw="completed",
        reasoning="Well",
        tokens=_TOKENS,
    ),
    "responses document": Sample(
        dialect="responses",
        content_type=JSON_TYPE,
        body=dumped(_response("completed", _output())).encode(),
        finish_raw="completed",
        reasoning="Well",
        tokens=_TOKENS,
    ),
    "responses stream that was cut off by the cap": Sample(
        dialect="responses",
        body=events(*_begun(), {"type": "response.incomplete", "response": _response("incomplete", _output(), **_CUT)}),
        finish="length",
        finish_raw="max_output_tokens",
        reasoning="Well",
        tokens=_TOKENS,
    ),
    "responses document whose cap was used up by reasoning": Sample(
        dialect="responses",
        content_type=JSON_TYPE,
        body=dumped(_response("incomplete", _output()[:1], **_CUT)).encode(),
        text="",
        finish="length",
        finish_raw="max_output_tokens",
        reasoning="Well",
        tokens=_TOKENS,
        parts=0,
    ),
    "responses document with a refusal": Sample(
        dialect="responses",
        content_type=JSON_TYPE,
        body=dumped(_response("completed", _REFUSAL)).encode(),
        finish="refused",
        finish_raw="completed",
        tokens=_TOKENS,
        parts=0,
    ),
    "responses stream that stops without its last event": Sample(
        dialect="responses", body=events(*_begun()), finish=None, reasoning="Well"
    ),
    "responses stream that failed": Sample(
        dialect="responses",
        body=events(
            *_begun(),
            {
                "type": "response.failed",
                "response": _response("failed", [], error={"code": "server_error", "message": "sorry"}, usage=None),
            },
        ),
        finish=None,
        reasoning="Well",
    ),
    "responses document that only calls a function": Sample(
        dialect="responses",
        content_type=JSON_TYPE,
        body=dumped(_response("completed", [{"type": "function_call", "name": "f", "arguments": "{}"}])).encode(),
        text="",
        finish="error",
        finish_raw="function_call",
        tokens=_TOKENS,
        parts=0,
    ),
}
