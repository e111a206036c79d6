"""Entries of batches: the same bodies as online, and answers read as online ones are.

A client is given paper instead of a wire: what it would send is written down, what came in a batch is read off.
"""

from __future__ import annotations

import json
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from httpx2 import ConnectError, MockTransport, Response

from retouch.engine.types import Message, Prompt, Request
from retouch.errors import ModelError, TransportError
from retouch.models.hosted.call import Hosted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from httpx2 import Request as HttpRequest

    from retouch._lib.json_text import JSON
    from retouch.engine.types import Reply
    from retouch.models.batch.desk import Line
    from retouch.models.endpoints import Endpoint

_ONLINE_ONLY = frozenset({"stream", "stream_options"})
_ANY = Request(
    prompt=Prompt(unit="", system="", user=""),
    system="",
    messages=(Message(role="user", text="what was asked is known elsewhere"),),
    max_output_tokens=1,
)


@dataclass(kw_only=True)
class _Sheet:
    """What one call wrote, and what it is to read; each task has its own."""

    written: bytes = b""
    answer: Response | None = None


_SHEET: ContextVar[_Sheet] = ContextVar("sheet")


async def _paper(request: HttpRequest) -> Response:
    sheet = _SHEET.get()
    sheet.written = request.content
    if sheet.answer is None:
        raise ConnectError("it was written down, not sent")
    return sheet.answer


class Entries:
    """Writes and reads the entries of batches for one model."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._on_paper = Hosted(endpoint, MockTransport(_paper))

    async def body(self, request: Request) -> Mapping[str, JSON]:
        """Return the body that `request` has online, but for streaming."""
        sheet = _Sheet()
        _SHEET.set(sheet)
        with suppress(TransportError):
            await self._on_paper(request)
        body: dict[str, JSON] = json.loads(sheet.written)
        return {key: value for key, value in body.items() if key not in _ONLINE_ONLY}

    async def reply(self, line: Line) -> Reply:
        """Return the reply that a result holds.

        Raises:
            TransportError: it holds none: the entry failed, expired, or was cancelled.
        """
        if not line.status:
            raise TransportError(f"{self._endpoint.spec!r} did not answer it in the batch: it was {line.outcome}")
        _SHEET.set(_Sheet(answer=Response(line.status, json=line.body)))
        try:
            return await self._on_paper.at_once(_ANY)
        except ModelError as error:
            raise TransportError(f"in the batch: {error.message}") from None
