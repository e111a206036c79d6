"""An MCP server over a directory of notes, by the official SDK; it writes down every call that reaches it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from mcp.server import MCPServer

ROOT, SEEN = Path(sys.argv[1]), Path(sys.argv[2])
server = MCPServer("notes")


def seen(tool: str, **arguments: object) -> None:
    """Write down a call."""
    with SEEN.open("a", encoding="utf-8") as file:
        file.write(json.dumps([tool, arguments]) + "\n")


@server.tool()
def read_file(path: str) -> str:
    """Read a file."""
    seen("read_file", path=path)
    return Path(path).read_text(encoding="utf-8")


@server.tool()
def write_file(path: str, content: str) -> str:
    """Write a file."""
    seen("write_file", path=path, content=content)
    Path(path).write_text(content, encoding="utf-8")
    return "written"


@server.tool()
def delete_file(path: str) -> str:
    """Delete a file."""
    seen("delete_file", path=path)
    Path(path).unlink()
    return "deleted"


@server.tool()
def bash(command: str) -> str:
    """Run a command; the policy does not know this tool."""
    seen("bash", command=command)
    return "ran"


@server.resource("notes://all")
def everything() -> str:
    """All notes, around every tool."""
    seen("resource")
    return "".join(one.read_text(encoding="utf-8") for one in ROOT.glob("*"))


server.run()
