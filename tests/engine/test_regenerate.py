"""Only the targets are asked again, from their stored prompts, and `prompts.json` stays as it is."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.engine.targets import Targets
from retouch.engine.types import Issue, Tier
from retouch.errors import BadInput, StaleRun, UnknownName
from retouch.testing import scripted
from tests.engine.conftest import Scene, asked, honest, wrong_first
from tests.engine.glossary import SOURCE

if TYPE_CHECKING:
    from collections.abc import Sequence

PAGES = ["animals:1", "animals:2", "tools:1"]


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        (("tools",), [("tools", 1)]),
        (("animals:2",), [("animals", 2)]),
        (("animals",), [("animals", 1), ("animals", 2)]),
        ((), [("animals", 1), ("animals", 2), ("tools", 1)]),
        (("tools", "animals:1"), [("animals", 1), ("tools", 1)]),
    ],
)
def test_only_the_targets_are_asked(scene: Scene, targets: Sequence[str], expected: list[tuple[str, int]]) -> None:
    scene.generate()
    model = honest()
    scene.regenerate(model, *targets)
    assert expected == sorted(asked(model))


@settings(max_examples=12, deadline=None)
@given(targets=st.sets(st.sampled_from(PAGES), min_size=1), answers=st.lists(st.text("ab=\n", max_size=8), max_size=4))
def test_prompts_json_is_byte_identical_after_any_regenerate(targets: set[str], answers: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(Path(folder) / "run")
        scene.generate()
        before = (scene.folder / "prompts.json").read_bytes()
        model = wrong_first({(name.partition(":")[0], int(name[-1])): answers for name in targets})
        scene.regenerate(model, *targets, hint="shorter")
        assert before == (scene.folder / "prompts.json").read_bytes()
        assert targets >= {f"{unit}:{page}" for unit, page in asked(model)}


def test_the_clean_prompt_is_sent_when_nothing_is_wrong_and_no_one_hints(scene: Scene) -> None:
    scene.generate()
    model = honest()
    scene.regenerate(model, "tools")
    assert [scene.json("prompts.json")[2]["user"]] == [m.text for r in model.requests for m in r.messages]


def test_a_hint_reaches_the_model_and_the_ledger_and_no_file_of_prompts(scene: Scene) -> None:
    scene.generate()
    model = honest()
    scene.regenerate(model, "tools", hint="Mind the plural.")
    assert "Mind the plural." in model.requests[0].messages[0].text
    assert "Mind the plural." == scene.history.hint
    assert not any("Mind the plural." in scene.text(name) for name in ("prompts.json", "ir.json", "pages.json"))


def test_from_errors_asks_the_blamed_pages_and_tells_them_what_was_wrong(scene: Scene) -> None:
    scene.generate(wrong_first({("animals", 2): ["nonsense"] * 9}))
    model = honest()
    result = scene.remake(model, Targets(from_errors=True))
    assert ([("animals", 2)], "verified") == (asked(model), result.status)
    assert "BROKEN_LINE" in model.requests[0].messages[0].text


def test_from_errors_asks_nothing_of_a_clean_run(scene: Scene) -> None:
    scene.generate()
    model = honest()
    assert "verified" == scene.remake(model, Targets(from_errors=True)).status
    assert [] == model.requests


def test_issues_from_outside_are_told_to_their_pages(scene: Scene) -> None:
    scene.generate()
    model = honest()
    issue = Issue(code="CS1002", message="; expected", tier=Tier.SEMANTIC, unit="tools")
    scene.remake(model, Targets(units=("tools",), issues=(issue,)))
    assert "[CS1002] ; expected" in model.requests[0].messages[0].text


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("tool", "no type 'tool'; it has tools"),
        ("tools:2", "'tools' has no page 2; it has 1"),
        ("tools:0", "no page 0"),
    ],
)
def test_an_unknown_target_is_named_with_what_there_is(scene: Scene, target: str, message: str) -> None:
    scene.generate()
    with pytest.raises(UnknownName, match=message):
        scene.regenerate(None, target)


def test_a_regenerate_with_another_model_is_recorded_page_by_page(scene: Scene) -> None:
    scene.generate()
    other = scripted(lambda _request: "axe=Axt\nsaw=Sage")
    other.name = "other"
    scene.regenerate(other, "tools")
    attempts = scene.history.attempts.values()
    assert ["scripted", "scripted", "scripted", "other"] == [attempt.model for attempt in attempts]
    assert "axe=Axt\nsaw=Sage" == scene.json("pages.json")["pages"][2]["output"]


def test_prompts_of_an_older_source_are_refused(scene: Scene) -> None:
    scene.generate()
    scene.rewrite("ir.json", '"axe"', '"adze"')
    with pytest.raises(StaleRun, match="'tools'"):
        scene.regenerate()
    assert "verified" != scene.regenerate(honest(), "animals", ignore_stale=True).status


def test_a_unit_that_did_not_change_is_regenerated_while_another_is_older(scene: Scene) -> None:
    scene.generate()
    scene.rewrite("ir.json", '"axe"', '"adze"')
    result = scene.regenerate(honest(), "animals")
    assert ("issues", {"tools"}) == (result.status, {issue.unit for issue in result.issues})
    assert "the prompts of 'tools' are older than the source" in result.notes[-1]
    with pytest.raises(StaleRun, match="'tools'"):
        scene.regenerate(honest(), "animals", "tools")


def test_a_unit_that_only_the_source_has_refuses_every_regenerate(scene: Scene) -> None:
    scene.generate()
    scene.rewrite("ir.json", '"tools"', '"other"')  # nothing would say that it has no answer
    with pytest.raises(StaleRun, match="'other'"):
        scene.regenerate(honest(), "animals")


def test_a_changed_source_asks_only_for_the_prompts_that_changed(scene: Scene) -> None:
    scene.generate()
    scene.source = replace(SOURCE, units={**SOURCE.units, "new": ("ant",)})
    model = honest()
    assert "verified" == scene.generate(model).status
    assert [("new", 1)] == asked(model)


def test_a_source_that_comes_back_finds_its_answers_again(scene: Scene) -> None:
    scene.generate()
    scene.source = replace(SOURCE, units={"tools": SOURCE.units["tools"]})
    scene.generate()
    scene.source = SOURCE
    assert (0, "verified") == ((result := scene.generate()).calls, result.status)


def test_only_repaginate_cuts_pages_smaller(scene: Scene) -> None:
    scene.generate()
    model = honest()
    result = scene.repaginate("animals", model)
    assert "verified" == result.status
    assert [(1, 3), (2, 3), (3, 3)] == [(p["page"], p["total_pages"]) for p in scene.json("prompts.json")[:3]]
    assert {"animals"} == {unit for unit, _ in asked(model)}


def test_pages_that_cannot_be_smaller_are_said_so(scene: Scene) -> None:
    scene.generate()
    scene.use(smaller=None)
    with pytest.raises(BadInput, match="'tools' cannot be made smaller"):
        scene.repaginate("tools")


def test_a_regenerate_needs_a_run_folder_and_makes_none(scene: Scene) -> None:
    with pytest.raises(BadInput, match="not a run directory"):
        scene.regenerate()
    assert not scene.folder.exists()


def test_an_answer_that_was_left_aside_is_told(scene: Scene) -> None:
    scene.generate()
    result = scene.regenerate(scripted(lambda _request: "broken"), "tools")
    assert ("verified", 1) == (result.status, len(result.notes))
    assert "the new answer for 'tools' was worse (BROKEN_LINE) and was left aside" in result.notes[0]
