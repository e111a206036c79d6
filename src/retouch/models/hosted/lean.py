"""Calls without a client library, which take a third of the CPU time or less. Short answers are not streamed.

The client library still decides what is sent: it builds one request of each shape, with placeholders for the messages.
This request is recorded and never sent. All requests of the shape put their messages in place of these, so that the
body is the library's own. For a short answer, the keys that request a stream are left out.
"""

from __future__ import annotations

import asyncio
import json
import re
import urllib.request
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from retouch._lib.hashing import content_key
from retouch.models.hosted.failures import http_failure, names_schema, redirected_in_circle, sent_elsewhere

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping

    from aiohttp import ClientResponse, ClientSession
    from httpx2 import Request as HttpRequest

    from retouch.engine.types import Request
    from retouch.models.endpoints import ModelEndpoint
    from retouch.models.hosted.exchange import Exchange
    from retouch.models.schemas import SchemaForm

    Record = Callable[[Request, SchemaForm | None, str], Awaitable[HttpRequest]]
    """Returns the request that a client library sends with a form of the answer schema and a cache key."""

MOST_TOKENS = 1_024  # a longer answer is streamed, so that it is seen as it arrives
_STREAM_KEYS = frozenset({"stream", "stream_options"})
_OF_THE_CONNECTION = frozenset({"host", "content-length", "accept-encoding", "connection", "transfer-encoding"})
_MARK = "\ue000retouch{}\ue001"  # of the private use area: it is in no text of a provider's library
_MARKED = re.compile('"\ue000retouch(\\w+)\ue001"')
_REDIRECTS = 3
_SAME_CALL = frozenset({307, 308})


def is_installed() -> bool:
    """Return whether the HTTP client of these calls is installed."""
    return find_spec("aiohttp") is not None


def is_plain(request: Request) -> bool:
    """Return whether a template can contain the request's messages. Client libraries differ for blank messages."""
    return all(message.text.strip() for message in request.messages) and (
        not request.system or bool(request.system.strip())
    )


@dataclass(frozen=True, kw_only=True)
class RequestTemplate:
    """A recorded request: address, proxy, headers, and the body in pieces. `names` are the strings between these."""

    url: str
    proxy: str | None
    headers: Mapping[str, str]
    pieces: tuple[str, ...]
    names: tuple[str, ...]

    def body(self, texts: Mapping[str, str]) -> bytes:
        """Return the body with these strings."""
        parts = [self.pieces[0]]
        for name, piece in zip(self.names, self.pieces[1:], strict=True):
            parts += (json.dumps(texts[name], ensure_ascii=False), piece)
        return "".join(parts).encode()


class LeanClient:
    """Sends the calls of one endpoint. Its session belongs to one event loop."""

    def __init__(self, endpoint: ModelEndpoint, session: ClientSession, record: Record) -> None:
        self._endpoint, self._session, self._record = endpoint, session, record
        self._templates: dict[Any, RequestTemplate] = {}
        self._recording = asyncio.Lock()

    async def send(self, request: Request, form: SchemaForm | None, key: str, exchange: Exchange) -> None:
        """Send a request and read its response into `exchange`, which then ends the call with an exception.

        Raises:
            ModelError: the server answers with an error.
        """
        template = await self.template(request, form)
        texts = {f"m{number}": message.text for number, message in enumerate(request.messages)}
        body, url = template.body({"s": request.system, "k": key, **texts}), template.url
        for _ in range(_REDIRECTS):
            async with self._session.post(
                url, data=body, headers=template.headers, allow_redirects=False, proxy=template.proxy
            ) as response:
                if 300 <= response.status < 400 and "location" in response.headers:
                    url = self._redirected(url, response)
                    continue
                if response.status >= 300:
                    said = await response.read()
                    exchange.rejects_schema = names_schema(response.status, said.decode(errors="replace"))
                    raise http_failure(self._endpoint, response.status, response.headers, said)
                await exchange.read(_Response(response))
            return
        raise redirected_in_circle(self._endpoint)

    def _redirected(self, url: str, response: ClientResponse) -> str:
        """Return where the same server wants the request.

        Raises:
            ModelError: it is another server, or the request would be changed.
        """
        target = urljoin(url, response.headers["location"])
        if response.status not in _SAME_CALL or urlsplit(target)[:2] != urlsplit(url)[:2]:
            parts = urlsplit(target)
            plain = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="")
            raise sent_elsewhere(self._endpoint, response.status, plain.geturl())
        return target

    async def template(self, request: Request, form: SchemaForm | None) -> RequestTemplate:
        """Return what requests of this shape have in common. The first one of each shape takes some milliseconds."""
        schema = None if form is None or form.parameter is None else content_key(form.parameter)
        roles = tuple(message.role for message in request.messages)
        sampling = (request.max_output_tokens, request.temperature)
        shape = (roles, bool(request.system), request.breakpoints, sampling, schema)  # the cap decides on the stream
        if shape not in self._templates:
            async with self._recording:  # calls that start together would each record the same shape
                if shape not in self._templates:
                    self._templates[shape] = await self._recorded(request, form)
        return self._templates[shape]

    async def _recorded(self, request: Request, form: SchemaForm | None) -> RequestTemplate:
        """Return the template of a request's shape."""
        messages = tuple(replace(one, text=_MARK.format(f"m{number}")) for number, one in enumerate(request.messages))
        system = _MARK.format("s") if request.system else ""
        marked = replace(request, system=system, messages=messages)
        sent = await self._record(marked, form, _MARK.format("k"))
        streams = self._endpoint.tuning.stream == "always" or request.max_output_tokens > MOST_TOKENS
        left_out = frozenset[str]() if streams else _STREAM_KEYS
        body = {name: value for name, value in json.loads(sent.content).items() if name not in left_out}
        pieces = _MARKED.split(json.dumps(body, ensure_ascii=False, separators=(",", ":")))
        headers = {name: value for name, value in sent.headers.items() if name.lower() not in _OF_THE_CONNECTION}
        return RequestTemplate(
            url=str(sent.url),
            proxy=_proxy_for(str(sent.url)),
            headers=headers,
            pieces=tuple(pieces[::2]),
            names=tuple(pieces[1::2]),
        )


class _Response:
    """A response as `Exchange` reads it."""

    def __init__(self, response: ClientResponse) -> None:
        self._response = response
        self.headers = response.headers

    async def aiter_bytes(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives."""
        async for data in self._response.content.iter_any():
            yield data


def _proxy_for(url: str) -> str | None:
    """Return the proxy of the environment for an address."""
    parts = urlsplit(url)
    proxies = urllib.request.getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    return None if not proxy or urllib.request.proxy_bypass(parts.hostname or "") else proxy


async def closing_lean_client(endpoint: ModelEndpoint, record: Record) -> AsyncGenerator[LeanClient]:
    """Yield a client once. It is closed with the generator, which an event loop closes at its shutdown."""
    from aiohttp import ClientSession, ClientTimeout, TCPConnector
    from httpx2 import create_ssl_context

    connector = TCPConnector(limit=0, ssl=create_ssl_context())  # the certificates that the client libraries trust
    async with ClientSession(connector=connector, timeout=ClientTimeout(total=None)) as session:
        yield LeanClient(endpoint, session, record)
