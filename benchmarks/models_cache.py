"""How often a shared text is written into a provider's prompt cache, and how much of a conversation is read from it.

    python benchmarks/models_cache.py [pages ...]

All figures are counts of a loopback server that caches as each provider does: an entry can be read once the answer that
wrote it has begun, which takes 20 ms here. A conversation repeats what its request before held; the share is what was
read of that. The goals: a shared text is written at most twice, and turns read at least 95 % of what they repeat.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import retouch
from author import RECIPE, Tables, plan, right_table
from policy_session import example_job
from retouch.aio import generate
from retouch.engine.budget import RetryBudget
from retouch.engine.core import RunOptions
from retouch.engine.repair import FollowUp
from retouch.models.offline import offline
from retouch.recipes.policy import ScenarioFeedback, ScenarioGeneratorSession
from retouch.recipes.policy.english.offline import answer
from retouch.recipes.policy.making.job import recipe
from retouch.recipes.policy.making.session.turns import SessionLimits
from retouch.testing import at_rate, model_server, scripted
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.engine.core import Attempt, Issue, Request
    from retouch.engine.repair import Repair
    from retouch.testing import ModelServer

MODELS = ("anthropic:claude-sonnet-4-6", "openai:gpt-5-mini", "openai:gpt-5.6")
QUICK = "?first_wait_s=0.01&max_wait_s=2&idle_s=3&first_byte_s=20&concurrency=16"
FIRST_BYTE_S = 0.02
TURNS = 4
OPTIONS = RunOptions(concurrency=16, compiler="none")
KINDS = ("429", "529", "500", "slow_head", "cut_head", "cut_body", "early_end", "error_event", "garbage")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", type=int, default=[10, 100, 1_000])
    arguments = parser.parse_args()
    announce("models: the prompt cache")
    heads = ("model", "pages", "faults", "calls", "most writes of one prefix", "input read from the cache")
    sizes = [(model, pages, rate) for model in MODELS for pages in arguments.pages for rate in (0.0, 0.05)]
    print(table(heads, [shared_text(*size) for size in sizes]))
    print("\nRead of what a turn repeats, by turn of a conversation:\n")
    rows = [[model, *turns(conversations(model, pages))] for model in MODELS for pages in (1, 40)]
    rows += [[f"{model}, policy session", *turns(policy_session(model))] for model in MODELS]
    print(table(("model", "conversations", *(f"turn {number}" for number in range(2, TURNS + 1))), rows))


def shared_text(model: str, pages: int, rate: float) -> list[object]:
    """Return what a run of so many pages with one system text writes and reads."""
    answers = offline(lambda prompt: right_table(prompt.type_name))
    faults = at_rate(rate, seed=5, kinds=KINDS)
    prompts = list(plan(Tables(pages=pages)))
    with model_server(answers, prompts=prompts, faults=faults, first_byte_s=FIRST_BYTE_S) as server:
        run(server, RECIPE, pages, model)
    usages = [call.usage for call in server.calls if call.usage is not None]
    read, total = sum(usage.read for usage in usages), sum(usage.total for usage in usages)
    return [model, pages, f"{rate:.0%}", len(server.calls), server.cache.most_writes, f"{read / total:.0%}"]


def run(server: ModelServer, recipe: Any, pages: int, model: str, budget: RetryBudget | None = None) -> None:
    """Generate so many pages with the real client of `model`."""
    os.environ.update(server.environment)
    way = retouch.Way(options=OPTIONS, budget=budget)
    with tempfile.TemporaryDirectory() as folder:
        opened = retouch.open_model(model + QUICK)
        result = asyncio.run(generate(recipe, Tables(pages=pages), Path(folder) / "run", opened, way))
    if result.status != "clean":
        raise RuntimeError(f"the run is {result.status}")


def going_on(_source: object, _unit: str, _issues: Sequence[Issue], _attempts: Sequence[Attempt]) -> Repair:
    """Mend by a further turn, always."""
    return FollowUp()


def conversations(model: str, pages: int) -> ModelServer:
    """Return the server after runs whose pages all need several turns."""

    def table_of(request: Request) -> str:
        turn = sum(message.role == "assistant" for message in request.messages)
        unit = request.prompt.type_name
        return right_table(unit) if turn == TURNS - 1 else right_table(unit).replace("V", f"{turn}", 1)

    job = replace(RECIPE, repair=going_on)
    many = RetryBudget(tier1_remaining=TURNS, tier2_remaining=TURNS, tier3_remaining=TURNS, total_remaining=TURNS)
    prompts = list(plan(Tables(pages=pages)))
    with model_server(scripted(table_of), prompts=prompts, first_byte_s=FIRST_BYTE_S) as server:
        run(server, job, pages, model, many)
    return server


def policy_session(model: str) -> ModelServer:
    """Return the server after a session of the policy recipe about the file tools of its example."""
    job, turn = example_job(), ScenarioFeedback()

    async def talk() -> None:
        session = ScenarioGeneratorSession(
            job, "filesystem", retouch.open_model(model), limits=SessionLimits(max_turns=TURNS)
        )
        await session.generate()
        for _ in range(TURNS - 1):
            await session.regenerate(turn)

    with model_server(offline(answer), prompts=recipe.plan(job), first_byte_s=FIRST_BYTE_S) as server:
        os.environ.update(server.environment)
        asyncio.run(talk())
    return server


def turns(server: ModelServer) -> list[object]:
    """Return how many conversations there were, and the share that each turn read of what it repeats."""
    talks: dict[str, list[Any]] = defaultdict(list)
    for call in server.calls:
        talks[str(call.body).partition("PAGE ")[2][:8]].append(call.usage)
    read, repeated = [0] * TURNS, [0] * TURNS
    for usages in talks.values():
        for number, (before, now) in enumerate(pairwise(usages), start=1):
            read[number] += min(now.read, before.total)
            repeated[number] += before.total
    return [len(talks), *(f"{read[turn] / repeated[turn]:.1%}" for turn in range(1, TURNS))]


if __name__ == "__main__":
    main()
