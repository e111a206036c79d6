"""The finish reason comes first: what was cut off, refused or withheld is never read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.options import RunOptions
from retouch.engine.types import Reply
from tests.engine import glossary
from tests.engine.conftest import Scene, asked, cut, honest, refused, states, wrong_first

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.engine.types import Finish

GOOD = "axe=AXE\nsaw=SAW"


def texts_read(scene: Scene) -> list[str]:
    """Let the scene's recipe note each page that it reads."""
    seen: list[str] = []

    def read(source: Any, unit: str, pages: Sequence[str]) -> Any:
        seen.extend(pages)
        return glossary.read(source, unit, pages)

    scene.use(read=read)
    return seen


@pytest.mark.parametrize("finish", ["length", "refused", "filtered", "error"])
def test_only_a_reply_that_ended_by_itself_is_read(scene: Scene, finish: Finish) -> None:
    seen = texts_read(scene)
    scene.generate(wrong_first({("tools", 1): [Reply(text="axe=UNFINISHED", finish=finish, model="m")]}))
    assert "axe=UNFINISHED" not in seen
    assert GOOD in seen


@pytest.mark.parametrize("finish", ["length", "refused", "filtered", "error"])
def test_a_page_without_an_answer_is_an_issue_of_the_engine_itself(scene: Scene, finish: Finish) -> None:
    result = scene.generate(wrong_first({("tools", 1): [Reply(text=GOOD, finish=finish, model="m")] * 9}))
    assert [("UNANSWERED", "tools", 1, 1)] == [(i.code, i.unit, i.page, int(i.tier)) for i in result.issues]
    assert {"animals": "answered", "tools": "exhausted"} == states(result)
    assert ("exhausted", 3) == (result.status, result.exit_status)


def test_a_cut_page_is_asked_again_with_twice_the_cap(scene: Scene) -> None:
    model = wrong_first({("tools", 1): [cut(), cut()]})
    scene.generate(model)
    assert [8192, 16384, 32768] == [r.max_output_tokens for r in model.requests if r.prompt.unit == "tools"]


def test_a_page_that_is_cut_at_the_highest_cap_is_given_up_without_paying_for_another_try(scene: Scene) -> None:
    options = RunOptions(max_output_tokens=100, max_output_limit=200)
    model = wrong_first({("tools", 1): [cut()] * 9})
    result = scene.generate(model, options=options)
    assert [100, 200] == [r.max_output_tokens for r in model.requests if r.prompt.unit == "tools"]
    assert "exhausted" == states(result)["tools"]
    assert 2 == scene.history.remaining_budget("tools").total_remaining


def test_a_cut_page_stays_exhausted_for_those_who_look_later(scene: Scene) -> None:
    scene.generate(wrong_first({("tools", 1): [cut()] * 9}))
    model = honest()
    for result in (scene.generate(model), scene.validate(), scene.validate(write=False)):
        assert ("exhausted", "exhausted") == (result.status, states(result)["tools"])
        assert ["was cut off" in issue.message for issue in result.issues] == [True]
    assert [] == model.requests


def test_a_regenerate_does_not_ask_a_cut_page_with_the_same_cap(scene: Scene) -> None:
    options = RunOptions(max_output_tokens=100, max_output_limit=100)
    scene.generate(wrong_first({("tools", 1): [cut()]}), options=options)
    model = honest()
    result = scene.regenerate(model, "tools", options=options)
    assert [] == asked(model)
    assert "exhausted" == states(result)["tools"]


def test_a_regenerate_with_a_higher_limit_asks_a_cut_page_with_more(scene: Scene) -> None:
    options = RunOptions(max_output_tokens=100, max_output_limit=100)
    scene.generate(wrong_first({("tools", 1): [cut()]}), options=options)
    model = honest()
    result = scene.regenerate(model, "tools", options=RunOptions(max_output_tokens=100, max_output_limit=400))
    assert [200] == [request.max_output_tokens for request in model.requests]
    assert "verified" == result.status


def test_the_other_pages_of_a_refused_page_keep_their_answers(scene: Scene) -> None:
    result = scene.generate(wrong_first({("animals", 2): [refused()] * 9}))
    assert "cat=CAT\ndog=DOG" == scene.json("pages.json")["pages"][0]["output"]
    assert "# begin animals\ncat=CAT\ndog=DOG\n# end animals" in scene.text()
    assert "exhausted" == result.status


def test_a_page_says_why_it_is_missing_now_and_not_why_it_was_missing_first(scene: Scene) -> None:
    result = scene.generate(wrong_first({("tools", 1): [cut(), refused(), refused(), refused()]}))
    assert ["refused"] == [issue.detail["finish"] for issue in result.issues]


def test_a_repair_that_is_cut_off_is_not_paid_from_the_tier_of_what_it_was_to_repair(scene: Scene) -> None:
    taken = "axe=CAT\nsaw=SAW"  # a value that another unit has: tier 3, which may be asked again once
    result = scene.generate(wrong_first({("tools", 1): [taken, cut()]}))
    assert ("verified", "answered") == (result.status, states(result)["tools"])
