"""Google's `generateContent` and `streamGenerateContent`, of Gemini and of Vertex."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch.models.wire.received import Counts
from retouch.models.wire.shapes import number_in, object_in, objects_in, string_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.engine.types import Finish
    from retouch.models.wire.received import Received

_FILTERS = [
    "SAFETY",
    "RECITATION",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "MODEL_ARMOR",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
]
FINISHES: Mapping[str, Finish] = {"STOP": "end", "MAX_TOKENS": "length", **dict.fromkeys(_FILTERS, "filtered")}
_UNSAID = frozenset({"FINISH_REASON_UNSPECIFIED", "BLOCK_REASON_UNSPECIFIED", "BLOCKED_REASON_UNSPECIFIED"})


def fold(got: Received, event: str, value: Mapping[str, Any]) -> None:
    """Take one value: a whole answer, or one event of a stream, which have the same shape."""
    got.name(value.get("modelVersion"), value.get("responseId"))
    for candidate in objects_in(value.get("candidates")):
        if number_in(candidate.get("index")) == 0:
            for part in objects_in(object_in(candidate.get("content")).get("parts")):
                _part(got, part)
            got.end(_block_reason(candidate.get("finishReason")))
    if reason := _block_reason(object_in(value.get("promptFeedback")).get("blockReason")):
        got.end(reason)
        got.blocked = True
    if usage := object_in(value.get("usageMetadata")):
        got.usage.update({name: one for name, one in usage.items() if one is not None})
    got.fail(value.get("error") or (value if event == "error" else None))


def count(usage: Mapping[str, Any]) -> Counts:
    """Return the tokens; the provider counts thoughts apart from the answer, and what its own tools read as input."""
    thoughts = number_in(usage.get("thoughtsTokenCount"))
    return Counts(
        input_tokens=number_in(usage.get("promptTokenCount")) + number_in(usage.get("toolUsePromptTokenCount")),
        output_tokens=number_in(usage.get("candidatesTokenCount")) + thoughts,
        cached_tokens=number_in(usage.get("cachedContentTokenCount")),
        reasoning_tokens=thoughts,
    )


def _part(got: Received, part: Mapping[str, Any]) -> None:
    if part.get("thought") is True:
        got.think(string_in(part.get("text")))
    elif "functionCall" in part:
        got.tools = True
    else:
        got.say(string_in(part.get("text")))


def _block_reason(reason: object) -> str:
    return "" if string_in(reason) in _UNSAID else string_in(reason)
