"""The command line as tests use it: in this process for speed, in a process of its own where that is the point."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import pytest
from click.testing import CliRunner, Result

from retouch.cli.root import command
from retouch.engine.record import recording, write_stored
from retouch.models.offline import offline
from retouch.recipes.csharp.job import recipe
from retouch.testing import ModelServer, model_server
from tests.recipes.chisel.chisel_desk import Desk
from tests.waiting import MOST_S

Retouch = Callable[..., Result]
PETS = Path(__file__).parent / "fixtures" / "pets.yaml"

SLOW_MODEL = """
import asyncio
import os
import time
from retouch.engine.recipe import open_model

def open_slow(spec):
    inner = open_model("offline", recipe=spec.recipe)
    asked = []

    async def slow(request, *, on_event=None):
        asked.append(request)
        end = time.monotonic() + (0 if len(asked) == 1 else float(os.environ["SLOW_S"]))
        if len(asked) > 1:
            open("held", "w").close()
        while time.monotonic() < end and not os.path.exists("go"):
            await asyncio.sleep(0.02)
        return await inner(request, on_event=on_event)

    return slow
"""


NOBODY_READS = ("Traceback", "Exception ignored", "never retrieved", "never awaited", "destroyed but it is pending")


class RetouchProcess(Protocol):
    """Runs the command line in a process of its own, in the test's folder."""

    def __call__(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture(autouse=True)
def work_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new current folder, and no settings from outside."""
    for name in [name for name in os.environ if name.startswith("RETOUCH_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RETOUCH_ASK", "transcript")
    monkeypatch.setenv("RETOUCH_STYLE", "connector")  # the command line is tested with the files of version 1
    monkeypatch.setenv("RETOUCH_COMPILER", "none")  # the compiler has tests of its own; a start of it takes seconds
    return tmp_path


@pytest.fixture
def spec() -> str:
    """The path of a small document, as a word of a command line."""
    return str(PETS)


@pytest.fixture
def point(monkeypatch: pytest.MonkeyPatch) -> Callable[[ModelServer], None]:
    """Send the real clients to a server."""
    pytest.importorskip("pydantic_ai.models")

    def pointed(server: ModelServer) -> None:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)

    return pointed


@pytest.fixture
def retouch() -> Retouch:
    """Run the command line on the words given; `input` is what a person types."""

    def run(*words: str, input: str | None = None) -> Result:  # noqa: A002 - click's word
        return CliRunner().invoke(command, list(words), input=input)

    return run


@pytest.fixture
def retouch_process(tmp_path: Path) -> RetouchProcess:
    """Run the command line in a process of its own."""

    def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "retouch", *words],
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=MOST_S,
            check=False,
        )
        if "RETOUCH_DEBUG" not in environment:  # a traceback is what it is for
            assert [] == [mark for mark in NOBODY_READS if mark in done.stderr], done.stderr
        return done

    return run


@pytest.fixture
def slow_model(tmp_path: Path) -> dict[str, str]:
    """Let a package of someone else offer the model `slow`.

    Every call after the first makes the file `held`, and takes SLOW_S seconds, or until a file `go` is there.
    """
    package = tmp_path / "package"
    (package / "slow_model-1.0.dist-info").mkdir(parents=True)
    (package / "slow_model.py").write_text(SLOW_MODEL)
    (package / "slow_model-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: slow-model\nVersion: 1.0\n"
    )
    (package / "slow_model-1.0.dist-info" / "entry_points.txt").write_text(
        "[retouch.models]\nslow = slow_model:open_slow\n"
    )
    return {"PYTHONPATH": str(package), "SLOW_S": "0"}


@pytest.fixture
def pets(retouch: Retouch, work_folder: Path) -> Path:
    """A clean run of `GET /pets`: one class of two pages, a nested class, an enum."""
    done = retouch("generate", "csharp", str(PETS), "GET /pets", "--compiler", "none")
    assert done.exit_code == 0, done.output
    return work_folder / "output" / "GET_pets"


async def written_by_the_run(folder: Path, files: Mapping[str, str]) -> None:
    """Write JSON files of a run directory as the engine does, with their hashes in the ledger."""
    async with recording(folder) as record:
        write_stored(record, folder, files)


@pytest.fixture
def make_stale() -> Callable[[Path], None]:
    """Leave a new source with old prompts, as a power cut does between the two files of a new plan."""

    def change(folder: Path) -> None:
        ir = json.loads((folder / "ir.json").read_text())
        ir["source"]["types"][0]["description"] = "Changed since."
        asyncio.run(written_by_the_run(folder, {"ir.json": json.dumps(ir)}))

    return change


@pytest.fixture
def desk(work_folder: Path, retouch: Retouch, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The example's unit in the current folder, and the model `told`."""
    found = Desk(work_folder, retouch)
    monkeypatch.setattr(sys, "path", [str(found.package), *sys.path])
    monkeypatch.setenv("XDG_CACHE_HOME", str(work_folder / "cache"))
    return found


def serving(**more: Any) -> ModelServer:
    assert recipe.offline is not None
    return model_server(offline(recipe.offline), **more)
