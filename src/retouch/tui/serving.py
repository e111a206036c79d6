"""The wizard in a browser, served only to this machine and to its own pages."""

from __future__ import annotations

import secrets
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from aiohttp import web
from textual_serve.server import Server

from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

HOST = "127.0.0.1"
PAGE = Path(__file__).parent / "page"
_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
    "img-src 'self' data:; connect-src 'self' ws://127.0.0.1:* ws://localhost:*; worker-src 'self' blob:"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_INVALID_ADDRESS = (
    "This address is not valid, or it was opened before. Each start of 'retouch wizard --serve' prints an address that "
    "can be opened once. Start the wizard again."
)


class LoopbackServer(Server):
    """Serves a page without external resources to the browser that opens its address first.

    The address has a token that is valid for one visit. The visitor gets a cookie, which every later request needs.
    Other users of this machine can reach the port, but have neither.
    """

    def __init__(self, command: str, *, port: int, say: Callable[[str], object]) -> None:
        cast("Any", super()).__init__(command, HOST, port, title="Rule wizard", templates_path=str(PAGE))
        self._print = say
        self._token = secrets.token_urlsafe(32)
        self._session = secrets.token_urlsafe(32)

    @property
    def address(self) -> str:
        """The address to open, with its token, which works once."""
        return f"{self.public_url}/?token={self._token}"

    async def on_startup(self, app: web.Application) -> None:
        """Print the address."""
        del app
        self._print(f"The wizard is at {self.address}")
        self._print("Open the address once, in a browser on this machine. Ctrl-C stops the wizard.")

    def initialize_logging(self) -> None:
        """Disable logging, because a log would contain paths."""

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()

        @web.middleware
        async def gate(
            request: web.Request, **following: Callable[[web.Request], Awaitable[web.StreamResponse]]
        ) -> web.StreamResponse:
            return await self._own_pages_only(request, following["handler"])  # aiohttp's name of the argument

        app.middlewares.append(cast("Any", gate))
        return app

    async def _own_pages_only(
        self, request: web.Request, following: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Reject pages of other sites, other users of this machine, and WebSockets of anything but the page itself."""
        if not _is_own(request):
            raise web.HTTPForbidden(text="This wizard serves only its own pages, on this machine.")
        is_known = _is_same(request.cookies.get(_cookie_name(request), ""), self._session)
        is_first_visit = not is_known and self._takes_token(request)
        if not (is_known or is_first_visit):
            raise web.HTTPForbidden(text=_INVALID_ADDRESS)
        response = await following(request)
        if not response.prepared:
            response.headers.update(_HEADERS)
            if is_first_visit:
                response.set_cookie(_cookie_name(request), self._session, httponly=True, samesite="Strict")
        return response

    def _takes_token(self, request: web.Request) -> bool:
        """Return whether the request opens the page with the token, which is then no longer valid."""
        if request.method != "GET" or request.path != "/" or not self._token:
            return False
        found = _is_same(request.query.get("token", ""), self._token)
        if found:
            self._token = ""
        return found


def _is_own(request: web.Request) -> bool:
    """Return whether a request names this machine, and comes from a page of this server if it names its page.

    A browser always names the page that opens a WebSocket.
    """
    port = request.url.explicit_port
    if request.host not in {f"{name}:{port}" for name in (HOST, "localhost")}:
        return False
    origin = request.headers.get("Origin")
    if origin is None:
        return request.path != "/ws" and "Upgrade" not in request.headers
    return origin == f"http://{request.host}"


def _is_same(given: str, known: str) -> bool:
    return secrets.compare_digest(given.encode("utf-8", "surrogateescape"), known.encode())


def _cookie_name(request: web.Request) -> str:
    return f"retouch-wizard-{request.url.explicit_port}"  # cookies do not distinguish ports


def serve_on_loopback(command: str, *, port: int, say: Callable[[str], object]) -> None:
    """Serve the screen of `command` until it is stopped. Port 0 selects a free port.

    Raises:
        BadInput: the port is in use.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise BadInput(
                f"port {port} cannot be used: {error.strerror}", hint="Choose another one with --port N."
            ) from error
        port = probe.getsockname()[1]
    LoopbackServer(command, port=port, say=say).serve()
