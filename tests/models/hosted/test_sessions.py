"""Conversations of several turns: the earlier messages are read from the provider's cache."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import retouch
from retouch import Message, open_model
from retouch.models.cache_load import Load, Rates
from retouch.models.cache_marks import planned
from retouch.models.cache_plan import cache_plan
from retouch.models.offline import offline
from retouch.testing import faulty, model_server, scripted
from tests.engine.glossary import RECIPE, Glossary, answer
from tests.models.hosted.conftest import CLAUDE, asking
from tests.models.hosted.test_whole_runs import long_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from random import Random

    from retouch.engine.repair import Repair
    from retouch.engine.types import Attempt, Issue, Prompt
    from retouch.testing import ModelServer
    from retouch.testing.wire import WireUsage

SYSTEM, USER, ANSWER = "rule " * 3_000, "page " * 1_500, "line " * 700


def thin(text: str, _random: Random) -> str:
    return text.partition("\n")[0]


def going_on(_source: object, _unit: str, _issues: Sequence[Issue], _attempts: Sequence[Attempt]) -> Repair:
    return retouch.FollowUp()


def conversation(server: ModelServer, spec: str, turns: int, rates: Rates) -> list[float]:
    """Return for each later turn the share of the previous turn's input that was read."""

    async def talk() -> None:
        provider, _, name = spec.partition(":")
        load = Load(shared_tokens=3_000, page_tokens=1_500, pages=2, rates=rates)
        model = planned(open_model(spec), cache_plan(provider, name, load))
        said: tuple[Message, ...] = ()
        for turn in range(turns):
            reply = await model(asking(USER, SYSTEM, *said, cap=9_999))
            said += (Message(role="assistant", text=reply.text), Message(role="user", text=f"again {turn}"))

    asyncio.run(talk())
    usages = [call.usage for call in server.calls if call.usage is not None]
    return [now.read / before.total for before, now in itertools.pairwise(usages)]


@pytest.mark.parametrize("spec", [CLAUDE, "openai:gpt-5.6"])
def test_a_session_reads_at_least_95_percent_of_what_it_repeats(point: Callable[[ModelServer], None], spec: str):
    with model_server(scripted(lambda _: ANSWER)) as server:
        point(server)
        shares = conversation(server, spec, 6, Rates(first=0.9, further=0.9))
    assert 5 == len(shares)
    assert 0.95 <= min(shares)
    assert 1 == server.cache.most_writes


@pytest.mark.parametrize("spec", [CLAUDE, "openai:gpt-5.6"])
def test_turns_that_are_rarely_followed_by_another_are_not_written(point: Callable[[ModelServer], None], spec: str):
    with model_server(scripted(lambda _: ANSWER)) as server:
        point(server)
        shares = conversation(server, spec, 3, Rates(first=0.1, further=0.1))
    assert max(shares) < 0.7
    assert 1 == len(server.cache.writes)


def talkative(source: Glossary) -> Iterable[Prompt]:
    """Plan pages with a long text of their own."""
    return (replace(prompt, user=f"{prompt.user}\n{'NOTE: think twice ' * 300}") for prompt in long_plan(source))


@pytest.mark.parametrize("session", [True, False])
@pytest.mark.parametrize("spec", [CLAUDE, "openai:gpt-5.6"])
def test_a_run_reads_what_its_sessions_repeat_and_writes_what_hardly_goes_on_only_where_it_is_shared(
    tmp_path: Path, point: Callable[[ModelServer], None], spec: str, *, session: bool
):
    def sessions(_prompt: Prompt) -> bool:
        return session

    source = Glossary(units={f"unit{n}": (f"word{n}a", f"word{n}b") for n in range(6)})
    job = replace(RECIPE, plan=talkative, repair=going_on, faults={"thin": thin}, session=sessions)
    behind = faulty(offline(answer), rate=1.0, seed=2, heal=1.0, kinds=["thin"], faults=job.faults)
    with model_server(behind, prompts=list(talkative(source)), first_byte_s=0.01) as server:
        point(server)
        retouch.generate(job, source, tmp_path / "run", open_model(spec))
    talks: dict[str, list[WireUsage]] = {}
    for call in server.calls:
        if call.usage is not None:
            talks.setdefault(repr(call.body).partition("UNIT: ")[2][:5], []).append(call.usage)
    shares = [second.read / first.total for first, second in talks.values()]
    assert (6, True) == (len(shares), min(shares) >= 0.95 if session else max(shares) < 0.8)


@pytest.mark.parametrize("spec", [CLAUDE, "openai:gpt-5-mini", "openai:gpt-5.6"])
def test_follow_ups_of_a_run_extend_the_earlier_messages(
    tmp_path: Path, point: Callable[[ModelServer], None], spec: str
):
    source = Glossary(units={f"unit{n}": (f"word{n}a", f"word{n}b") for n in range(6)})
    job = replace(RECIPE, plan=long_plan, repair=going_on, faults={"thin": thin})
    behind = faulty(offline(answer), rate=1.0, seed=2, heal=1.0, kinds=["thin"], faults=job.faults)
    with model_server(behind, prompts=list(long_plan(source)), first_byte_s=0.01) as server:
        point(server)
        result = retouch.generate(job, source, tmp_path / "run", open_model(spec))
    assert ("verified", 12) == (result.status, len(server.calls))
    further = [call.usage for call in server.calls if sum(m["role"] == "assistant" for m in call.body["messages"])]
    assert 6 == len(further)
    assert 0.9 <= min(usage.read / usage.total for usage in further if usage)
    assert 2 >= server.cache.most_writes
