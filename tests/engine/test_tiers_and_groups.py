"""Tiers 1 and 2 settle per unit; tier 3 waits for the group; prompts that need values come after it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.options import RunOptions
from retouch.engine.recipe import Read, TierPlan
from retouch.engine.tiers import UnitFacts, tier_outcomes
from retouch.engine.types import Issue, Prompt, Request, Tier
from retouch.errors import ModelError, RecipeBug
from retouch.testing import scripted
from tests.counted import calls_of
from tests.engine import glossary
from tests.engine.conftest import always, asked, honest, one_at_a_time, states, wrong_first
from tests.engine.glossary import Glossary, answer
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tests.engine.conftest import Scene

CHECKED = tuple[str, ...]


def checks_of(scene: Scene) -> list[CHECKED]:
    """Let the scene's recipe note the units of each check."""
    seen: list[CHECKED] = []

    def check(source: Any, values: Mapping[str, Any], options: RunOptions) -> list[Issue]:
        seen.append(tuple(values))
        return glossary.check(source, values, options)

    scene.use(check=check)
    return seen


def test_a_unit_is_repaired_while_another_has_not_answered_yet(scene: Scene) -> None:
    repaired = asyncio.Event()
    tries: list[str] = []

    async def script(request: Request) -> str:
        if request.prompt.unit == "animals":
            await asyncio.wait_for(repaired.wait(), MOST_S)
            return answer(request.prompt)
        tries.append(request.prompt.unit)
        if len(tries) == 2:
            repaired.set()
        return "nonsense" if len(tries) == 1 else answer(request.prompt)

    result = scene.generate(scripted(script), options=RunOptions(warm_up_s=0.01))
    assert ("verified", ["tools", "tools"]) == (result.status, tries)


def test_tier_3_runs_once_and_only_when_every_unit_can_be_read(scene: Scene) -> None:
    seen = checks_of(scene)
    scene.generate(wrong_first({("tools", 1): ["nonsense", "saw=SAW"]}))
    assert [("animals", "tools")] == seen


def test_tier_3_never_runs_while_a_unit_cannot_be_read(scene: Scene) -> None:
    seen = checks_of(scene)
    scene.generate(wrong_first({("tools", 1): ["nonsense"] * 9}))
    assert [] == seen


def test_a_unit_that_fails_tier_2_is_not_judged_by_tier_3(scene: Scene) -> None:
    result = scene.generate(wrong_first({("tools", 1): ["saw=CAT"] * 9}))
    assert ["MISSING"] == [issue.code for issue in result.issues]


def own_group(_source: Any, unit: str) -> str:
    return unit


def test_groups_are_judged_apart(scene: Scene) -> None:
    seen = checks_of(scene)
    scene.use(group=own_group)
    result = scene.generate(wrong_first({("tools", 1): ["axe=CAT\nsaw=SAW"], ("animals", 2): ["x"] * 9}))
    assert [("tools",)] == seen
    assert {"animals": "exhausted", "tools": "answered"} == states(result)


def test_a_check_may_be_async(scene: Scene) -> None:
    async def check(source: Any, values: Mapping[str, Any], options: RunOptions) -> list[Issue]:
        await asyncio.sleep(0)
        return glossary.check(source, values, options)

    scene.use(check=check)
    result = scene.generate(wrong_first({("tools", 1): ["axe=CAT\nsaw=SAW"]}))
    assert (4, "verified") == (result.calls, result.status)


def staged(_source: Glossary, values: Mapping[str, Any]) -> Iterable[Prompt]:
    """A summary of both units, then a judge of the summary."""
    if {"animals", "tools"} <= values.keys():
        yield Prompt(unit="summary", system="Sum up.", user=f"UNIT: summary\nWORDS: {' '.join(values['tools'])}")
    if "summary" in values:
        yield Prompt(unit="judge", system="Judge.", user=f"WORDS: {'-'.join(values['summary'].values())}")


def read(source: Glossary, unit: str, pages: Sequence[str]) -> Read[Any]:
    return glossary.read(source, unit, pages) if unit in source.units else Read({f"{unit} says": pages[0]})


@pytest.fixture
def in_stages(scene: Scene) -> Scene:
    scene.use(then=staged, read=read)
    return scene


def test_derived_prompts_are_asked_until_nothing_new_comes(in_stages: Scene) -> None:
    model = honest()
    result = in_stages.generate(model)
    assert [("summary", 1), ("judge", 1)] == asked(model)[3:]
    assert {"animals", "tools", "summary", "judge"} == states(result).keys()


def test_derived_prompts_are_in_the_ledger_and_nowhere_else(in_stages: Scene) -> None:
    in_stages.generate()
    assert ["animals", "animals", "tools"] == [prompt["type_name"] for prompt in in_stages.json("prompts.json")]
    assert ["animals", "animals", "tools"] == [page["type_name"] for page in in_stages.json("pages.json")["pages"]]
    assert [("summary", 1), ("judge", 1)] == list(in_stages.history.derived)


def test_a_run_that_stopped_in_a_derived_stage_goes_on_there(in_stages: Scene) -> None:
    with pytest.raises(ModelError):
        in_stages.generate(wrong_first({("judge", 1): [ModelError("gone")]}))
    model = honest()
    assert "verified" == in_stages.generate(model).status
    assert [("judge", 1)] == asked(model)


def test_derived_prompts_that_say_nothing_new_are_not_asked_again(in_stages: Scene) -> None:
    in_stages.generate()
    assert 0 == in_stages.generate().calls


def test_a_changed_value_derives_a_new_prompt(in_stages: Scene) -> None:
    in_stages.generate()
    model = wrong_first({("tools", 1): ["axe=AXE\nsaw=SAW\nbow=BOW"]})
    result = in_stages.regenerate(model, "tools")
    assert [("tools", 1), ("summary", 1), ("judge", 1)] == asked(model)
    assert "verified" == result.status


def test_a_derived_unit_may_come_back_with_fewer_pages(scene: Scene) -> None:
    def then(_source: Glossary, values: Mapping[str, Any]) -> Iterable[Prompt]:
        many = 2 if values.get("tools", {}).get("axe") == "AXE" else 1
        for page in range(1, many + 1 if "tools" in values else 1):
            yield Prompt(unit="more", page=page, total_pages=many, system="", user=f"{many} WORDS: x")

    scene.use(then=then, read=read)
    scene.generate()
    scene.regenerate(scripted(lambda r: "axe=OTHER\nsaw=SAW" if r.prompt.unit == "tools" else "ok"), "tools")
    assert [("more", 1)] == list(scene.history.derived)
    assert "verified" == scene.validate().status


def test_a_derived_prompt_for_a_planned_unit_is_a_bug_of_the_recipe(scene: Scene) -> None:
    scene.use(then=always([Prompt(unit="tools", system="", user="")]))
    with pytest.raises(RecipeBug, match="'tools'"):
        scene.generate()


def test_a_gap_that_a_recipe_wants_filled_is_an_issue_like_any_other(scene: Scene) -> None:
    def check(_source: Any, values: Mapping[str, Any], _options: RunOptions) -> list[Issue]:
        gap = Issue(code="GAP", message="no hammer", tier=Tier.SEMANTIC, unit="tools", page=1)
        return [] if "hammer" in values["tools"] else [gap]

    scene.use(check=check)
    model = wrong_first({("tools", 1): ["axe=AXE\nsaw=SAW", "axe=AXE\nsaw=SAW\nhammer=HAMMER"]})
    assert "verified" == scene.generate(model, options=one_at_a_time()).status
    assert "[GAP] no hammer" in model.requests[-1].messages[0].text


def test_a_fix_in_one_unit_may_break_another_which_is_then_asked(scene: Scene) -> None:
    scene.source = replace(scene.source, units={"first": ("a",), "second": ("b",)})
    model = wrong_first({("first", 1): ["nonsense", "a=B"], ("second", 1): ["b=B", "b=C"]})
    result = scene.generate(model)
    assert ("verified", 2) == (result.status, asked(model).count(("second", 1)))


def test_unchanged_units_are_read_once(scene: Scene) -> None:
    seen: list[str] = []

    def counted(source: Any, unit: str, pages: Sequence[str]) -> Read[Any]:
        seen.append(unit)
        return glossary.read(source, unit, pages)

    scene.use(read=counted)
    scene.generate(wrong_first({("tools", 1): ["nonsense", "saw=SAW", "axe=CAT\nsaw=SAW"]}))
    assert (1, 4) == (seen.count("animals"), seen.count("tools"))


@pytest.mark.parametrize("found", ["nothing", "a failure", "a check that was not run"])
def test_the_outcomes_of_a_large_group_take_work_in_proportion_to_its_units(found: str) -> None:
    detail: dict[str, Any] = {"not_run": "no compiler"} if found.startswith("a check") else {}
    tier = Tier.SEMANTIC if detail else Tier.SYNTAX
    last = () if found == "nothing" else (Issue(code="X", message="m", tier=tier, unit="last", detail=detail),)

    def outcomes(count: int) -> Any:
        facts = [UnitFacts(name=f"u{number}", group="", issues=(), answered=True) for number in range(count)]
        facts.append(UnitFacts(name="last", group="", issues=last, answered=True))
        return tier_outcomes([TierPlan(tier=1, name="syntax"), TierPlan(tier=3, name="semantic")], facts)

    few, many = calls_of(lambda: outcomes(100)), calls_of(lambda: outcomes(800))
    assert many < 9 * few
    expected = {"nothing": ("passed", ""), "a failure": ("not_run", "it waits for 'last'")}
    outcome = outcomes(3)["u0"]["semantic"]
    assert expected.get(found, ("not_run", "no compiler")) == (outcome.outcome, outcome.why)
