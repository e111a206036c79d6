"""Refusals (429) per call with 1, 2 and 4 worker processes, against a server that bears 60 calls a second.

    python benchmarks/fleet_rates.py [--records 700] [--workers 1 2 4]

The server is a process of its own on loopback. It answers after half a second, and refuses at once what is beyond its
rate, without saying when to come again. `retouch fleet run extract` sends the calls, with no rate of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from processes import taken
from retouch.fleet.rates import FleetRates
from retouch.fleet.worker import RATES
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Mapping

RATE, SECONDS = 60.0, 0.5
RETOUCH = str(Path(sys.executable).with_name("retouch"))


class Bucket:
    """The server's limit: `RATE` calls a second, with a burst of one second. It counts what it answers and refuses."""

    def __init__(self, answered: Any, refused: Any) -> None:
        self.answered, self.refused = answered, refused
        self._left, self._at = RATE, time.monotonic()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                await reader.readexactly(length)
                writer.write(await self._response())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def _response(self) -> bytes:
        now = time.monotonic()
        self._left, self._at = min(RATE, self._left + (now - self._at) * RATE), now
        if self._left < 1:
            self.refused.value += 1
            return http("429 Too Many Requests", {"error": {"message": "too many requests", "type": "rate_limit"}})
        self._left -= 1
        self.answered.value += 1
        await asyncio.sleep(SECONDS)
        message = {"role": "assistant", "content": json.dumps({"name": "a", "quantity": 1})}
        usage = {"prompt_tokens": 50, "completion_tokens": 10, "total_tokens": 60}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        base = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
        return http("200 OK", {**base, "choices": [choice], "usage": usage})


def http(status: str, body: Any) -> bytes:
    """Return a response as bytes."""
    data = json.dumps(body).encode()
    return f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n".encode() + data


def serve(port: Any, answered: Any, refused: Any) -> None:
    """Serve until the process is ended."""

    async def forever() -> None:
        server = await asyncio.start_server(Bucket(answered, refused).handle, "127.0.0.1", 0, backlog=1_024)
        port.value = server.sockets[0].getsockname()[1]
        await server.serve_forever()

    asyncio.run(forever())


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=700)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    given = parser.parse_args()
    os.environ["OPENAI_API_KEY"] = "none"
    rows = [_row(given.records, workers) for workers in given.workers]
    announce("fleet: refusals of a server that bears 60 calls a second")
    print(
        table(
            ["worker processes", "calls", "429s", "429s per call", "messages per call", "s", "ideal s", "CPU s"], rows
        )
    )


def _row(records: int, workers: int) -> list[Any]:
    context = multiprocessing.get_context("spawn")
    port, answered, refused = (context.Value("i", 0) for _ in range(3))
    server = context.Process(target=serve, args=(port, answered, refused), daemon=True)
    server.start()
    while not port.value:
        time.sleep(0.02)
    try:
        with tempfile.TemporaryDirectory() as name:
            settings = {"workers": workers, "at-once": 4, "shard-size": 50, "concurrency": 256}
            found = taken([RETOUCH, *fleet_command(Path(name), records, port.value, settings)])
            rates = FleetRates(place=Path(name) / "fleet" / "runs" / RATES).read()
    finally:
        server.kill()
        server.join()
    if found.status or "verified" not in found.output_end:
        raise SystemExit(found.output_end)
    share = refused.value / answered.value
    ideal = records / RATE + SECONDS
    cpu, messages = f"{found.cpu_s:.1f}", f"{rates.messages / (answered.value + refused.value):.2f}"
    calls = [answered.value, refused.value, f"{share:.2f}", messages]
    return [workers, *calls, f"{found.seconds:.1f}", f"{ideal:.1f}", cpu]


def fleet_command(directory: Path, records: int, port: int, settings: Mapping[str, int]) -> list[str]:
    """Write the records of a fleet, and return the arguments of the command that runs it."""
    schema = {"type": "object", "properties": {"name": {"type": "string"}, "quantity": {"type": "integer"}}}
    lines = (json.dumps({"id": f"r{one}", "name": f"article {one}"}) for one in range(records))
    (directory / "rows.jsonl").write_text("\n".join(lines) + "\n", encoding="ascii")
    shared = {"schema": {**schema, "required": ["name", "quantity"]}, "prompt": "{{ name }}"}
    (directory / "shared.json").write_text(json.dumps(shared), encoding="ascii")
    return [
        *("fleet", "run", "extract", str(directory / "rows.jsonl"), "--shared", str(directory / "shared.json")),
        *("-o", str(directory / "fleet"), "--max-output-tokens", "1024", "--quiet"),
        *(word for name, value in settings.items() for word in (f"--{name}", str(value))),
        *("--model", f"openai:m@http://127.0.0.1:{port}/v1"),
    ]


if __name__ == "__main__":
    main()
