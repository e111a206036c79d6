"""The Anthropic Messages protocol, streamed or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch.models.wire.received import Counts
from retouch.models.wire.shapes import number_in, object_in, objects_in, string_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.engine.types import Finish
    from retouch.models.wire.received import Received

FINISHES: Mapping[str, Finish] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}


def fold(got: Received, event: str, value: Mapping[str, Any]) -> None:
    """Process one value: a whole message, or one event of a stream."""
    match string_in(value.get("type")) or event:
        case "message":
            _message(got, value)
        case "message_start":
            _message(got, object_in(value.get("message")))
        case "content_block_start":
            _block(got, object_in(value.get("content_block")))
        case "content_block_delta":
            delta = object_in(value.get("delta"))
            got.add_text(string_in(delta.get("text")))
            got.add_reasoning(string_in(delta.get("thinking")))
        case "message_delta":
            got.end(object_in(value.get("delta")).get("stop_reason"))
            _use(got, value)
        case "message_stop":
            got.over = True
        case "error":
            got.fail(value.get("error") or value)
        case _:
            got.fail(value.get("error"))


def count(usage: Mapping[str, Any]) -> Counts:
    """Return the tokens. The provider counts uncached input separately."""
    read, written = number_in(usage.get("cache_read_input_tokens")), number_in(usage.get("cache_creation_input_tokens"))
    return Counts(
        input_tokens=number_in(usage.get("input_tokens")) + read + written,
        output_tokens=number_in(usage.get("output_tokens")),
        cached_tokens=read,
        written_tokens=written,
        hour_tokens=number_in(object_in(usage.get("cache_creation")).get("ephemeral_1h_input_tokens")),
        reasoning_tokens=number_in(object_in(usage.get("output_tokens_details")).get("thinking_tokens")),
    )


def _message(got: Received, message: Mapping[str, Any]) -> None:
    got.name(message.get("model"), message.get("id"))
    for block in objects_in(message.get("content")):
        _block(got, block)
    got.end(message.get("stop_reason"))
    _use(got, message)


def _block(got: Received, block: Mapping[str, Any]) -> None:
    kind = block.get("type")
    if kind == "text":
        got.open_part()
        got.add_text(string_in(block.get("text")))
    elif kind == "thinking":
        got.add_reasoning(string_in(block.get("thinking")))
    elif kind == "tool_use":
        got.tools = True


def _use(got: Received, value: Mapping[str, Any]) -> None:
    """Merge the usage. Counts at the end of a stream are totals, and replace those at its beginning."""
    got.usage.update({name: one for name, one in object_in(value.get("usage")).items() if one is not None})
