"""A minimal HTTP/1.1 implementation: requests are read completely, responses are bytes that can be delayed or cut."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping

MAX_HEAD_BYTES = 65_536
MAX_BODY_BYTES = 256 * 1024 * 1024
_REASONS = {529: "Overloaded"} | {int(status): status.phrase for status in HTTPStatus}


class NotHttp(Exception):
    """The received bytes are not a valid request."""


@dataclass(frozen=True, kw_only=True)
class HttpRequest:
    """One complete request. Header names are in lower case."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""


async def read_request(reader: asyncio.StreamReader) -> HttpRequest | None:
    """Return the next request of a connection, or None if the client closed it.

    Raises:
        NotHttp: the bytes are not an HTTP request, or exceed 256 MB.
    """
    from asyncio import IncompleteReadError, LimitOverrunError

    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except IncompleteReadError as error:
        if error.partial:
            raise NotHttp("the connection ended within the head of a request") from error
        return None
    except LimitOverrunError as error:
        raise NotHttp(f"the head of a request has more than {MAX_HEAD_BYTES} bytes") from error
    first, *lines = head.decode("latin-1").split("\r\n")
    parts = first.split(" ")
    if len(parts) != 3:
        raise NotHttp(f"{first!r} is no request line")
    headers = {
        name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)
    }
    target = urlsplit(parts[1])
    body = await _body(reader, headers)
    query = dict(parse_qsl(target.query, keep_blank_values=True))
    return HttpRequest(method=parts[0], path=target.path, query=query, headers=headers, body=body)


async def _body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return await _chunks(reader)
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > MAX_BODY_BYTES:
        raise NotHttp(f"a body of {length!r} bytes cannot be read")
    return await reader.readexactly(int(length))


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    body = bytearray()
    while True:
        size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
        if len(body) + size > MAX_BODY_BYTES:
            raise NotHttp("a chunked body has more than 256 MB")
        body += (await reader.readexactly(size + 2))[:-2]
        if size == 0:
            return bytes(body)


def head(status: int, headers: Mapping[str, str]) -> bytes:
    """Return the head of a response."""
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Unknown')}", *(f"{k}: {v}" for k, v in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def whole(status: int, body: bytes, content_type: str, headers: Mapping[str, str] | None = None) -> bytes:
    """Return a response with a content length."""
    all_headers = {"content-type": content_type, "content-length": str(len(body)), **(headers or {})}
    return head(status, all_headers) + body


def chunk(data: bytes) -> bytes:
    """Return one chunk of a chunked body. An empty chunk ends it."""
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def to_bytes(value: Any) -> bytes:
    """Return `value` as compact JSON in UTF-8. A lone surrogate is escaped."""
    return json.dumps(value, separators=(",", ":")).encode()
