"""Amazon Bedrock's Converse protocol: whole responses, and the JSON values of its streams."""

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
    "content_filtered": "filtered",
    "guardrail_intervened": "filtered",
}


def fold(got: Received, event: str, value: Mapping[str, Any]) -> None:  # noqa: ARG001 - its values have their own names
    """Process a whole response, or one event of a stream, named by its only key or inside of it."""
    for block in objects_in(object_in(object_in(value.get("output")).get("message")).get("content")):
        _block(got, block)
    _block(got, object_in(object_in(value.get("contentBlockDelta") or value).get("delta")))
    got.end(value.get("stopReason") or object_in(value.get("messageStop")).get("stopReason"))
    got.fail(value.get("error"))
    usage = value.get("usage") or object_in(value.get("metadata")).get("usage")
    got.usage.update({name: one for name, one in object_in(usage).items() if one is not None})


def count(usage: Mapping[str, Any]) -> Counts:
    """Return the tokens. The provider counts uncached input separately."""
    read, written = number_in(usage.get("cacheReadInputTokens")), number_in(usage.get("cacheWriteInputTokens"))
    return Counts(
        input_tokens=number_in(usage.get("inputTokens")) + read + written,
        output_tokens=number_in(usage.get("outputTokens")),
        cached_tokens=read,
        written_tokens=written,
    )


def _block(got: Received, block: Mapping[str, Any]) -> None:
    got.add_text(string_in(block.get("text")))
    reasoning = object_in(block.get("reasoningContent"))
    got.add_reasoning(
        string_in(reasoning.get("text")) or string_in(object_in(reasoning.get("reasoningText")).get("text"))
    )
    got.tools = got.tools or "toolUse" in block
