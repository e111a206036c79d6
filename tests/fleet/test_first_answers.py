"""`--workers N` of a command that makes one run: processes request the first answers, and the run stays as it is."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from retouch.cli.root import command as root
from retouch.engine.batches import WORKERS
from retouch.engine.directory import open_run
from retouch.engine.ledger import LEDGER
from retouch.fleet.first_answers import cost_elsewhere
from retouch.models.spending import spent_in
from retouch.recipes.csharp.job import recipe
from tests.fleet.chat_server import ChatServer
from tests.fleet.scenes import PROJECT, with_signal
from tests.waiting import wait_until

pytestmark = [pytest.mark.concurrency, pytest.mark.skipif(sys.platform == "win32", reason="signals are sent")]
ENDPOINTS, AT_ONCE = 16, 4


@pytest.fixture
def document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An OpenAPI document with as many types as endpoints."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    text = {"type": "string"}
    paths: dict[str, Any] = {}
    for one in range(ENDPOINTS):
        schema = {"type": "object", "title": f"Thing{one}", "properties": {f"own{one}": text, "name": text}}
        content = {"application/json": {"schema": schema}}
        paths[f"/a{one}"] = {"get": {"responses": {"200": {"description": "ok", "content": content}}}}
    place = tmp_path / "shop.json"
    place.write_text(json.dumps({"openapi": "3.0.3", "info": {"title": "Shop", "version": "1"}, "paths": paths}))
    return place


def words(document: Path, server: ChatServer, output: str, *more: str) -> list[str]:
    """Return the arguments of the command."""
    return [
        *("generate", "csharp", str(document), "--all", "--ask", "transcript", "--compiler", "none", "--quiet"),
        *("--model", server.spec, "--concurrency", str(AT_ONCE), "--max-output-tokens", "60"),
        *("-o", str(document.parent / output), *more),
    ]


def run_command(arguments: list[str]) -> tuple[int, dict[str, Any]]:
    """Run the command with --json in this process, and return its exit status and what it printed."""
    ended = CliRunner().invoke(root, [*arguments, "--json"])
    assert ended.stdout, (ended.stderr, ended.exception)
    return ended.exit_code, json.loads(ended.stdout)


def started(arguments: list[str]) -> subprocess.Popen[bytes]:
    """Start the command as a process, whose replies in flight get a minute after Ctrl-C."""
    command = [sys.executable, "-m", "tests.patient", "60", *arguments]
    return subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def workers_of(run: Path) -> list[int]:
    """Return the processes of workers that are alive."""
    found: list[int] = []
    for place in (run / WORKERS).glob(".fleet-*/status/*.json"):
        with suppress(OSError, ValueError):
            data = json.loads(place.read_bytes())
            if data["state"] == "running":
                found.append(data["pid"])
    return sorted(found)


def kill_a_worker(server: ChatServer, run: Path) -> None:
    """Kill a worker of the run while it, or another one, waits for the reply to its request."""
    server.hold_after(0)  # the limit allows few at once
    with_signal(wait_until(lambda: workers_of(run))[0], signal.SIGKILL)
    server.let_go()


def answered_one_by_one(process: subprocess.Popen[bytes], server: ChatServer, answers: int) -> bytes:
    """Give one further answer each second until the process has ended, and return what it has reported."""
    while True:
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=1.0)[1]
        answers += 1
        server.allow(answers)


@pytest.mark.slow
@pytest.mark.parametrize("style", ["plain", "connector"])
def test_many_endpoints_are_the_same_with_two_workers(style: str, document: Path) -> None:
    with ChatServer(recipe.offline) as server:
        one = run_command(words(document, server, "one", "--style", style))
        calls = len(server.calls)
        two = run_command(words(document, server, "two", "--style", style, "--workers", "2"))
        assert [(0, ENDPOINTS)] * 2 == [(status, found["calls"]) for status, found in (one, two)]
        assert sorted(server.calls[:calls]) == sorted(server.calls[calls:])
        own = {path.relative_to(document.parent / "one") for path in (document.parent / "one").rglob("*.cs")}
        for path in own:
            assert (document.parent / "one" / path).read_text() == (document.parent / "two" / path).read_text()
        assert own
        assert not list((document.parent / "two").rglob("*.db-workers"))
        again = run_command(words(document, server, "two", "--style", style, "--workers", "2"))
        assert (0, 0, 2 * calls) == (again[0], again[1]["calls"], len(server.calls))


@pytest.mark.slow
def test_the_limit_holds_over_a_killed_worker_and_three_commands(document: Path) -> None:
    limit = 1.5
    run = document.parent / "run"
    with ChatServer(recipe.offline, answers=0) as server:
        arguments = words(document, server, "run", "--workers", "2", "--max-cost", str(limit))
        killer = threading.Thread(target=kill_a_worker, args=(server, run))
        killer.start()
        for _ in range(3):
            assert 3 == run_command(arguments)[0]
            killer.join()
            known = spent_in(open_run(run).history) + cost_elsewhere(run)
            assert server.paid_usd <= known + 1e-9
            assert known <= limit + 1e-9
        assert 0 < len(server.calls) < ENDPOINTS
        status, found = run_command(words(document, server, "run", "--workers", "2", "--max-cost", "1000"))
        assert (0, "unverified") == (status, found["status"])
        assert ENDPOINTS == len({*server.calls})


@pytest.mark.slow
def test_a_killed_command_is_continued_and_pays_at_most_its_calls_in_flight_again(document: Path) -> None:
    run = document.parent / "run"
    with ChatServer(recipe.offline, answers=0) as server:
        arguments = words(document, server, "run", "--workers", "2")
        process = started(arguments)
        server.hold_after(6)
        alive = workers_of(run)
        for one in (process.pid, *alive):  # workers that live on would wait a minute for the replies in flight
            os.kill(one, signal.SIGKILL)
        process.communicate()
        server.let_go()
        wait_until(lambda: not [one for one in alive if Path(f"/proc/{one}").exists()])
        status, found = run_command(arguments)
        assert (0, "unverified") == (status, found["status"])
        assert ENDPOINTS == len({*server.calls})
        assert len(server.calls) <= ENDPOINTS + AT_ONCE
        assert ["Shop.cs"] == [one for one in found["project"]["files"] if one.endswith(".cs")]
        assert not (run / WORKERS).exists() or cost_elsewhere(run) > 0
        assert (run / LEDGER).exists()


@pytest.mark.slow
def test_ctrl_c_ends_the_workers_and_keeps_the_replies_in_flight(document: Path) -> None:
    run = document.parent / "run"
    with ChatServer(recipe.offline, answers=0) as server:
        arguments = words(document, server, "run", "--workers", "2")
        process = started(arguments)
        server.hold_after(3)
        alive = workers_of(run)
        process.send_signal(signal.SIGINT)
        errors = answered_one_by_one(process, server, 3)
        server.let_go()
        assert (130, True) == (process.returncode, b"Every answer that arrived is kept" in errors)
        assert [] == [one for one in alive if Path(f"/proc/{one}").exists()]
        assert len(server.calls) < ENDPOINTS
        assert 0 == run_command(arguments)[0]
        assert sorted({*server.calls}) == sorted(server.calls)
        assert ENDPOINTS == len(server.calls)


def test_files_that_are_edited_one_by_one_are_written_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = [f"m{one}.py" for one in range(20)]
    for name in names:
        Path(name).write_text("old = 1\n")
    arguments = [
        "generate",
        "edit",
        "--files",
        "*.py",
        "--request",
        'replace "old" with "new"',
        "--per-file",
        "-o",
        "run",
    ]
    check = f"{sys.executable} -c \"import glob; assert not [p for p in glob.glob('*.py') if 'old' in open(p).read()]\""
    status, found = run_command([*arguments, "--workers", "2", "--check", check])
    assert (0, sorted(names)) == (status, sorted(found["applied"]))
    assert {"new = 1\n"} == {Path(name).read_text() for name in names}
    assert 20 == found["calls"]
    assert not (tmp_path / "run" / WORKERS).exists()
