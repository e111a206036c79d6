"""PyPI's independent `llmock` breaks connections and checks our retries."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from retouch import open_model
from retouch.errors import ModelError, TransportError
from tests.models.hosted.conftest import CLAUDE, GEMINI, GPT, asking
from tests.ports import free_port, until_listening
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from collections.abc import Generator

pytestmark = pytest.mark.slow
EACH = pytest.mark.parametrize("spec", [CLAUDE, GPT, GEMINI])
MENDED: dict[str, dict[str, Any]] = {
    "429": {"type": "fail", "status": 429, "times": 3},
    "429 with Retry-After": {"type": "fail", "status": 429, "retry_after": 1, "times": 2},
    "503 with Retry-After": {"type": "fail", "status": 503, "retry_after": 1, "times": 1},
    "500": {"type": "fail", "status": 500, "times": 3},
    "529": {"type": "fail", "status": 529, "times": 3},
    "disconnect": {"type": "stream_fault", "kind": "disconnect", "after_chunks": 2, "times": 1},
    "truncate": {"type": "stream_fault", "kind": "truncate", "after_chunks": 2, "times": 1},
    "stall": {"type": "stream_fault", "kind": "stall", "after_chunks": 2, "stall_seconds": 30, "times": 1},
}


class Judge:
    """A running llmock."""

    def __init__(self, url: str) -> None:
        self.url = url

    def call(self, path: str, body: Any = None) -> Any:
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(f"{self.url}/_llmock/{path}", data=data, method="POST" if data else "GET")
        request.add_header("content-type", "application/json")
        with urllib.request.urlopen(request, timeout=MOST_S) as answer:
            return json.loads(answer.read() or b"{}")


def program() -> str:
    """Return the path of llmock beside this Python or on the PATH."""
    beside = Path(sys.executable).with_name("llmock")
    found = str(beside) if beside.exists() else shutil.which("llmock")
    if found is None:
        pytest.skip("needs the outside judge: pip install llmock, in any environment on the PATH")
    return found


@pytest.fixture(scope="module")
def running() -> Generator[Judge]:
    port = free_port()
    command = [program(), "serve", "--port", str(port), "--host", "127.0.0.1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        judge = Judge(f"http://127.0.0.1:{port}")
        until_listening(port)
        judge.call("verdict")
        yield judge
        server.terminate()


@pytest.fixture
def judge(running: Judge, monkeypatch: pytest.MonkeyPatch) -> Judge:
    running.call("reset", {})
    addresses = {"ANTHROPIC": "/anthropic", "OPENAI": "/v1", "GOOGLE_GEMINI": "/gemini"}
    for name, path in addresses.items():
        monkeypatch.setenv(f"{name}_BASE_URL", running.url + path)
    for name in ("ANTHROPIC", "OPENAI", "GOOGLE"):
        monkeypatch.setenv(f"{name}_API_KEY", "loopback")
    return running


def ask(spec: str) -> str:
    model = open_model(f"{spec}?first_wait_s=0.3&idle_s=1.5&tries=5")
    return asyncio.run(model(asking())).text


@pytest.mark.slow
@EACH
@pytest.mark.parametrize("name", MENDED)
def test_the_judge_finds_nothing_when_a_passing_fault_is_mended(judge: Judge, spec: str, name: str):
    judge.call("scenario", {"behaviors": [MENDED[name]]})
    assert ask(spec)
    verdict = judge.call("verdict")
    assert [] == verdict["findings"], verdict


@EACH
def test_the_judge_forgives_what_is_done_about_a_chunk_that_is_not_json(judge: Judge, spec: str):
    """Anthropic's own client skips an event without a name, and no code above it can see that."""
    fault = {"type": "stream_fault", "kind": "malformed", "after_chunks": 4, "times": 1}
    judge.call("scenario", {"behaviors": [fault]})
    assert ask(spec)
    assert judge.call("verdict")["passed"]


@pytest.mark.slow
@EACH
@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_the_judge_sees_no_second_try_of_what_cannot_help(judge: Judge, spec: str, status: int):
    judge.call("scenario", {"behaviors": [{"type": "fail", "status": status, "times": None}]})
    with pytest.raises(ModelError):
        ask(spec)
    verdict = judge.call("verdict")
    assert [] == verdict["findings"], verdict
    assert 1 == len(judge.call("requests")["requests"])


@pytest.mark.slow
@EACH
def test_the_judge_sees_no_storm_while_the_provider_is_down(judge: Judge, spec: str):
    judge.call("scenario", {"behaviors": [{"type": "fail", "status": 503, "times": None}]})
    with pytest.raises(TransportError, match=re.escape(spec)):
        ask(spec)
    verdict = judge.call("verdict")
    assert [] == [one for one in verdict["findings"] if one.get("rule") == "retry_storm"], verdict
    assert 5 == len(judge.call("requests")["requests"])
