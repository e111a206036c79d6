"""`retouch mcp` as agents see it: the official client over standard input and output, and the conformance package."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import mcp
from tests.ports import free_port, until_listening

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

TOOLS = ["check_edits", "apply_edits", "undo", "locate", "runs", "show_run", "explain_unit", "validate_run"]
READING = {"check_edits", "locate", "runs", "show_run", "explain_unit", "validate_run"}
REPLY = "a.py\n```\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n"


def with_client(root: Path, work: Callable[[Any], Awaitable[None]]) -> None:
    async def run() -> None:
        words = ["-m", "retouch", "mcp", "--root", str(root)]
        parameters = mcp.StdioServerParameters(command=sys.executable, args=words)
        async with mcp.stdio_client(parameters) as (read, write), mcp.ClientSession(read, write) as session:
            await session.initialize()
            await work(session)

    asyncio.run(run())


@pytest.mark.slow
def test_the_official_client_uses_every_tool(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")

    async def work(session: Any) -> None:
        listed = (await session.list_tools()).tools
        assert TOOLS == [one.name for one in listed]
        assert READING == {one.name for one in listed if one.annotations.read_only_hint}
        assert all(one.description and one.input_schema["type"] == "object" for one in listed)

        checked = await session.call_tool("check_edits", {"reply": REPLY})
        assert (False, "applied") == (checked.is_error, checked.structured_content["outcome"])
        applied = await session.call_tool("apply_edits", {"reply": REPLY})
        assert "x = 2\n" == (tmp_path / "a.py").read_text()
        undone = await session.call_tool("undo", {"change": applied.structured_content["change"]})
        assert {"undone": ["a.py"]} == undone.structured_content
        assert {"runs": [], "more": False} == (await session.call_tool("runs", {})).structured_content
        diff = "--- a/M.sv\n+++ b/M.sv\n@@ -1 +1 @@\n-assign a = b;\n+assign a = c;\n"
        assert (await session.call_tool("locate", {"diff": diff})).structured_content["candidates"] == []
        for name, more in (("show_run", {}), ("explain_unit", {"unit": "a"}), ("validate_run", {})):
            refused = await session.call_tool(name, {"run": "../else", **more})
            assert (True, True) == (refused.is_error, "is not inside" in refused.content[0].text)
        wrong = await session.call_tool("apply_edits", {"reply": 7})
        assert True is wrong.is_error

    with_client(tmp_path, work)


SERVE = """
import sys
from pathlib import Path
from pathlib import Path
from retouch.mcp import AgentTools
from retouch.mcp.places import AllowedRoots
from retouch.mcp.server import server_of

server_of(AgentTools(roots=AllowedRoots.of([Path(sys.argv[1])]))).run("streamable-http", port=int(sys.argv[2]))
"""
SCENARIOS = ("server-initialize", "ping", "tools-list")
PACKAGES = ("-p", "node@22", "-p", "@modelcontextprotocol/conformance@0.1.16")


@pytest.mark.slow
def test_the_conformance_package_finds_no_failure(tmp_path: Path) -> None:
    if shutil.which("npx") is None:
        pytest.skip("needs npm (Node.js): the conformance package is one of npm's")
    if not os.environ.get("CONFORMANCE"):
        pytest.skip("downloads packages of npm: run it with `make conformance`")
    port = free_port()
    server = subprocess.Popen([sys.executable, "-c", SERVE, str(tmp_path), str(port)], stderr=subprocess.DEVNULL)
    try:
        until_listening(port)
        for name in SCENARIOS:
            url = f"http://127.0.0.1:{port}/mcp"
            words = ["npx", "--yes", *PACKAGES, "conformance", "server", "--url", url, "--scenario", name]
            done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=240)
            assert 0 == done.returncode, done.stdout + done.stderr
            assert "Passed" in done.stdout + done.stderr
    finally:
        server.kill()
        server.wait()
