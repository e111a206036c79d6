"""Serving stored responses to the real clients, and what our models make of them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retouch import Message, Request, open_model
from retouch.engine.types import Prompt, Reply
from retouch.errors import ModelError, TransportError
from retouch.testing.http_wire import chunk, head, whole
from tests.models.hosted.raw_server import raw

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pytest

SPECS = {
    "anthropic": "anthropic:claude-sonnet-4-6?tries=1",
    "openai": "openai:some-model@URL?tries=1",
    "responses": "openai-responses:some-model@URL?tries=1",
    "google": "google:gemini-2.5-flash?tries=1",
}


@dataclass(frozen=True, kw_only=True)
class Served:
    """One response to serve."""

    status: int = 200
    content_type: str
    body: bytes


def _chunked(served: Served, size: int) -> bytes:
    headers = {"content-type": served.content_type, "transfer-encoding": "chunked"}
    pieces = [served.body[at : at + size] for at in range(0, len(served.body), size)]
    return b"".join([head(served.status, headers), *map(chunk, pieces), chunk(b"")])


def _whole(served: Served) -> bytes:
    return whole(served.status, served.body, served.content_type)


WAYS: Mapping[str, Callable[[Served], bytes]] = {
    "streamed, by the library": lambda served: _chunked(served, max(len(served.body), 1)),
    "in pieces of 3 bytes, by the library": lambda served: _chunked(served, 3),
    "not streamed, by the library": _whole,
    "in pieces of 3 bytes": lambda served: _chunked(served, 3),
    "not streamed": _whole,
}


def outcomes(
    dialect: str, way: str, responses: Sequence[Served], monkeypatch: pytest.MonkeyPatch, *, cap: int = 1_024
) -> list[Reply | ModelError]:
    """Return the reply to each of the `responses`, or the error that is raised for it.

    With "by the library" in the name of the way, the client library sends the calls, else the lean transport, which
    Google's dialect does not have.
    """
    prompt = Prompt(unit="Pet", system="Be brief.", user="Say it.")
    messages = (Message(role="user", text=prompt.user),)
    request = Request(prompt=prompt, system=prompt.system, messages=messages, max_output_tokens=cap)

    async def all_of_them(spec: str) -> list[Reply | ModelError]:
        model, found = open_model(spec), list[Reply | ModelError]()
        for _ in responses:
            try:
                found.append(await model(request))
            except ModelError as error:
                found.append(error)
        return found

    with raw([WAYS[way](one) for one in responses]) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        more = "&stream=library" if "by the library" in way else ""
        found = asyncio.run(all_of_them(SPECS[dialect].replace("@URL", f"@{server.openai_url}") + more))
        assert len(responses) == len(server.requests)
    return found


def facts(outcome: Reply | ModelError) -> dict[str, Any]:
    """Return what an outcome says in the words of the recordings; a failure says what had been received."""
    reply = outcome
    if isinstance(outcome, ModelError):
        reply = (outcome.received if isinstance(outcome, TransportError) else None) or Reply(text="", model="")
    assert isinstance(reply, Reply)
    return {
        "text": reply.text,
        "finish": "error" if isinstance(outcome, ModelError) else reply.finish,
        "finish_raw": reply.finish_raw or None,
        "input_tokens": reply.input_tokens,
        "output_tokens": reply.output_tokens,
        "cached_tokens": reply.cached_tokens,
        "written_tokens": reply.written_tokens,
    }
