"""Entries of batches: the same bodies as in online calls, and responses that are parsed like online ones.

A client gets a transport that records its requests and sends nothing.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.errors import ModelError, TransportError
from retouch.models.hosted.cache_keys import CacheKeys
from retouch.models.hosted.call import Hosted
from retouch.models.hosted.failures import names_schema, refusal_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch._lib.json_text import JSON
    from retouch.engine.types import Reply, Request
    from retouch.models.batch.api import Line
    from retouch.models.endpoints import ModelEndpoint
    from retouch.models.schemas import SchemaForm

_ONLINE_ONLY = frozenset({"stream", "stream_options"})
_NO_CAP = 1_000_000_000  # tokens: the cap of an entry is checked elsewhere


class Entries:
    """Writes and reads the entries of batches for one model."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._endpoint = endpoint
        self._recorder = Hosted(endpoint)
        self._keys = CacheKeys(0)  # entries are sent at once, so that a second key would only miss the cache
        self._forms: dict[Request, SchemaForm] = {}

    async def body(self, request: Request) -> Mapping[str, JSON]:
        """Return the body of `request` in an online call, without streaming."""
        form = self._recorder.ladder.form(request)
        if form is not None:
            self._forms[request] = form
        key = self._keys.key(request.system, request.messages[0].text)
        sent = await self._recorder.recorded(request, form, key)
        body: dict[str, JSON] = json.loads(sent.content)
        return {key: value for key, value in body.items() if key not in _ONLINE_ONLY}

    async def reply(self, line: Line, request: Request) -> Reply:
        """Return the reply to `request` in a result.

        Raises:
            TransportError: it has none, because the entry failed, expired, or was cancelled.
        """
        if not line.status:
            raise TransportError(f"{self._endpoint.spec!r} did not answer it in the batch: it was {line.outcome}")
        form = self._forms.pop(request, None) or self._recorder.ladder.form(request)
        try:
            if line.status >= 300:
                failure = refusal_in(line.body, line.status, self._endpoint)
                if form is not None and form.parameter is not None and names_schema(line.status, str(line.body)):
                    self._recorder.ladder.rejected(request, form, failure.message)
                raise failure
            reply = self._recorder.read_document(json.dumps(line.body).encode(), cap=_NO_CAP)
            return reply if form is None else replace(reply, schema_mode=form.mode)
        except ModelError as error:
            raise TransportError(f"in the batch: {error.message}") from None
