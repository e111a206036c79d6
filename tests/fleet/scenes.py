"""A fleet in processes of its own, and a server on this machine that answers and counts every call."""

from __future__ import annotations

import asyncio
import json
import math
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import psutil

from tests.waiting import MOST_S, wait_until

if TYPE_CHECKING:
    from types import TracebackType

PROJECT = Path(__file__).resolve().parents[2]


class CountingServer:
    """Answers each line with a JSON object after a delay. `calls` are the lines, oldest first.

    Only the first `answers` calls are answered; the others wait until a test sets a higher number. So what a test does
    to a worker comes while calls are in flight, however slow or fast the machine is.
    """

    def __init__(self, delay_s: float = 0.05, *, answers: float = math.inf) -> None:
        self.calls: list[str] = []
        self.answers = answers
        self.port = 0
        self._delay_s = delay_s
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="counting server", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(MOST_S)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._answer, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        for one in asyncio.all_tasks(self._loop):
            one.cancel()
        self._loop.run_until_complete(asyncio.sleep(0.01))

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        name = (await reader.readline()).decode().strip()
        if name:
            self.calls.append(name)
            number = len(self.calls)
            await asyncio.sleep(self._delay_s)
            while number > self.answers:  # noqa: ASYNC110 - another thread sets it
                await asyncio.sleep(0.01)
            writer.write(json.dumps({"name": name}).encode() + b"\n")
        writer.close()


@dataclass(kw_only=True)
class FleetScene:
    """A fleet in a directory, and the processes that work on it. `settings` are those of `retouch.fleet.run`."""

    directory: Path
    server: CountingServer
    settings: dict[str, Any]
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list["subprocess.Popen[bytes]"])

    @property
    def fleet(self) -> Path:
        return self.directory / "fleet"

    def start(self, **more: Any) -> subprocess.Popen[bytes]:
        """Start the program that runs the fleet, or continues it."""
        settings = json.dumps({"records": 60, **self.settings, **more})
        command = [sys.executable, "-m", "tests.fleet.program", str(self.server.port), str(self.fleet), settings]
        process = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.processes.append(process)
        return process

    def finish(self, process: subprocess.Popen[bytes] | None = None, **more: Any) -> dict[str, Any]:
        """Wait for a program, or run it once more, and return what it printed."""
        out, error = (process or self.start(**more)).communicate(timeout=MOST_S)
        assert out, error.decode()
        return json.loads(out)

    def workers(self) -> list[int]:
        """Return the processes of workers that are alive."""
        found: list[int] = []
        for place in (self.fleet / "status").glob("*.json"):
            data = json.loads(place.read_bytes())
            if data["state"] == "running" and psutil.pid_exists(data["pid"]):
                found.append(data["pid"])
        return sorted(found)

    def hold_after(self, answers: int) -> None:
        """Let the server give so many answers in all, and wait until a further call is in flight."""
        self.server.answers = answers
        wait_until(lambda: len(self.server.calls) > answers, seen=lambda: f"{len(self.server.calls)} calls")

    def let_go(self) -> None:
        """Let the server answer every call."""
        self.server.answers = math.inf

    def takeovers(self) -> int:
        """Return how often a worker has got a shard that another one had not released."""
        names = [place.name for place in (self.fleet / "claims").glob("*/e*")]
        released = sum(name.endswith(".released") for name in names)
        return len(names) - 2 * released - len([*(self.fleet / "commits").glob("*.json")])

    def exported(self) -> list[dict[str, Any]]:
        """Return the records of the fleet, by key."""
        found: list[dict[str, Any]] = []
        for place in sorted((self.fleet / "commits").glob("*.json")):
            (name,) = json.loads(place.read_bytes())["files"]
            found += [json.loads(line) for line in (self.fleet / name).read_text().splitlines()]
        return found

    def close(self) -> None:
        """End what is left of the programs and their workers."""
        for one in self.workers():
            with_signal(one, signal.SIGKILL)
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.communicate()


def with_signal(pid: int, number: int) -> None:
    """Send a signal to a process that may have ended."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
