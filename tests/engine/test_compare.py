"""Another model's answers beside what stands, and the better of each."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from retouch.engine.core import Reply
from retouch.engine.errors import EditedByHand
from retouch.engine.loop import compare
from retouch.engine.run import open_run
from retouch.engine.targets import Targets
from retouch.testing import scripted
from tests.engine.conftest import Scene, honest, wrong_first
from tests.engine.glossary import answer

if TYPE_CHECKING:
    from retouch.engine.core import Request


def worse(request: Request) -> str:
    """Answer one unit rightly in other words, and break the other."""
    return "broken" if request.prompt.type_name == "tools" else answer(request.prompt).replace("CAT", "KITTEN")


def test_the_alternative_is_kept_on_record_and_what_stands_stays(scene: Scene) -> None:
    scene.generate()
    before, prompts = scene.text(), scene.text("prompts.json")
    result, found = asyncio.run(compare(scene.recipe, scene.folder, scripted(worse)))
    assert [("animals", 0, 0, False), ("tools", 0, 1, False)] == [
        (one.unit, one.standing.errors, one.other.errors, one.better) for one in found
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
    assert "clean" == result.status
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
    assert (2, 2, None) == (found[0].standing.calls, found[0].other.calls, found[0].other.cost)
    assert {"unit", "standing", "other", "better", "adopted"} == set(found[0].as_json())
