"""OpenAI's Responses API of the test server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch.models.cache_facts import cache_facts
from retouch.testing.http_wire import to_bytes
from retouch.testing.openai_wire import marked_at_newest, message_of, turn_of
from retouch.testing.wire import Answered, WireCall, WireRefusal, is_list, is_object, number_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_UNLIMITED = 1_000_000
_CREATED = 1_700_000_000
_INCOMPLETE = {"length": "max_output_tokens", "filtered": "content_filter"}
_LEAST_TOKENS = 16


class ResponsesDialect:
    """Reads and writes bodies of `/v1/responses`."""

    def read(self, body: Any) -> WireCall:
        """Return the call in `body`.

        Raises:
            WireRefusal: as the provider would, for an invalid role or cap.
        """
        raw: Any = body.get("input")
        if not is_list(raw) or not raw or not isinstance(body.get("model"), str):
            raise WireRefusal(400, "invalid_request_error", "model and input are required")
        cap = number_of(body, "max_output_tokens")
        if cap is not None and cap < _LEAST_TOKENS:
            raise WireRefusal(400, "invalid_request_error", "max_output_tokens: must be at least 16")
        instructions: Any = body.get("instructions")
        opening = [{"role": "system", "content": instructions}] if instructions else []
        turns = [turn_of(f"input[{number}]", one) for number, one in enumerate([*opening, *raw])]
        blocks = [block for turn in turns for block in turn]
        caching: Any = body.get("prompt_cache_options") or {}
        takes_markers = cache_facts("openai", body["model"]).markers > 0
        explicit = takes_markers and caching.get("mode") == "explicit"
        text: Any = body.get("text") or {}
        shape: Any = text.get("format")
        return WireCall(
            model=body["model"],
            blocks=marked_at_newest(blocks) if takes_markers and not explicit else blocks,
            system="\n\n".join(block.text for block in blocks if block.role == "system"),
            messages=tuple(message_of(turn) for turn in turns if turn and turn[0].role != "system"),
            max_output_tokens=_UNLIMITED if cap is None else cap,
            temperature=body.get("temperature"),
            stream=body.get("stream") is True,
            cache_key=str(body.get("prompt_cache_key") or ""),
            caches_by_itself=not takes_markers,
            look_back_blocks=1 if explicit else 20,
            schema={**shape, "json_schema": shape if "schema" in shape else {}} if is_object(shape) else None,
        )

    def whole(self, answered: Answered) -> Mapping[str, Any]:
        """Return the body of a response."""
        kind = "refusal" if answered.reply.finish == "refused" else "output_text"
        part = {"type": kind, ("refusal" if kind == "refusal" else "text"): answered.reply.text}
        message = {"type": "message", "id": "msg_0", "role": "assistant", "status": "completed", "content": [part]}
        reason = _INCOMPLETE.get(answered.reply.finish)
        return {
            **_opening(answered),
            "status": "completed" if reason is None else "incomplete",
            "error": None,
            "incomplete_details": None if reason is None else {"reason": reason},
            "output": [{"type": "reasoning", "id": "rs_0", "summary": []}, message],
            "usage": _usage(answered),
        }

    def events(self, answered: Answered, pieces: Sequence[str]) -> Iterator[bytes]:
        """Yield the events of a response."""
        whole = self.whole(answered)
        refused = answered.reply.finish == "refused"
        part: dict[str, Any] = {"type": "refusal", "refusal": ""} if refused else {"type": "output_text", "text": ""}
        yield _event("response.created", {"response": {**_opening(answered), "status": "in_progress", "output": []}})
        yield _event("response.output_item.added", {"output_index": 1, "item": {"type": "message", "content": []}})
        yield _event("response.content_part.added", {"output_index": 1, "content_index": 0, "part": part})
        for piece in pieces:
            yield _event(f"response.{part['type']}.delta", {"output_index": 1, "content_index": 0, "delta": piece})
        done = {**part, ("refusal" if refused else "text"): answered.reply.text}
        yield _event(f"response.{part['type']}.done", {"output_index": 1, "content_index": 0, **done, "type": ""})
        yield _event("response.content_part.done", {"output_index": 1, "content_index": 0, "part": done})
        yield _event("response.output_item.done", {"output_index": 1, "item": whole["output"][1]})
        yield _event(f"response.{whole['status']}", {"response": whole})

    def error(self, kind: str, message: str) -> Mapping[str, Any]:
        """Return the body of an error."""
        return {"error": {"message": message, "type": kind, "param": None, "code": kind}}

    def error_event(self, kind: str, message: str) -> bytes:
        """Return an error within a stream."""
        return _event("error", {"code": kind, "message": message, "param": None})


def _opening(answered: Answered) -> dict[str, Any]:
    return {"id": answered.id, "object": "response", "created_at": _CREATED, "model": answered.asked.model}


def _usage(answered: Answered) -> dict[str, Any]:
    total, output = answered.usage.total, answered.reply.output_tokens
    return {
        "input_tokens": total,
        "input_tokens_details": {"cached_tokens": answered.usage.read, "cache_write_tokens": answered.usage.written},
        "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": total + output,
    }


def _event(kind: str, value: Mapping[str, Any]) -> bytes:
    return f"event: {kind}\n".encode() + b"data: " + to_bytes({**value, "type": kind}) + b"\n\n"
