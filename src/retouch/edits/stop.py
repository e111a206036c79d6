"""Detects from the stop reason of any provider whether a reply is complete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

TRUNCATED = frozenset(
    {
        "max_tokens",
        "max_token",
        "length",
        "max_length",
        "max_output_tokens",
        "max_completion_tokens",
        "model_length",
        "model_context_window_exceeded",
        "incomplete",
        "token_limit",
    }
)
STOPPED = frozenset(
    {
        "content_filter",
        "refusal",
        "safety",
        "recitation",
        "blocklist",
        "prohibited_content",
        "spii",
        "error",
        "cancelled",
        "failed",
    }
)

_REASONS = ("stop_reason", "finish_reason", "stopReason", "done_reason", "status")


def plain_reason(reason: object) -> str:
    """Return the stop reason in lower case without the prefix of an enumeration. "" for none."""
    value = getattr(reason, "value", reason)
    text = value if isinstance(value, str) else getattr(reason, "name", "")
    return str(text).rsplit(".", 1)[-1].strip().lower().replace("-", "_") if text else ""


def cut_reason(stop_reason: object) -> str | None:
    """Return why a reply with this stop reason is incomplete. None if it is complete, or if nothing is known."""
    reason = plain_reason(stop_reason)
    if reason in TRUNCATED:
        return "it reached the output limit"
    if reason in STOPPED:
        return "the provider stopped it before its end"
    return None


def detect_truncation(message_response: object) -> bool:
    """Return whether a model's message ended because it reached the output limit.

    Accepts a message object, a mapping, or only the reason, of any common provider: `stop_reason` (also "max_length"),
    `finish_reason` of the first choice or candidate, `stopReason` (Bedrock), `done_reason` (Ollama), or a `status` of
    "incomplete".
    """
    if isinstance(message_response, str):
        return plain_reason(message_response) in TRUNCATED
    reasons = [_get(message_response, name) for name in _REASONS]
    for name in ("choices", "candidates"):
        several = _get(message_response, name)
        if isinstance(several, Sequence) and several and not isinstance(several, str):
            first = cast("Sequence[object]", several)[0]
            reasons += [_get(first, "finish_reason"), _get(first, "finishReason")]
    return any(plain_reason(reason) in TRUNCATED for reason in reasons if reason is not None)


def _get(holder: object, name: str) -> object:
    if isinstance(holder, Mapping):
        return cast("Mapping[str, object]", holder).get(name)
    return getattr(holder, name, None)
