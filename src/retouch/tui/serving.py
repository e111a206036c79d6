"""The wizard in a browser: served to this machine, and to pages of its own only."""

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
_NOT_LET_IN = (
    "This address is not valid, or it was opened before: each start of 'retouch wizard --serve' prints one that one "
    "browser can open once. Start the wizard again."
)


class LoopbackServer(Server):
    """Serves a page that names no other host, to the browser that opens its address first.

    The address holds a token that is good for one visit. The visitor gets a cookie, which every later request needs:
    other users of this machine can reach the port, but know neither.
    """

    def __init__(self, command: str, *, port: int, say: Callable[[str], object]) -> None:
        cast("Any", super()).__init__(command, HOST, port, title="Pathfinder", templates_path=str(PAGE))
        self._say = say
        self._token = secrets.token_urlsafe(32)
        self._session = secrets.token_urlsafe(32)

    @property
    def address(self) -> str:
        """The address to open, with its token; it works once."""
        return f"{self.public_url}/?token={self._token}"

    async def on_startup(self, app: web.Application) -> None:
        """Say where it is."""
        del app
        self._say(f"The wizard is at {self.address}")
        self._say("Open the address once, in one browser of this machine; Ctrl-C stops the wizard.")

    def initialize_logging(self) -> None:
        """Log nothing: a log would hold paths."""

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()

        @web.middleware
        async def gate(
            request: web.Request, **following: Callable[[web.Request], Awaitable[web.StreamResponse]]
        ) -> web.StreamResponse:
            return await self._own_pages_only(request, following["handler"])  # so aiohttp names it

        app.middlewares.append(cast("Any", gate))
        return app

    async def _own_pages_only(
        self, request: web.Request, following: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Refuse pages of other sites, other users of this machine, and WebSockets of anything but the page itself."""
        if not _is_own(request):
            raise web.HTTPForbidden(text="This wizard is for pages of its own, on this machine.")
        is_known = _is_same(request.cookies.get(_cookie_name(request), ""), self._session)
        is_first_visit = not is_known and self._takes_token(request)
        if not (is_known or is_first_visit):
            raise web.HTTPForbidden(text=_NOT_LET_IN)
        response = await following(request)
        if not response.prepared:
            response.headers.update(_HEADERS)
            if is_first_visit:
                response.set_cookie(_cookie_name(request), self._session, httponly=True, samesite="Strict")
        return response

    def _takes_token(self, request: web.Request) -> bool:
        """Return whether the request opens the page with the token, which is good for nothing after that."""
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
    return f"retouch-wizard-{request.url.explicit_port}"  # cookies do not keep ports apart


def serve_on_loopback(command: str, *, port: int, say: Callable[[str], object]) -> None:
    """Serve what `command` draws until it is stopped; port 0 is any that is free.

    Raises:
        BadInput: the port is in use.
    """
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((HOST, port))
        except OSError as error:
            raise BadInput(
                f"port {port} cannot be used: {error.strerror}", hint="Name another with --port N."
            ) from error
        port = tried.getsockname()[1]
    LoopbackServer(command, port=port, say=say).serve()
