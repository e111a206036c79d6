"""The cost of repairs, compared with strategies that need no engine and with instructor, on a server that counts
tokens.

    python benchmarks/models_cost.py [pages ...] [--seeds 1] [--ways A B ...]

One unit of cost is an uncached input token. An output token costs 5, a cache write 1.25, a cache read 0.1. The floor
is every page once with a warm cache, and each fault without an automatic fix repaired by one small patch.

- A runs everything again until there are no issues.
- B requests everything again with the issues. A correct page is then drawn like a fresh one, or becomes wrong in 2 %
  of
  the cases, or never.
- C requests the failing page again with its issues.
- Bp is instructor (if it is installed) with a validator.

All use the real Anthropic client, except for "A in process": the same model, checks and token counts without a
network, repeated until the mean is stable. The cost of a line is the mean of its draws, with the standard error of
the mean.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any, TypeAlias

import retouch
from author import BY_RULE, RECIPE, Author, Tables, check, plan, read, right_table
from retouch.aio import generate
from retouch.engine.options import RunOptions
from retouch.engine.repair import RepairContext, correction_block
from retouch.engine.types import Message, Request, RetryBudget
from retouch.models.tokens import estimate_tokens
from retouch.testing import model_server
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from retouch.engine.types import Issue, Prompt
    from retouch.testing import ModelServer

HEADS = ("pages", "way", "draws", "cost / floor", "+-", "calls / page", "right at the end", "most writes of a prefix")
MODEL = "claude-sonnet-4-5"
OUTPUT, WRITE, READ = 5.0, 1.25, 0.1
AT_ONCE = 16
MARKED = "Bp instructor, marked"
AGAIN, IN_PROCESS = "A all again", "A in process"
ANEW, SOME_SPOILT, KEPT = "B all anew", "B right pages 2 % spoilt", "B right pages kept"
SPOILS: Mapping[str, float | None] = {KEPT: 0.0, SOME_SPOILT: 0.02, ANEW: None}
MOST_PAGES: Mapping[str, int] = {
    AGAIN: 30,
    IN_PROCESS: 30,
    SOME_SPOILT: 100,
    KEPT: 100,
    ANEW: 30,
}
DRAWS = {10: 20, 30: 10, 100: 3, 10**9: 1}  # per seed, by pages
MANY_DRAWS = {AGAIN: 90, IN_PROCESS: 600}
MOST_DRAWS: Mapping[str, int] = {ANEW: 8}  # one draw takes as long as one of A
LARGER_CAP = 16_384  # for a page that is requested again: the client's limit without a stream
MOST_RUNS = 2_000  # for a strategy that starts over; it is never reached
PATCH_TOKENS = (120, 90)  # the tokens that a request for a patch adds to the prompt, and the tokens of a patch
Way: TypeAlias = Callable[[int], Awaitable[None]]
Measure: TypeAlias = "Callable[[int, Author], Coroutine[None, None, Seen]]"


@dataclass(frozen=True, kw_only=True)
class Seen:
    """The result of one strategy: multiples of the floor, calls per page, most writes of one prefix, correct pages."""

    cost: float
    calls: float
    writes: int
    right: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", type=int, default=[1, 10, 30, 100, 1000])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--ways", nargs="*", default=[""], help="prefixes of the names of the strategies to run")
    arguments = parser.parse_args()
    ways: dict[str, Way] = {"retouch": ours, "retouch, 3 retries": ours_longer, "C page + correction": page_again}
    ways |= {"Bp instructor": with_instructor, MARKED: with_instructor_marked}
    ways |= {**dict.fromkeys(SPOILS, all_with_errors), AGAIN: all_again}
    seen: dict[str, Measure] = {name: partial(measured, way) for name, way in ways.items()}
    seen[IN_PROCESS] = in_process
    if find_spec("instructor") is None:
        print("instructor is not installed, so it is skipped")
        seen = {name: way for name, way in seen.items() if not name.startswith("Bp")}
    announce("What mending costs")
    rows: list[list[object]] = []
    for pages in arguments.pages:
        for name, way in seen.items():
            if pages > MOST_PAGES.get(name, pages) or not name.startswith(tuple(arguments.ways)):
                continue
            authors = (Author(seed, spoils=SPOILS.get(name)) for seed in range(draws(name, pages, arguments.seeds)))
            rows.append([pages, name, *cells_of([asyncio.run(way(pages, author)) for author in authors])])
    print(table(HEADS, rows))


def draws(name: str, pages: int, seeds: int) -> int:
    """Return the number of draws of a strategy: more for few pages, and most for running everything again."""
    usual = seeds * next(often for most, often in DRAWS.items() if pages <= most)
    return seeds * MANY_DRAWS[name] if name in MANY_DRAWS else min(usual, MOST_DRAWS.get(name, usual))


def cells_of(seen: Sequence[Seen]) -> list[object]:
    """Return the cells of one line."""
    costs = [one.cost for one in seen]
    error = stdev(costs) / len(costs) ** 0.5 if len(costs) > 1 else ""
    writes, right = max(one.writes for one in seen), mean(one.right for one in seen)
    return [len(seen), mean(costs), error, mean(one.calls for one in seen), f"{right:.1%}", writes]


async def in_process(pages: int, author: Author) -> Seen:
    """Return the result of A without a network: each run pays for every page, the first one writes the shared text."""
    prompts = list(plan(Tables(pages=pages)))
    shared, own = tokens_of(prompts[0])
    cost, runs, right = (WRITE - READ) * shared, 0, False
    while not right:
        replies = [await author(first_request(prompt)) for prompt in prompts]
        cost += pages * (READ * shared + own) + OUTPUT * sum(reply.output_tokens for reply in replies)
        right = not any(wrong(prompt, reply.text) for prompt, reply in zip(prompts, replies, strict=True))
        runs += 1
    return Seen(cost=cost / floor(pages, author.first_faults), calls=runs, writes=1, right=author.right)


def first_request(prompt: Prompt) -> Request:
    """Return the request of an original prompt."""
    messages = (Message(role="user", text=prompt.user),)
    return Request(prompt=prompt, system=prompt.system, messages=messages, max_output_tokens=8_192)


def tokens_of(prompt: Prompt) -> tuple[int, int]:
    """Return the tokens of the shared text and of the page's own."""
    return estimate_tokens(prompt.system), estimate_tokens(prompt.user)


async def measured(way: Way, pages: int, author: Author) -> Seen:
    """Return the cost of one strategy for `pages` pages with the faults of `author`."""
    with model_server(author, prompts=plan(Tables(pages=pages))) as server:
        os.environ.update(server.environment)
        await way(pages)
        return Seen(
            cost=cost_of(server) / floor(pages, author.first_faults),
            calls=len(server.calls) / pages,
            writes=server.cache.most_writes,
            right=author.right,
        )


def cost_of(server: ModelServer) -> float:
    """Return the cost of all calls by the server's counts."""
    total = 0.0
    for call in server.calls:
        if call.usage is not None and call.reply is not None:
            plain = call.usage.total - call.usage.read - call.usage.written
            total += plain + WRITE * call.usage.written + READ * call.usage.read + OUTPUT * call.reply.output_tokens
    return total


def floor(pages: int, faults: Sequence[str]) -> float:
    """Return the cost of every page once and of one patch for each fault without an automatic fix."""
    prompts = list(plan(Tables(pages=pages)))
    shared, own = tokens_of(prompts[0])
    answer = estimate_tokens(right_table(prompts[0].unit))
    once = WRITE * shared + (pages - 1) * READ * shared + pages * (own + OUTPUT * answer)
    issues_after_request, written = PATCH_TOKENS
    patch = READ * shared + own + answer + issues_after_request + OUTPUT * written
    return once + patch * sum(fault not in BY_RULE for fault in faults)


async def ours(pages: int, budget: RetryBudget | None = None) -> None:
    """Generate, check and repair with the usual budget: one retry for wrong values, two for a wrong form."""
    model = retouch.open_model(f"anthropic:{MODEL}?concurrency={AT_ONCE}", recipe=RECIPE)
    way = retouch.RunOptions(concurrency=AT_ONCE, budget=budget)
    with tempfile.TemporaryDirectory() as folder:
        await generate(RECIPE, Tables(pages=pages), Path(folder) / "run", model, way)


async def ours_longer(pages: int) -> None:
    """Generate, check and repair with as many retries as C and instructor have."""
    await ours(pages, RetryBudget(tier1_remaining=3, tier2_remaining=3, tier3_remaining=3, total_remaining=3))


Talk: TypeAlias = "list[dict[str, str]]"


class Client:
    """The provider's own client, with its system text marked and sent alone first: what a careful developer would
    write.
    """

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()

    def __init__(self) -> None:
        self._client: Any = import_module("anthropic").AsyncAnthropic(max_retries=0, timeout=600.0)
        self._first = asyncio.Lock()
        self._warm = False
        self._places = asyncio.Semaphore(AT_ONCE)

    async def answer(self, system: str, talk: Talk, *, cap: int = 8_192) -> str:
        """Return the text of the response."""
        async with self._first:
            if not self._warm:
                self._warm = True
                return await self._send(system, talk, cap)
        async with self._places:
            return await self._send(system, talk, cap)

    async def _send(self, system: str, talk: Talk, cap: int) -> str:
        marked = [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}]
        made = await self._client.messages.create(model=MODEL, max_tokens=cap, system=marked, messages=talk)
        return made.content[0].text


def wrong(prompt: Prompt, text: str) -> list[Issue]:
    """Return the issues of an answer."""
    found = read(Tables(pages=1), prompt.unit, [text])
    if found.issues or found.value is None:
        return list(found.issues)
    return check(Tables(pages=1), {prompt.unit: found.value}, RunOptions())


async def issues_after_request(
    client: Client, prompt: Prompt, issues: Sequence[Issue] = (), *, cap: int = 8_192
) -> list[Issue]:
    """Request one page, preceded by its issues, and return its remaining issues."""
    block = correction_block(RepairContext(prompt=prompt, answer=None, issues=issues), noun="page", reminders=())
    user = f"{block}\n\n{prompt.user}" if issues else prompt.user
    return wrong(prompt, await client.answer(prompt.system, [{"role": "user", "content": user}], cap=cap))


async def page_again(pages: int) -> None:
    """C: the failing page again, with its issues."""

    async def one(client: Client, prompt: Prompt) -> None:
        issues = await issues_after_request(client, prompt)
        for _ in range(3):
            if not issues:
                return
            issues = await issues_after_request(client, prompt, issues, cap=LARGER_CAP)

    async with Client() as client:
        await asyncio.gather(*(one(client, prompt) for prompt in plan(Tables(pages=pages))))


async def all_again(pages: int) -> None:
    """A: everything again until there are no issues."""
    async with Client() as client:
        for _ in range(MOST_RUNS):
            if not any(
                await asyncio.gather(*(issues_after_request(client, prompt) for prompt in plan(Tables(pages=pages))))
            ):
                return
    raise RuntimeError(f"{MOST_RUNS} runs of {pages} pages, and none was correct")


async def all_with_errors(pages: int) -> None:
    """B: everything again with the issues. A correct page is written again as well."""
    found: dict[str, list[Issue]] = {}
    prompts = list(plan(Tables(pages=pages)))
    async with Client() as client:
        for attempt in range(MOST_RUNS):
            cap = LARGER_CAP if attempt else 8_192
            all_of_it = (issues_after_request(client, one, found.get(one.unit, ()), cap=cap) for one in prompts)
            issues = await asyncio.gather(*all_of_it)
            found = {one.unit: bad for one, bad in zip(prompts, issues, strict=True) if bad}
            if not found:
                return
    raise RuntimeError(f"{MOST_RUNS} rounds over {pages} pages, and none was correct")


async def with_instructor(pages: int) -> None:
    """Bp: instructor with a validator per page and three retries, as its documentation shows it."""
    from instructor_way import run

    await run(MODEL, AT_ONCE, list(plan(Tables(pages=pages))), wrong, marked=False)


async def with_instructor_marked(pages: int) -> None:
    """Bp with a cache: the system text is marked for the provider's cache, and the first page is sent alone."""
    from instructor_way import run

    await run(MODEL, AT_ONCE, list(plan(Tables(pages=pages))), wrong, marked=True)


if __name__ == "__main__":
    main()
