"""Amazon Bedrock's Converse API of the test server. The model's name and the streaming flag are part of the address."""

from __future__ import annotations

import json
import re
from struct import pack
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from zlib import crc32

from retouch.engine.types import Message
from retouch.testing.http_wire import to_bytes
from retouch.testing.wire import Answered, PromptBlock, WireCall, WireRefusal, is_list, is_object, number_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

STREAM_TYPE = "application/vnd.amazon.eventstream"
_PATH = re.compile(r"/model/([^/]+)/(converse|converse-stream)")
_STOP_REASONS = {"length": "max_tokens", "refused": "content_filtered", "filtered": "content_filtered"}
_UNLIMITED = 1_000_000
_TTLS = {"5m": 300.0, "1h": 3_600.0}
_STRING = 7  # the type of a header's value in a frame


def in_bedrock_address(path: str) -> dict[str, Any] | None:
    """Return the model and whether a stream is requested, or None if `path` is not one of Converse's."""
    found = _PATH.fullmatch(path)
    return {"model": unquote(found[1]), "stream": found[2] == "converse-stream"} if found else None


class BedrockDialect:
    """Reads and writes bodies of `converse` and `converse-stream`."""

    def read(self, body: Any) -> WireCall:
        """Return the call in `body`.

        Raises:
            WireRefusal: as the provider would, for messages that are not text.
        """
        raw: Any = body.get("messages")
        if not is_list(raw) or not raw:
            raise WireRefusal(400, "ValidationException", "A conversation must start with a user message.")
        system = _blocks("system", body.get("system") or [])
        turns = [_turn(one) for one in raw]
        config: Any = body.get("inferenceConfig") or {}
        cap = number_of(config, "maxTokens")
        output: Any = body.get("outputConfig") or {}
        shape: Any = output.get("textFormat")
        return WireCall(
            model=body["model"],
            blocks=[*system, *(block for turn in turns for block in turn)],
            system="".join(block.text for block in system),
            messages=tuple(_message(turn) for turn in turns),
            max_output_tokens=_UNLIMITED if cap is None else cap,
            temperature=config.get("temperature"),
            stream=body["stream"],
            schema=_schema(shape),
        )

    def whole(self, answered: Answered) -> Mapping[str, Any]:
        """Return the body of a response."""
        message = {"role": "assistant", "content": [{"text": answered.reply.text}]}
        return {"output": {"message": message}, "stopReason": _stop(answered), "usage": _usage(answered)}

    def events(self, answered: Answered, pieces: Sequence[str]) -> Iterator[bytes]:
        """Yield the frames of a response."""
        yield frame("messageStart", {"role": "assistant"})
        for piece in pieces:
            yield frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": piece}})
        yield frame("contentBlockStop", {"contentBlockIndex": 0})
        yield frame("messageStop", {"stopReason": _stop(answered)})
        yield frame("metadata", {"usage": _usage(answered), "metrics": {"latencyMs": 1}})

    def error(self, kind: str, message: str) -> Mapping[str, Any]:
        """Return the body of an error."""
        return {"__type": kind, "message": message}

    def error_event(self, kind: str, message: str) -> bytes:  # noqa: ARG002 - the protocol's signature
        """Return an error within a stream."""
        return frame("serviceUnavailableException", {"message": message}, exception=True)


def frame(kind: str, value: Mapping[str, Any], *, exception: bool = False) -> bytes:
    """Return one frame of AWS's event stream: lengths and checksum, headers, payload, checksum."""
    sort = "exception" if exception else "event"
    named = {f":{sort}-type": kind, ":content-type": "application/json", ":message-type": sort}
    headers = b"".join(
        pack(">B", len(name)) + name.encode() + pack(">BH", _STRING, len(text)) + text.encode()
        for name, text in named.items()
    )
    payload = to_bytes(value)
    opening = pack(">II", 16 + len(headers) + len(payload), len(headers))
    body = opening + pack(">I", crc32(opening)) + headers + payload
    return body + pack(">I", crc32(body))


def _turn(message: Any) -> list[PromptBlock]:
    if not is_object(message) or message.get("role") not in {"user", "assistant"}:
        raise WireRefusal(400, "ValidationException", "unknown role")
    return _blocks(str(message["role"]), message.get("content"))


def _blocks(role: str, content: Any) -> list[PromptBlock]:
    """Return the blocks of a turn. A cache point marks the block before it."""
    if not is_list(content):
        raise WireRefusal(400, "ValidationException", "content: must be a list of blocks")
    found: list[PromptBlock] = []
    for block in content:
        if is_object(block) and isinstance(text := block.get("text"), str):
            found.append(PromptBlock(role=role, text=text))
        elif is_object(block) and is_object(point := block.get("cachePoint")) and found:
            ttl_s = _TTLS[str(point.get("ttl") or "5m")]
            found[-1] = PromptBlock(role=role, text=found[-1].text, ttl_s=ttl_s)
        else:
            raise WireRefusal(400, "ValidationException", "content: unknown block")
    return found


def _message(turn: Sequence[PromptBlock]) -> Message:
    text = "".join(block.text for block in turn)
    return Message(role="assistant" if turn and turn[0].role == "assistant" else "user", text=text)


def _schema(shape: Any) -> dict[str, Any] | None:
    """Return the schema as Anthropic's own API has it."""
    if shape is None:
        return None
    return {"type": "json_schema", "schema": json.loads(shape["structure"]["jsonSchema"]["schema"])}


def _stop(answered: Answered) -> str:
    return _STOP_REASONS.get(answered.reply.finish, "end_turn")


def _usage(answered: Answered) -> dict[str, Any]:
    usage, output = answered.usage, answered.reply.output_tokens
    return {
        "inputTokens": usage.total - usage.read - usage.written,
        "cacheReadInputTokens": usage.read,
        "cacheWriteInputTokens": usage.written,
        "outputTokens": output,
        "totalTokens": usage.total + output,
    }
