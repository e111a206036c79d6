"""Whole runs: the requests after a failure, and the final content of the directory."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from retouch.engine.verbs import adopt, validate
from retouch.errors import BadInput, CannotJudge
from retouch.recipes.edit import edit_job, recipe
from retouch.recipes.edit.pages import prompt_for
from tests.recipes.edit.scenes import LARGE, SMALL, Project, change, cut, whole

if TYPE_CHECKING:
    from retouch.engine.types import Reply, Request

SEVEN = change("    return value + 7", "    return value + 70")
NINE = change("    return value + 9", "    return value + 90", 2)


def test_blocks_are_applied_and_the_originals_stay_as_they_are(project: Project) -> None:
    result = project.edit("large.py", answers=[SEVEN])
    assert ("unverified", 1) == (result.status, result.calls)
    assert LARGE.replace("+ 7\n", "+ 70\n") == project.new("large.py")
    assert LARGE == (project.root / "large.py").read_text(encoding="utf-8")
    assert "+    return value + 70\n" in (project.run / "changes.diff").read_text(encoding="utf-8")


def test_a_failed_edit_is_sent_back_with_the_text_at_its_place(project: Project) -> None:
    wrong = change("def step_7(value):\n    return value - 7", "def step_7(value):\n    return value + 70")
    result = project.edit("large.py", answers=[wrong, SEVEN])
    assert ("unverified", 2) == (result.status, result.calls)
    assert "[NOT_FOUND]" in project.asked(1)
    assert "file: '    return value + 7'" in project.asked(1).partition("CORRECTION REQUIRED")[2]


def test_a_truncated_answer_is_requested_one_change_at_a_time(project: Project) -> None:
    script = iter([cut(SEVEN), SEVEN + "MORE CHANGES: yes\n", NINE + "MORE CHANGES: no\n"])

    def answer(request: Request) -> str | Reply:
        given = next(script)
        return given if isinstance(given, str) else given(request)

    result = project.edit("large.py", answers=answer)
    assert ("unverified", 3) == (result.status, result.calls)
    assert LARGE.replace("+ 7\n", "+ 70\n").replace("+ 9\n", "+ 90\n") == project.new("large.py")
    assert "one FIND/REPLACE block at a time" in project.asked(1)
    follow_up = project.model.requests[2].messages
    assert project.model.requests[1].messages == follow_up[:1]


def test_only_what_comes_one_change_at_a_time_is_a_session_whose_turns_are_kept_for_the_next(project: Project) -> None:
    job = edit_job(project.root, [Path("large.py")], "change it")
    prompts = [prompt_for(job, job.files[0], form) for form in ("blocks", "whole", "one_change")]
    assert [False, False, True] == [recipe.session(prompt) for prompt in prompts]


def test_complete_blocks_of_a_truncated_answer_are_never_applied(project: Project) -> None:
    result = project.edit("large.py", answers=cut(SEVEN), max_output_limit=8_192)
    assert "exhausted" == result.status
    assert not (project.run / "files" / "large.py").exists()


def test_a_truncated_small_file_is_requested_in_blocks(project: Project) -> None:
    edit = change("def load(path):", "def read(path):")
    answers = iter([cut("```\ndef read"), edit])

    def answer(request: Request) -> str | Reply:
        given = next(answers)
        return given if isinstance(given, str) else given(request)

    result = project.edit("small.py", answers=answer, request="rename load to read")
    assert ("unverified", SMALL.replace("load", "read")) == (result.status, project.new("small.py"))


def test_the_check_runs_in_a_copy_and_its_output_goes_back(project: Project) -> None:
    answers = [whole("print(undefined)\n" + SMALL), whole("print(1)\n" + SMALL)]
    result = project.edit("small.py", answers=answers, check="python3 small.py")
    assert ("verified", 2) == (result.status, result.calls)
    assert "NameError" in project.asked(1)
    assert SMALL == (project.root / "small.py").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_check_that_hangs_is_ended_before_a_model_is_asked(project: Project) -> None:
    with pytest.raises(CannotJudge, match=r"took longer than 4 s") as refused:
        project.edit("small.py", answers=[], check="echo begun; sleep 60", limit_s=4)
    assert "begun" in refused.value.message


@pytest.mark.slow
def test_a_check_that_hangs_with_the_new_text_is_not_the_models_fault(project: Project) -> None:
    check = "if grep -q 'x = 1' small.py; then sleep 60; fi"
    result = project.edit("small.py", answers=[whole("x = 1\n" + SMALL)], check=check, limit_s=10)
    assert ("unverified", 1, 1) == (result.status, result.exit_status, result.calls)
    assert [("CHECK_INCONCLUSIVE", True)] == [(issue.code, issue.detail.get("tool")) for issue in result.issues]


def test_a_check_whose_program_is_missing_ends_the_run_before_a_model_is_asked(project: Project) -> None:
    with pytest.raises(CannotJudge, match="no-such-program-here: not found"):
        project.edit("small.py", answers=[], check="no-such-program-here -q")
    assert not project.model.requests


def test_a_check_that_the_shell_cannot_read_is_bad_input(project: Project) -> None:
    with pytest.raises(BadInput, match="check command"):
        project.edit("small.py", answers=[], check="pytest 'unbalanced")


def test_an_answer_that_needs_no_changes_is_checked_too(project: Project) -> None:
    answers = ["NO CHANGES NEEDED", whole("x = 1\n" + SMALL)]
    result = project.edit("small.py", answers=answers, check="grep -q 'x = 1' small.py")
    assert ("verified", 2) == (result.status, result.calls)
    assert "CHECK_FAILED" in project.asked(1)


def test_a_check_that_opens_no_changed_file_has_judged_nothing(project: Project) -> None:
    result = project.edit("small.py", answers=[whole("x = 1\n" + SMALL)], check="true")
    assert ("unverified", 1, 1) == (result.status, result.exit_status, result.calls)
    assert [("CHECK_SAW_NO_CHANGE", "error")] == [(issue.code, issue.severity) for issue in result.issues]


def test_several_files_are_asked_for_apart_and_a_file_may_need_nothing(project: Project) -> None:
    def answer(request: Request) -> str:
        return SEVEN if request.prompt.unit == "large.py" else "NO CHANGES NEEDED"

    result = project.edit("large.py", "small.py", answers=answer)
    assert ("unverified", ("files/large.py", "changes.diff")) == (result.status, result.files)
    assert "OTHER FILES OF THIS REQUEST:\n- small.py, 2 lines: load (1)\n" in project.model.requests[0].messages[0].text


def test_a_new_file_is_written_whole(project: Project) -> None:
    result = project.edit("fresh.py", answers=[whole("x = 1\n")])
    assert ("unverified", "x = 1\n") == (result.status, project.new("fresh.py"))


def test_a_manually_edited_file_is_checked_and_adopted(project: Project) -> None:
    project.edit("small.py", answers=[whole("x = 1\n" + SMALL)])
    (project.run / "files" / "small.py").write_text("y = (\n", encoding="utf-8")
    assert ["SYNTAX_ERROR"] == [i.code for i in asyncio.run(validate(recipe, project.run)).issues if i.tier == 2]
    (project.run / "files" / "small.py").write_text("y = 1\n" + SMALL, encoding="utf-8")
    assert "unverified" == asyncio.run(adopt(recipe, project.run)).status
    assert "+y = 1" in (project.run / "changes.diff").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("path", "request_text", "message"),
    [
        ("../outside.py", "x", "is outside of"),
        (".", "x", "is a directory"),
        ("small.py", "  ", "request is empty"),
    ],
)
def test_an_invalid_source_is_refused_with_the_reason(
    project: Project, path: str, request_text: str, message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        project.edit(path, answers=[], request=request_text)


def test_a_binary_file_is_refused(project: Project) -> None:
    (project.root / "a.bin").write_bytes(b"a\0b")
    with pytest.raises(BadInput, match="NUL"):
        project.edit("a.bin", answers=[])


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("rename load to read", SMALL.replace("load", "read")),
        ('replace "open(path)" with "path.open()"', SMALL.replace("open(path)", "path.open()")),
        ('append "x = 1"', SMALL + "x = 1\n"),
    ],
)
def test_the_embedded_default_carries_out_literal_requests(project: Project, request_text: str, expected: str) -> None:
    def answer(request: Request) -> str:
        assert recipe.offline is not None
        return recipe.offline(request.prompt)

    project.edit("small.py", "large.py", answers=answer, request=request_text)
    assert expected == project.new("small.py")


def test_the_check_sees_the_secrets_of_a_file_as_they_will_be_written(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_TOKEN", "tok-9f8e7d6c5b4a39281706")
    (project.root / "conf.py").write_text('TOKEN = "tok-9f8e7d6c5b4a39281706"\nx = 1\n', encoding="utf-8")
    (project.root / "other.py").write_text("x = 1\n", encoding="utf-8")
    answers = [change("x = 1", "x = 2"), change("x = 1", 'x = "[redacted:MY_API_TOKEN]"')]
    check = "grep -q tok-9f8e conf.py && grep -q 'x = 2' conf.py && grep -q redacted other.py"
    result = project.edit("conf.py", "other.py", answers=answers, check=check)
    assert ("verified", 2) == (result.status, len(project.model.requests))
    assert all("tok-9f8e" not in project.asked(call) for call in (0, 1))
