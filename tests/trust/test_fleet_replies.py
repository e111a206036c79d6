"""Ways in which replies that workers have paid for could be lost, paid again, hidden from a limit, or misattributed."""

from __future__ import annotations

import asyncio
import json
import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch import Read, Reply, generate
from retouch.engine.batches import WORKERS, is_taken, part_directories, replies_in, with_left_replies
from retouch.engine.directory import open_run
from retouch.engine.history import History
from retouch.engine.options import Batching, RunOptions
from retouch.engine.packs import packed_answer
from retouch.fleet.first_answers import FirstAnswers, cost_elsewhere, remove_first_answers, request_first_answers
from retouch.fleet.job import FleetCommand
from retouch.models.named import NamedModel
from retouch.models.spending import CostLimit, capped, spent_in
from tests.fleet.recipes import Words, alone, plan, translated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from retouch import Prompt, Recipe, Request
    from retouch.engine.types import Model, OnEvent

pytestmark = [
    pytest.mark.concurrency,
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]
SOURCE = Words(words={f"r{one}": f"word{one}" for one in range(4)})
USD = 0.5


def priced(name: str, calls: list[str] | None = None) -> Model:
    """A model whose replies have a price, and a text that names it."""
    received = calls if calls is not None else []

    async def answer(request: Request, on_event: OnEvent | None = None) -> Reply:  # noqa: ARG001 - the protocol
        received.append(request.prompt.unit)
        return Reply(text=translated(request), model=name, cost=USD, request_id=secrets.token_hex(8))

    return NamedModel(name=name, answer=answer)


def plan_with_schema(source: Words) -> Iterable[Prompt]:
    """Return prompts whose answers are JSON, so that they can be packed."""
    schema = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
    return [replace(one, answer_schema=schema) for one in plan(source)]


def read_word(_source: Words, _unit: str, pages: Sequence[str]) -> Read[str]:
    return Read(json.loads(pages[0])["word"])


def packing(_spec: str = "", calls: list[str] | None = None) -> Model:
    """A model that answers packed requests too, each for one price."""
    received = calls if calls is not None else []

    async def answer(request: Request, on_event: OnEvent | None = None) -> Reply:  # noqa: ARG001 - the protocol
        received.append(request.prompt.unit)
        texts = {key: json.dumps({"word": one.user}) for key, one in request.parts}
        text = packed_answer(request, texts) if texts else json.dumps({"word": request.prompt.user})
        return Reply(text=text, model="a", cost=USD, request_id=secrets.token_hex(8))

    return NamedModel(name="a", answer=answer)


def first_answers_of(
    run: Path, name: str = "a", recipe: Recipe[Words, str] = alone, opened: Callable[[str], Model] | None = None
) -> None:
    """Request the first answers with two workers, as a command does that is killed then."""

    def opened_by_name(_spec: str) -> Model:
        return priced(name)

    given = FirstAnswers(
        recipe=recipe,
        source=SOURCE,
        directory=run,
        prompts=list(recipe.plan(SOURCE)),
        name=name,
        command=FleetCommand(model=name, workers=2),
        open_model=opened or opened_by_name,
    )

    async def use() -> None:
        async for _ in request_first_answers(given):
            pass

    asyncio.run(use())


def run_with(run: Path, model: Model) -> Any:
    return generate(alone, SOURCE, run, model=model)


def test_replies_of_workers_are_taken_once_and_cost_nothing_more(tmp_path: Path) -> None:
    first_answers_of(tmp_path)
    assert len(SOURCE.words) * USD == cost_elsewhere(tmp_path)
    calls: list[str] = []
    assert "verified" == run_with(tmp_path, priced("a", calls)).status
    assert ([], 0.0) == (calls, cost_elsewhere(tmp_path))
    assert len(SOURCE.words) * USD == spent_in(open_run(tmp_path).history)
    assert "verified" == run_with(tmp_path, priced("a", calls)).status
    assert [] == calls


def test_a_limit_is_not_charged_for_replies_that_are_left_and_allows_no_others(tmp_path: Path) -> None:
    first_answers_of(tmp_path)
    calls: list[str] = []
    limit = CostLimit(limit_usd=0.0)
    more = replace(SOURCE, words={**SOURCE.words, "r9": "word9"})
    model = capped(priced("a", calls), limit, lambda _input, _output: 1e-9)
    assert "exhausted" == generate(alone, more, tmp_path, model=model).status
    assert ([], 0.0) == (calls, limit.spent_usd)
    assert len(SOURCE.words) * USD == spent_in(open_run(tmp_path).history)


def test_replies_to_packed_requests_of_workers_are_taken_page_by_page_and_not_requested_again(tmp_path: Path) -> None:
    recipe = replace(alone, plan=plan_with_schema, read=read_word, pack=4)
    first_answers_of(tmp_path, recipe=recipe, opened=packing)
    (part,) = part_directories(tmp_path)
    assert 1 == len(open_run(part).history.packs), "four pages in one request"
    assert USD == cost_elsewhere(tmp_path)
    calls: list[str] = []
    assert "verified" == generate(recipe, SOURCE, tmp_path, model=packing(calls=calls)).status
    assert ([], 0.0) == (calls, cost_elsewhere(tmp_path))
    assert USD == spent_in(open_run(tmp_path).history)


def test_replies_that_are_left_are_not_requested_again_in_a_batch(tmp_path: Path) -> None:
    first_answers_of(tmp_path)
    batches: Any = object()  # nothing is sent with it
    options = RunOptions(batching=Batching(model=batches, submit=True))
    _, changed = with_left_replies(priced("a"), options, History(), tmp_path, plan(SOURCE))
    assert [False] == [one.submit for one in (changed.batching,) if one is not None]
    _, same = with_left_replies(priced("b"), options, History(), tmp_path, plan(SOURCE))
    assert options is same


def test_replies_to_prompts_that_have_changed_since_do_not_keep_a_run_from_packs_and_batches(tmp_path: Path) -> None:
    """Else the run would pay the full price for each page, now and in each later command."""
    packed = replace(alone, plan=plan_with_schema, read=read_word, pack=4)
    first_answers_of(tmp_path, recipe=packed, opened=packing)
    changed = replace(SOURCE, words={name: f"new {word}" for name, word in SOURCE.words.items()})
    calls: list[str] = []
    options = RunOptions(pack=4)
    assert "verified" == generate(packed, changed, tmp_path, model=packing(calls=calls), options=options).status
    assert 1 == len(calls), "four pages in one request"
    batches: Any = object()  # nothing is sent with it
    options = RunOptions(batching=Batching(model=batches, submit=True))
    _, same = with_left_replies(packing(), options, History(), tmp_path, packed.plan(changed))
    assert options is same


def test_a_reply_that_the_run_found_to_repeat_itself_is_taken_once(tmp_path: Path) -> None:
    """A worker does not look for repetitions, so its ledger calls the same reply truncated."""
    first_answers_of(tmp_path)
    (part,) = part_directories(tmp_path)
    (call, *_) = open_run(part).history.attempts.values()
    assert call.reply is not None
    truncated, repeated = replace(call.reply, finish="length"), replace(call.reply, finish="repeated")
    seen_by_worker, seen_by_run = replace(call, reply=truncated), replace(call, reply=repeated)
    taken = replies_in(History(attempts={1: seen_by_run}))
    assert is_taken(taken, seen_by_worker)
    other = replace(call.reply, finish="length", request_id="another")
    assert not is_taken(taken, replace(call, reply=other))


def test_a_reply_of_one_model_is_never_recorded_as_a_reply_of_another(tmp_path: Path) -> None:
    first_answers_of(tmp_path, "a")
    calls: list[str] = []
    run_with(tmp_path, priced("b", calls))
    attempts = open_run(tmp_path).history.attempts.values()
    assert {("b", "b")} == {(one.model, one.reply.model) for one in attempts if one.reply is not None}
    assert sorted(SOURCE.words) == sorted(calls)
    assert len(SOURCE.words) * USD == cost_elsewhere(tmp_path)


def test_replies_that_an_unfinished_run_has_not_taken_are_kept_and_those_of_a_later_command_too(tmp_path: Path) -> None:
    first_answers_of(tmp_path)
    parts = part_directories(tmp_path)
    remove_first_answers(tmp_path, parts, is_complete=False)
    assert parts == part_directories(tmp_path)
    remove_first_answers(tmp_path, (), is_complete=True)  # of a command that began before the workers did
    assert parts == part_directories(tmp_path)
    remove_first_answers(tmp_path, parts, is_complete=True)
    assert ((), len(SOURCE.words) * USD) == (part_directories(tmp_path), cost_elsewhere(tmp_path))
    assert {"usd": len(SOURCE.words) * USD} == json.loads((tmp_path / WORKERS / "lost.json").read_text())
