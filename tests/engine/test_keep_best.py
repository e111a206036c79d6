"""An answer replaces the one before it only when it is no worse."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from retouch.engine.recipe import Read
from retouch.engine.types import Issue, Prompt, RetryBudget, Tier
from retouch.testing import scripted
from tests.engine.conftest import asked, refused, states, wrong_first
from tests.engine.glossary import Glossary, answer, read

if TYPE_CHECKING:
    from tests.engine.conftest import Scene

GOOD = "axe=AXE\nsaw=SAW"
CLASH = "axe=CAT\nsaw=SAW"  # another unit has CAT already: tier 3


def output(scene: Scene, place: int = 2) -> str:
    return scene.json("pages.json")["pages"][place]["output"]


def test_fewer_errors_beat_more_and_the_best_stands_at_the_end(scene: Scene) -> None:
    result = scene.generate(wrong_first({("tools", 1): ["saw=SAW", "nonsense", "odd=ODD", "none=NONE"]}))
    assert "saw=SAW" == output(scene)
    assert "exhausted" == result.status


def test_an_answer_that_fails_an_earlier_tier_is_worse_than_one_with_more_errors(scene: Scene) -> None:
    scene.generate(wrong_first({("tools", 1): ["odd=ODD", "nonsense 1", "nonsense 2", "nonsense 3"]}))
    assert "odd=ODD" == output(scene)


def test_with_as_many_errors_fewer_warnings_are_better(scene: Scene) -> None:
    def warned(source: Any, unit: str, pages: Any) -> Read[Any]:
        found = read(source, unit, pages)
        warning = Issue(code="LOUD", message="!", tier=Tier.SCHEMA, unit=unit, severity="warning")
        return Read(found.value, [*found.issues, *[warning] * "".join(pages).count("!")])

    scene.use(read=warned)
    scene.generate(wrong_first({("tools", 1): ["saw=SAW!", "saw=SAW!!", "saw=SAW", "saw=SAW!!!"]}))
    assert "saw=SAW" == output(scene)


def test_a_regenerate_keeps_what_stands_when_the_new_answer_is_worse(scene: Scene) -> None:
    scene.generate()
    result = scene.regenerate(
        wrong_first({("tools", 1): ["nonsense", "nonsense too", "and more", "and more so"]}), "tools"
    )
    assert GOOD == output(scene)
    assert ("verified", {"animals": "answered", "tools": "answered"}) == (result.status, states(result))


def test_a_regenerate_keeps_what_stands_when_tier_3_finds_the_new_answer_worse(scene: Scene) -> None:
    scene.generate()
    result = scene.regenerate(scripted(lambda _request: CLASH), "tools")
    assert GOOD == output(scene)
    assert "verified" == result.status


def test_a_repair_that_tier_3_finds_worse_is_undone(scene: Scene) -> None:
    worse = "axe=CAT\nsaw=DOG"
    result = scene.generate(wrong_first({("tools", 1): [CLASH, worse]}))
    assert CLASH == output(scene)
    assert ["TAKEN"] == [issue.code for issue in result.issues]


def test_an_undone_repair_was_never_the_last_word_in_the_ledger(scene: Scene) -> None:
    scene.generate(wrong_first({("tools", 1): [CLASH, "axe=CAT\nsaw=DOG"]}))
    standing = scene.history.answers["tools", 1]
    assert CLASH == standing.text


def test_a_repair_of_another_unit_that_helped_is_kept_while_a_bad_one_is_undone(scene: Scene) -> None:
    scene.source = replace(scene.source, units={**scene.source.units, "colours": ("red",)})
    model = wrong_first({("tools", 1): [CLASH, "axe=DOG\nsaw=CAT\nextra=EEL"], ("colours", 1): ["red=DOG", "red=RED"]})
    scene.generate(model)
    assert "red=RED" == output(scene, 3)
    assert CLASH == output(scene, 2)


def test_the_same_answer_twice_is_a_dispute_with_the_check(scene: Scene) -> None:
    model = wrong_first({("tools", 1): ["saw=SAW"] * 9})
    result = scene.generate(model)
    assert 2 == asked(model).count(("tools", 1))
    assert {"animals": "answered", "tools": "disputed"} == states(result)
    assert ("issues", 1) == (result.status, result.exit_status)


def test_a_dispute_is_remembered(scene: Scene) -> None:
    scene.generate(wrong_first({("tools", 1): ["saw=SAW"] * 9}))
    result = scene.generate()
    assert (0, "disputed") == (result.calls, states(result)["tools"])
    assert "disputed" == scene.json("ir.json")["validation"]["tools"]["state"]


def test_an_answer_that_comes_back_after_another_one_is_a_dispute_too(scene: Scene) -> None:
    result = scene.generate(wrong_first({("tools", 1): ["saw=SAW", "axe=AXE", "saw=SAW", GOOD]}))
    assert "disputed" == states(result)["tools"]


def test_the_same_unreadable_answer_twice_is_no_dispute(scene: Scene) -> None:
    result = scene.generate(wrong_first({("tools", 1): ["nonsense", "nonsense"]}))
    assert "verified" == result.status


def test_the_same_refusal_twice_is_no_dispute(scene: Scene) -> None:
    model = wrong_first({("tools", 1): ["saw=SAW", refused(), refused()]})
    result = scene.generate(model, budget=RetryBudget(tier2_remaining=3))
    assert ("verified", 4) == (result.status, asked(model).count(("tools", 1)))


def test_an_answer_that_repeats_itself_after_a_failure_in_tier_3_is_disputed_and_never_called_clean(
    scene: Scene,
) -> None:
    model = wrong_first({("tools", 1): [CLASH, CLASH, CLASH]})
    result = scene.generate(model)
    assert ("issues", "disputed") == (result.status, states(result)["tools"])
    assert 2 == asked(model).count(("tools", 1))


def test_the_same_complaint_twice_climbs_to_another_model(scene: Scene) -> None:
    other = scripted(lambda request: answer(request.prompt))
    other.name = "other"
    model = wrong_first({("tools", 1): ["saw=SAW", "saw=SAWS", "saw=SAWING"]})
    result = scene.generate(model, fallback=other)
    assert [("tools", 1)] == asked(other)
    assert 3 == asked(model).count(("tools", 1))
    assert "verified" == result.status


def test_the_same_complaint_of_tier_3_twice_climbs_to_another_model(scene: Scene) -> None:
    scene.use(budget=replace(scene.recipe.budget, tier3_remaining=3))
    other = scripted(lambda request: answer(request.prompt))
    model = wrong_first({("tools", 1): [CLASH, "saw=SAW\naxe=CAT", "axe=CAT\nsaw=SAWS"]})
    result = scene.generate(model, fallback=other)
    assert [("tools", 1)] == asked(other)
    assert "verified" == result.status


def test_another_complaint_does_not_climb(scene: Scene) -> None:
    other = scripted(lambda request: answer(request.prompt))
    scene.generate(wrong_first({("tools", 1): ["saw=SAW", "axe=AXE"]}), fallback=other)
    assert [] == asked(other)


def test_a_unit_that_could_not_be_read_before_is_not_put_back_when_others_made_the_group_worse(scene: Scene) -> None:
    def judged(_source: Any, values: Any) -> list[Prompt]:
        name = "-".join(values["tools"].values())
        return [Prompt(unit=name, system="Judge.", user=f"WORDS: {name}")]

    def read_all(source: Any, unit: str, pages: Any) -> Read[Any]:
        return read(source if unit in source.units else Glossary(units={unit: (unit,)}), unit, pages)

    scene.use(then=judged, read=read_all, judged_first=True)
    answers = {("tools", 1): ["axe=CAT\nsaw=SAW", "axe=CAT\nsaw=DOG"], ("CAT-DOG", 1): ["nonsense"]}
    result = scene.generate(wrong_first(answers))
    assert "axe=CAT\nsaw=SAW" == output(scene)
    assert "answered" == states(result)["CAT-DOG"]
