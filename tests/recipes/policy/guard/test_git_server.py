"""The guard before the official git server. To run this, name its program: MCP_SERVER_GIT=.../bin/mcp-server-git."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from retouch.recipes.policy import Policy
from retouch.recipes.policy.annotating.proposing import annotations_of
from retouch.recipes.policy.annotating.servers import tools_of_command
from retouch.recipes.policy.english.compiling import compile_english

SERVER = os.environ.get("MCP_SERVER_GIT") or shutil.which("mcp-server-git")
TEXT = "You may commit. You may use the tools git_status and git_add of git. Never create branches."
_ABOUT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
HELLO: list[Any] = [
    {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": _ABOUT},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


def git(repository: Path, *words: str) -> str:
    names = ("-c", "user.name=Ada", "-c", "user.email=ada@acme.example")
    done = subprocess.run(["git", *names, *words], cwd=repository, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def made_repository(tmp_path: Path) -> Path:
    repository = tmp_path / "repository"
    repository.mkdir()
    git(repository, "init", "-q", "-b", "main")
    git(repository, "config", "user.name", "Ada")
    git(repository, "config", "user.email", "ada@acme.example")
    (repository / "a.md").write_text("hello", encoding="utf-8")
    git(repository, "add", "a.md")
    return repository


@pytest.mark.skipif(
    SERVER is None, reason="the git server is absent: pip install mcp-server-git in its own environment"
)
def test_the_git_server_gets_the_permitted_calls_and_no_others(tmp_path: Path):
    program = str(SERVER)
    repository = made_repository(tmp_path)
    _, listed = tools_of_command((program,))
    value: Any = {"semantics": 3, "home": str(tmp_path), "rules": [], "servers": {}}
    frame = Policy.of_json({**value, "annotations": annotations_of("git", listed)})
    file = tmp_path / "policy.json"
    file.write_text(json.dumps(replace(frame, rules=compile_english(TEXT, frame).rules).as_json()), encoding="utf-8")
    calls = [
        ("git_status", {"repo_path": str(repository)}),
        ("git_commit", {"repo_path": str(repository), "message": "first"}),
        ("git_create_branch", {"repo_path": str(repository), "branch_name": "other"}),
        ("git_reset", {"repo_path": str(repository)}),
    ]
    messages = HELLO + [
        {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        for n, (name, arguments) in enumerate(calls, start=1)
    ]
    retouch = Path(sys.executable).parent / "retouch"
    process = subprocess.Popen(
        [retouch, "policy", "guard", "--unverified", "--policy", file, "--server", "git", "--", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("".join(f"{json.dumps(one)}\n" for one in messages))
    process.stdin.flush()
    found: dict[int, Any] = {}
    while len(found) <= len(calls):
        answer = json.loads(process.stdout.readline())
        found[answer["id"]] = answer
    process.stdin.close()
    process.stdout.close()
    process.wait(30)
    assert [False, False, True, True] == [bool(found[n]["result"].get("isError")) for n in range(1, 5)]
    assert "first" == git(repository, "log", "-1", "--format=%s")
    assert "* main" == git(repository, "branch")
