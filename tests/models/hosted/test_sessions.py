"""Conversations of several turns: what was sent before is read from the provider's cache."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import retouch
from retouch import Message, open_model
from retouch.models.cache_plan import Load, cache_plan, planned
from retouch.models.offline import offline
from retouch.testing import faulty, model_server, scripted
from tests.engine.glossary import RECIPE, Glossary, answer
from tests.models.hosted.conftest import CLAUDE, asking
from tests.models.hosted.test_whole_runs import long_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from random import Random

    from retouch.engine.core import Attempt, Issue
    from retouch.engine.repair import Repair
    from retouch.testing import ModelServer

SYSTEM, USER, ANSWER = "rule " * 3_000, "page " * 1_500, "line " * 700


def thin(text: str, _random: Random) -> str:
    return text.partition("\n")[0]


def going_on(_source: object, _unit: str, _issues: Sequence[Issue], _attempts: Sequence[Attempt]) -> Repair:
    return retouch.FollowUp()


def session(server: ModelServer, turns: int, *, repair_rate: float) -> list[tuple[int, int]]:
    """Return for each turn the tokens that were sent in the turn before, and those that were read."""

    async def talk() -> None:
        name = CLAUDE.partition(":")[2]
        load = Load(shared_tokens=3_000, page_tokens=1_500, pages=1, repair_rate=repair_rate)
        model = planned(open_model(CLAUDE), cache_plan("anthropic", name, load))
        said: tuple[Message, ...] = ()
        for turn in range(turns):
            reply = await model(asking(USER, SYSTEM, *said, cap=9_999))
            said += (Message(role="assistant", text=reply.text), Message(role="user", text=f"again {turn}"))

    asyncio.run(talk())
    usages = [call.usage for call in server.calls if call.usage is not None]
    return [(before.total, now.read) for before, now in itertools.pairwise(usages)]


def test_a_session_reads_at_least_95_percent_of_what_it_repeats(point: Callable[[ModelServer], None]):
    with model_server(scripted(lambda _: ANSWER)) as server:
        point(server)
        turns = session(server, 6, repair_rate=0.9)
    assert 5 == len(turns)
    assert 0.95 <= min(read / repeated for repeated, read in turns)
    assert 1 == server.cache.most_writes


def test_rare_repairs_leave_the_first_turn_unmarked_and_mark_from_the_second(point: Callable[[ModelServer], None]):
    with model_server(scripted(lambda _: ANSWER)) as server:
        point(server)
        turns = session(server, 4, repair_rate=0.1)
    shares = [read / repeated for repeated, read in turns]
    assert shares[0] < 0.7
    assert 0.95 <= min(shares[1:])


@pytest.mark.parametrize("spec", [CLAUDE, "openai:gpt-5-mini", "openai:gpt-5.6"])
def test_follow_ups_of_a_run_extend_what_was_sent_before(
    tmp_path: Path, point: Callable[[ModelServer], None], spec: str
):
    source = Glossary(units={f"unit{n}": (f"word{n}a", f"word{n}b") for n in range(6)})
    job = replace(RECIPE, plan=long_plan, repair=going_on, faults={"thin": thin})
    behind = faulty(offline(answer), rate=1.0, seed=2, heal=1.0, kinds=["thin"], faults=job.faults)
    with model_server(behind, prompts=list(long_plan(source)), first_byte_s=0.01) as server:
        point(server)
        result = retouch.generate(job, source, tmp_path / "run", open_model(spec))
    assert ("clean", 12) == (result.status, len(server.calls))
    further = [call.usage for call in server.calls if sum(m["role"] == "assistant" for m in call.body["messages"])]
    assert 6 == len(further)
    assert 0.9 <= min(usage.read / usage.total for usage in further if usage)
    assert 2 >= server.cache.most_writes
