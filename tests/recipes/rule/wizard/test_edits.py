"""The user's edits, drafts and approvals: nothing is lost, and only checked text is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retouch.errors import TransportError
from retouch.recipes.rule import apply_rule, load_rule
from retouch.recipes.rule.drafts.store import Drafts
from retouch.recipes.rule.wizard.shown import shown
from tests.recipes.rule.rounds_scene import PATHS, RIGHT, other
from tests.recipes.rule.wizard.walk import Typist, Walk, read, walked, words

if TYPE_CHECKING:
    from pathlib import Path


pytestmark = pytest.mark.usefixtures("data_folder")
DATES = tuple(f"/x/{day:02}-0{month}-2024.csv" for day, month in ((1, 2), (3, 4), (5, 6), (7, 8)))


def test_a_rule_is_found_looked_at_named_and_written(tmp_path: Path):
    async def way() -> None:
        walk = Walk(tmp_path, RIGHT)
        assert "YAML_RESULT" == (await walk.begin()).state
        await walk.press("enter")
        assert ("x", True) == (walk.session.wizard.name, walk.session.wizard.name_is_valid)
        walk.session.name("missions")
        done = await walk.press("enter")
        assert "APPROVED" == done.state
        rule = load_rule(read(done.path))
        assert ("missions", "COMPLETE") == (rule.name, apply_rule(rule, PATHS[0]).status)
        assert ["ANALYZING", "YAML_RESULT", "NAME_INPUT", "APPROVING", "APPROVED"] == walk.seen
        assert "COMMITTED" == Drafts().every()[0].state

    walked(way())


def test_an_edit_is_checked_shown_and_kept_and_no_model_hears_of_it(tmp_path: Path):
    async def way() -> None:
        typist = Typist(lambda text: text.replace("mission:", "flight:"))
        walk = Walk(tmp_path, RIGHT, editor=typist)
        await walk.begin()
        wizard = await walk.press("e")
        assert ("YAML_RESULT", True) == (wizard.state, wizard.is_manual)
        found = shown(walk.session.data)
        assert found is not None
        assert ["flight"] == [column.name for column in found.columns]
        assert 1 == len(walk.model.requests)
        assert {"PENDING"} == {draft.state for draft in Drafts().every()}
        done = await walk.press("enter", "enter")
        assert "flight:" in read(done.path)

    walked(way())


def test_a_failing_edit_names_its_line_and_is_opened_there_again(tmp_path: Path):
    async def way() -> None:
        typist = Typist(
            lambda text: text.replace("segment(-3)", "folder(-3)"), lambda text: text.replace("folder", "segment")
        )
        walk = Walk(tmp_path, RIGHT, editor=typist)
        await walk.begin()
        wizard = await walk.press("e")
        assert ("VALIDATION_ERROR", 6) == (wizard.state, wizard.error_line)
        assert "line 6, column 11" in words(walk)
        assert "from: folder(-3)" in words(walk)
        assert "YAML_RESULT" == (await walk.press("e")).state
        text, line = typist.opened[1]
        assert ("folder(-3)" in text, 6) == (True, line)

    walked(way())


def test_the_users_text_is_kept_when_it_is_discarded_or_the_editor_fails(tmp_path: Path):
    async def way() -> None:
        def scribble(text: str) -> str:
            return text + "nonsense: here\n"

        walk = Walk(tmp_path, RIGHT, editor=Typist(scribble, lambda _text: None, lambda text: text))
        before = (await walk.begin()).hash
        assert "VALIDATION_ERROR" == (await walk.press("e")).state
        back = await walk.press("escape")
        assert ("YAML_RESULT", before) == (back.state, back.hash)
        kept = [read(file) for file in (tmp_path / "run" / "edits").iterdir()]
        assert ["nonsense: here"] == [text.splitlines()[-1] for text in kept]
        assert "The editor failed." == (await walk.press("e")).message
        assert "Nothing was changed." == (await walk.press("e")).message
        assert 1 == len(list((tmp_path / "run" / "edits").iterdir()))

    walked(way())


def test_without_any_answer_an_edit_begins_with_what_the_detector_found(tmp_path: Path):
    async def way() -> None:
        typist = Typist(lambda text: text.replace("tag:", "# tag:"))
        walk = Walk(tmp_path, TransportError("down", hint="later"), editor=typist)
        await walk.begin()
        assert "YAML_RESULT" == (await walk.press("e")).state
        assert "glob:" in typist.opened[0][0]

    walked(way())


def test_a_draft_that_was_left_is_offered_checked_and_gone_on_with(tmp_path: Path):
    async def way() -> None:
        left = Walk(tmp_path, RIGHT)
        await left.begin()
        walk = Walk(tmp_path, other(RIGHT, 2))
        assert "DRAFT_FOUND" == (await walk.begin()).state
        assert "'x'" in words(walk)
        assert "YAML_RESULT" == (await walk.press("enter")).state
        assert [] == walk.model.requests
        assert "YAML_RESULT" == (await walk.hint("the third folder is the mission")).state
        assert "APPROVED" == (await walk.press("enter", "enter")).state
        assert None is Walk(tmp_path, RIGHT).session.data.waiting

    walked(way())


def test_a_crash_in_the_editor_leaves_a_draft_that_is_offered(tmp_path: Path):
    async def way() -> None:
        walk = Walk(tmp_path, RIGHT)
        await walk.begin()
        draft = Drafts().every()[0]
        Drafts().being_edited(draft)
        again = Walk(tmp_path)
        assert "DRAFT_FOUND" == (await again.begin()).state
        assert "YAML_RESULT" == (await again.press("enter")).state
        assert ["PENDING"] == [one.state for one in Drafts().every()]

    walked(way())


def test_a_name_that_is_taken_or_none_is_refused_and_another_text_is_never_overwritten(tmp_path: Path):
    async def way() -> None:
        (tmp_path / "rules").mkdir()
        (tmp_path / "rules" / "x.yaml").write_text("name: x\nglob: '**/other'\n", encoding="utf-8")
        walk = Walk(tmp_path, RIGHT)
        await walk.begin()
        assert "A rule named 'x' already exists" in (await walk.press("enter", "enter")).message
        walk.session.name("Not A Name")
        assert "is not a valid name" in (await walk.press("enter")).message
        walk.session.name("free")
        (tmp_path / "rules" / "free.yaml").write_text("came meanwhile", encoding="utf-8")
        wizard = await walk.press("enter")
        assert ("NAME_INPUT", True) == (wizard.state, "already exists" in wizard.message)
        assert "came meanwhile" == (tmp_path / "rules" / "free.yaml").read_text(encoding="utf-8")

    walked(way())
