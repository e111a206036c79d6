"""The Anthropic Messages API of the test server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch.engine.types import Message
from retouch.testing.http_wire import to_bytes
from retouch.testing.wire import (
    Answered,
    PromptBlock,
    WireCall,
    WireRefusal,
    blocks_of,
    is_object,
    messages_of,
    number_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch.testing.wire import WireUsage

MOST_MARKERS = 4
_TTL_S = {"5m": 300.0, "1h": 3600.0}
_STOP_REASONS = {"end": "end_turn", "length": "max_tokens", "refused": "refusal", "filtered": "refusal"}


class AnthropicDialect:
    """Reads and writes bodies of `/v1/messages`."""

    def read(self, body: Any) -> WireCall:
        """Return the call in `body`.

        Raises:
            WireRefusal: as the provider would, for a missing cap, an invalid role, more than four cache markers, or
                inconsistent markers.
        """
        raw = messages_of(body)
        cap = number_of(body, "max_tokens")
        if cap is None:
            raise WireRefusal(400, "invalid_request_error", "max_tokens: Field required")
        blocks = [_block("tool", to_bytes(tool).decode(), tool) for tool in body.get("tools") or ()]
        blocks += [_block("system", text, more) for text, more in blocks_of(body.get("system") or "", "system")]
        messages: list[Message] = []
        for number, message in enumerate(raw):
            role, parts = message.get("role"), blocks_of(message.get("content"), f"messages.{number}")
            if role not in {"user", "assistant"}:
                raise WireRefusal(400, "invalid_request_error", f"messages.{number}: role must be user or assistant")
            blocks += [_block(role, text, more) for text, more in parts]
            messages.append(Message(role=role, text="".join(text for text, _ in parts)))
        if body.get("cache_control"):
            blocks.append(_marked_by_itself(blocks.pop(), body))
        _expect_legal(blocks)
        return WireCall(
            model=body["model"],
            blocks=[block for block in blocks if block.text],
            system="".join(block.text for block in blocks if block.role == "system"),
            messages=tuple(messages),
            max_output_tokens=cap,
            temperature=body.get("temperature"),
            stream=body.get("stream") is True,
            schema=_format_in(body.get("output_config")),
        )

    def whole(self, answered: Answered) -> Mapping[str, Any]:
        """Return the body of a message."""
        reply = answered.reply
        return {
            **_opening(answered),
            "content": [{"type": "text", "text": reply.text}] if reply.text else [],
            "stop_reason": _STOP_REASONS.get(reply.finish, "end_turn"),
            "usage": {**_input(answered.usage), "output_tokens": reply.output_tokens},
        }

    def events(self, answered: Answered, pieces: Sequence[str]) -> Iterator[bytes]:
        """Yield the events of a message."""
        reply = answered.reply
        message = {**_opening(answered), "usage": {**_input(answered.usage), "output_tokens": 1}}
        yield _event("message_start", message=message)
        yield _event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        yield _event("ping")
        for piece in pieces:
            yield _event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
        yield _event("content_block_stop", index=0)
        delta = {"stop_reason": _STOP_REASONS.get(reply.finish, "end_turn"), "stop_sequence": None}
        yield _event("message_delta", delta=delta, usage={"output_tokens": reply.output_tokens})
        yield _event("message_stop")

    def error(self, kind: str, message: str) -> Mapping[str, Any]:
        """Return the body of an error."""
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_loopback"}

    def error_event(self, kind: str, message: str) -> bytes:
        """Return an error event."""
        return _event("error", error={"type": kind, "message": message})


def _format_in(output_config: Any) -> Any:
    return output_config.get("format") if is_object(output_config) else None


def _block(role: str, text: str, more: Mapping[str, Any]) -> PromptBlock:
    marker: Any = more.get("cache_control")
    if not marker:
        return PromptBlock(role=role, text=text)
    ttl = marker.get("ttl", "5m") if is_object(marker) else None
    if ttl not in _TTL_S:
        raise WireRefusal(400, "invalid_request_error", "cache_control.ttl: must be 5m or 1h")
    return PromptBlock(role=role, text=text, ttl_s=_TTL_S[ttl])


def _marked_by_itself(last: PromptBlock, body: Mapping[str, Any]) -> PromptBlock:
    """Return the last block with the marker of the whole request."""
    marked = _block(last.role, last.text, body)
    if last.ttl_s not in {None, marked.ttl_s}:
        message = "cache_control.ttl: differs from that of the last block, which is marked itself"
        raise WireRefusal(400, "invalid_request_error", message)
    return marked


def _expect_legal(blocks: Sequence[PromptBlock]) -> None:
    times = [block.ttl_s for block in blocks if block.ttl_s is not None]
    if len(times) > MOST_MARKERS:
        message = f"A maximum of {MOST_MARKERS} blocks with cache_control may be provided. Found {len(times)}."
        raise WireRefusal(400, "invalid_request_error", message)
    if times != sorted(times, reverse=True):
        raise WireRefusal(
            400, "invalid_request_error", "a ttl='1h' cache_control block must not come after a ttl='5m' one"
        )
    if any(block.ttl_s is not None and not block.text for block in blocks):
        raise WireRefusal(400, "invalid_request_error", "cache_control cannot be set for empty text blocks")


def _opening(answered: Answered) -> dict[str, Any]:
    return {
        "id": answered.id,
        "type": "message",
        "role": "assistant",
        "model": answered.asked.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _input(usage: WireUsage) -> dict[str, Any]:
    return {
        "input_tokens": usage.total - usage.read - usage.written,
        "cache_read_input_tokens": usage.read,
        "cache_creation_input_tokens": usage.written,
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.written - usage.written_1h,
            "ephemeral_1h_input_tokens": usage.written_1h,
        },
    }


def _event(name: str, **data: Any) -> bytes:
    return f"event: {name}\ndata: ".encode() + to_bytes({"type": name, **data}) + b"\n\n"
