"""The benchmark of faults sees what it looks for: an answer that is bought twice, words of the network, other files."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import retouch
from retouch.engine.types import Message, Request
from retouch.models.endpoints import PROVIDERS
from retouch.testing import at_rate, model_server

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.models_faults import Words, author, counted, measured, of_the_network, plan

if TYPE_CHECKING:
    from retouch.engine.types import Model

CLAUDE = "anthropic:claude-sonnet-4-6"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take back what the benchmark sets in the environment."""
    for provider in PROVIDERS.values():
        for name in (provider.url_variable, *provider.key_variables):
            monkeypatch.setenv(name, "")


def ask_twice(model: Model) -> None:
    prompt = next(iter(plan(Words(pages=1))))
    request = Request(
        prompt=prompt,
        system=prompt.system,
        messages=(Message(role="user", text=prompt.user),),
        max_output_tokens=500,
    )

    async def both() -> None:
        await model(request)
        await model(request)

    asyncio.run(both())


def test_an_answer_that_is_bought_twice_is_counted_twice(monkeypatch: pytest.MonkeyPatch):
    prompts = list(plan(Words(pages=1)))
    with model_server(author(), prompts=prompts) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        ask_twice(retouch.open_model(CLAUDE))
    seen = counted(server, prompts, set())
    assert (2, 2, "2") == (seen.calls, seen.bought, seen.right)


def test_faults_of_the_wire_are_met_and_cost_no_answer():
    source = Words(pages=12)
    plain, cut = measured(source, CLAUDE, ()), measured(source, CLAUDE, at_rate(0.5, seed=1, kinds=["cut_body"]))
    assert (12, "verified", "1") == (plain.calls - plain.wrong, plain.status, plain.right)
    assert (plain.bought, "1", plain.files) == (cut.bought, cut.right, cut.files)
    assert plain.calls + cut.met == cut.calls > plain.calls


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("[MISSING] no line for 'page0003_a'", False),
        ("Page 1 of 'page0003' was cut off at the output limit of 8192 tokens", False),
        ("Connection error.", True),
        ("the model answered 529", True),
        ("earlier: it SAID something odd", True),
    ],
)
def test_network_messages_are_recognised_by_their_words_and_by_the_ledger(text: str, network: bool):
    assert network == of_the_network(text, {"said something odd"})
