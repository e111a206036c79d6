"""The wizard in a browser: served to this machine, and to pages of its own only."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

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


class LoopbackServer(Server):
    """Serves a page that names no other host; a request that comes from another site's page is refused."""

    def __init__(self, command: str, *, port: int, say: Callable[[str], object]) -> None:
        cast("Any", super()).__init__(command, HOST, port, title="Pathfinder", templates_path=str(PAGE))
        self._say = say

    async def on_startup(self, app: web.Application) -> None:
        """Say where it is."""
        del app
        self._say(f"The wizard is at {self.public_url} (this machine only); Ctrl-C stops it.")

    def initialize_logging(self) -> None:
        """Log nothing: a log would hold paths."""

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(cast("Any", _own_pages_only))
        return app


@web.middleware
async def _own_pages_only(
    request: web.Request, **following: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Refuse what another site's page asks for: by a name that it points at this machine, or across sites."""
    port = request.url.explicit_port
    own = {f"{name}:{port}" for name in (HOST, "localhost")}
    origin = request.headers.get("Origin")
    if request.host not in own or (origin is not None and urlsplit(origin).netloc not in own):
        raise web.HTTPForbidden(text="This wizard is for pages of its own, on this machine.")
    response = await following["handler"](request)  # so aiohttp names it
    if not response.prepared:
        response.headers.update({"Content-Security-Policy": _POLICY, "X-Frame-Options": "DENY"})
    return response


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
