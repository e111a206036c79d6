"""Whole ways through the wizard without a screen: scripted models, a person who presses keys, an editor of ours."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from filelock import FileLock

from retouch.engine.errors import TransportError
from retouch.engine.lock import LOCK
from retouch.engine.run import open_run
from retouch.recipes.rule import apply_rule, load_rule
from retouch.recipes.rule.drafts.store import Drafts
from retouch.recipes.rule.wizard.shown import shown
from retouch.recipes.rule.wizard.telling import sent, told
from tests.recipes.rule.rounds_scene import BROKEN, FUNCTION, NO_MATCH, PATHS, RIGHT, UNKNOWN_SOURCE, job, other
from tests.recipes.rule.wizard.walk import Typist, Walk, read, walked

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.core import Request

pytestmark = pytest.mark.usefixtures("data_folder")
DATES = tuple(f"/x/{day:02}-0{month}-2024.csv" for day, month in ((1, 2), (3, 4), (5, 6), (7, 8)))


def words(walk: Walk) -> str:
    """Return what is told in the present state."""
    return "\n".join(line.text for line in told(walk.session))


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


def test_a_retry_is_told_with_its_number_and_the_error_before(tmp_path: Path):
    async def way() -> None:
        retries: list[tuple[int, int, str]] = []
        walk = Walk(tmp_path, BROKEN, UNKNOWN_SOURCE, RIGHT)
        note = walk.session.tell

        def tell(event: Any) -> None:
            note(event)
            wizard = walk.session.wizard
            retries.append((wizard.retry, wizard.retries, wizard.previous_error))

        walk.session.tell = tell
        wizard = await walk.begin()
        assert "YAML_RESULT" == wizard.state
        assert {(1, 3, "syntax error (line 6)"), (2, 3, "schema error (extract.mission.from)")} <= set(retries)
        assert (3, 0) == (walk.session.desk.spent.calls, walk.session.desk.spent.unanswered)

    walked(way())


def test_a_spent_budget_shows_each_failure_and_a_hint_leads_out(tmp_path: Path):
    async def way() -> None:
        walk = Walk(tmp_path, NO_MATCH, other(NO_MATCH, 2), other(RIGHT, 3))
        wizard = await walk.begin()
        assert ("ANALYSIS_ERROR", "exhausted", True) == (wizard.state, wizard.failure, wizard.has_output)
        assert "No answer passed the checks after 2 attempts." in words(walk)
        assert 2 == words(walk).count("glob didn't match samples")
        assert "YAML_RESULT" == (await walk.hint("the third folder is the mission")).state
        assert "the third folder is the mission" in walk.model.requests[-1].messages[-1].text

    walked(way())


def test_the_same_answer_again_is_no_progress_and_a_fresh_round_has_a_full_budget(tmp_path: Path):
    async def way() -> None:
        walk = Walk(tmp_path, NO_MATCH, NO_MATCH, RIGHT)
        wizard = await walk.begin()
        assert ("ANALYSIS_ERROR", "no_progress") == (wizard.state, wizard.failure)
        assert "YAML_RESULT" == (await walk.press("r")).state
        assert 1 == len(walk.model.requests[-1].messages)

    walked(way())


def test_a_model_that_is_down_says_what_to_do_and_no_hint_is_offered(tmp_path: Path):
    async def way() -> None:
        walk = Walk(tmp_path, TransportError("no key was given", hint="Set ANTHROPIC_API_KEY."), RIGHT)
        wizard = await walk.begin()
        assert ("ANALYSIS_ERROR", "transport") == (wizard.state, wizard.failure)
        assert "Set ANTHROPIC_API_KEY." in words(walk)
        assert 1 == walk.session.desk.spent.unanswered
        assert "ANALYSIS_ERROR" == (await walk.press("h")).state
        assert "YAML_RESULT" == (await walk.press("r")).state

    walked(way())


def test_where_python_failed_a_rule_is_offered(tmp_path: Path):
    wrong = [other(FUNCTION.replace("[3]", "[30]"), number) for number in range(4)]

    def answer(request: Request) -> str:
        return wrong.pop() if len(wrong) and "def extract" in request.messages[0].text else RIGHT

    async def way() -> None:
        walk = Walk(tmp_path, answer, of=job(form="python"))
        wizard = await walk.begin()
        if wizard.state == "ANALYSIS_ERROR":  # the budget may end before the recipe itself turns to YAML
            assert wizard.yaml_left
            wizard = await walk.press("y")
        assert "YAML_RESULT" == wizard.state

    walked(way())


def test_a_function_is_shown_with_its_engine_and_written_with_it(tmp_path: Path):
    async def way() -> None:
        walk = Walk(tmp_path, FUNCTION, of=job(form="python"))
        wizard = await walk.begin()
        assert "PYTHON_RESULT" == wizard.state
        found = shown(walk.session.desk)
        assert found is not None
        assert ("python", ("string",)) == (found.kind, tuple(column.type for column in found.columns))
        done = await walk.press("enter", "enter")
        assert f"# runs in: {found.engine}" in read(done.path)

    walked(way())


def test_a_rejected_answer_is_told_to_the_model_and_what_stood_can_be_kept(tmp_path: Path):
    async def way() -> None:
        walk = Walk(tmp_path, RIGHT, RIGHT)
        await walk.begin()
        wizard = await walk.press("r")
        assert "[REJECTED]" in walk.model.requests[-1].messages[-1].text
        assert ("ANALYSIS_ERROR", "yaml") == (wizard.state, wizard.stands)
        assert "YAML_RESULT" == (await walk.press("enter")).state
        assert "APPROVED" == (await walk.press("enter", "enter")).state

    walked(way())


def test_an_edit_is_checked_shown_and_kept_and_no_model_hears_of_it(tmp_path: Path):
    async def way() -> None:
        typist = Typist(lambda text: text.replace("mission:", "flight:"))
        walk = Walk(tmp_path, RIGHT, editor=typist)
        await walk.begin()
        wizard = await walk.press("e")
        assert ("YAML_RESULT", True) == (wizard.state, wizard.by_hand)
        found = shown(walk.session.desk)
        assert found is not None
        assert ["flight"] == [column.name for column in found.columns]
        assert 1 == len(walk.model.requests)
        assert {"PENDING"} == {draft.state for draft in Drafts().every()}
        done = await walk.press("enter", "enter")
        assert "flight:" in read(done.path)

    walked(way())


def test_an_edit_that_fails_says_where_and_is_opened_again_at_its_line(tmp_path: Path):
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


def test_what_a_person_wrote_is_kept_when_it_is_discarded_or_the_editor_fails(tmp_path: Path):
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


def test_a_call_that_is_cancelled_stands_in_the_ledger(tmp_path: Path):
    async def way() -> None:
        called = asyncio.Event()

        async def forever(_request: Request) -> str:
            called.set()
            await asyncio.sleep(3600)
            raise AssertionError

        walk = Walk(tmp_path, forever)
        walk.session.begin()
        await asyncio.wait_for(called.wait(), 10)
        assert "CANCELED" == (await walk.press("escape")).state
        await walk.session.close()
        attempts = open_run(tmp_path / "run").history.attempts
        assert (1, None) == (len(attempts), next(iter(attempts.values())).reply)
        assert (1, 1) == (walk.session.desk.spent.calls, walk.session.desk.spent.unanswered)
        again = Walk(tmp_path, RIGHT)
        assert "YAML_RESULT" == (await again.begin()).state

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
        assert None is Walk(tmp_path, RIGHT).session.desk.waiting

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


def test_dates_are_asked_about_before_anything_is_paid_for(tmp_path: Path):
    async def way() -> None:
        walk = Walk(tmp_path, RIGHT, of=job(*DATES))
        wizard = await walk.begin(preview=True)
        assert ("QUESTION", 0) == (wizard.state, len(walk.model.requests))
        assert "PREVIEW" == (await walk.press("d")).state
        assert ("day-first",) == walk.session.desk.job.dates
        assert DATES[0] in words(walk)
        assert () == walk.session.desk.questions

    walked(way())


def test_what_is_shown_as_sent_is_what_the_model_gets(tmp_path: Path):
    async def way() -> None:
        walk = Walk(tmp_path, RIGHT)
        await walk.begin(preview=True)
        before = "\n".join(line.text for line in sent(walk.session.desk))
        await walk.press("enter")
        request = walk.model.requests[0]
        assert f"--- system\n{request.system}\n--- user\n{request.messages[0].text}" == before
        assert before in "\n".join(line.text for line in sent(walk.session.desk))

    walked(way())


def test_python_is_proposed_for_a_hint_that_computes_and_taken_when_wanted(tmp_path: Path):
    async def way() -> None:
        walk = Walk(tmp_path, RIGHT, FUNCTION)
        await walk.begin()
        wizard = await walk.hint("convert the month into a quarter")
        assert ("PYTHON_PROPOSED", 1) == (wizard.state, len(walk.model.requests))
        assert "'convert'" in words(walk)
        assert "PYTHON_RESULT" == (await walk.press("y")).state
        assert "convert the month into a quarter" in walk.model.requests[1].messages[0].text

    walked(way())


def test_a_name_that_is_taken_or_none_is_refused_and_another_text_is_never_overwritten(tmp_path: Path):
    async def way() -> None:
        (tmp_path / "rules").mkdir()
        (tmp_path / "rules" / "x.yaml").write_text("name: x\nglob: '**/other'\n", encoding="utf-8")
        walk = Walk(tmp_path, RIGHT)
        await walk.begin()
        assert "There is a rule called 'x'" in (await walk.press("enter", "enter")).message
        walk.session.name("Not A Name")
        assert "is no name for a rule" in (await walk.press("enter")).message
        walk.session.name("free")
        (tmp_path / "rules" / "free.yaml").write_text("came meanwhile", encoding="utf-8")
        wizard = await walk.press("enter")
        assert ("NAME_INPUT", True) == (wizard.state, "is there already" in wizard.message)
        assert "came meanwhile" == (tmp_path / "rules" / "free.yaml").read_text(encoding="utf-8")

    walked(way())


def test_what_is_left_out_failed_and_in_conflict_is_shown_with_its_reason(tmp_path: Path):
    async def way() -> None:
        paths = (*PATHS, "/srv/data/other/notes.txt")
        answer = RIGHT.replace("segment(-3)", "segment(-3)\n    pattern: '^mission_(00.)$'")
        rules = (load_rule("name: a\nglob: '**/*.csv'"), load_rule("name: z\nglob: '/elsewhere/*'\npriority: 1"))
        walk = Walk(tmp_path, answer, answer, of=job(*paths, min_coverage=0.5), rules=rules)
        await walk.begin()
        found = shown(walk.session.desk)
        assert found is not None
        assert ["/srv/data/other/notes.txt"] == [row.path for row in found.unmatched]
        assert "'notes.txt'" in found.unmatched[0].why
        failed = [cell for row in found.rows for cell in row.cells if cell.mark == "failed"]
        assert {"✗ pattern no match"} == {cell.marked for cell in failed}
        assert all(cell.why for cell in failed)
        assert [("a", "x", "name", 12)] == [
            (one.winner, one.loser, one.decided_by, one.common) for one in found.conflicts
        ]

    walked(way())


def test_a_folder_that_another_process_writes_into_is_said_and_can_be_tried_again(tmp_path: Path):
    async def way() -> None:
        walk = Walk(tmp_path, RIGHT)
        (tmp_path / "run").mkdir()
        with FileLock(tmp_path / "run" / LOCK):
            wizard = await walk.begin()
        assert ("ANALYSIS_ERROR", "transport") == (wizard.state, wizard.failure)
        assert "YAML_RESULT" == (await walk.press("r")).state

    walked(way())


def test_what_nobody_foresaw_ends_the_session_and_is_raised(tmp_path: Path):
    async def way() -> None:
        walk = Walk(tmp_path, RIGHT, editor=Typist())
        await walk.begin()
        with pytest.raises(IndexError):
            await walk.press("e")
        assert walk.session.is_over

    walked(way())
