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


def _no_constant(name: str) -> None:
    raise ValueError(name)


Message: TypeAlias = "dict[str, JSON]"
MAX_BYTES = 16 << 20
MEMBERS = ("jsonrpc", "id", "method", "params", "result", "error")
OWN_ID = "retouch-guard-"
_MEMBERS = frozenset(MEMBERS)
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False)
_DECODER = json.JSONDecoder(parse_constant=_no_constant)
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


def messages_in(line: bytes, *, from_server: bool = False) -> list[Message]:
    """Return the messages of a line: one, or those of a batch.

    Nothing is decided about messages `from_server`, so duplicate keys are allowed in them.

    Raises:
        BadInput: it is ambiguous JSON, or not a message.
    """
    try:
        text = line.decode("utf-8")
        value = _quickly_parsed(text) if from_server else parse_json(text, name="the message")
        if isinstance(value, dict):
            return [value]
    except UnicodeDecodeError as error:
        raise BadInput("the message is not UTF-8", hint="Send JSON as UTF-8, one message per line.") from error
    if not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
        raise BadInput("the message is neither an object nor a list of objects", hint="Send JSON-RPC 2.0.")
    return cast("list[Message]", value)


def _quickly_parsed(text: str) -> JSON:
    try:
        if text[:1] == "{":  # without the search for white space around it
            value, end = _DECODER.raw_decode(text)
            if end == len(text):
                return cast("JSON", value)
        return _DECODER.decode(text.removeprefix("\ufeff"))
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


def may_pass(line: bytes, message: Message) -> bool:
    """Return whether a line of the server can be forwarded as it is, because nothing in it can have to be changed.

    It is one message with members of JSON-RPC only, and neither a list of tools nor an id of the guard can be in it.
    Escaped letters could hide both.
    """
    if line[:1] != b"{" or b"\\u" in line or b"tools" in line or OWN_ID.encode() in line:
        return False
    return _MEMBERS.issuperset(message)


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
