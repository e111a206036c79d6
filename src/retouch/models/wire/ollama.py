"""Ollama's native protocol (`/api/chat`, `/api/generate`): JSON lines or one document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch.models.wire.received import Counts
from retouch.models.wire.shapes import number_in, object_in, string_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.engine.types import Finish
    from retouch.models.wire.received import Received

FINISHES: Mapping[str, Finish] = {"stop": "end", "length": "length"}


def fold(got: Received, event: str, value: Mapping[str, Any]) -> None:  # noqa: ARG001 - it has no events
    """Process one line, or the whole document."""
    message = object_in(value.get("message"))
    got.name(value.get("model"), value.get("created_at"))
    got.add_text(string_in(message.get("content")) or string_in(value.get("response")))
    got.add_reasoning(string_in(message.get("thinking")) or string_in(value.get("thinking")))
    got.tools = got.tools or bool(message.get("tool_calls"))
    if value.get("done") is True:
        got.end(value.get("done_reason"))
        got.usage.update({name: value[name] for name in ("prompt_eval_count", "eval_count") if name in value})
    got.fail(value.get("error"))


def count(usage: Mapping[str, Any]) -> Counts:
    """Return the token counts."""
    return Counts(
        input_tokens=number_in(usage.get("prompt_eval_count")), output_tokens=number_in(usage.get("eval_count"))
    )
