"""Another model's answers beside what stands, and the better of each."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.directory import open_run
from retouch.engine.options import RunOptions
from retouch.engine.targets import Targets
from retouch.engine.types import Reply
from retouch.engine.usage import RETRY, cost_report
from retouch.engine.verbs import compare
from retouch.errors import BadInput, EditedByHand, ModelError, StaleRun, TransportError
from retouch.models.cache_marks import PLAN, RunPlans, planned
from retouch.models.cache_plan import CachePlan, cache_plan
from retouch.models.wrappers import retrying
from retouch.testing import scripted
from tests.engine.conftest import Scene, aimed, asked, cut, honest, one_at_a_time, options_of, run, wrong_first
from tests.engine.glossary import Glossary, answer

if TYPE_CHECKING:
    from retouch.engine.types import Model, Request
    from retouch.models.cache_load import Load


def worse(request: Request) -> str:
    """Answer one unit rightly in other words, and break the other."""
    return "broken" if request.prompt.unit == "tools" else answer(request.prompt).replace("CAT", "KITTEN")


def test_the_alternative_is_kept_on_record_and_what_stands_stays(scene: Scene) -> None:
    scene.generate()
    before, prompts = scene.text(), scene.text("prompts.json")
    result, found = asyncio.run(compare(scene.recipe, scene.folder, scripted(worse)))
    assert [("animals", 0, 0, False), ("tools", 0, 1, False)] == [
        (one.unit, one.current.errors, one.other.errors, one.better) for one in found
    ]
    assert (before, prompts, 3) == (scene.text(), scene.text("prompts.json"), result.calls)
    whys = [attempt.why for attempt in open_run(scene.folder).history.attempts.values()]
    assert ["compare"] * 3 == whys[-3:]
    assert "KITTEN" in found[0].other.text


def test_the_better_answer_of_each_unit_is_adopted(scene: Scene) -> None:
    always_broken = wrong_first({("animals", 2): ["no"] * 9})
    assert "exhausted" == scene.generate(always_broken).status
    result, found = asyncio.run(compare(scene.recipe, scene.folder, honest(), adopt_better=True))
    assert {"animals": True, "tools": False} == {one.unit: one.adopted for one in found}
    assert "verified" == result.status
    assert "eel=EEL" in scene.text()


def test_only_the_named_units_are_compared(scene: Scene) -> None:
    scene.generate()
    result, found = asyncio.run(compare(scene.recipe, scene.folder, honest(), Targets(units=("tools",))))
    assert (["tools"], 1) == ([one.unit for one in found], result.calls)


def test_a_comparison_spends_nothing_of_the_budget_and_is_not_asked_twice_for_nothing(scene: Scene) -> None:
    scene.generate()
    asyncio.run(compare(scene.recipe, scene.folder, honest()))
    assert 0 == scene.generate().calls


def test_adopting_never_overwrites_what_a_person_edited(scene: Scene) -> None:
    scene.generate()
    (scene.folder / "glossary.txt").write_text(scene.text().replace("CAT", "MINE"), encoding="utf-8")
    with pytest.raises(EditedByHand):
        asyncio.run(compare(scene.recipe, scene.folder, honest(), adopt_better=True))
    assert "MINE" in scene.text()


def test_figures_add_up_and_an_unknown_cost_is_none(scene: Scene) -> None:
    scene.generate()
    unpriced = scripted(lambda request: Reply(text=answer(request.prompt), model="m", cost=None))
    _, found = asyncio.run(compare(scene.recipe, scene.folder, unpriced, Targets(units=("animals",))))
    assert (2, 2, None) == (found[0].current.usage.calls, found[0].other.usage.calls, found[0].other.usage.cost)
    assert {"unit", "standing", "other", "better", "adopted"} == set(found[0].as_json())


def compared(scene: Scene, model: Model, *units: str, adopt_better: bool = False, **given: Any) -> Any:
    """The run and the comparisons with `model`."""
    return run(
        compare(
            scene.recipe, scene.folder, model, aimed(*units), adopt_better=adopt_better, options=options_of(**given)
        )
    )


def test_a_second_comparison_buys_nothing_again(scene: Scene) -> None:
    scene.generate()
    model = scripted(worse)
    _, first = compared(scene, model)
    result, second = compared(scene, model)
    assert (3, 0) == (len(model.requests), result.calls)
    assert [one.as_json() for one in first] == [one.as_json() for one in second]
    assert [one.other.text for one in first] == [one.other.text for one in second]


def test_another_model_or_other_words_are_no_second_comparison(scene: Scene) -> None:
    scene.generate()
    compared(scene, honest())
    other = honest()
    other.name = "other"
    compared(scene, other)
    assert 3 == len(other.requests)
    scene.source = Glossary(units={**scene.source.units, "tools": ("axe", "adze")})
    scene.generate()
    again = honest()
    compared(scene, again)
    assert [("tools", 1)] == asked(again)


def test_an_answer_that_was_cut_off_is_asked_again_with_a_higher_limit(scene: Scene) -> None:
    scene.generate()
    compared(scene, scripted(lambda _: cut()), "tools")
    whole = honest()
    _, (found,) = compared(scene, whole, "tools")
    assert ([16_384], 0) == ([request.max_output_tokens for request in whole.requests], found.other.errors)


def test_a_comparison_that_was_stopped_keeps_what_arrived(scene: Scene) -> None:
    scene.generate()

    arrived: list[str] = []

    async def slow(request: Request) -> str:
        if arrived:
            working[0].cancel()
            await asyncio.sleep(30)
        arrived.append(request.prompt.unit)
        return answer(request.prompt)

    working: list[asyncio.Task[Any]] = []

    async def stopped(model: Model) -> None:
        way = RunOptions(grace_s=0.1)
        working.append(asyncio.create_task(compare(scene.recipe, scene.folder, model, options=way)))
        await working[0]

    with pytest.raises(asyncio.CancelledError):
        run(stopped(scripted(slow)))
    rest = honest()
    result, _ = compared(scene, rest)
    assert (2, 2) == (len(rest.requests), result.calls)


def test_what_was_only_compared_answers_no_page(scene: Scene) -> None:
    lost = wrong_first({("tools", 1): [TransportError("down")]})
    assert "incomplete" == scene.generate(lost).status

    def dies(request: Request) -> str:
        if request.prompt.unit == "animals":
            raise ModelError("gone")
        return "axe=OTHER\nsaw=OTHER"

    with pytest.raises(ModelError):
        compared(scene, scripted(dies), "tools", "animals", options=one_at_a_time())
    model = honest()
    scene.generate(model)
    assert ([("tools", 1)], True) == (asked(model), "axe=AXE" in scene.text())


def test_retries_and_the_plan_of_a_comparison_are_noted(scene: Scene) -> None:
    scene.generate()
    loads: list[int] = []

    def plan(load: Load | None) -> CachePlan:
        loads.append(load.pages if load is not None else 0)
        return cache_plan("anthropic", "claude-haiku-4-5", load)

    once = wrong_first({("tools", 1): [TransportError("down")]})
    model = planned(retrying(once, first_wait_s=0.0), RunPlans(plan))
    result, _ = compared(scene, model)
    kinds = [note.kind for note in scene.history.notes]
    assert (3, [0, 3], 1, 1) == (result.calls, loads, kinds.count(RETRY), kinds.count(PLAN))


def test_a_comparison_tells_how_far_it_is(scene: Scene) -> None:
    scene.generate()
    told: list[Any] = []
    compared(scene, honest(), watch=told.append)
    kinds = Counter(event.kind for event in told)
    assert (3, 3) == (kinds["asked"], kinds["answered"])
    assert 3 == sum(event.reply is not None for event in told)
    told.clear()
    compared(scene, honest(), watch=told.append)
    assert [None] * 3 == [event.reply for event in told if event.kind == "answered"]


def test_only_the_pages_with_errors_are_compared(scene: Scene) -> None:
    always_broken = wrong_first({("animals", 2): ["no"] * 9})
    scene.generate(always_broken)
    model = honest()
    run(compare(scene.recipe, scene.folder, model, Targets(from_errors=True)))
    assert [("animals", 2)] == asked(model)


def test_one_page_is_set_beside_the_whole_unit_and_may_be_adopted(scene: Scene) -> None:
    always_broken = wrong_first({("animals", 2): ["no"] * 9})
    scene.generate(always_broken)
    result, (found,) = compared(scene, honest(), "animals:2", adopt_better=True)
    assert ("cat=CAT\ndog=DOG\neel=EEL", True, "verified") == (found.other.text, found.adopted, result.status)


def test_what_only_the_whole_shows_counts_in_a_comparison(scene: Scene) -> None:
    taken = scripted(lambda request: answer(request.prompt).replace("AXE", "CAT"))
    assert "issues" == scene.generate(taken).status
    result, found = compared(scene, honest(), adopt_better=True)
    assert {"animals": (0, 0, False), "tools": (1, 0, True)} == {
        one.unit: (one.current.errors, one.other.errors, one.adopted) for one in found
    }
    assert "verified" == result.status


def answering(animals: str, tools: str) -> Model:
    """A model with one answer for each unit."""
    return scripted(lambda request: {"animals": animals, "tools": tools}[request.prompt.unit])


def test_an_answer_that_makes_the_whole_worse_than_what_stands_is_not_adopted(scene: Scene) -> None:
    scene.source = Glossary(units={"animals": ("cat", "dog"), "tools": ("axe", "saw")})
    scene.generate(answering("cat=A\ndog=B", "axe=A\nsaw=C"))
    before = scene.text()
    _, found = compared(scene, answering("cat=P\ndog=Q", "axe=A\nsaw=B"), adopt_better=True)
    assert {"animals": (0, 0, False, False), "tools": (1, 0, True, False)} == {
        one.unit: (one.current.errors, one.other.errors, one.better, one.adopted) for one in found
    }
    assert before == scene.text()


def test_a_repair_that_was_granted_is_still_asked_after_a_comparison(scene: Scene) -> None:
    limited = wrong_first({("tools", 1): ["axe=AXE", TransportError("down")]})
    scene.generate(limited)
    assert (1,) == scene.history.settled["tools"].retried
    compared(scene, scripted(worse))
    left = scene.history.remaining_budget("tools")
    model = honest()
    result = scene.generate(model)
    assert ("verified", [("tools", 1)], left) == (result.status, asked(model), scene.history.remaining_budget("tools"))
    assert "broken" not in str(model.requests[0].messages)


def test_what_a_comparison_took_is_no_failure_of_a_page(scene: Scene) -> None:
    scene.generate()
    compared(scene, scripted(worse))
    scene.regenerate(honest(), "tools", hint="shorter")
    assert {"first answer", "tier 3 failed"} == set(cost_report(scene.history.attempts.values()).by_tier)


def test_prompts_of_an_older_source_are_not_compared(scene: Scene) -> None:
    scene.generate()
    before = scene.text("prompts.json")
    scene.source = Glossary(units={"animals": ("cat", "dog", "eel"), "tools": ("axe", "adze")})
    scene.generate()
    (scene.folder / "prompts.json").write_text(before, encoding="utf-8")
    with pytest.raises(StaleRun):
        compared(scene, honest())
    compared(scene, honest(), ignore_stale=True)


def test_nothing_at_once_is_refused(scene: Scene) -> None:
    scene.generate()
    with pytest.raises(BadInput, match="concurrency is 0"):
        compared(scene, honest(), options=RunOptions(concurrency=0))
