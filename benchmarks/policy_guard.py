"""CPU time per call of the guard's MCP proxy, and of a proxy that does nothing, in the same run.

    python benchmarks/policy_guard.py [CALLS]

Each stands between this script and a server that echoes, and passes the same calls one after the other. Its own CPU
time is read from /proc, after the first calls. Four proxies decide nothing: one copies bytes, one reads and writes each
line as JSON, one also has the other duties of a proxy (no key twice, JSON-RPC, known methods, one writer at a time),
and one is written with the official SDK.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SERVER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    method, result = message.get("method"), {"content": []}
    if method == "initialize":
        about = {"name": "echo", "version": "1"}
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": about}
    elif method == "tools/list":
        result = {"tools": [{"name": "read_file", "inputSchema": {"type": "object"}}]}
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""
NOTHING = """
import json, subprocess, sys, threading
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def forward():
    for line in sys.stdin.buffer:
        server.stdin.write(json.dumps(json.loads(line), separators=(",", ":")).encode() + b"\\n")
        server.stdin.flush()
    server.stdin.close()
threading.Thread(target=forward, daemon=True).start()
for line in server.stdout:
    sys.stdout.buffer.write(json.dumps(json.loads(line), separators=(",", ":")).encode() + b"\\n")
    sys.stdout.buffer.flush()
"""
RELAY = """
import json, subprocess, sys, threading
KNOWN = {"initialize", "notifications/initialized", "ping", "tools/list"}
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
to_server, to_client = threading.Lock(), threading.Lock()
def once(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found
def send(stream, lock, message):
    data = json.dumps(message, separators=(",", ":")).encode() + b"\\n"
    with lock:
        stream.write(data)
        stream.flush()
def forward():
    for line in sys.stdin.buffer:
        message = json.loads(line, object_pairs_hook=once)
        method, number = message.get("method"), message.get("id")
        if message.get("jsonrpc") != "2.0" or isinstance(number, (dict, list, bool, float)):
            continue
        if method == "tools/call":
            params = message["params"]
            sent = {"name": params["name"], "arguments": dict(params.get("arguments") or {})}
            send(server.stdin, to_server, {"jsonrpc": "2.0", "id": number, "method": method, "params": sent})
        elif method is None or method in KNOWN:
            send(server.stdin, to_server, message)
    server.stdin.close()
threading.Thread(target=forward, daemon=True).start()
for line in server.stdout:
    message = json.loads(line, object_pairs_hook=once)
    if message.get("jsonrpc") == "2.0":
        send(sys.stdout.buffer, to_client, message)
"""
COPY = """
import subprocess, sys, threading
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def forward():
    for line in sys.stdin.buffer:
        server.stdin.write(line)
        server.stdin.flush()
    server.stdin.close()
threading.Thread(target=forward, daemon=True).start()
for line in server.stdout:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
"""
OFFICIAL = """
import sys
import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

async def main():
    async with stdio_client(StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            async def call(context, params):
                return await session.call_tool(params.name, params.arguments)
            server = Server("proxy", on_call_tool=call)
            async with stdio_server() as (mine, theirs):
                await server.run(mine, theirs, server.create_initialization_options())

anyio.run(main)
"""
WARM_UP = 50


_ABOUT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}
HELLO = (
    {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": _ABOUT},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
)


def policy(directory: Path, *, limit: bool) -> Path:
    """Write a policy of 20 rules, with `limit` one more that counts calls."""
    counting: list[Any] = [
        {
            "name": "limit",
            "if": {"tool": ["read_file"], "where": [{"count": "calls", "per": "day", "above": 10**6}]},
            "then": "deny",
        }
    ]
    rules: list[Any] = [
        {"name": f"r{n}", "if": {"paths": {"roles": ["read-path"], "within": f"/data/{n}"}}, "then": "allow"}
        for n in range(20)
    ]
    tools = {"servers": {"fs": {"tools": [{"toolName": "read_file", "args": {"path": ["read-path"]}}]}}}
    value = {"semantics": 3, "home": "/home/ada", "servers": {}, "annotations": tools}
    file = directory / f"policy-{limit}.json"
    file.write_text(json.dumps({**value, "rules": [*(counting if limit else []), *rules]}), encoding="utf-8")
    return file


def cpu_ms_per_call(command: list[str], calls: int) -> float:
    """Return the CPU time of a proxy per call, in milliseconds."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    start = 0.0
    for hello in HELLO:
        process.stdin.write(json.dumps(hello).encode() + b"\n")
        process.stdin.flush()
    process.stdout.readline()
    for number in range(WARM_UP + calls):
        if number == WARM_UP:
            start = _cpu_s(process.pid)
        arguments = {"path": f"/data/{number % 20}/file-{number}"}
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call"}
        line = json.dumps({**message, "params": {"name": "read_file", "arguments": arguments}})
        process.stdin.write(line.encode() + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        assert answer["result"]["content"] == [], answer
        assert not answer["result"].get("isError"), answer
    spent = _cpu_s(process.pid) - start
    process.stdin.close()
    process.wait(30)
    return 1000 * spent / calls


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print the table."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    server = [sys.executable, "-c", SERVER]
    with tempfile.TemporaryDirectory() as found:
        directory = Path(found)
        guard = [str(Path(sys.executable).parent / "retouch"), "policy", "guard", "--unverified", "--policy"]
        commands = {
            "a program that copies lines and parses nothing": [sys.executable, "-c", COPY, *server],
            "a program that reads and writes each line as JSON": [sys.executable, "-c", NOTHING, *server],
            "one that also checks the messages and forwards known ones": [sys.executable, "-c", RELAY, *server],
            "one of the official SDK that does nothing": [sys.executable, "-c", OFFICIAL, *server],
            "the guard": [*guard, str(policy(directory, limit=False)), "--", *server],
            "the guard, with an audit": [
                *guard,
                str(policy(directory, limit=False)),
                "--audit",
                str(directory / "audit"),
                "--",
                *server,
            ],
            "the guard, with a limit": [
                *guard,
                str(policy(directory, limit=True)),
                "--counts",
                str(directory / "counts"),
                "--",
                *server,
            ],
        }
        base = 0.0
        print("| proxy | CPU per call | ratio |\n|---|---|---|")
        for name, command in commands.items():
            spent = cpu_ms_per_call(command, calls)
            base = base or spent
            print(f"| {name} | {spent:.3f} ms | {spent / base:.1f} |")


if __name__ == "__main__":
    main()
