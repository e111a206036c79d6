"""Reads and writes JSON-RPC messages, one per line. Ambiguous JSON is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias, cast

from retouch.errors import BadInput
from retouch.recipes.policy.language.strict_json import parse_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from retouch._lib.json_text import JSON

Message: TypeAlias = "dict[str, JSON]"
MAX_BYTES = 16 << 20
MEMBERS = ("jsonrpc", "id", "method", "params", "result", "error")
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False)
INVALID, NOT_ALLOWED, TOO_LARGE = -32600, -32601, -32600


def lines(stream: BinaryIO, *, max_bytes: int = MAX_BYTES) -> Iterator[bytes | None]:
    """Yield the lines of a stream without line ends. None represents a line longer than `max_bytes`."""
    while line := stream.readline(max_bytes + 1):
        if len(line) <= max_bytes:
            if line.strip():
                yield line.strip(b"\r\n")
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(max_bytes)
        yield None


def messages_in(line: bytes, *, rebuilt: bool = False) -> list[Message]:
    """Return the messages of a line: one, or those of a batch.

    `rebuilt`: nothing is decided about them, and they are written again. Then duplicate keys are harmless: the reader
    gets only the value that was seen here.

    Raises:
        BadInput: it is ambiguous JSON, or not a message.
    """
    try:
        text = line.decode("utf-8")
        value = _quickly_parsed(text) if rebuilt else parse_json(text, name="the message")
    except UnicodeDecodeError as error:
        raise BadInput("the message is not UTF-8", hint="Send JSON as UTF-8, one message per line.") from error
    found = value if isinstance(value, list) else [value]
    if not found or not all(isinstance(one, dict) for one in found):
        raise BadInput("the message is neither an object nor a list of objects", hint="Send JSON-RPC 2.0.")
    return cast("list[Message]", found)


def _quickly_parsed(text: str) -> JSON:
    try:
        return cast("JSON", json.loads(text))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"the message is not JSON: {type(error).__name__}", hint="Send JSON-RPC 2.0.") from error


def line_of(message: Message) -> bytes:
    """Return a message as a line of bytes.

    Raises:
        BadInput: it cannot be written as JSON: a lone surrogate, an infinite number, or too many levels.
    """
    try:
        return _ENCODER.encode(message).encode("utf-8") + b"\n"
    except (ValueError, RecursionError) as error:
        raise BadInput(f"the message cannot be forwarded: {type(error).__name__}", hint="Send plain JSON.") from error


def plain(message: Message) -> Message:
    """Return a message with the members of JSON-RPC only.

    Some programs ignore the case of names, so that `Method` or `PARAMS` would replace what was checked.
    """
    return {key: message[key] for key in MEMBERS if key in message}


def error_to(message_id: JSON, code: int, words: str) -> Message:
    """Return the error response to a request."""
    return {"jsonrpc": "2.0", "id": message_id, "error": {"code": code, "message": words}}


def denial_of(message_id: JSON, words: str) -> Message:
    """Return the result of a denied tool call: an error in the form of a tool's own errors."""
    result: JSON = {"content": [{"type": "text", "text": words}], "isError": True}
    return {"jsonrpc": "2.0", "id": message_id, "result": result}
