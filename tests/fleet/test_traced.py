"""The spans of worker processes are in the trace of their command, and that in the trace of TRACEPARENT."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jsonschema_rs")
pytestmark = [pytest.mark.concurrency]
PROJECT = Path(__file__).resolve().parents[2]
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PETS = PROJECT / "tests" / "cli" / "fixtures" / "pets.yaml"


def ended(command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command that must succeed."""
    done = subprocess.run(
        command, cwd=PROJECT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert 0 == done.returncode, done.stderr
    return done


@pytest.mark.slow
def test_the_spans_of_workers_are_below_the_span_of_their_command(tmp_path: Path) -> None:
    parent = f"00-{TRACE}-{SPAN}-01"
    ended([sys.executable, "-m", "tests.fleet.traced", str(tmp_path)], TRACEPARENT=parent)
    spans: list[dict[str, Any]] = [json.loads(line) for line in (tmp_path / "spans.jsonl").read_text().splitlines()]
    assert {int(TRACE, 16)} == {one["trace"] for one in spans}
    (root,) = [one for one in spans if one["name"] == "invoke_workflow many"]
    assert int(SPAN, 16) == root["parent"]
    shards = [one for one in spans if one["name"].startswith("invoke_workflow shard ")]
    assert [f"invoke_workflow shard {one:05}" for one in range(4)] == sorted(one["name"] for one in shards)
    assert {root["id"]} == {one["parent"] for one in shards}
    assert root["pid"] not in {one["pid"] for one in shards}
    known = {one["id"]: one for one in spans}
    chats = [one for one in spans if one["name"].startswith("chat ")]
    assert 4 <= len(chats)
    assert {"unit"} == {known[one["parent"]]["name"].partition(" ")[0] for one in chats}
    assert len(spans) == len(known)


@pytest.mark.slow
def test_the_first_answers_of_worker_processes_are_in_the_trace_of_the_command(tmp_path: Path) -> None:
    arguments = ["generate", "csharp", str(PETS), "GET /pets", "--workers", "2", "--compiler", "none", "--quiet"]
    done = ended(
        [sys.executable, "-m", "retouch", *arguments, "-o", str(tmp_path / "run")],
        RETOUCH_TRACE="console",
    )
    assert '"name": "invoke_workflow shard 00000"' in done.stderr
    traces = {line.strip() for line in done.stderr.splitlines() if '"trace_id"' in line}
    assert 1 == len(traces)
    assert 2 == done.stderr.count('"name": "invoke_workflow retouch generate csharp"')  # of all, and of its own process


@pytest.mark.slow
def test_the_runs_of_many_endpoints_are_in_one_trace(tmp_path: Path) -> None:
    arguments = ["generate", "csharp", str(PETS), "--all", "--style", "connector", "--compiler", "none", "--quiet"]
    command = [sys.executable, "-m", "retouch", *arguments, "-o", str(tmp_path / "runs")]
    done = ended(command, RETOUCH_TRACE="console")
    assert 1 == done.stderr.count('"name": "invoke_workflow retouch generate csharp"')
    assert 1 < done.stderr.count('"name": "invoke_workflow shard ')
    assert 1 == len({line.strip() for line in done.stderr.splitlines() if '"trace_id"' in line})
