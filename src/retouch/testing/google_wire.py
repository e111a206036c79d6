"""Google's Gemini API of the test server. The model's name and the streaming flag are part of the address."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from retouch.engine.types import Message
from retouch.testing.http_wire import to_bytes
from retouch.testing.wire import Answered, PromptBlock, WireCall, WireRefusal, blocks_of, is_list, is_object, number_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_PATH = re.compile(r"/v1(?:beta\d?|alpha)?/models/([^/:]+):(generateContent|streamGenerateContent)")
_FINISH_REASONS = {"length": "MAX_TOKENS", "refused": "SAFETY", "filtered": "SAFETY"}
_UNLIMITED = 1_000_000


def in_address(path: str) -> dict[str, Any] | None:
    """Return the model and whether a stream is requested, or None if `path` is not one of Gemini's."""
    found = _PATH.fullmatch(path)
    return {"model": found[1], "stream": found[2].startswith("stream")} if found else None


class GoogleDialect:
    """Reads and writes bodies of `generateContent` and `streamGenerateContent`."""

    def read(self, body: Any) -> WireCall:
        """Return the call in `body`.

        Raises:
            WireRefusal: as the provider would, for contents that are not text.
        """
        contents: Any = body.get("contents")
        if not is_list(contents) or not contents:
            raise WireRefusal(400, "INVALID_ARGUMENT", "contents: at least one is required")
        instruction: Any = body.get("systemInstruction") or {}
        system = "".join(text for text, _ in blocks_of(instruction.get("parts") or "", "systemInstruction"))
        messages = tuple(_message(one, f"contents[{number}]") for number, one in enumerate(contents))
        config: Any = body.get("generationConfig") or {}
        cap = number_of(config, "maxOutputTokens")
        return WireCall(
            model=body["model"],
            blocks=[
                PromptBlock(role="system", text=system),
                *(PromptBlock(role=one.role, text=one.text) for one in messages),
            ],
            system=system,
            messages=messages,
            max_output_tokens=_UNLIMITED if cap is None else cap,
            temperature=config.get("temperature"),
            stream=body["stream"],
            caches_by_itself=True,
            schema=config if "responseMimeType" in config else None,
        )

    def whole(self, answered: Answered) -> Mapping[str, Any]:
        """Return the body of a response."""
        return _part(answered, answered.reply.text, last=True)

    def events(self, answered: Answered, pieces: Sequence[str]) -> Iterator[bytes]:
        """Yield the events of a response."""
        for piece in pieces:
            yield _data(_part(answered, piece, last=False))
        yield _data(_part(answered, "", last=True))

    def error(self, kind: str, message: str) -> Mapping[str, Any]:
        """Return the body of an error."""
        return {"error": {"code": 0, "message": message, "status": kind.upper()}}

    def error_event(self, kind: str, message: str) -> bytes:
        """Return an error within a stream."""
        return _data({"error": {"code": 503, "message": message, "status": kind.upper()}})


def _message(content: Any, where: str) -> Message:
    if not is_object(content):
        raise WireRefusal(400, "INVALID_ARGUMENT", f"{where}: must be an object")
    text = "".join(text for text, _ in blocks_of(content.get("parts"), where))
    return Message(role="assistant" if content.get("role") == "model" else "user", text=text)


def _part(answered: Answered, text: str, *, last: bool) -> dict[str, Any]:
    content = {"role": "model", "parts": [{"text": text}] if text else []}
    candidate: dict[str, Any] = {"content": content, "index": 0}
    if last:
        candidate["finishReason"] = _FINISH_REASONS.get(answered.reply.finish, "STOP")
    usage, output = answered.usage, answered.reply.output_tokens
    counts = {"promptTokenCount": usage.total, "candidatesTokenCount": output, "totalTokenCount": usage.total + output}
    cached = {"cachedContentTokenCount": usage.read} if usage.read else {}
    return {
        "candidates": [candidate],
        "usageMetadata": {**counts, **cached},
        "modelVersion": answered.asked.model,
        "responseId": answered.id,
    }


def _data(value: Mapping[str, Any]) -> bytes:
    return b"data: " + to_bytes(value) + b"\r\n\r\n"
