"""The cost of a sandbox and its isolation: a start, a call in a batch, memory, and every attack in the tests' table."""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from retouch.sandbox.cpython.engine import cpython_engine, own_python
from retouch.sandbox.cpython.modules import MODULES
from retouch.sandbox.monty.engine import monty_engine
from retouch.sandbox.values import Limits, SandboxJob
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from retouch.sandbox.values import Engine

PROJECT = Path(__file__).resolve().parent.parent
ENGINES: dict[str, tuple[str, Callable[[], Engine]]] = {
    "monty": ("Monty in bubblewrap", lambda: monty_engine("bubblewrap")),
    "monty-bare": ("Monty", lambda: monty_engine("quiet")),
    "cpython": ("locked CPython in bubblewrap", lambda: cpython_engine(bubbled=True)),
    "cpython-bare": ("locked CPython", lambda: cpython_engine(bubbled=False)),
}
CODE = """
import re
PATTERN = re.compile(r"(?P<client>[a-z]+)/(?P<year>[0-9]{4})-Q(?P<quarter>[1-4])/(?P<name>[^/]+)[.]csv$")
FIRST = {"1": 1, "2": 4, "3": 7, "4": 10}
def extract(path):
    found = PATTERN.search(path)
    if not found:
        return {}
    return {**found.groupdict(), "first_month": FIRST[found.group("quarter")]}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--paths", type=int, default=20_000)
    parser.add_argument("--only", choices=[*ENGINES], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(measured(arguments.only, arguments.rounds, arguments.paths)))
        return
    announce("Sandboxes")
    print(f"Wall time; {arguments.paths:,} paths in one run, {arguments.rounds} starts. Attacks seen from outside.\n")
    heads = (
        "engine",
        "start ms, least",
        "start ms, median",
        "next run ms",
        "CPU ms a run",
        "µs a path",
        "its memory MB",
    )
    print(table((*heads, "attacks", "breaches"), rows(arguments.rounds, arguments.paths)))


def rows(rounds: int, paths: int) -> Iterator[list[object]]:
    for name, (title, find) in ENGINES.items():
        if reason := find().reason:
            yield [f"{title}: {reason}"]
            continue
        command = [sys.executable, __file__, "--only", name, "--rounds", str(rounds), "--paths", str(paths)]
        found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        yield [title, *found, *attacked(name)]
    least, middle = imports_ms(rounds)
    yield ["plain Python, same imports", least, middle, "", "", "", "", *attacked("plain")]


def measured(name: str, rounds: int, paths: int) -> list[float]:
    """Return the least and the median start, a further run, CPU of either, the cost of a path, a worker's memory."""
    engine = ENGINES[name][1]()
    one = SandboxJob(code=CODE, function="extract", arguments=["data/acme/2021-Q3/sales.csv"])
    starts: list[float] = []
    nexts: list[float] = []
    used = cpu_s()
    for _ in range(rounds):
        began = time.perf_counter()
        with opened(engine) as run:
            assert 7 == run(one).outcomes[0].value["first_month"]
            starts.append(1e3 * (time.perf_counter() - began))
            began = time.perf_counter()
            run(one)
            nexts.append(1e3 * (time.perf_counter() - began))
    used = 1e3 * (cpu_s() - used) / (2 * rounds)
    many = SandboxJob(
        code=CODE, function="extract", arguments=[f"data/acme/2021-Q3/sales{n}.csv" for n in range(paths)]
    )
    with opened(engine) as run:
        began = time.perf_counter()
        assert {7} == {outcome.value["first_month"] for outcome in run(many).outcomes}
        whole_s = time.perf_counter() - began
    most_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return [min(starts), median(starts), median(nexts), used, 1e6 * whole_s / paths, most_mb]


def cpu_s() -> float:
    """Return the CPU time of this process and of its finished child processes."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def imports_ms(rounds: int) -> tuple[float, float]:
    """Return the least and the median start of plain Python with the modules that the locked one imports."""
    code = f"import ctypes, json, resource, {', '.join(MODULES)}"
    times: list[float] = []
    for _ in range(rounds):
        began = time.perf_counter()
        subprocess.run([own_python(), "-I", "-S", "-B", "-c", code], check=True)
        times.append(1e3 * (time.perf_counter() - began))
    return min(times), median(times)


def opened(engine: Engine) -> Any:
    assert engine.open is not None
    return engine.open(Limits())


def attacked(name: str) -> list[int]:
    """Return the number of attacks, and of those that succeeded."""
    groups = "answer,flood,forge,interpreter,kernel,memory,network,parent,process,read,signal,terminal,time,write"
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.sandbox.victim", name, folder, groups]
        environment = {**os.environ, "CANARY": "canary-of-the-benchmark"}
        ended = subprocess.run(
            command, cwd=PROJECT, env=environment, capture_output=True, text=True, start_new_session=True, check=True
        )
    reports = [json.loads(line) for line in ended.stdout.splitlines()]
    return [len(reports), sum(bool(report["breaches"]) for report in reports)]


if __name__ == "__main__":
    main()
