"""The CPU time of a call: over the lean transport, over the client library with a stream, and over plain HTTP.

    python benchmarks/models_lean.py [calls] [at once ...]

All answer from a server that answers at once, in turns, because the speed of machines varies. The goal is that a short
call takes at most 1.0 ms of CPU in all.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from aiohttp import ClientSession
from httpx2 import AsyncClient

from models_overhead import MODEL, body, instant_server, measured, request, workers
from retouch.models.endpoints import endpoint_of
from retouch.models.hosted import Hosted
from retouch.models.hosted.lean import MOST_TOKENS
from tables import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from models_overhead import Call

HEADERS = {"x-api-key": "loopback", "content-type": "application/json", "anthropic-version": "2023-06-01"}


async def plain_aiohttp(calls: int, at_once: int) -> None:
    """Post with aiohttp alone, and parse the JSON."""
    async with ClientSession() as session:

        async def call(number: int) -> object:
            sent = json.dumps(body(number)).encode()
            async with session.post(
                f"{os.environ['ANTHROPIC_BASE_URL']}/v1/messages", data=sent, headers=HEADERS
            ) as got:
                return json.loads(await got.read())

        await workers(call, calls, at_once)


async def plain_httpx(calls: int, at_once: int) -> None:
    """Post with httpx alone, and parse the JSON."""
    url = f"{os.environ['ANTHROPIC_BASE_URL']}/v1/messages"
    async with AsyncClient(timeout=60) as client:

        async def call(number: int) -> object:
            got = await client.post(url, content=json.dumps(body(number)).encode(), headers=HEADERS)
            return json.loads(got.content)

        await workers(call, calls, at_once)


async def adapter(calls: int, at_once: int, cap: int, stream: str = "auto") -> None:
    """Call our provider adapter with an output cap."""
    model = Hosted(endpoint_of("anthropic", f"{MODEL}?stream={stream}"))
    await workers(lambda number: model(replace(request(number), max_output_tokens=cap)), calls, at_once)


async def lean(calls: int, at_once: int) -> None:
    """Make short calls."""
    await adapter(calls, at_once, MOST_TOKENS)


async def lean_stream(calls: int, at_once: int) -> None:
    """Make calls that are streamed."""
    await adapter(calls, at_once, MOST_TOKENS + 1)


async def library(calls: int, at_once: int) -> None:
    """Make calls that are streamed by the client library."""
    await adapter(calls, at_once, MOST_TOKENS + 1, "library")


def main(calls: int, levels: Sequence[int]) -> None:
    """Measure and print."""
    variants: dict[str, Call] = {
        "lean transport": lean,
        "lean transport, streamed": lean_stream,
        "client library, streamed": library,
        "aiohttp alone": plain_aiohttp,
        "httpx alone": plain_httpx,
    }
    rows: list[list[str]] = []
    with instant_server():
        for at_once in levels:
            used = {name: median(cpu) for name, cpu in measured(variants, calls, at_once).items()}
            ours = used["lean transport"]
            rows += [[name, str(at_once), f"{ms:.2f}", f"{ms / ours:.1f}"] for name, ms in used.items()]
    print(table(["what", "at once", "CPU ms per call", "ratio to the lean transport"], rows))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4_000, [int(one) for one in sys.argv[2:]] or [1, 8, 32])
