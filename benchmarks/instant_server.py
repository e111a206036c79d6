"""A server that answers every POST immediately like Anthropic, so that the client is measured.

Each response has a different text, by its number, like a model's. A request without a stream gets the text in an
object. As a program it prints its port and serves until its standard input ends.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from itertools import count

from retouch.engine.types import Reply
from retouch.testing.anthropic_wire import AnthropicDialect
from retouch.testing.http_wire import chunk, head, to_bytes, whole
from retouch.testing.wire import Answered, WireCall, WireUsage, pieces_of

STREAM = re.compile(rb'"stream": ?true')
NUMBER = "00000000"
TEXT = f"number={NUMBER}\n" + "".join(f"w{number:03}=WORD\n" for number in range(118))  # no loop, which would be cut


def canned(*, stream: bool) -> bytes:
    """Return the whole response, including its head."""
    asked = WireCall(
        model="claude-sonnet-4-6", blocks=(), system="", messages=(), max_output_tokens=1_000, stream=stream
    )
    text = TEXT if stream else json.dumps({"text": TEXT})
    reply = Reply(text=text, model=asked.model, output_tokens=600)
    answered = Answered(id="msg_1", asked=asked, reply=reply, usage=WireUsage(total=2_000, read=1_500))
    if not stream:
        return whole(200, to_bytes(AnthropicDialect().whole(answered)), "application/json")
    events = AnthropicDialect().events(answered, pieces_of(TEXT, most=10))
    opening = head(200, {"content-type": "text/event-stream", "transfer-encoding": "chunked"})
    return opening + b"".join(chunk(event) for event in events) + chunk(b"")


class Instant(asyncio.Protocol):
    """One connection."""

    streamed, at_once = canned(stream=True), canned(stream=False)
    numbers = count(1)

    def __init__(self) -> None:
        self._seen = bytearray()
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.WriteTransport):
            self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._seen += data
        while (end := self._seen.find(b"\r\n\r\n")) >= 0:
            fields = self._seen[:end].lower().split(b"content-length:")
            length = end + 4 + (int(fields[1].split(b"\r\n")[0]) if len(fields) > 1 else 0)
            if len(self._seen) < length:
                return
            response = self.streamed if STREAM.search(self._seen, end, length) else self.at_once
            del self._seen[:length]
            if self._transport is not None:
                number = f"{next(self.numbers):0{len(NUMBER)}}"
                self._transport.write(response.replace(NUMBER.encode(), number.encode()))


async def serve() -> None:
    """Serve until the standard input ends."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Instant, "127.0.0.1", 0, backlog=1_024)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve())
