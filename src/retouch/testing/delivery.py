"""Sends a response: correctly, or with a transport fault."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from retouch.testing.http_wire import chunk, head, to_bytes, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from retouch.testing.server_faults import Fault

JSON_TYPE, EVENTS_TYPE = "application/json", "text/event-stream; charset=utf-8"
_PAGE = b"<!doctype html><title>Please sign in</title><p>Your network asks you to accept its terms.</p>"
_GARBAGE = b'{"id": "msg_01", "content": [{"type": "text", "te\x00\xff'
_BEFORE_RESET_S = 0.02  # the client must read the bytes before a reset, which discards unread ones


class Delivery:
    """Sends one response on one connection. `begun` is called when its first bytes are sent."""

    def __init__(self, writer: asyncio.StreamWriter, begun: Callable[[], None], fault: Fault | None) -> None:
        self._writer = writer
        self._begun = begun
        self._fault = fault
        self._kind = fault.kind if fault is not None else ""

    async def json(self, body: bytes, *, kind: str = JSON_TYPE) -> None:
        """Send a body with a content length."""
        kind = "text/plain" if self._kind == "wrong_type" else kind
        if not await self._send_replacement():
            half = len(body) // 2
            await self._send_parts([whole(200, body, kind)[: -len(body)], body[:half], body[half:]], end=b"")

    async def stream(self, events: Iterable[bytes], broken_off: bytes, *, kind: str = EVENTS_TYPE) -> None:
        """Send a stream of events, chunked. `broken_off` is the event with which the provider aborts a stream."""
        kind = "text/plain" if self._kind == "wrong_type" else kind
        if await self._send_replacement():
            return
        opening = head(200, {"content-type": kind, "transfer-encoding": "chunked", "cache-control": "no-cache"})
        chunks = [chunk(event) for event in events]
        if self._kind == "error_event":
            chunks[self._parts_before_fault(chunks) :] = [chunk(broken_off)]
        await self._send_parts([opening, *chunks], end=chunk(b""))

    async def _send_replacement(self) -> bool:
        """Send a replacement of the whole response if the fault is of that kind."""
        await asyncio.sleep(self._fault.seconds if self._fault is not None and self._kind == "slow_head" else 0)
        bodies = {
            "garbage": (_GARBAGE, JSON_TYPE),
            "wrong_shape": (to_bytes({"ok": True}), JSON_TYPE),
            "html": (_PAGE, "text/html"),
        }
        if self._kind == "cut_head":
            self._writer.transport.abort()
        elif self._kind in bodies:
            self._begun()
            self._writer.write(whole(200, *bodies[self._kind]))
        else:
            return False
        return True

    def _parts_before_fault(self, parts: Sequence[bytes]) -> int:
        """Return the number of parts before the fault. It never includes the parts with the finish reason."""
        wanted = self._fault.after_events if self._fault is not None else 0
        return 2 if len(parts) <= 3 else max(1, min(wanted, len(parts) - 4))

    async def _send_parts(self, parts: Sequence[bytes], *, end: bytes) -> None:
        """Send a head and its body. `end` closes a chunked body."""
        writer, fault = self._writer, self._fault
        self._begun()
        if fault is None or self._kind not in {"slow_body", "stall", "cut_body", "early_end"}:
            writer.write(b"".join(parts) + end)
            return
        if fault.kind == "slow_body":
            for part in parts:
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(fault.seconds / len(parts))
            writer.write(end)
            return
        arriving = parts[: self._parts_before_fault(parts)]
        writer.write(b"".join(arriving) + (end if fault.kind == "early_end" else b""))
        await writer.drain()
        if fault.kind == "early_end" and end:
            return
        await asyncio.sleep(fault.seconds if fault.kind == "stall" else _BEFORE_RESET_S)
        writer.transport.abort()
