"""The share of the ideal time that a fleet reaches with many calls at once: calls of 2 s, 256 at once for each worker.

    python benchmarks/fleet_load.py [--workers 1 2] [--waves 16] [--seconds 2]

The server is a process of its own on loopback, with no limit. Each worker has `--waves` times 256 records, so the ideal
time is one call for each wave. `--at-once` shards overlap in a worker: the next one begins while the last calls of
another are in flight. CPU seconds are those of the command and its workers, without the server.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from fleet_rates import RETOUCH, fleet_command, http
from processes import taken
from tables import announce, table

AT_ONCE = 256


async def _serve_one(seconds: float, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    message = {"role": "assistant", "content": json.dumps({"name": "a", "quantity": 1})}
    usage = {"prompt_tokens": 50, "completion_tokens": 10, "total_tokens": 60}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    base = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
    answer = http("200 OK", {**base, "choices": [choice], "usage": usage})
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0]))
            await asyncio.sleep(seconds)
            writer.write(answer)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def serve(port: Any, seconds: float) -> None:
    """Serve until the process is ended."""

    async def forever() -> None:
        server = await asyncio.start_server(partial(_serve_one, seconds), "127.0.0.1", 0, backlog=4_096)
        port.value = server.sockets[0].getsockname()[1]
        await server.serve_forever()

    asyncio.run(forever())


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--waves", type=int, default=16)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=2.0, help="The duration of a call.")
    given = parser.parse_args()
    os.environ["OPENAI_API_KEY"] = "none"
    rows = [_row(workers, given.waves, given.at_once, given.seconds) for workers in given.workers]
    announce(f"fleet: calls of {given.seconds:g} s, 256 at once for each worker")
    heads = ["worker processes", "calls", "s", "ideal s", "share of ideal", "CPU s", "CPU ms per call", "load"]
    print(table(heads, rows))


def _row(workers: int, waves: int, at_once: int, seconds: float) -> list[Any]:
    context = multiprocessing.get_context("spawn")
    port = context.Value("i", 0)
    server = context.Process(target=serve, args=(port, seconds), daemon=True)
    server.start()
    while not port.value:
        time.sleep(0.02)
    records = AT_ONCE * waves * workers
    try:
        with tempfile.TemporaryDirectory() as name:
            settings = {"workers": workers, "at-once": at_once, "shard-size": AT_ONCE, "concurrency": AT_ONCE}
            found = taken([RETOUCH, *fleet_command(Path(name), records, port.value, settings)])
    finally:
        server.kill()
        server.join()
    if found.status or "verified" not in found.output_end:
        raise SystemExit(found.output_end)
    ideal, cpu = waves * seconds, found.cpu_s
    share, load = f"{ideal / found.seconds:.0%}", f"{os.getloadavg()[0]:.0f}"
    times = [f"{found.seconds:.1f}", f"{ideal:.0f}", share, f"{cpu:.1f}", f"{cpu / records * 1e3:.2f}"]
    return [workers, records, *times, load]


if __name__ == "__main__":
    main()
