"""The wizard in a browser: the names in the page, who has access, and that the screen appears."""

from __future__ import annotations

import asyncio
import re
import shlex
import sys
from typing import TYPE_CHECKING, Any

import aiohttp
import psutil
import pytest
from aiohttp.test_utils import TestServer

from retouch.errors import BadInput
from retouch.tui.serving import HOST, LoopbackServer, serve_on_loopback
from tests.waiting import MOST_S, wait_until

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path


def visited(
    visit: Callable[[aiohttp.ClientSession, str], Awaitable[None]], command: str = "true", *, let_in: bool = True
) -> None:
    """Let somebody visit a served wizard; one who is not `let_in` gets its address with the token unused."""

    async def scene() -> None:
        before = set(psutil.Process().children())  # of other tests in this process
        served: Any = LoopbackServer(command, port=0, say=str)
        async with TestServer(await served._make_app(), host=HOST) as server:
            served.public_url = str(server.make_url("")).rstrip("/")
            async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
                if let_in:
                    async with client.get(served.address) as answer:
                        assert 200 == answer.status
                await visit(client, served.public_url if let_in else served.address)

        def has_ended() -> bool:
            return before.issuperset(psutil.Process().children())

        await asyncio.to_thread(wait_until, has_ended)  # the server does not wait for a visitor's process

    asyncio.run(scene())


def test_the_page_names_no_host_but_this_machine():
    async def visit(client: aiohttp.ClientSession, url: str) -> None:
        async with client.get(url) as answer:
            page = await answer.text()
            assert {url.removeprefix("http://")} == set(re.findall(r"(?:https?|wss?)://([^/\"]+)", page))
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        for part in ("css/xterm.css", "js/textual.js", "fonts/RobotoMono-VariableFont_wght.ttf"):
            async with client.get(f"{url}/static/{part}") as answer:
                assert 200 == answer.status

    visited(visit)


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"}])
def test_the_pages_of_other_sites_are_refused(headers: dict[str, str]):
    async def visit(client: aiohttp.ClientSession, url: str) -> None:
        for part in ("/", "/ws"):
            async with client.get(f"{url}{part}", headers=headers) as answer:
                assert 403 == answer.status

    visited(visit)


def test_nobody_gets_in_without_the_token():
    async def visit(client: aiohttp.ClientSession, address: str) -> None:
        url = address.partition("/?")[0]
        own = {"Origin": url}
        for part in (
            "/",
            "/?token=",
            "/?token=wrong",
            "/ws",
            "/ws?token=wrong",
            "/static/css/xterm.css",
            "/download/x",
        ):
            async with client.get(f"{url}{part}", headers=own) as answer:
                assert (403, 0) == (answer.status, len(client.cookie_jar)), part
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await client.ws_connect(f"{url}/ws", headers=own)

    visited(visit, let_in=False)


def test_the_token_opens_one_browser_and_only_once():
    async def visit(client: aiohttp.ClientSession, address: str) -> None:
        url = address.partition("/?")[0]
        async with client.head(address) as answer:
            assert 403 == answer.status
        async with client.get(address) as answer:
            cookie = answer.headers["Set-Cookie"]
            assert (200, True, True) == (answer.status, "HttpOnly" in cookie, "SameSite=Strict" in cookie)
            assert "no-referrer" == answer.headers["Referrer-Policy"]
        for again in (address, url):
            async with client.get(again) as answer:
                assert 200 == answer.status
        async with aiohttp.ClientSession() as other, other.get(address) as answer:
            assert (403, "Start the wizard again" in await answer.text()) == (answer.status, True)

    visited(visit, let_in=False)


@pytest.mark.parametrize("origin", [None, "http://127.0.0.1:1", "https://127.0.0.1", "null", "http://evil.example"])
def test_a_websocket_without_the_origin_of_its_own_page_is_refused(origin: str | None):
    async def visit(client: aiohttp.ClientSession, url: str) -> None:
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await client.ws_connect(f"{url}/ws", headers={} if origin is None else {"Origin": origin})

    visited(visit)


def test_a_visitor_gets_a_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    command = shlex.join([sys.executable, "-m", "retouch", "wizard", "/a/m_001/x.csv", "/a/m_002/y.csv"])

    async def visit(client: aiohttp.ClientSession, url: str) -> None:
        async with client.ws_connect(f"{url}/ws?width=80&height=24", headers={"Origin": url}) as socket:
            came = b""
            while b"2 of 2 paths complete" not in came:
                message = await asyncio.wait_for(socket.receive(), MOST_S)
                assert aiohttp.WSMsgType.CLOSED != message.type, came
                came += message.data if isinstance(message.data, bytes) else b""
            await socket.send_json(["stdin", "\x03"])  # the wizard is left, and its process ends before the server
            while aiohttp.WSMsgType.CLOSED != (await asyncio.wait_for(socket.receive(), MOST_S)).type:
                pass

    visited(visit, command)


def test_a_port_in_use_is_reported(tmp_path: Path):
    del tmp_path

    async def visit(_client: aiohttp.ClientSession, url: str) -> None:
        with pytest.raises(BadInput, match="cannot be used"):
            serve_on_loopback("true", port=int(url.rpartition(":")[2]), say=str)

    visited(visit)
