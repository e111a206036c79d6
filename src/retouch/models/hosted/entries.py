"""Entries of batches: the same bodies as online, and answers read as online ones are.

A client is given paper instead of a wire: what it would send is written down.
"""

from __future__ import annotations

import json
from contextlib import suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING

from httpx2 import ConnectError, MockTransport

from retouch.errors import ModelError, TransportError
from retouch.models.hosted.call import Hosted
from retouch.models.hosted.failures import refusal_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from httpx2 import Request as HttpRequest
    from httpx2 import Response

    from retouch._lib.json_text import JSON
    from retouch.engine.types import Reply, Request
    from retouch.models.batch.desk import Line
    from retouch.models.endpoints import ModelEndpoint

_ONLINE_ONLY = frozenset({"stream", "stream_options"})
_NO_CAP = 1_000_000_000  # tokens: the cap of an entry is known elsewhere


_WRITTEN: ContextVar[list[bytes]] = ContextVar("written")
"""What the call of the running task would have sent."""


async def _paper(request: HttpRequest) -> Response:
    _WRITTEN.get().append(request.content)
    raise ConnectError("it was written down, not sent")


class Entries:
    """Writes and reads the entries of batches for one model."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._endpoint = endpoint
        self._on_paper = Hosted(endpoint, MockTransport(_paper))

    async def body(self, request: Request) -> Mapping[str, JSON]:
        """Return the body that `request` has online, but for streaming."""
        _WRITTEN.set(written := list[bytes]())
        with suppress(TransportError):
            await self._on_paper(request)
        body: dict[str, JSON] = json.loads(written[0])
        return {key: value for key, value in body.items() if key not in _ONLINE_ONLY}

    async def reply(self, line: Line) -> Reply:
        """Return the reply that a result holds.

        Raises:
            TransportError: it holds none: the entry failed, expired, or was cancelled.
        """
        if not line.status:
            raise TransportError(f"{self._endpoint.spec!r} did not answer it in the batch: it was {line.outcome}")
        try:
            if line.status >= 300:
                raise refusal_in(line.body, line.status, self._endpoint)
            return self._on_paper.read_document(json.dumps(line.body).encode(), cap=_NO_CAP)
        except ModelError as error:
            raise TransportError(f"in the batch: {error.message}") from None
