"""Runs of the glossary through both batch APIs of the loopback server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import retouch
from retouch.engine.directory import open_run
from retouch.engine.ledger import read_entries
from retouch.engine.options import Batching
from retouch.models.offline import offline
from retouch.models.providers import open_batches
from retouch.testing import FAULTS, Fault, model_server
from tests.engine.glossary import RECIPE, Glossary, answer, plan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from retouch.engine.overview import RunResult
    from retouch.testing import ModelServer

WORDS = Glossary(units={f"unit/{n} é": tuple(f"w{n}x{i}" for i in range(1 + n % 3)) for n in range(6)})
PAGES = len(list(plan(WORDS)))
QUICK = "?first_poll_s=0.01&max_poll_s=0.02&first_wait_s=0.01&max_wait_s=1"
CLAUDE, GPT = f"anthropic:claude-sonnet-4-6{QUICK}", f"openai:gpt-5-mini{QUICK}"
BOTH = pytest.mark.parametrize("spec", [CLAUDE, GPT], ids=["anthropic", "openai"])
CREATE = {CLAUDE: "POST /v1/messages/batches", GPT: "POST /v1/batches"}
SENDING = Path(__file__).with_name("sending.py")


def serving(**more: Any) -> ModelServer:
    """A server that answers every page of the glossary correctly."""
    return model_server(offline(answer), prompts=list(plan(WORDS)), **more)


class Sent:
    """A run directory that uses a batch API."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.told: list[str] = []
        self.monkeypatch = monkeypatch

    def point(self, server: ModelServer) -> None:
        """Direct the clients to a server."""
        for name, value in server.environment.items():
            self.monkeypatch.setenv(name, value)

    def run(
        self, server: ModelServer, spec: str, *, give_up: bool = False, key: str = "", **batching: Any
    ) -> RunResult:
        """Generate in this process. `key` replaces the server's own."""
        self.point(server)
        for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY") if key else ():
            self.monkeypatch.setenv(variable, key)
        way = retouch.RunOptions(
            batching=Batching(model=open_batches(spec, give_up=give_up), **batching), watch=self._hear
        )
        return retouch.generate(RECIPE, WORDS, self.folder, retouch.open_model(spec), options=way)

    def start(self, server: ModelServer, spec: str) -> subprocess.Popen[bytes]:
        """Generate in a separate process."""
        environment = {**os.environ, **server.environment}
        command = [sys.executable, str(SENDING), str(self.folder), spec]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def notes(self, kind: str) -> list[Mapping[str, Any]]:
        """The data of the ledger's notes of one kind."""
        return [row.data for row in read_entries(self.folder / "ledger.db") if row.kind == f"note:{kind}"]

    @property
    def replies(self) -> int:
        """The number of attempts with a reply."""
        return sum(one.reply is not None for one in open_run(self.folder).history.attempts.values())

    def text(self) -> str:
        return (self.folder / "glossary.txt").read_text("utf-8")

    def _hear(self, event: retouch.Progress) -> None:
        if event.kind == "batch":
            self.told.append(event.text)


@pytest.fixture
def sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sent:
    return Sent(tmp_path / "run", monkeypatch)


@pytest.fixture(scope="session")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of an undisturbed run."""
    folder = tmp_path_factory.mktemp("expected") / "run"
    retouch.generate(RECIPE, WORDS, folder, offline(answer))
    return (folder / "glossary.txt").read_text("utf-8")


def bought(server: ModelServer) -> int:
    """The number of entries paid for in batches, by the server's count, without those of cancelled batches."""
    return sum(len(job.entries) for job in server.batches.values() if not job.cancelled)


def kills(at: Callable[[str, bool], bool], process: list[subprocess.Popen[bytes]]) -> Callable[[str, bool], Any]:
    """Faults that kill the process once, at the call named by `at`, and do not answer it any more."""

    def script(what: str, done: bool) -> Fault | None:
        if not at(what, done) or not process:
            return None
        one = process.pop()
        one.send_signal(signal.SIGKILL)
        one.wait()
        return FAULTS["cut_head"]

    return script
