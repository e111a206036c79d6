"""The CPU time that the engine adds to each call of the client library, on a server that answers immediately.

    python benchmarks/models_overhead.py [calls] [at once ...]

Compared are the Anthropic client alone (streamed), our adapter, the adapter with retries, limit and cache plan, and a
whole run with its ledger, both streamed and, as short calls are, unstreamed, and also the client without a stream, and
instructor if it is installed. They take turns, ten each, because the speed of machines varies. The overhead is the
median of the differences within a turn. The goal is that the whole run adds at most 0.5 ms per call.
"""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import create_model

import retouch
from retouch.engine.recipe import Read, Recipe, Unread
from retouch.engine.types import Issue, Message, Prompt, Request
from tables import table

if TYPE_CHECKING:
    from collections.abc import Generator

    from retouch.engine.options import RunOptions

One: TypeAlias = Callable[[int], Awaitable[object]]
Call: TypeAlias = Callable[[int, int], Coroutine[Any, Any, None]]

SYSTEM = "Follow the rules. " * 600
MODEL = "claude-sonnet-4-6"
TURNS = 10
LONG, SHORT = 8_192, 1_024  # output caps of calls that are streamed, and of those that are not


@dataclass(frozen=True, kw_only=True)
class Pages:
    """The source: the number of pages."""

    pages: int


def plan(source: Pages) -> Iterable[Prompt]:
    """Return one prompt per unit. All share a system text."""
    return (
        Prompt(unit=f"unit{n}", system=SYSTEM, user=f"Page {n}: " + "do the work. " * 40) for n in range(source.pages)
    )


def read(_source: Pages, _unit: str, pages: Sequence[str]) -> Read[int]:
    """Accept every answer."""
    return Read(sum(text.count("=") for text in pages))


def check(_source: Pages, _values: Mapping[str, int], _options: RunOptions) -> list[Issue]:
    """Find nothing wrong."""
    return []


def assemble(_source: Pages, values: Mapping[str, int | Unread]) -> Mapping[str, str]:
    """Return one small file."""
    return {"count.txt": str(len(values))}


RECIPE = Recipe[Pages, int](name="pages", source=Pages, plan=plan, read=read, check=check, assemble=assemble)


@contextmanager
def instant_server() -> Generator[None]:
    """Start the server in a separate process and direct the client to it."""
    program = [sys.executable, str(Path(__file__).with_name("instant_server.py"))]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        if server.stdin is None or server.stdout is None:
            raise RuntimeError("the server has no pipes")
        os.environ["ANTHROPIC_BASE_URL"] = f"http://127.0.0.1:{server.stdout.readline().strip()}"
        os.environ["ANTHROPIC_API_KEY"] = "loopback"
        yield
        server.stdin.close()


def request(number: int, cap: int = LONG) -> Request:
    """Return the request of one page."""
    prompt = Prompt(unit=f"unit{number}", system=SYSTEM, user=f"Page {number}: " + "do the work. " * 40)
    messages = (Message(role="user", text=prompt.user),)
    return Request(prompt=prompt, system=SYSTEM, messages=messages, max_output_tokens=cap, breakpoints=(-1,))


async def bare_client(calls: int, at_once: int) -> None:
    """Stream with the Anthropic client alone."""
    from anthropic import AsyncAnthropic

    async with AsyncAnthropic(max_retries=0) as client:

        async def call(number: int) -> object:
            async with client.messages.stream(**body(number)) as stream:
                return await stream.get_final_text()

        await workers(call, calls, at_once)


async def bare_client_at_once(calls: int, at_once: int) -> None:
    """Call the Anthropic client without a stream, as instructor does."""
    anthropic: Any = import_module("anthropic")
    async with anthropic.AsyncAnthropic(max_retries=0) as client:
        await workers(lambda number: client.messages.create(**body(number)), calls, at_once)


async def with_instructor(calls: int, at_once: int) -> None:
    """Call the Anthropic client with instructor, which parses the text into a pydantic model."""
    instructor: Any = import_module("instructor")
    anthropic: Any = import_module("anthropic")
    answer = create_model("Answer", text=(str, ...))
    async with anthropic.AsyncAnthropic(max_retries=0) as bare:
        client = instructor.from_anthropic(bare, mode=instructor.Mode.ANTHROPIC_JSON)
        await workers(
            lambda number: client.messages.create(response_model=answer, max_retries=0, **body(number)), calls, at_once
        )


def body(number: int) -> dict[str, Any]:
    """Return the request body of one page for the bare client."""
    one = request(number)
    system = [{"type": "text", "text": one.system, "cache_control": {"type": "ephemeral"}}]
    messages = [{"role": "user", "content": one.messages[0].text}]
    return {"model": MODEL, "max_tokens": 8_192, "system": system, "messages": messages}


async def adapter(calls: int, at_once: int, cap: int = LONG) -> None:
    """Call our provider adapter alone."""
    from retouch.models.endpoints import endpoint_of
    from retouch.models.hosted import Hosted

    model = Hosted(endpoint_of("anthropic", MODEL))
    await workers(lambda number: model(request(number, cap)), calls, at_once)


async def whole_model(calls: int, at_once: int) -> None:
    """Call the model of `open_model`, with retries, limit and cache plan."""
    model = retouch.open_model(f"anthropic:{MODEL}?concurrency={at_once}")
    await workers(lambda number: model(request(number)), calls, at_once)


async def whole_run(calls: int, at_once: int, cap: int = LONG) -> None:
    """Generate as many pages, with the ledger on disk."""
    from retouch.aio import generate

    model = retouch.open_model(f"anthropic:{MODEL}?concurrency={at_once}")
    way = retouch.RunOptions(concurrency=at_once, compiler="none", max_output_tokens=cap)
    with tempfile.TemporaryDirectory() as folder:
        result = await generate(RECIPE, Pages(pages=calls), Path(folder) / "run", model, way)
        if result.status != "verified" or result.calls != calls:
            raise RuntimeError(f"the run is {result.status} after {result.calls} calls")


async def workers(call: One, calls: int, at_once: int) -> None:
    """Make `calls` calls with `at_once` workers."""
    numbers = iter(range(calls))

    async def work() -> None:
        for number in numbers:
            await call(number)

    await asyncio.gather(*(work() for _ in range(at_once)))


def cpu_ms(variant: Call, calls: int, at_once: int) -> float:
    """Return the CPU milliseconds per call."""
    gc.collect()
    began = time.process_time()
    asyncio.run(variant(calls, at_once))
    return (time.process_time() - began) / calls * 1e3


def measured(variants: Mapping[str, Call], calls: int, at_once: int) -> dict[str, list[float]]:
    """Return the CPU milliseconds per call of each turn, after a short warm-up."""
    for variant in variants.values():
        asyncio.run(variant(at_once, at_once))
    used: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(TURNS):
        for name, variant in variants.items():
            used[name].append(cpu_ms(variant, -(-calls // TURNS), at_once))
    return used


def added(used: Mapping[str, Sequence[float]], outer: str, inner: str) -> float:
    """Return the overhead of `outer` over `inner`: the median over the turns."""
    return median(one - other for one, other in zip(used[outer], used[inner], strict=True))


def main(calls: int, levels: Sequence[int]) -> None:
    """Measure and print."""
    variants: dict[str, Call] = {
        "anthropic client": bare_client,
        "our adapter": adapter,
        "open_model": whole_model,
        "whole run": whole_run,
        "our adapter, no stream": partial(adapter, cap=SHORT),
        "whole run, no stream": partial(whole_run, cap=SHORT),
        "anthropic client, no stream": bare_client_at_once,
    }
    pairs = [("our adapter", "anthropic client"), ("open_model", "our adapter"), ("whole run", "open_model")]
    pairs += [("whole run", "our adapter"), ("whole run, no stream", "our adapter, no stream")]
    if find_spec("instructor") is not None:
        variants["instructor, no stream"] = with_instructor
        pairs.append(("instructor, no stream", "anthropic client, no stream"))
    rows: list[list[str]] = []
    with instant_server():
        for at_once in levels:
            used = measured(variants, calls, at_once)
            rows += [[name, str(at_once), f"{median(cpu):.2f}"] for name, cpu in used.items()]
            rows += [[f"{o} adds to {i}", str(at_once), f"{added(used, o, i):+.2f}"] for o, i in pairs]
    print(table(["what", "at once", "CPU ms per call"], rows))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, [int(one) for one in sys.argv[2:]] or [32, 256])
