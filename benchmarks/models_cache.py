"""How often a shared text is written to a provider's prompt cache, and how much of a conversation is read from it.

    python benchmarks/models_cache.py [pages ...]

All figures are counts of a loopback server that caches like each provider: an entry can be read after the response that
wrote it has begun, which takes 20 ms here. A turn of a conversation repeats the previous request, and the share is the
part of it that was read. Input costs are relative to the cost of the same calls without a cache, by the prices of each
provider. The goals: a shared text is written at most twice, and turns of sessions read at least 95 % of the repeated
part.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
from collections import defaultdict
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import retouch
from author import RECIPE, Tables, plan, right_table
from policy_session import example_job
from retouch.aio import generate
from retouch.engine.options import RunOptions
from retouch.engine.repair import FollowUp
from retouch.engine.types import RetryBudget, model_name
from retouch.models.cache_facts import cache_facts
from retouch.models.named import NamedModel
from retouch.models.offline import offline
from retouch.recipes.policy import ScenarioFeedback, ScenarioGeneratorSession, SessionLimits
from retouch.recipes.policy import recipe as policy
from retouch.recipes.policy.english.offline import answer
from retouch.testing import at_rate, model_server, scripted
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch.engine.recipe import Recipe
    from retouch.engine.repair import Repair
    from retouch.engine.types import Attempt, Issue, Model, OnEvent, Prompt, Reply, Request
    from retouch.testing import ModelServer
    from retouch.testing.wire import WireUsage

MODELS = ("anthropic:claude-sonnet-4-6", "openai:gpt-5-mini", "openai:gpt-5.6")
QUICK = "?first_wait_s=0.01&max_wait_s=2&idle_s=3&first_byte_s=20&concurrency=16"
FIRST_BYTE_S = 0.02
TURNS = 4
OPTIONS = RunOptions(concurrency=16, compiler="none")
KINDS = ("429", "529", "500", "slow_head", "cut_head", "cut_body", "early_end", "error_event", "garbage")
GOING_ON = (0.0, 0.08, 0.28, 0.5, 1.0)  # shares of pages with a second turn; 8 % is the project's fault model
MANY = RetryBudget(tier1_remaining=TURNS, tier2_remaining=TURNS, tier3_remaining=TURNS, total_remaining=TURNS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", type=int, default=[10, 100, 1_000])
    arguments = parser.parse_args()
    announce("models: the prompt cache")
    counts = ("calls", "most writes of one prefix", "responses that read nothing", "input read", "input cost")
    sizes = [(model, pages, rate) for model in MODELS for pages in arguments.pages for rate in (0.0, 0.05)]
    print(table(("model", "pages", "faults", *counts), [shared_text(*size) for size in sizes]))
    print("\nShare of the repeated part that was read, by turn:\n")
    rows: list[list[object]] = []
    for model in MODELS:
        for session in (True, False):
            for pages in (1, 40):
                server = conversations(model, pages, [TURNS] * pages, session=session)
                rows.append([model, "sessions" if session else "repairs", *turns(server), input_cost(server, model)])
        for name, run_of in (("turns of the policy session", policy_session), ("`generate policy`", policy_run)):
            server = run_of(model)
            rows.append([model, name, *turns(server), input_cost(server, model)])
    numbers = (f"turn {number}" for number in range(2, TURNS + 1))
    print(table(("model", "what", "conversations", *numbers, "input cost"), rows))
    print("\nInput cost of 50 pages, some of which have a second turn: with unmarked or marked first turns.\n")
    print(table(("model", "second turns", "as repairs", "as sessions"), [first_turns(*one) for one in marking()]))
    print("\nCorrections of policy at a provider that caches by itself: the block before the page, or after it.\n")
    heads = ("block", "corrections", "input tokens", "uncached")
    print(table(heads, [corrections(MODELS[1], appended=appended) for appended in (False, True)]))


def marking() -> Iterable[tuple[str, float]]:
    """Return the models with markers, and each share of pages that continue."""
    return [(model, share) for model in (MODELS[0], MODELS[2]) for share in GOING_ON]


def first_turns(model: str, share: float) -> list[object]:
    """Return the effect of marking every first turn on the input cost, if a share of the pages has a second turn."""
    pages = 50
    lengths = [2 if number < round(share * pages) else 1 for number in range(pages)]
    servers = (conversations(model, pages, lengths, session=session) for session in (False, True))
    return [model, f"{share:.0%}", *(input_cost(server, model) for server in servers)]


def shared_text(model: str, pages: int, rate: float) -> list[object]:
    """Return the writes and reads of a run of that many pages with one system text."""
    answers = offline(lambda prompt: right_table(prompt.unit))
    faults = at_rate(rate, seed=5, kinds=KINDS)
    prompts = list(plan(Tables(pages=pages)))
    with model_server(answers, prompts=prompts, faults=faults, first_byte_s=FIRST_BYTE_S) as server:
        run(server, RECIPE, Tables(pages=pages), model)
    usages = usages_of(server)
    read, total = sum(usage.read for usage in usages), sum(usage.total for usage in usages)
    unread = sum(usage.read == 0 for usage in usages)
    row = [model, pages, f"{rate:.0%}", len(server.calls), server.cache.most_writes, unread]
    return [*row, f"{read / total:.0%}", input_cost(server, model)]


def usages_of(server: ModelServer) -> list[WireUsage]:
    """Return the server's counts of all calls whose response began."""
    whole = (call for call in server.calls if call.fault is None or call.fault.kind not in {"cut_head", "status"})
    return [call.usage for call in whole if call.usage is not None]


def input_cost(server: ModelServer, model: str) -> str:
    """Return the cost of all input relative to the cost without a cache."""
    facts = cache_facts(*model.split(":"))
    usages = usages_of(server)
    saved = sum((1 - facts.read) * usage.read - (facts.write - 1) * usage.written for usage in usages)
    return f"{1 - saved / sum(usage.total for usage in usages):.3f}"


def run(
    server: ModelServer, recipe: Recipe[Any, Any], source: object, model: str, budget: RetryBudget | None = None
) -> None:
    """Generate with the real client of `model`."""
    os.environ.update(server.environment)
    way = replace(OPTIONS, budget=budget)
    with tempfile.TemporaryDirectory() as folder:
        opened = retouch.open_model(model + QUICK)
        result = asyncio.run(generate(recipe, source, Path(folder) / "run", opened, way))
    if result.status not in {"verified", "issues"}:
        raise RuntimeError(f"the run is {result.status}")


def going_on(_source: object, _unit: str, _issues: Sequence[Issue], _attempts: Sequence[Attempt]) -> Repair:
    """Repair with a further turn, always."""
    return FollowUp()


def conversations(model: str, pages: int, lengths: Sequence[int], *, session: bool) -> ModelServer:
    """Return the server after a run whose pages need that many turns each. The recipe calls them sessions, or not."""
    units = [prompt.unit for prompt in plan(Tables(pages=pages))]
    needed = dict(zip(units, lengths, strict=True))

    def table_of(request: Request) -> str:
        turn = sum(message.role == "assistant" for message in request.messages)
        unit = request.prompt.unit
        return right_table(unit) if turn == needed[unit] - 1 else right_table(unit).replace("V", f"{turn}", 1)

    def opens_session(_prompt: Prompt) -> bool:
        return session

    job = replace(RECIPE, repair=going_on, session=opens_session)
    prompts = list(plan(Tables(pages=pages)))
    with model_server(scripted(table_of), prompts=prompts, first_byte_s=FIRST_BYTE_S) as server:
        run(server, job, Tables(pages=pages), model, MANY)
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

    with model_server(offline(answer), prompts=policy.plan(job), first_byte_s=FIRST_BYTE_S) as server:
        os.environ.update(server.environment)
        asyncio.run(talk())
    return server


def policy_run(model: str) -> ModelServer:
    """Return the server after a run of the policy recipe whose first scenarios omit two thirds of the rules."""
    job = example_job()

    def thin(prompt: Prompt) -> str:
        said = answer(prompt)
        if '"task": "scenarios"' not in prompt.user:
            return said
        whole = json.loads(said)
        return json.dumps({**whole, "scenarios": whole["scenarios"][::3]})

    with model_server(offline(thin), prompts=policy.plan(job), first_byte_s=FIRST_BYTE_S) as server:
        run(server, policy, job, model)
    return server


def corrections(model: str, *, appended: bool) -> list[object]:
    """Return the input tokens of the corrections of a policy run whose answers are twice no JSON."""
    job, wrong = example_job(), ("I cannot say.", "{")
    tries: dict[tuple[str, int], int] = defaultdict(int)

    def script(request: Request) -> str:
        tries[request.prompt.key] += 1
        number = tries[request.prompt.key] - 1
        return wrong[number] if number < len(wrong) else answer(request.prompt)

    with model_server(scripted(script), prompts=policy.plan(job), first_byte_s=FIRST_BYTE_S) as server:
        os.environ.update(server.environment)
        opened = retouch.open_model(model + QUICK)
        used = opened if appended else NamedModel(name=model_name(opened), answer=partial(_answer, opened))
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(generate(policy, job, Path(folder) / "run", used, OPTIONS))
    found = [call.usage for call in server.calls if call.usage and "CORRECTION REQUIRED" in opening(call.body)]
    total, read = sum(usage.total for usage in found), sum(usage.read for usage in found)
    return ["after the page" if appended else "before the page", len(found), f"{total:,}", f"{total - read:,}"]


async def _answer(model: Model, request: Request, on_event: OnEvent | None) -> Reply:
    return await model(request, on_event=on_event)


def turns(server: ModelServer) -> list[object]:
    """Return the number of conversations that continued, and the share of the repeated part that each turn read."""
    talks: dict[str, list[WireUsage]] = defaultdict(list)
    for call in server.calls:
        if call.usage is not None:
            talks[opening(call.body)].append(call.usage)
    read, repeated = [0] * TURNS, [0] * TURNS
    for usages in talks.values():
        for number, (before, now) in enumerate(pairwise(usages[:TURNS]), start=1):
            read[number] += min(now.read, before.total)
            repeated[number] += before.total
    shares = (f"{read[turn] / repeated[turn]:.1%}" if repeated[turn] else "" for turn in range(1, TURNS))
    return [sum(len(usages) > 1 for usages in talks.values()), *shares]


def opening(body: Any) -> str:
    """Return the first turn of a call, which identifies its conversation."""
    content: Any = next(message["content"] for message in body["messages"] if message["role"] == "user")
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


if __name__ == "__main__":
    main()
