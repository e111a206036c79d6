"""The server of the viewer: loopback only, one visitor, nothing but reading.

The printed address has a token that is valid for one visit. The visitor gets a cookie, which every later request needs.
Other users of this machine can reach the port, but have neither. A page of another site has no cookie either
(SameSite=Strict), and a name that it points to this machine is refused by the Host header.
"""

from __future__ import annotations

import logging
import secrets
import shlex
import socket
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

import uvicorn
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from retouch._lib.logs import redact_record
from retouch.errors import BadInput, RetouchError
from retouch.report.code import code_lines, language_of, visible
from retouch.report.comparing import compare_page
from retouch.report.site import (
    COLUMNS,
    STATUS_WORDS,
    Query,
    asset,
    find_rows,
    render,
    run_commands,
    state_counts,
    unit_commands,
    with_sections,
)
from retouch.view.links import LiveLinks

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from retouch.report.run_pages import RunPages
    from retouch.view.runs import RunStore

_LOG = logging.getLogger(__name__)
_LOG.addFilter(redact_record)

HOST = "127.0.0.1"
_ASSETS = {"style.css": "text/css", "view.js": "text/javascript", "htmx.min.js": "text/javascript"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_INVALID_ADDRESS = (
    "This address is not valid, or it was opened before. Each start of 'retouch view' prints an address that can be "
    "opened once. Start it again."
)
_SORTS = {key for key, _, _ in COLUMNS}


class Gate:
    """Lets only the visitor in that opened the address with the token, and only by a name of this machine."""

    def __init__(self, app: ASGIApp, *, port: int, token: str) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}" for name in (HOST, "localhost")}
        self._cookie = f"retouch-view-{port}"  # cookies do not distinguish ports
        self._token = token
        self._session = secrets.token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        from starlette.requests import Request

        request = Request(scope)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message.get("headers", []),
                    *((name.lower().encode(), value.encode()) for name, value in _HEADERS.items()),
                ]
            await send(message)

        response = self._refusal(request)
        if response is not None:
            _LOG.debug("%s %s: %d", request.method, request.url.path, response.status_code)
        await (self._app if response is None else response)(scope, receive, send_guarded)

    def _refusal(self, request: Request) -> Response | None:
        """Return the answer to a request that goes no further, or None."""
        if request.headers.get("host", "") not in self._hosts:
            return PlainTextResponse("This viewer serves only this machine.", status_code=403)
        if request.method not in ("GET", "HEAD"):
            return PlainTextResponse("This viewer only reads.", status_code=405)
        if _is_same(request.cookies.get(self._cookie, ""), self._session):
            return None
        if request.method == "GET" and request.url.path == "/" and self._takes(request.query_params.get("token", "")):
            response = RedirectResponse("/", status_code=303)
            response.set_cookie(self._cookie, self._session, httponly=True, samesite="strict", path="/")
            return response
        return PlainTextResponse(_INVALID_ADDRESS, status_code=403)

    def _takes(self, given: str) -> bool:
        found = bool(self._token) and _is_same(given, self._token)
        if found:
            self._token = ""
        return found


def _is_same(given: str, known: str) -> bool:
    return secrets.compare_digest(given.encode("utf-8", "surrogateescape"), known.encode())


class ViewerPages:
    """The pages by path."""

    def __init__(self, store: RunStore) -> None:
        self._store = store

    def app(self) -> Starlette:
        """Return the application with all pages."""
        pages = {
            "/": self._home,
            "/run": self._overview,
            "/live": self._live,
            "/sections": self._sections,
            "/units": self._units,
            "/unit": self._unit,
            "/file": self._file,
            "/compare": self._compare,
            "/assets/{name}": self._asset,
        }
        routes = [Route(path, self._guarded(page), methods=["GET"]) for path, page in pages.items()]
        return Starlette(routes=routes)

    def _guarded(self, page: Callable[[Request], Response]) -> Callable[[Request], Response]:
        def answer(request: Request) -> Response:
            try:
                _LOG.debug("%s %s", request.method, request.url.path)
                return page(request)
            except KeyError as error:
                return self._message(f"There is no {visible(error.args[0] if error.args else '')!r} here.", 404)
            except RetouchError as error:
                return self._message(error.on_one_line, 500)

        return answer

    def _message(self, text: str, status: int) -> Response:
        return HTMLResponse(
            render(
                "message.html.j2",
                title="Retouch",
                crumbs=[("Start", "/")],
                here="message",
                links=LiveLinks(),
                text=text,
            ),
            status_code=status,
        )

    def _home(self, request: Request) -> Response:
        if self._store.other is not None:
            return self._comparison("", str(self._store.other))
        if not self._store.is_tree:
            return self._overview(request)
        tree = self._store.tree()
        stamp = sha256(repr(tree).encode()).hexdigest()[:32]
        if stamp == request.query_params.get("stamp"):
            return Response(status_code=204)
        values = {"title": tree.name, "crumbs": (), "here": tree.name, "links": LiveLinks()}
        return HTMLResponse(render("tree.html.j2", tree=tree, stamp=stamp, **values))

    def _run(self, request: Request) -> tuple[RunPages, str, LiveLinks, str]:
        name = request.query_params.get("run", "")
        if name not in self._store.directories():
            raise KeyError(name or "run")
        run, stamp = self._store.run(name)
        return run, stamp, LiveLinks(name), name

    def _values(self, request: Request) -> dict[str, Any]:
        run, stamp, links, name = self._run(request)
        query = _query(request)
        return {
            "run": run,
            "stamp": stamp,
            "links": links,
            "query": query,
            "found": find_rows(run, query),
            "columns": COLUMNS,
            "counts": state_counts(run),
            "status_words": STATUS_WORDS[run.seen.status],
            "is_running": self._store.is_recent(name),
            "commands": run_commands(run.directory) if any(row.is_problem for row in run.rows) else (),
        }

    def _crumbs(self, name: str, run: RunPages | None = None) -> list[tuple[str, str]]:
        top = [(self._store.folder.resolve().name, "/")] if self._store.is_tree else []
        return [*top, (run.name, LiveLinks(name).overview())] if run is not None else top

    def _overview(self, request: Request) -> Response:
        values = self._values(request)
        run: RunPages = values["run"]
        return HTMLResponse(
            render(
                "overview.html.j2",
                title=f"{run.seen.recipe}: {run.name}, {run.seen.status}",
                crumbs=self._crumbs(""),
                here=run.name,
                sections=None,
                trouble="",
                **values,
            )
        )

    def _live(self, request: Request) -> Response:
        """Answer with the summary if the run has changed, else with 204, on which htmx changes nothing."""
        name, known = request.query_params.get("run", ""), request.query_params.get("stamp", "")
        was_recent = self._store.is_recent(name)
        _, stamp, _, _ = self._run(request)
        if stamp == known:
            return Response(status_code=204)
        text = render("summary.html.j2", **{**self._values(request), "is_running": was_recent})
        return HTMLResponse(text, headers={"HX-Trigger": "changed-run"})

    def _sections(self, request: Request) -> Response:
        run, _, links, name = self._run(request)
        sections, trouble = self._store.sections(name)
        own = [one for one in sections if not one.unit]
        if "hx-request" in request.headers:
            return HTMLResponse(render("sections.html.j2", links=links, sections=own, trouble=trouble))
        page = render(
            "sections_page.html.j2",
            title=run.name,
            crumbs=self._crumbs(name, run),
            here="Result",
            links=links,
            sections=own,
            trouble=trouble,
        )
        return HTMLResponse(page)

    def _units(self, request: Request) -> Response:
        return HTMLResponse(render("table.html.j2", **self._values(request)))

    def _unit(self, request: Request) -> Response:
        run, _, links, name = self._run(request)
        unit = request.query_params.get("unit", "")
        page = run.unit(unit, commands=unit_commands(run, unit))
        sections, _ = self._store.sections(name) if len(run.rows) <= 500 else ((), "")
        page = _replaced(page, sections=with_sections(sections, unit))
        return HTMLResponse(
            render(
                "unit.html.j2",
                title=f"{unit}: {page.row.state}",
                crumbs=self._crumbs(name, run),
                here=unit,
                heading="h1",
                links=links,
                unit=page,
            )
        )

    def _file(self, request: Request) -> Response:
        run, _, links, name = self._run(request)
        file = request.query_params.get("file", "")
        text, problem = run.file_text(file)
        return HTMLResponse(
            render(
                "file.html.j2",
                title=file,
                crumbs=self._crumbs(name, run),
                here=file,
                links=links,
                name=file,
                problem=problem,
                lines=code_lines(text, language=language_of(file)),
                command=f"${{EDITOR:-vi}} {shlex.quote(str(run.directory / file))}",
            )
        )

    def _compare(self, request: Request) -> Response:
        names = [request.query_params.get(key, "") for key in ("a", "b")]
        return self._comparison(*names)

    def _comparison(self, *names: str) -> Response:
        for name in names:
            if name not in self._store.directories():
                raise KeyError(name)
        a, b = (self._store.run(name)[0] for name in names)
        return HTMLResponse(compare_page(a, b, links=LiveLinks(), crumbs=self._crumbs("")))

    def _asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        return Response(asset(name) if name in _ASSETS else asset(_unknown(name)), media_type=_ASSETS[name])


def _unknown(name: str) -> str:
    raise KeyError(name)


def _replaced(page: Any, **values: Any) -> Any:
    from dataclasses import replace

    return replace(page, **values)


def _query(request: Request) -> Query:
    given = request.query_params
    page = given.get("page", "1")
    sort = given.get("sort", "")
    return Query(
        words=given.get("q", "")[:500],
        state=given.get("state", "")[:50],
        sort=cast("Any", sort) if sort in _SORTS else "",
        down=given.get("down") == "1",
        page=max(1, int(page)) if page.isascii() and page.isdigit() and len(page) < 9 else 1,
    )


def bound_socket(port: int) -> socket.socket:
    """Return a socket of this machine alone. Port 0 selects a free port.

    Raises:
        BadInput: the port is in use.
    """
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
    except OSError as error:
        found.close()
        message = f"port {port} cannot be used: {error.strerror}"
        raise BadInput(message, hint="Choose another one with --port N.") from error
    return found


def viewer(store: RunStore, *, port: int) -> tuple[Gate, str]:
    """Return the application for a port, and the address that opens it once."""
    token = secrets.token_urlsafe(32)
    return Gate(ViewerPages(store).app(), port=port, token=token), f"http://{HOST}:{port}/?token={token}"


def serve(store: RunStore, *, port: int, on_start: Callable[[str], object]) -> None:
    """Serve the pages until the process is interrupted. `on_start` gets the address when it can be opened.

    Raises:
        BadInput: the port is in use.
    """
    with bound_socket(port) as own:
        app, address = viewer(store, port=own.getsockname()[1])
        config = uvicorn.Config(app, log_level="error", access_log=False, lifespan="off", server_header=False)
        own.listen(64)
        _AnnouncedServer(config, lambda: on_start(address)).run(sockets=[own])


class _AnnouncedServer(uvicorn.Server):
    """A server that calls `on_start` once it answers and handles Ctrl-C.

    A Ctrl-C while the server is imported or started may be lost, and the user presses it when the address is shown.
    """

    def __init__(self, config: uvicorn.Config, on_start: Callable[[], object]) -> None:
        super().__init__(config)
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and then tell it."""
        await super().startup(sockets=sockets)
        self._on_start()
