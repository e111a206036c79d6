"""All samples, and those of the protocols other than OpenAI's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.conformance.openai_samples import OPENAI
from tests.conformance.responses_samples import RESPONSES
from tests.conformance.sample import HALF, JSON_TYPE, TEXT, Sample, dumped, events

if TYPE_CHECKING:
    from collections.abc import Mapping


def _claude(*, stop: str | None, text: str = TEXT) -> list[Any]:
    usage = {"input_tokens": 7, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 100, "output_tokens": 1}
    message: dict[str, Any] = {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "model": "claude-x",
        "content": [],
    }
    half = len(text) // 2
    return [
        {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Well"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "ping"},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": text[:half]}},
        {"type": "content_block_stop", "index": 1},
        {"type": "content_block_start", "index": 2, "content_block": {"type": "text", "text": text[half:]}},
        {"type": "content_block_stop", "index": 2},
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": None},
            "usage": {"input_tokens": None, "output_tokens": 30, "output_tokens_details": {"thinking_tokens": 4}},
        },
        *([{"type": "message_stop"}] if stop else []),
    ]


def _gemini(*parts: Mapping[str, Any], finish: str = "", **more: Any) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": list(parts)}, **({"finishReason": finish} if finish else {})}
    counts = {"promptTokenCount": 100, "candidatesTokenCount": 30, "thoughtsTokenCount": 4, **more}
    return {"candidates": [candidate], "usageMetadata": counts, "modelVersion": "gemini-x", "responseId": "r1"}


_CLAUDE = (127, 30, 100, 20, 4)

SAMPLES: Mapping[str, Sample] = {
    **OPENAI,
    **RESPONSES,
    "anthropic stream": Sample(
        dialect="anthropic",
        body=events(*_claude(stop="end_turn")),
        finish_raw="end_turn",
        tokens=_CLAUDE,
        reasoning="Well",
        parts=2,
    ),
    "anthropic refusal": Sample(
        dialect="anthropic",
        body=events(*_claude(stop="refusal")),
        finish="refused",
        finish_raw="refusal",
        tokens=_CLAUDE,
        reasoning="Well",
        parts=2,
    ),
    "anthropic cut before its reason": Sample(
        dialect="anthropic", body=events(*_claude(stop=None)), finish=None, tokens=_CLAUDE, reasoning="Well", parts=2
    ),
    "anthropic breaks off": Sample(
        dialect="anthropic",
        body=events(
            *_claude(stop="x")[:7], {"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}}
        ),
        text=TEXT[:HALF],
        finish=None,
        tokens=(127, 1, 100, 20, 0),
        reasoning="Well",
    ),
    "anthropic document": Sample(
        dialect="anthropic",
        content_type=JSON_TYPE,
        body=dumped(
            {
                "type": "message",
                "id": "msg_1",
                "model": "claude-x",
                "content": [{"type": "text", "text": TEXT}],
                "stop_reason": "max_tokens",
                "usage": {"input_tokens": 5, "output_tokens": 6, "cache_read_input_tokens": None},
            }
        ).encode(),
        finish="length",
        finish_raw="max_tokens",
        tokens=(5, 6, 0, 0, 0),
    ),
    "anthropic tool": Sample(
        dialect="anthropic",
        content_type=JSON_TYPE,
        body=dumped(
            {
                "type": "message",
                "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {"text": "no answer"}}],
                "stop_reason": "tool_use",
                "usage": {"input_tokens": 5, "output_tokens": 6},
            }
        ).encode(),
        text="",
        finish="error",
        finish_raw="tool_use",
        tokens=(5, 6, 0, 0, 0),
        parts=0,
    ),
    "gemini stream": Sample(
        dialect="google",
        body=events(
            _gemini({"text": "Well", "thought": True}),
            _gemini({"text": TEXT[:HALF]}, candidatesTokenCount=12),
            _gemini({"text": TEXT[HALF:]}, finish="STOP", cachedContentTokenCount=64, toolUsePromptTokenCount=27),
            end="\r\n\r\n",
        ),
        finish_raw="STOP",
        tokens=(127, 34, 64, 0, 4),
        reasoning="Well",
    ),
    "gemini list": Sample(
        dialect="google",
        content_type=JSON_TYPE,
        body=dumped([_gemini({"text": TEXT[:HALF]}), _gemini({"text": TEXT[HALF:]}, finish="MAX_TOKENS")]).encode(),
        finish="length",
        finish_raw="MAX_TOKENS",
        tokens=(100, 34, 0, 0, 4),
    ),
    "gemini without a reason": Sample(
        dialect="google",
        body=events(_gemini({"text": TEXT}, finish="FINISH_REASON_UNSPECIFIED")),
        finish=None,
        tokens=(100, 34, 0, 0, 4),
    ),
    "gemini blocks the prompt": Sample(
        dialect="google",
        content_type=JSON_TYPE,
        body=b'{"promptFeedback": {"blockReason": "OTHER"}, "usageMetadata": {"promptTokenCount": 9}}',
        text="",
        finish="filtered",
        finish_raw="OTHER",
        tokens=(9, 0, 0, 0, 0),
        parts=0,
    ),
    "gemini breaks off": Sample(
        dialect="google",
        body=events(_gemini({"text": TEXT}), {"error": {"code": 503, "message": "Busy", "status": "UNAVAILABLE"}}),
        finish=None,
        tokens=(100, 34, 0, 0, 4),
    ),
    "ollama lines": Sample(
        dialect="ollama",
        content_type="application/x-ndjson",
        body="".join(
            dumped(one) + "\n"
            for one in (
                {"model": "q", "message": {"role": "assistant", "content": "", "thinking": "Well"}, "done": False},
                {"model": "q", "message": {"role": "assistant", "content": TEXT}, "done": False},
                {"model": "q", "done": True, "done_reason": "length", "prompt_eval_count": 9, "eval_count": 4},
            )
        ).encode(),
        finish="length",
        finish_raw="length",
        tokens=(9, 4, 0, 0, 0),
        reasoning="Well",
    ),
    "bedrock document": Sample(
        dialect="bedrock",
        content_type=JSON_TYPE,
        body=dumped(
            {
                "output": {
                    "message": {"content": [{"reasoningContent": {"reasoningText": {"text": "Well"}}}, {"text": TEXT}]}
                },
                "stopReason": "guardrail_intervened",
                "usage": {
                    "inputTokens": 7,
                    "cacheReadInputTokens": 100,
                    "cacheWriteInputTokens": 20,
                    "outputTokens": 4,
                },
            }
        ).encode(),
        finish="filtered",
        finish_raw="guardrail_intervened",
        tokens=(127, 4, 100, 20, 0),
        reasoning="Well",
    ),
}
