"""The other end of `forking.py`: commands run in forks of a process that has imported everything."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from pkgutil import walk_packages
from threading import Timer
from typing import TYPE_CHECKING, Any, Self

import retouch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LIMIT_S = 240.0
UNUSED = ("retouch.tui", "retouch.fleet", "retouch.report", "retouch.models.hosted", "retouch.__main__")
NOTING = '''
import hashlib, os
from retouch.engine.recipe import open_model

def open_noted(spec):
    """Any other model; each request is noted in a file before it is answered."""
    inner = open_model(spec.rest, recipe=spec.recipe)

    async def noted(request, *, on_event=None):
        text = "\\0".join((request.system, *(message.text for message in request.messages)))
        place = os.open(os.environ["NOTED"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        os.write(place, f"{hashlib.sha256(text.encode()).hexdigest()}\\n".encode())
        os.close(place)
        if "CLOCKS" in os.environ:
            clocks = os.environ["CLOCKS"].split()
            with open(os.environ["FAKETIME_TIMESTAMP_FILE"], "w") as file:
                file.write(clocks[len(open(os.environ["NOTED"]).read().split()) % len(clocks)])
        return await inner(request, on_event=on_event)

    return noted

def open_told(spec):
    """Answers every request with the text of a file."""
    from pathlib import Path
    from retouch.engine.types import Reply

    async def told(request, *, on_event=None):
        return Reply(text=Path(spec.rest).read_text(), model="told", input_tokens=10, output_tokens=5)

    return told
'''


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a command ended: its exit status (negative for a signal) and what it said."""

    status: int
    out: str
    err: str


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Where a command runs, and what it finds in its environment."""

    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


class Template:
    """Runs commands of Retouch in forks; `side` is a folder for what they say and note, and for the model `noted:`.

    `first` is a directory to import from before all others.
    """

    def __init__(self, side: Path, environment: Mapping[str, str] | None = None, *, first: Path | None = None) -> None:
        self.side = side
        self.noted = side / "noted"
        package = side / "package" / "noted_model-1.0.dist-info"
        package.mkdir(parents=True)
        (package.parent / "noted_model.py").write_text(NOTING)
        (package / "METADATA").write_text("Metadata-Version: 2.1\nName: noted-model\nVersion: 1.0\n")
        models = "noted = noted_model:open_noted\ntold = noted_model:open_told\n"
        (package / "entry_points.txt").write_text(f"[retouch.models]\n{models}")
        plain = {name: value for name, value in os.environ.items() if not name.startswith("RETOUCH_")}
        search = os.pathsep.join(
            [*([str(first)] if first else []), str(package.parent), *plain.get("PYTHONPATH", "").split(os.pathsep)]
        )
        ours = {"PYTHONPATH": search, "NOTED": str(self.noted), "NO_COLOR": "1", "RETOUCH_COMPILER": "none"}
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("forking.py"))],
            env={**plain, **ours, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._order(
            {"imports": [each.name for each in walk_packages(retouch.__path__, "retouch.") if _is_used(each.name)]}
        )
        self._answer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def requests(self) -> list[str]:
        """Return the hashes of all requests that were noted, in order."""
        return self.noted.read_text().split() if self.noted.exists() else []

    def learn(self, words: Sequence[str], setting: Setting) -> Ended:
        """Run a command once and import from now on, before any fork, what it imported."""
        modules = self.side / "modules"
        ended = self.run(words, setting, learn=str(modules))
        self._order({"imports": [name for name in modules.read_text().split() if name != "__main__"]})
        self._answer()
        return ended

    def run(
        self, words: Sequence[str], setting: Setting, *, at_gate: Callable[[int], None] | None = None, **more: Any
    ) -> Ended:
        """Run a command to its end, at most `LIMIT_S` seconds; `at_gate` gets its process id before it begins."""
        out, err = self.side / "out", self.side / "err"
        place = {"folder": str(setting.folder), "environment": dict(setting.environment)}
        self._order({"words": list(words), **place, "out": str(out), "err": str(err), "is_gated": True, **more})
        pid: int = self._answer()["pid"]
        limit = Timer(LIMIT_S, _end, [pid])
        limit.start()
        try:
            if at_gate is not None:
                at_gate(pid)
        finally:
            self._order({})
            status: int = self._answer()["status"]
            limit.cancel()
        return Ended(status=status, out=out.read_text("utf-8", "replace"), err=err.read_text("utf-8", "replace"))

    def _order(self, order: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())


def quick_folder() -> str | None:
    """Return a place in memory for many small files, None where there is none: a sync costs nothing there."""
    place = Path("/dev/shm")
    return str(place) if place.is_dir() and os.access(place, os.W_OK) else None


def _is_used(module: str) -> bool:
    return not module.startswith(UNUSED) and "policy" not in module and "wizard" not in module


def _end(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
