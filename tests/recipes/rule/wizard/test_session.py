"""Whole sessions of the wizard without a screen: scripted models, a user who presses keys, and a test editor."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from filelock import FileLock

from retouch.engine.directory import open_run
from retouch.engine.ledger import LOCK
from retouch.errors import TransportError
from retouch.recipes.rule import load_rule
from retouch.recipes.rule.wizard.lines import sent
from retouch.recipes.rule.wizard.shown import shown
from tests.recipes.rule.rounds_scene import BROKEN, FUNCTION, NO_MATCH, PATHS, RIGHT, UNKNOWN_SOURCE, job, other
from tests.recipes.rule.wizard.walk import Typist, Walk, read, walked, words
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.types import Request

pytestmark = pytest.mark.usefixtures("data_folder")
DATES = tuple(f"/x/{day:02}-0{month}-2024.csv" for day, month in ((1, 2), (3, 4), (5, 6), (7, 8)))


def test_a_retry_is_shown_with_its_number_and_the_previous_error(tmp_path: Path):
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
        assert (3, 0) == (walk.session.data.spent.calls, walk.session.data.spent.unanswered)

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


def test_a_model_that_is_down_is_reported_with_the_next_step_and_without_a_hint_field(tmp_path: Path):
    async def way() -> None:
        walk = Walk(tmp_path, TransportError("no key was given", hint="Set ANTHROPIC_API_KEY."), RIGHT)
        wizard = await walk.begin()
        assert ("ANALYSIS_ERROR", "transport") == (wizard.state, wizard.failure)
        assert "Set ANTHROPIC_API_KEY." in words(walk)
        assert 1 == walk.session.data.spent.unanswered
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
        if wizard.state == "ANALYSIS_ERROR":  # the budget can end before the recipe itself switches to YAML
            assert wizard.yaml_left
            wizard = await walk.press("y")
        assert "YAML_RESULT" == wizard.state

    walked(way())


def test_a_function_is_shown_with_its_engine_and_written_with_it(tmp_path: Path):
    async def way() -> None:
        walk = Walk(tmp_path, FUNCTION, of=job(form="python"))
        wizard = await walk.begin()
        assert "PYTHON_RESULT" == wizard.state
        found = shown(walk.session.data)
        assert found is not None
        assert ("python", ("string",)) == (found.kind, tuple(column.type for column in found.columns))
        done = await walk.press("enter", "enter")
        assert f"# runs in: {found.engine}" in read(done.path)

    walked(way())


def test_a_rejected_answer_is_reported_to_the_model_and_can_be_kept(tmp_path: Path):
    async def way() -> None:
        walk = Walk(tmp_path, RIGHT, RIGHT)
        await walk.begin()
        wizard = await walk.press("r")
        assert "[REJECTED]" in walk.model.requests[-1].messages[-1].text
        assert ("ANALYSIS_ERROR", "yaml") == (wizard.state, wizard.earlier_kind)
        assert "YAML_RESULT" == (await walk.press("enter")).state
        assert "APPROVED" == (await walk.press("enter", "enter")).state

    walked(way())


@pytest.mark.slow
def test_a_cancelled_call_is_in_the_ledger(tmp_path: Path):
    async def way() -> None:
        called = asyncio.Event()

        async def forever(_request: Request) -> str:
            called.set()
            await asyncio.sleep(3600)
            raise AssertionError

        walk = Walk(tmp_path, forever)
        walk.session.begin()
        await asyncio.wait_for(called.wait(), MOST_S)
        assert "CANCELED" == (await walk.press("escape")).state
        await walk.session.close()
        attempts = open_run(tmp_path / "run").history.attempts
        assert (1, None) == (len(attempts), next(iter(attempts.values())).reply)
        assert (1, 1) == (walk.session.data.spent.calls, walk.session.data.spent.unanswered)
        again = Walk(tmp_path, RIGHT)
        assert "YAML_RESULT" == (await again.begin()).state

    walked(way())


def test_dates_are_asked_about_before_anything_is_paid_for(tmp_path: Path):
    async def way() -> None:
        walk = Walk(tmp_path, RIGHT, of=job(*DATES))
        wizard = await walk.begin(preview=True)
        assert ("QUESTION", 0) == (wizard.state, len(walk.model.requests))
        assert "PREVIEW" == (await walk.press("d")).state
        assert ("day-first",) == walk.session.data.job.dates
        assert DATES[0] in words(walk)
        assert () == walk.session.data.questions

    walked(way())


def test_the_shown_request_is_the_one_that_the_model_gets(tmp_path: Path):
    async def way() -> None:
        walk = Walk(tmp_path, RIGHT)
        await walk.begin(preview=True)
        before = "\n".join(line.text for line in sent(walk.session.data))
        await walk.press("enter")
        request = walk.model.requests[0]
        assert f"--- system\n{request.system}\n--- user\n{request.messages[0].text}" == before
        assert before in "\n".join(line.text for line in sent(walk.session.data))

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


def test_what_is_left_out_failed_and_in_conflict_is_shown_with_its_reason(tmp_path: Path):
    async def way() -> None:
        paths = (*PATHS, "/srv/data/other/notes.txt")
        answer = RIGHT.replace("segment(-3)", "segment(-3)\n    pattern: '^mission_(00.)$'")
        rules = (load_rule("name: a\nglob: '**/*.csv'"), load_rule("name: z\nglob: '/elsewhere/*'\npriority: 1"))
        walk = Walk(tmp_path, answer, answer, of=job(*paths, min_coverage=0.5), rules=rules)
        await walk.begin()
        found = shown(walk.session.data)
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


def test_a_directory_in_use_by_another_process_is_reported_and_can_be_retried(tmp_path: Path):
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
