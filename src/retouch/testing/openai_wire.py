"""OpenAI's chat completions of the test server, which Ollama, vLLM and llama.cpp support as well."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from retouch.engine.types import Message
from retouch.models.cache_facts import cache_facts
from retouch.testing.http_wire import to_bytes
from retouch.testing.wire import Answered, PromptBlock, WireCall, WireRefusal, blocks_of, messages_of, number_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_UNLIMITED = 1_000_000
_TTL_S = 1_800.0  # of entries at breakpoints, supported since GPT-5.6
_CREATED = 1_700_000_000
_FINISH_REASONS = {"length": "length", "filtered": "content_filter"}
_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}


class OpenAIDialect:
    """Reads and writes bodies of `/v1/chat/completions`."""

    def read(self, body: Any) -> WireCall:
        """Return the call in `body`.

        Raises:
            WireRefusal: as the provider would, for an invalid role or cap.
        """
        raw = messages_of(body)
        cap = number_of(body, "max_completion_tokens", "max_tokens")
        turns = [turn_of(f"messages[{number}]", message) for number, message in enumerate(raw)]
        blocks = [block for turn in turns for block in turn]
        options: Any = body.get("stream_options") or {}
        caching: Any = body.get("prompt_cache_options") or {}
        takes_markers = cache_facts("openai", body["model"]).markers > 0
        explicit = takes_markers and caching.get("mode") == "explicit"
        if takes_markers and not explicit:
            blocks = marked_at_newest(blocks)
        return WireCall(
            model=body["model"],
            blocks=blocks,
            system="\n\n".join(block.text for block in blocks if block.role == "system"),
            messages=tuple(message_of(turn) for turn in turns if turn and turn[0].role != "system"),
            max_output_tokens=_UNLIMITED if cap is None else cap,
            temperature=body.get("temperature"),
            stream=body.get("stream") is True,
            usage_in_stream=options.get("include_usage") is True,
            cache_key=str(body.get("prompt_cache_key") or ""),
            caches_by_itself=not takes_markers,
            look_back_blocks=1 if explicit else 20,
            schema=body.get("response_format"),
        )

    def whole(self, answered: Answered) -> Mapping[str, Any]:
        """Return the body of a completion."""
        message = {"role": "assistant", "refusal": None, **_content_of(answered, answered.reply.text)}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(answered)}
        return {**_opening(answered, "chat.completion"), "choices": [choice], "usage": _usage(answered)}

    def events(self, answered: Answered, pieces: Sequence[str]) -> Iterator[bytes]:
        """Yield the chunks of a completion."""
        opening = _opening(answered, "chat.completion.chunk")

        def step(delta: Mapping[str, Any], finish: str | None = None) -> bytes:
            return _data({**opening, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

        yield step({"role": "assistant", "content": ""})
        for piece in pieces:
            yield step(_content_of(answered, piece))
        yield step({}, _finish(answered))
        if answered.asked.usage_in_stream:
            yield _data({**opening, "choices": [], "usage": _usage(answered)})
        yield b"data: [DONE]\n\n"

    def error(self, kind: str, message: str) -> Mapping[str, Any]:
        """Return the body of an error."""
        return {"error": {"message": message, "type": kind, "param": None, "code": kind}}

    def error_event(self, kind: str, message: str) -> bytes:
        """Return an error within a stream."""
        return _data(self.error(kind, message))


def marked_at_newest(blocks: Sequence[PromptBlock]) -> list[PromptBlock]:
    """Return `blocks` with the automatic breakpoint that a model sets unless this is turned off."""
    newest = max((number for number, block in enumerate(blocks) if block.role == "user"), default=-1)
    return [replace(one, ttl_s=_TTL_S) if number == newest else one for number, one in enumerate(blocks)]


def turn_of(where: str, message: Mapping[str, Any]) -> list[PromptBlock]:
    """Return the blocks of one turn. Raise `WireRefusal` for an unknown role."""
    role = _ROLES.get(str(message.get("role")))
    if role is None:
        raise WireRefusal(400, "invalid_request_error", f"{where}: unknown role")
    parts = blocks_of(message.get("content"), where)
    return [
        PromptBlock(role=role, text=text, ttl_s=_TTL_S if "prompt_cache_breakpoint" in more else None)
        for text, more in parts
    ]


def message_of(turn: Sequence[PromptBlock]) -> Message:
    """Return the message of one turn."""
    text = "".join(block.text for block in turn)
    return Message(role="assistant" if turn[0].role == "assistant" else "user", text=text)


def _content_of(answered: Answered, text: str) -> dict[str, Any]:
    return {"content": None, "refusal": text} if answered.reply.finish == "refused" else {"content": text}


def _finish(answered: Answered) -> str:
    return _FINISH_REASONS.get(answered.reply.finish, "stop")


def _opening(answered: Answered, kind: str) -> dict[str, Any]:
    return {"id": answered.id, "object": kind, "created": _CREATED, "model": answered.asked.model}


def _usage(answered: Answered) -> dict[str, Any]:
    total, output = answered.usage.total, answered.reply.output_tokens
    return {
        "prompt_tokens": total,
        "completion_tokens": output,
        "total_tokens": total + output,
        "prompt_tokens_details": {
            "cached_tokens": answered.usage.read,
            "cache_write_tokens": answered.usage.written,
            "audio_tokens": 0,
        },
        "completion_tokens_details": {"reasoning_tokens": 0},
    }


def _data(value: Mapping[str, Any]) -> bytes:
    return b"data: " + to_bytes(value) + b"\n\n"
