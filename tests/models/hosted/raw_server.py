"""A server that sends a test's bytes unchanged, for responses that no provider sends but other servers do."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from retouch.testing.http_wire import HttpRequest, NotHttp, chunk, head, read_request, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Self

Script: TypeAlias = "Callable[[int, HttpRequest], bytes]"
USAGE = {"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 17}


@dataclass(kw_only=True)
class RawServer:
    """Answers each request with the result of `script` for its number, from 0. Nothing closes the connection."""

    script: Script
    requests: list[HttpRequest] = field(default_factory=list[HttpRequest])
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def openai_url(self) -> str:
        return f"{self.url}/v1"

    @property
    def environment(self) -> Mapping[str, str]:
        homes = {"ANTHROPIC_BASE_URL": self.url, "OPENAI_BASE_URL": self.openai_url, "OLLAMA_BASE_URL": self.openai_url}
        keys = dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OLLAMA_API_KEY", "GOOGLE_API_KEY"), "loopback")
        return {**homes, "GOOGLE_GEMINI_BASE_URL": self.url, **keys}

    def __enter__(self) -> Self:
        self._started, self._over = threading.Event(), asyncio.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._started.wait(10.0)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        listening = await asyncio.start_server(self._connection, "127.0.0.1", 0)
        self.port = listening.sockets[0].getsockname()[1]
        self._started.set()
        await self._over.wait()
        listening.close()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(NotHttp, OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while (request := await read_request(reader)) is not None:
                self.requests.append(request)
                answer = self.script(len(self.requests) - 1, request)
                if not answer:
                    break
                writer.write(answer)
                await writer.drain()
        writer.close()


def raw(script: Script | Sequence[bytes] | bytes) -> RawServer:
    """Return a server that follows `script`: a function, answers in their order, or one for all."""
    if isinstance(script, bytes):
        return RawServer(script=lambda _number, _request: script)
    return RawServer(script=script if callable(script) else lambda number, _request: script[number])


def stream(events: Iterable[bytes], **headers: str) -> bytes:
    """Return the response that streams `events`."""
    told = {"content-type": "text/event-stream", "transfer-encoding": "chunked", **headers}
    return b"".join([head(200, told), *(chunk(event) for event in events if event), chunk(b"")])


def refusal(code: int, body: Any, **headers: str) -> bytes:
    """Return an error. Underscores in header names become dashes."""
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    return whole(code, json.dumps(body).encode(), "application/json", told)


def said(spec: str, text: str, *, finish: str = "", usage: bool = True, escaped: bool = True) -> list[bytes]:
    """Return the events with which the provider of `spec` sends `text`."""
    makers = {"anthropic": _anthropic, "google": _google}
    events = makers.get(spec.partition(":")[0], _openai)(text, finish, usage=usage)
    return [_event(event, escaped=escaped) for event in events]


def _event(event: Any, *, escaped: bool) -> bytes:
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event, ensure_ascii=escaped)}\n\n".encode()


def _anthropic(text: str, finish: str, *, usage: bool) -> list[Any]:
    message: dict[str, Any] = {"id": "m", "type": "message", "role": "assistant", "model": "claude-x", "content": []}
    counts = {"input_tokens": 10 if usage else 0, "output_tokens": 1}
    return [
        {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None, "usage": counts}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": finish or "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 7},
        },
        {"type": "message_stop"},
    ]


def _openai(text: str, finish: str, *, usage: bool) -> list[Any]:
    opening = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-x"}

    def step(delta: Mapping[str, str], finish: str | None = None) -> dict[str, Any]:
        return {**opening, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    steps = [step({"role": "assistant", "content": ""}), step({"content": text}), step({}, finish or "stop")]
    return [*steps, *([{**opening, "choices": [], "usage": USAGE}] if usage else [])]


def _google(text: str, finish: str, *, usage: bool) -> list[Any]:
    counts = {"promptTokenCount": 10, "candidatesTokenCount": 7, "totalTokenCount": 17}

    def part(text: str, finish: str | None = None) -> dict[str, Any]:
        content = {"role": "model", "parts": [{"text": text}] if text else []}
        candidate = {"content": content, "index": 0, **({"finishReason": finish} if finish else {})}
        return {"candidates": [candidate], "usageMetadata": counts if usage else {}, "modelVersion": "gemini-x"}

    return [part(text), part("", finish or "STOP")]
