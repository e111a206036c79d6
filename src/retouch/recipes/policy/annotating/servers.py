"""Requests the tools of MCP servers, over stdio and streamable HTTP."""

from __future__ import annotations

import json
import subprocess
import time
from contextlib import suppress
from threading import Timer
from typing import TYPE_CHECKING, Any, Protocol, cast
from urllib.error import HTTPError, URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from retouch.errors import BadInput
from retouch.recipes.policy.annotating.sources import some_tools, tools_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from http.client import HTTPResponse

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.annotating.proposing import ListedTool

PROTOCOL = "2025-06-18"
MAX_BYTES = 64 * 1024 * 1024
MOST_PAGES = 200
MOST_REDIRECTS = 3
WAIT_S = 30.0


def tools_of_command(words: Sequence[str]) -> tuple[str, tuple[ListedTool, ...]]:
    """Start an MCP server over stdio, and return its own name and its tools. The server is ended afterwards.

    Raises:
        BadInput: it cannot be started, or does not answer in time.
    """
    try:
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except OSError as error:
        raise BadInput(f"cannot start {words[0]!r}: {error.strerror}", hint="Install it or fix the command.") from error
    timer = Timer(WAIT_S, process.kill)
    with process:
        timer.start()
        try:
            return _tools_of(_Pipe(process), "the server")
        finally:
            timer.cancel()
            process.kill()


def tools_of_address(url: str) -> tuple[str, tuple[ListedTool, ...]]:
    """Return the name and the tools of an MCP server over streamable HTTP.

    Raises:
        BadInput: it cannot be reached, or answers in another way.
    """
    session = _Session(url)
    try:
        return _tools_of(session, url)
    finally:
        session.close()


class _Server(Protocol):
    """A server that answers the messages that it is sent."""

    def send(self, message: Mapping[str, JSON]) -> Iterable[JSON]:
        """Send a message and return the server's response to it."""
        ...


def _tools_of(server: _Server, name: str) -> tuple[str, tuple[ListedTool, ...]]:
    client: dict[str, JSON] = {"name": "retouch", "version": "1"}
    hello: dict[str, JSON] = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client}
    about = _answer(server, 1, "initialize", hello).get("serverInfo")
    for _ in server.send({"jsonrpc": "2.0", "method": "notifications/initialized"}):
        pass
    found: list[ListedTool] = []
    cursor: JSON = None
    for number in range(2, MOST_PAGES):
        result = _answer(server, number, "tools/list", {} if cursor is None else {"cursor": cursor})
        found += tools_in(dict(result), name=name)
        cursor = result.get("nextCursor")
        if not cursor:
            break
    own = about.get("name") if isinstance(about, dict) else None
    return own if isinstance(own, str) and own else "server", some_tools(tuple(found), name)


def _answer(server: _Server, number: int, method: str, params: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """Return the result of a request. Notifications and requests of the server before it are skipped."""
    for found in server.send({"jsonrpc": "2.0", "id": number, "method": method, "params": dict(params)}):
        if isinstance(found, dict) and found.get("id") == number and "method" not in found:
            result = found.get("result")
            if not isinstance(result, dict):
                message = f"the server answered {method} with an error: {found.get('error')!r}"
                raise BadInput(message, hint="Is it an MCP server?")
            return result
    message = f"the server ended without an answer to {method}"
    raise BadInput(message, hint=f"It has {WAIT_S:g} s to list its tools. Start it by itself to see what is wrong.")


class _Pipe:
    """A server over stdio. Lines that are no JSON, such as its log, are skipped."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def send(self, message: Mapping[str, JSON]) -> Iterable[JSON]:
        process = self._process
        if process.stdin is not None:
            try:
                process.stdin.write(json.dumps(message).encode() + b"\n")
                process.stdin.flush()
            except OSError as error:
                raise BadInput("the server ended early", hint="Run the command by itself to see why.") from error
        return self._messages() if "id" in message else ()

    def _messages(self) -> Iterator[JSON]:
        while self._process.stdout is not None and (line := self._process.stdout.readline(MAX_BYTES)):
            with suppress(ValueError):
                yield json.loads(line.decode("utf-8", "replace"))


class _SameAddress(HTTPRedirectHandler):
    """Follows no redirection: a message to another address would be sent without its body."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _Session:
    """A server over streamable HTTP. It is reached at one address, or where that redirects to on the same host."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._opener = build_opener(_SameAddress)
        self._headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        self._id: str | None = None
        self._until = time.monotonic() + WAIT_S

    def send(self, message: Mapping[str, JSON]) -> Iterator[JSON]:
        with self._opened("POST", json.dumps(message).encode()) as response:
            self._id = response.headers.get("Mcp-Session-Id") or self._id
            self._headers |= {"MCP-Protocol-Version": PROTOCOL} | ({"Mcp-Session-Id": self._id} if self._id else {})
            if "id" in message and response.headers.get_content_type() == "text/event-stream":
                yield from self._events(response)
            elif "id" in message:
                yield self._parsed(response.read(MAX_BYTES))

    def close(self) -> None:
        """End the session at the server, if it has one."""
        if self._id is not None:
            with suppress(BadInput), self._opened("DELETE", None):
                pass

    def _opened(self, method: str, body: bytes | None) -> HTTPResponse:
        for _ in range(MOST_REDIRECTS):
            request = Request(self.url, data=body, headers=self._headers, method=method)  # noqa: S310 - http(s), checked by the command
            try:
                return cast("HTTPResponse", self._opener.open(request, timeout=WAIT_S))
            except HTTPError as error:
                moved = urljoin(self.url, error.headers.get("Location") or self.url)
                if error.code not in {307, 308} or urlsplit(moved)[:2] != urlsplit(self.url)[:2]:
                    raise self._refused(error, moved) from error
                self.url = moved
            except (URLError, OSError) as error:
                reason = error.reason if isinstance(error, URLError) else error
                hint = "Is the server running, and is this its address?"
                raise BadInput(f"cannot ask {self.url!r}: {reason}", hint=hint) from error
        raise BadInput(f"{self.url!r} redirects too often", hint="Pass the address that it ends at.")

    def _refused(self, error: HTTPError, moved: str) -> BadInput:
        hint = "Pass the address of an MCP server over streamable HTTP; it often ends in /mcp."
        if error.code in {401, 403}:
            hint = "It wants to know who asks. Save the result of its tools/list as a JSON file, and pass that."
        elif moved != self.url:
            hint = f"It redirects to {moved!r}. Pass that address if you trust it."
        return BadInput(f"{self.url!r} answered {error.code} ({error.reason})", hint=hint)

    def _events(self, response: HTTPResponse) -> Iterator[JSON]:
        """Yield the messages of a stream of events, which may stay open after the answer."""
        data: list[bytes] = []
        while time.monotonic() < self._until:
            try:
                line = response.readline(MAX_BYTES)
            except OSError:  # silence for too long
                return
            if line.startswith(b"data:"):
                data.append(line[5:].strip())
            elif not line.strip() and data:
                yield self._parsed(b"\n".join(data))
                data.clear()
            if not line:
                return

    def _parsed(self, body: bytes) -> JSON:
        try:
            return cast("JSON", json.loads(body)) if body.strip() else None
        except ValueError as error:
            message = f"{self.url!r} answered with something else than JSON: {body[:60].decode('utf-8', 'replace')!r}"
            raise BadInput(message, hint="Pass the address of an MCP server; it often ends in /mcp.") from error
