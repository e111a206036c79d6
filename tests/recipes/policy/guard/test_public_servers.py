"""The guard before public MCP servers of npm, with the official client and the official conformance suite.

`make conformance-guard` installs them, and runs these tests.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.ports import free_port, until_listening

mcp = pytest.importorskip("mcp")

if TYPE_CHECKING:
    from collections.abc import Generator

SERVERS = os.environ.get("GUARD_SERVERS")
PROGRAMS = Path(SERVERS or ".") / "node_modules" / ".bin"
RETOUCH = str(Path(sys.executable).parent / "retouch")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(SERVERS is None, reason="downloads packages of npm: run it with `make conformance-guard`"),
]
CHECKS = re.compile(r"^[✓✗] (\S+): (\d+) passed, (\d+) failed$", re.MULTILINE)
LEAST_PASSED = 13  # the other scenarios need tools, prompts and resources that this server does not have


def environment() -> dict[str, str]:
    """Return the environment with these programs first: the suite does not start on every version of Node."""
    return {**os.environ, "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"}


def retouch(directory: Path, *words: str) -> str:
    done = subprocess.run(
        [RETOUCH, "policy", *words], cwd=directory, env=environment(), capture_output=True, text=True, check=False
    )
    assert 0 == done.returncode, done.stdout + done.stderr
    return done.stdout


def made_policy(directory: Path, server: str, text: str, *command: str) -> Path:
    """Return a verified policy that is made as a user makes it: describe the tools, write English, generate."""
    retouch(directory, "annotate", "--server", server, "-o", "tools.json", "--", *command)
    (directory / "text.md").write_text(text, encoding="utf-8")
    words = [RETOUCH, "generate", "policy", "text.md", "--tools", "tools.json", "-o", "made", "--yes", "--json"]
    done = subprocess.run(words, cwd=directory, capture_output=True, text=True, check=False)
    assert "verified" == json.loads(done.stdout)["status"], done.stdout + done.stderr
    return directory / "made"


@contextmanager
def over_http(command: str) -> Generator[str]:
    """Serve a stdio server at an address, until the end of the block."""
    port = free_port()
    words = [
        "supergateway",
        "--stdio",
        command,
        "--outputTransport",
        "streamableHttp",
        "--stateful",
        "--port",
        str(port),
    ]
    process = subprocess.Popen(words, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until_listening(port)
        yield f"http://localhost:{port}/mcp"
    finally:
        process.terminate()
        process.wait(30)


def checks_of(directory: Path, command: str) -> dict[str, tuple[int, int]]:
    """Return how many checks of each scenario of the suite passed and failed."""
    with over_http(command) as url:
        done = subprocess.run(
            ["conformance", "server", "--url", url],
            cwd=directory,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=280,
        )
    return {name: (int(passed), int(failed)) for name, passed, failed in CHECKS.findall(done.stdout)}


@pytest.mark.timeout(600)
def test_the_guard_changes_no_result_of_the_conformance_suite(tmp_path: Path) -> None:
    server = str(PROGRAMS / "mcp-server-everything")
    made = made_policy(tmp_path, "everything", "Allow using any tool of everything.\n", server)
    alone = checks_of(tmp_path, server)
    guarded = checks_of(tmp_path, f"{RETOUCH} policy guard --resources --policy {made} -- {server}")
    print(f"{sum(passed for passed, _ in alone.values())} passed, {sum(failed for _, failed in alone.values())} failed")
    assert sum(passed for passed, _ in alone.values()) >= LEAST_PASSED
    assert alone == guarded


@pytest.mark.timeout(600)
def test_the_suite_sees_a_guard_that_denies(tmp_path: Path) -> None:
    server = str(PROGRAMS / "mcp-server-everything")
    made = made_policy(tmp_path, "everything", "Allow using the tool get-sum of everything.\n", server)
    guarded = checks_of(tmp_path, f"{RETOUCH} policy guard --policy {made} -- {server}")
    assert (1, 0) == guarded["ping"]
    assert (0, 1) == guarded["resources-subscribe"]  # not forwarded without --resources


def made_files(root: Path) -> None:
    (root / "private").mkdir(parents=True)
    (root / "a.md").write_text("hello", encoding="utf-8")
    (root / "private" / "key").write_text("secret", encoding="utf-8")
    (root / "link").symlink_to(root / "private" / "key")


def calls_to_files(root: Path) -> list[tuple[str, dict[str, Any], bool]]:
    """Return calls to the filesystem server, and whether it must get them."""
    return [
        ("read_text_file", {"path": f"{root}/private/../a.md"}, True),
        ("read_text_file", {"path": f"{root}/private/key"}, False),
        ("read_text_file", {"path": f"{root}/link"}, False),
        ("read_multiple_files", {"paths": [f"{root}/a.md", f"{root}/private/key"]}, False),
        ("write_file", {"path": f"{root}/b.md", "content": "new"}, True),
        ("write_file", {"path": f"{root}/c.md", "content": "new"}, False),
        ("move_file", {"source": f"{root}/private/key", "destination": f"{root}/key"}, False),
        ("search_files", {"path": str(root), "pattern": "key"}, False),
    ]


def test_the_filesystem_server_gets_the_permitted_calls_and_no_others(tmp_path: Path) -> None:
    root, audit = tmp_path / "files", tmp_path / "audit.jsonl"
    made_files(root)
    command = [str(PROGRAMS / "mcp-server-filesystem"), str(root)]
    text = (
        f"You may read files in {root}.\n\nAsk before writing files in {root}.\n\n"
        f"Never touch anything inside {root}/private.\n"
    )
    made = made_policy(tmp_path, "filesystem", text, *command)
    asked: list[str] = []

    async def answer(_context: Any, params: Any) -> Any:
        asked.append(params.message)
        return mcp.types.ElicitResult(action="accept", content={"allow": "b.md" in params.message})

    async def run() -> list[bool]:
        words = ["policy", "guard", "--policy", str(made), "--audit", str(audit), "--", *command]
        parameters = mcp.StdioServerParameters(command=RETOUCH, args=words)
        async with (
            mcp.stdio_client(parameters) as (read, write),
            mcp.ClientSession(read, write, elicitation_callback=answer) as session,
        ):
            await session.initialize()
            names = {one.name for one in (await session.list_tools()).tools}
            assert {"read_text_file", "write_file"} <= names
            answers = [await session.call_tool(name, arguments) for name, arguments, _ in calls_to_files(root)]
            return [not one.is_error for one in answers]

    assert [wanted for _, _, wanted in calls_to_files(root)] == asyncio.run(run())
    assert 2 == len(asked)
    assert ["a.md", "b.md", "link", "private"] == sorted(one.name for one in root.iterdir())
    rows = [json.loads(line) for line in audit.read_text(encoding="utf-8").splitlines()]
    assert len(calls_to_files(root)) == sum(one["event"] == "decided" for one in rows)
