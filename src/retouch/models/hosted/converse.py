"""Calls of Amazon Bedrock's Converse API.

boto3 finds the credentials, and builds and signs each request. It never sends one: the signed request is taken from it,
and is sent here, so that time limits, errors and the bytes of the response are handled as for other providers.
"""

from __future__ import annotations

import json
import os
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from pydantic_ai.direct import model_request_stream

from retouch.errors import ModelError
from retouch.models.hosted.failures import http_failure, names_schema
from retouch.models.hosted.messages import causes, one_line

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterator

    from httpx2 import AsyncClient, Response
    from pydantic_ai.models import Model as Client

    from retouch.models.endpoints import ModelEndpoint
    from retouch.models.hosted.exchange import Exchange

_FRAMES = "application/vnd.amazon.eventstream"
_SIGNED: ContextVar[list[Any]] = ContextVar("signed")
"""The signed request of the running task's call."""


class _Signed(Exception):
    """A request was signed. It ends boto3's part of a call."""


def _take(request: Any, **_: Any) -> None:
    """Take a signed request from boto3, instead of letting it send the request."""
    _SIGNED.get().append(request)
    raise _Signed


class ConverseClient:
    """Sends the calls of one endpoint. It belongs to one event loop."""

    def __init__(self, endpoint: ModelEndpoint, http: AsyncClient) -> None:
        self._endpoint, self._http = endpoint, http
        self._client: Client | None = None

    async def send(self, exchange: Exchange, **call: Any) -> None:
        """Send a call, as arguments of pydantic-ai, and read its response. It always ends with an exception.

        Raises:
            ModelError: there are no credentials, or the server answers with an error.
        """
        signed = await self._signed(call)
        headers = {name: _text(value) for name, value in signed.headers.items()}
        async with self._http.stream("POST", signed.url, headers=headers, content=signed.body) as response:
            if response.status_code >= 300:
                said = await response.aread()
                exchange.rejects_schema = names_schema(response.status_code, said.decode(errors="replace"))
                raise http_failure(self._endpoint, response.status_code, response.headers, said)
            await exchange.read(_AsEvents(response))

    async def _signed(self, call: Any) -> Any:
        """Return the signed request of a call."""
        from botocore.exceptions import BotoCoreError

        _SIGNED.set(signed := list[Any]())
        try:
            if self._client is None:
                self._client = _open_client(self._endpoint)
            async with model_request_stream(self._client, **call):
                pass
        except Exception as error:
            found = [*causes(error)]
            if any(isinstance(one, _Signed) for one in found):
                return signed[0]
            wrong = next((one for one in found if isinstance(one, BotoCoreError)), None)
            if wrong is None:
                raise
            raise _unsigned(self._endpoint, wrong) from None
        raise ModelError(
            f"boto3 did not sign the request to {self._endpoint.spec!r}",
            hint="Install the versions that Retouch was tested with: pip install --upgrade retouch.",
        )


def _unsigned(endpoint: ModelEndpoint, error: Exception) -> ModelError:
    """Return the error for credentials or a region that boto3 does not find, or that are invalid."""
    return ModelError(
        f"{endpoint.spec!r} cannot be called: {one_line(str(error))}",
        hint="Set AWS_REGION, and AWS_PROFILE, AWS_BEARER_TOKEN_BEDROCK or other credentials that boto3 reads.",
    )


def _open_client(endpoint: ModelEndpoint) -> Client:
    """Return pydantic-ai's client of Bedrock, whose requests are taken from it."""
    import boto3
    from botocore.config import Config
    from pydantic_ai.models.bedrock import BedrockConverseModel
    from pydantic_ai.providers.bedrock import BedrockProvider

    region = os.environ.get("AWS_REGION") or None  # boto3 itself reads AWS_DEFAULT_REGION and the profile
    session: Any = boto3.Session(region_name=region)
    client = session.client("bedrock-runtime", config=Config(retries={"total_max_attempts": 1}))
    client.meta.events.register("before-send.bedrock-runtime", _take)
    return BedrockConverseModel(endpoint.model, provider=BedrockProvider(bedrock_client=client))


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


class _AsEvents:
    """A response as `Exchange` reads it: binary frames become server-sent events, other bodies stay as they are."""

    def __init__(self, response: Response) -> None:
        self._response = response
        self.headers = response.headers

    async def aiter_bytes(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives."""
        if not self.headers.get("content-type", "").startswith(_FRAMES):
            async for data in self._response.aiter_bytes():
                yield data
            return
        from botocore.eventstream import EventStreamBuffer, ParserError

        buffer: Any = EventStreamBuffer()
        async for data in self._response.aiter_bytes():
            buffer.add_data(data)
            try:
                frames = b"".join(_events(buffer))
            except ParserError as error:
                yield f"data: damaged frame ({type(error).__name__})\n\n".encode()
                return
            if frames:
                yield frames


def _events(buffer: Any) -> Iterator[bytes]:
    """Yield the complete frames of a buffer as server-sent events. An exception becomes an error of its name."""
    for frame in buffer:
        kind = frame.headers.get(":event-type") or ""
        payload: bytes = frame.payload
        if frame.headers.get(":message-type") in {"exception", "error"}:
            kind = frame.headers.get(":exception-type") or frame.headers.get(":error-code") or "error"
            said = frame.headers.get(":error-message") or payload.decode(errors="replace")
            payload = json.dumps({"error": {"type": kind, "message": _message_in(said)}}).encode()
        yield b"event: " + kind.encode() + b"\ndata: " + payload.replace(b"\n", b" ") + b"\n\n"


def _message_in(said: str) -> str:
    try:
        return str(json.loads(said)["message"])
    except (ValueError, KeyError, TypeError):
        return said


async def closing_converse_client(endpoint: ModelEndpoint) -> AsyncGenerator[ConverseClient]:
    """Yield a client once. It is closed with the generator, which an event loop closes at its shutdown."""
    from httpx2 import AsyncClient, Limits, Timeout

    limits = Limits(max_connections=None, max_keepalive_connections=endpoint.tuning.most_calls)
    async with AsyncClient(timeout=Timeout(endpoint.tuning.call_s), limits=limits) as http:
        yield ConverseClient(endpoint, http)
