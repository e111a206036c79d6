"""Recipes whose checks need a judge, other units, or a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch.engine.recipe import Read
from retouch.engine.repair import Correction, FollowUp, PageByPage
from retouch.engine.types import Issue, Prompt, Tier
from retouch.testing import scripted
from tests.engine import glossary
from tests.engine.conftest import always, asked, one_at_a_time
from tests.engine.glossary import answer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from retouch.engine.types import Request
    from tests.engine.conftest import Scene


def read(source: Any, unit: str, pages: Sequence[str]) -> Read[Any]:
    return Read({"judge": pages[0]}) if unit == "judge" else glossary.read(source, unit, pages)


def saying(meaning: str) -> Callable[[Request], str]:
    """Answer a judge's prompt with `meaning`, the others by rule."""
    return lambda request: meaning if request.prompt.unit == "judge" else answer(request.prompt)


def then(_source: Any, values: Mapping[str, Any]) -> list[Prompt]:
    return [Prompt(unit="judge", system="judge", user="who is wrong?")] if "tools" in values else []


def wrong(unit: str, **detail: Any) -> Issue:
    return Issue(code="WRONG", message="by the judge", tier=Tier.SEMANTIC, unit=unit, detail=detail)


def by_judge(_source: Any, values: Mapping[str, Any], _options: Any) -> list[Issue]:
    """Blame the unit that the judge names; without a judge everything is wrong."""
    named = values["judge"]["judge"] if "judge" in values else "animals tools"
    return [wrong(unit) for unit in named.split() if unit in values]


def in_turn(*found: list[Issue]) -> Callable[..., list[Issue]]:
    """Return a check that finds one thing after the other; the last stays."""
    left = list(found)

    def check(*_: Any) -> list[Issue]:
        return left.pop(0) if len(left) > 1 else left[0]

    return check


def appending(mark: str, **more: Any) -> FollowUp:
    """Return a further turn whose merge keeps what stands and adds `mark`."""

    def merge(standing: str | None, _reply: str) -> str:
        return f"{standing}{mark}"

    return FollowUp(merge=merge, **more)


def test_a_judge_is_asked_before_anything_is_mended_for_what_it_may_excuse(scene: Scene) -> None:
    scene.use(then=then, read=read, check=by_judge, judged_first=True)
    model = scripted(saying(""))
    assert "verified" == scene.generate(model, options=one_at_a_time()).status
    assert ("judge", 1) == asked(model)[-1]
    assert 4 == len(asked(model))


def test_without_a_judge_first_the_check_is_heard_at_once(scene: Scene) -> None:
    scene.use(then=then, read=read, check=by_judge)
    model = scripted(saying(""))
    scene.generate(model, options=one_at_a_time())
    assert ("judge", 1) != asked(model)[3]


def test_what_a_person_must_decide_is_asked_of_no_model_and_exhausts_nothing(scene: Scene) -> None:
    scene.use(check=in_turn([wrong("tools", person=True)]))
    model = scripted(saying(""))
    result = scene.generate(model, options=one_at_a_time())
    assert ("issues", 1, 3) == (result.status, result.exit_status, len(asked(model)))


def test_a_repair_may_depend_on_other_units_and_on_the_page(scene: Scene) -> None:
    def among(_source: Any, unit: str, _issues: Any, _attempts: Any, values: Mapping[str, Any]) -> PageByPage:
        return PageByPage(lambda page: Correction(noun=f"{unit} {page} beside {' '.join(values)}"))

    scene.use(repair_among=among, check=in_turn([wrong("animals")], []))
    model = scripted(lambda r: answer(r.prompt) + "\nape=APE" * ("CORRECTION" in r.messages[0].text))
    assert "verified" == scene.generate(model, options=one_at_a_time()).status
    told = [request.messages[0].text.splitlines()[1] for request in model.requests[3:]]
    assert ["this animals 1 beside animals tools", "this animals 2 beside animals tools"] == [
        line.removeprefix("The previous attempt for ").partition(" produced")[0] for line in told
    ]


def test_an_answer_that_its_merge_has_judged_is_not_undone(scene: Scene) -> None:
    """The second check finds more than the first: an answer that nobody has judged yet is put back for that."""
    for final, expected in ((True, "saw=SAW!"), (False, "saw=SAW")):
        check = in_turn([wrong("tools")], [wrong("tools"), wrong("animals")], [])
        scene.use(repair=always(appending("!", final=final)), check=check)
        scene.folder = scene.folder.parent / f"final-{final}"
        scene.generate(scripted(saying("")), options=one_at_a_time())
        assert expected in scene.text().splitlines()


def test_a_turn_of_a_new_round_follows_what_stands(scene: Scene) -> None:
    scene.generate(scripted(saying("")), options=one_at_a_time())
    scene.use(repair=always(appending("!", turn="once more")), check=in_turn([wrong("tools")], []))
    model = scripted(saying(""))
    scene.regenerate(model, "animals", options=one_at_a_time())
    prompt = next(one for one in scene.json("prompts.json") if one["type_name"] == "tools")
    turns = [r.messages for r in model.requests if r.prompt.unit == "tools"]
    assert [[prompt["user"], "axe=AXE\nsaw=SAW", "once more"]] == [[m.text for m in messages] for messages in turns]
