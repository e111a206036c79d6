"""Whole runs with a real compiler: what is asked after what failed, and what stands at the end."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from retouch.engine.types import Reply
from retouch.engine.verbs import adopt
from retouch.errors import BadInput, CannotJudge
from retouch.recipes.chisel import recipe
from tests.recipes.chisel.scenes import (
    ADDER,
    ALU,
    COMPILER,
    LEC,
    NOT_HERE,
    OLD,
    OTHER,
    RIGHT,
    UNKNOWN,
    Project,
    carry,
    change,
)

if TYPE_CHECKING:
    from retouch.engine.types import Request

ADDER_TWIN = replace(ADDER, module_id="Counter.scala::StepCounter", file="Counter.scala", regions=((6, 24),))
LOOKS_RIGHT = "grep -q 'adder_io_carryIn = isSub;' build/Alu.v"


def test_a_right_answer_is_a_patch_and_the_sources_stay_as_they_are(project: Project) -> None:
    before = project.tree()
    result = project.fix([carry(RIGHT)], project.job(lec=LOOKS_RIGHT))
    assert ("verified", 1) == (result.status, result.calls)
    assert f"--- a/src/Alu.scala\n+++ b/src/Alu.scala\n" in project.patch  # noqa: F541 - beside lines that are made
    assert f"-  {OLD}\n+  {RIGHT}\n" in project.patch
    assert before == project.tree()
    assert [("Alu", "success")] == project.outcomes()


def test_edits_that_do_not_apply_are_asked_again_with_what_stands_there(project: Project) -> None:
    result = project.fix([change("  adder.io.carryIn := isAdd", "x"), carry(RIGHT)])
    assert ("unverified", 2) == (result.status, result.calls)
    assert "CORRECTION REQUIRED" in project.asked(1)
    assert "[NOT_FOUND]" in project.asked(1)
    assert OLD in project.asked(1).partition("VERILOG CHANGE")[0]
    assert [("Alu", "apply_fail"), ("Alu", "success")] == project.outcomes()


def test_errors_of_the_compiler_go_back_with_their_lines(project: Project) -> None:
    result = project.fix([carry(UNKNOWN), carry(RIGHT)])
    assert ("unverified", 2) == (result.status, result.calls)
    first, answer, turn = project.model.requests[1].messages
    assert project.model.requests[0].messages == (first,)
    assert carry(UNKNOWN) == answer.text
    assert "Alu.scala:33: error: not found: value isSubtraction" in turn.text
    assert f"Alu.scala:33: {UNKNOWN}" in turn.text
    assert "retouch-check" not in turn.text
    assert [("Alu", "compile_fail"), ("Alu", "success")] == project.outcomes()


@pytest.mark.slow
def test_hardware_that_differs_leads_to_the_next_candidate_when_that_is_as_likely(project: Project) -> None:
    result = project.fix([carry(OTHER), NOT_HERE, NOT_HERE, carry(RIGHT)], project.job(lec=LOOKS_RIGHT))
    assert ("verified", 4) == (result.status, result.calls)
    assert "CANDIDATE 2 OF 3" in project.asked(1)
    assert "class Adder" in project.asked(1)
    assert "TRIED BEFORE, in vain:\n  Alu: [LEC_FAILED] the equivalence command" in project.asked(1)
    tried = [("Alu", "lec_fail"), ("Adder", "rejected"), ("StepCounter", "rejected"), ("Alu", "success")]
    assert tried == project.outcomes()


@pytest.mark.slow
def test_hardware_that_differs_is_mended_in_place_while_that_is_likelier(project: Project) -> None:
    job = project.job(replace(ALU, probability=0.9), replace(ADDER, probability=0.05), lec=LOOKS_RIGHT)
    result = project.fix([carry(OTHER), carry(RIGHT)], job)
    assert ("verified", 2) == (result.status, result.calls)
    assert "[LEC_FAILED]" in project.asked(1)
    assert "compiles, but the hardware is not the wanted one" in project.asked(1)


def test_a_fix_in_a_later_candidate_is_found(project: Project) -> None:
    found = change("  io.overflow := wide(8)", "  io.overflow := wide(7)")
    job = project.job(lec="grep -qF 'wide[7:7]' build/Adder.v")
    result = project.fix([NOT_HERE, found], job)
    assert ("verified", 2) == (result.status, result.calls)
    assert "[NOT_HERE]" in project.asked(1)
    assert "+  io.overflow := wide(7)\n" in project.patch
    assert [("Alu", "rejected"), ("Adder", "success")] == project.outcomes()
    assert "verified" == project.validate().status


def test_a_candidate_is_asked_three_times(project: Project) -> None:
    wrong = [change(f"  nowhere {number}", "x") for number in range(9)]
    result = project.fix(wrong)
    assert ("exhausted", 3, 9) == (result.status, result.exit_status, result.calls)
    names = ["Alu"] * 3 + ["Adder"] * 3 + ["StepCounter"] * 3
    assert [(name, "apply_fail") for name in names] == project.outcomes()


@pytest.mark.slow
def test_the_right_candidate_is_not_dropped_for_a_wrong_answer_or_one_that_does_not_compile(project: Project) -> None:
    wide = "  io.overflow := wide(8)"
    answers = [NOT_HERE, change(wide, "  io.overflow := narrow(7)"), change(wide, "  io.overflow := wide(6)")]
    job = project.job(lec="grep -qF 'wide[7:7]' build/Adder.v")
    result = project.fix([*answers, NOT_HERE, change(wide, "  io.overflow := wide(7)")], job)
    assert ("verified", 5) == (result.status, result.calls)
    tried = ["rejected", "compile_fail", "lec_fail", "rejected", "success"]
    assert list(zip(["Alu", "Adder", "Adder", "StepCounter", "Adder"], tried, strict=True)) == project.outcomes()


def test_the_likeliest_candidate_is_asked_again_if_all_others_were_rejected(project: Project) -> None:
    result = project.fix([NOT_HERE, NOT_HERE, NOT_HERE, carry(RIGHT)], project.job(lec=LOOKS_RIGHT))
    assert ("verified", 4) == (result.status, result.calls)
    assert "TRIED BEFORE, in vain:\n  Alu: [NOT_HERE]" in project.asked(3)


def test_the_likeliest_rejected_candidates_come_up_once_more(project: Project) -> None:
    wide = "  io.overflow := wide(8)"
    answers = [NOT_HERE] * 4 + [change(wide, "  io.overflow := wide(7)")]
    result = project.fix(answers, project.job(lec="grep -qF 'wide[7:7]' build/Adder.v"))
    assert ("verified", 5) == (result.status, result.calls)
    assert ["Alu", "Adder", "StepCounter", "Alu", "Adder"] == [name for name, _ in project.outcomes()]


def test_nothing_is_asked_three_times_after_not_here(project: Project) -> None:
    result = project.fix([NOT_HERE] * 6)
    assert ("exhausted", 6) == (result.status, result.calls)


@pytest.mark.slow
@pytest.mark.parametrize("place", [0, 1, 2])
def test_four_answers_with_three_different_mistakes_reach_the_right_one_wherever_it_is(
    project: Project, place: int
) -> None:
    steps = [NOT_HERE, carry(UNKNOWN), carry(OTHER), carry(RIGHT)]
    suspects = [ADDER, ADDER_TWIN]
    suspects.insert(place, ALU)
    ranked = [replace(one, score=0.9 - 0.3 * at, probability=None) for at, one in enumerate(suspects)]

    def answer(request: Request) -> str:
        return steps.pop(0) if "class Alu" in request.messages[0].text else NOT_HERE

    assert "verified" == project.fix(answer, project.job(*ranked, lec=LOOKS_RIGHT)).status
    assert [] == steps


@pytest.mark.slow
def test_the_only_candidate_is_asked_again_after_not_here(project: Project) -> None:
    answers = [NOT_HERE, carry(UNKNOWN), carry(OTHER), carry(RIGHT)]
    result = project.fix(answers, project.job(ALU, lec=LOOKS_RIGHT))
    assert ("verified", 4) == (result.status, result.calls)


def test_a_model_that_repeats_itself_gets_a_new_conversation_after_other_candidates(project: Project) -> None:
    answers = [carry(UNKNOWN), carry(UNKNOWN), NOT_HERE, NOT_HERE, carry(RIGHT)]
    result = project.fix(answers, project.job(lec=LOOKS_RIGHT))
    assert ("verified", 5) == (result.status, result.calls)
    assert ["Alu", "Alu", "Adder", "StepCounter", "Alu"] == [name for name, _ in project.outcomes()]
    assert 1 == len(project.model.requests[4].messages)
    assert "TRIED BEFORE, in vain:" in project.asked(4)


def test_a_model_that_repeats_itself_twice_where_nothing_else_is_left_disputes_the_check(project: Project) -> None:
    result = project.fix([carry(UNKNOWN)] * 3, project.job(ALU))
    assert ("issues", (("fix", "disputed"),), 3) == (result.status, result.states, result.calls)


def test_a_reply_that_was_cut_is_asked_again_with_a_larger_cap(project: Project) -> None:
    def answer(request: Request) -> str | Reply:
        cut = request.max_output_tokens == 8_192
        return Reply(text="CHANGE 1", finish="length", model="m") if cut else carry(RIGHT)

    result = project.fix(answer)
    assert ("unverified", 2) == (result.status, result.calls)
    assert [("Alu", "none"), ("Alu", "success")] == project.outcomes()


def test_line_numbers_and_stars_of_the_listing_may_be_copied(project: Project) -> None:
    result = project.fix([change(f"*    33 |   {OLD}", f"*    33 |   {RIGHT}")])
    assert "unverified" == result.status
    assert f"+  {RIGHT}\n" in project.patch


def test_a_line_that_stands_in_several_modules_is_meant_where_it_was_shown(project: Project) -> None:
    assert 2 == (project.root / "src" / "Alu.scala").read_text().count("  val io = IO(new Bundle {\n")
    result = project.fix(
        [change("  val io = IO(new Bundle {", "  val io = IO(new Bundle {\n    val extra = Input(Bool())")]
    )
    assert "unverified" == result.status
    assert "@@ -19,6 +19,7 @@" in project.patch


def test_several_candidates_in_one_prompt_share_its_outcome_by_what_was_touched(project: Project) -> None:
    result = project.fix([carry(RIGHT)], project.job(together=2))
    assert ("unverified", 1) == (result.status, result.calls)
    assert "CANDIDATES 1-2 OF 3" in project.asked(0)
    assert [("Alu", "success"), ("Adder", "none")] == project.outcomes()


@pytest.mark.slow
def test_a_command_that_takes_too_long_on_the_project_as_it_is_ends_the_run_before_a_model_is_asked(
    project: Project,
) -> None:
    with pytest.raises(CannotJudge, match=r"compile command cannot judge: .* took longer than 4 s") as refused:
        project.fix([carry(RIGHT)], project.job(ALU, compile="echo working; sleep 60"), limit_s=4)
    assert "working" in refused.value.message
    assert not project.model.requests


def test_a_compile_command_that_fails_before_any_change_ends_the_run(project: Project) -> None:
    with pytest.raises(CannotJudge, match="fails before any change"):
        project.fix([carry(RIGHT)], project.job(compile="echo error: no JDK; exit 1"))


def test_an_equivalence_command_that_succeeds_before_any_change_ends_the_run(project: Project) -> None:
    with pytest.raises(CannotJudge, match="the lec command cannot judge: `true` succeeds before any change"):
        project.fix([carry(RIGHT)], project.job(lec="true"))


COUNTED = "above=..; echo x >> $above/count"  # not named as a file: a file that a command names is part of its tool
SLOW_WITH_THE_FIX = f"if grep -q '{RIGHT}' src/Alu.scala; then sleep 15; fi"


@pytest.mark.slow
def test_a_command_that_cannot_judge_a_fix_is_not_the_fault_of_the_fix(project: Project) -> None:
    job = project.job(ALU, compile=SLOW_WITH_THE_FIX)
    result = project.fix([carry(RIGHT)], job, limit_s=10)
    assert ("unverified", 1, 1) == (result.status, result.exit_status, result.calls)
    assert [("COMPILE_INCONCLUSIVE", True)] == [(issue.code, issue.detail.get("tool")) for issue in result.issues]
    assert "took longer than 10 s" in result.issues[0].message
    assert [] == project.outcomes()


@pytest.mark.slow
def test_a_command_that_took_too_long_runs_again_with_more_time(project: Project) -> None:
    job = project.job(ALU, compile=SLOW_WITH_THE_FIX)
    assert "unverified" == project.fix([carry(RIGHT)], job, limit_s=10).status
    assert ("unverified", 0) == ((again := project.fix([], job)).status, again.calls)
    assert [("Alu", "success")] == project.outcomes()


def test_validate_uses_what_the_commands_said_while_nothing_has_changed(project: Project) -> None:
    count = project.root.parent / "count"
    job = project.job(compile=f"{COUNTED}; {COMPILER}")
    assert "unverified" == project.fix([carry(UNKNOWN), carry(RIGHT)], job, unconfined=True).status
    assert 3 == count.read_text().count("x")  # the project as it is, and the two answers
    assert ["unverified", "unverified"] == [project.validate().status, project.validate(write=False).status]
    assert 3 == count.read_text().count("x")


def test_what_the_commands_said_does_not_outlive_a_change_of_the_files(project: Project) -> None:
    assert "unverified" == project.fix([carry(RIGHT)]).status
    project.root.rename(project.root.with_name("elsewhere"))
    assert ["NOT_CHECKED"] == [issue.code for issue in project.validate().issues]


def test_a_failure_is_replayed_as_well(project: Project) -> None:
    project.fix([carry(UNKNOWN)] + [NOT_HERE] * 6)
    found = project.validate()
    assert ["COMPILE_FAILED"] == [issue.code for issue in found.issues]


def test_a_person_may_ask_again_with_a_hint_where_the_run_was_made(project: Project) -> None:
    job = project.job(ALU, lec=LOOKS_RIGHT, asks_each=1)
    assert "exhausted" == project.fix([carry(OTHER)], job).status
    assert "verified" == project.again([carry(RIGHT)], hint="Think of two's complement.").status
    assert "Think of two's complement." in project.asked(0)


def test_sources_that_changed_since_they_were_shown_are_never_overwritten_with_old_ones(project: Project) -> None:
    job = project.job(ALU, lec=LOOKS_RIGHT, asks_each=1)
    project.fix([carry(OTHER)], job)
    file = project.root / "src" / "Alu.scala"
    file.write_text(file.read_text() + "// mine\n")
    with pytest.raises(BadInput, match=r"'src/Alu\.scala' .* has changed since it was shown to the model"):
        project.again([carry(RIGHT)])


def test_the_equivalence_is_proved_by_yosys(project: Project, yosys: str) -> None:
    assert yosys
    job = project.job(replace(ALU, probability=0.9), replace(ADDER, probability=0.05), lec=LEC)
    result = project.fix([carry(OTHER), carry(RIGHT)], job)
    assert ("verified", 2) == (result.status, result.calls)
    assert "error: io_out is " in project.asked(1)
    assert "for the inputs io_op=" in project.asked(1)
    assert [("Alu", "lec_fail"), ("Alu", "success")] == project.outcomes()


@pytest.mark.slow
def test_a_patch_that_a_person_mends_is_compiled_and_becomes_the_answer(project: Project) -> None:
    job = project.job(ALU, lec=LOOKS_RIGHT, asks_each=1)
    assert "exhausted" == project.fix([carry(OTHER)], job).status
    (project.run / "fix.patch").write_text(project.patch.replace(OTHER, RIGHT))
    assert "verified" == project.validate().status
    result = asyncio.run(adopt(recipe, project.run))
    assert ("verified", (("fix", "adopted"),)) == (result.status, result.states)
    assert f"+  {RIGHT}\n" in project.patch


def test_a_patch_that_a_person_breaks_is_said_to_be_broken(project: Project) -> None:
    project.fix([carry(RIGHT)])
    (project.run / "fix.patch").write_text(project.patch.replace(f"-  {OLD}", "-  adder.io.carryIn := nothing"))
    assert ["NOT_FOUND", "MANUAL_EDIT"] == [issue.code for issue in project.validate().issues]


def test_a_fix_beside_the_candidate_counts_for_the_module_that_it_changes(project: Project) -> None:
    job = project.job(ADDER, ALU, lec=LOOKS_RIGHT)
    assert "verified" == project.fix([carry(RIGHT)], job).status
    assert [("Adder", "none"), ("Alu", "success")] == project.outcomes()


def test_what_was_asked_for_another_job_in_the_folder_is_no_trial_of_this_one(project: Project) -> None:
    project.fix([NOT_HERE] * 6)
    assert 6 == len(project.outcomes())
    other = project.job(replace(ADDER, why=("another reason",)), case_id="other")
    project.fix([NOT_HERE] * 2, other)
    assert [("Adder", "rejected")] * 2 == project.outcomes()


@pytest.mark.slow
def test_what_does_not_compile_is_not_compared(project: Project) -> None:
    count = project.root.parent / "count"
    job = project.job(lec=f"{COUNTED}; {LOOKS_RIGHT}")
    project.fix([carry(UNKNOWN), carry(RIGHT)], job, unconfined=True)
    assert 4 == count.read_text().count("x")  # the project as it is, and the answer that compiles, each twice


def test_where_the_copy_lies_is_told_to_nobody(project: Project) -> None:
    job = project.job(ALU, compile=f"echo error: $PWD/src/Alu.scala:3 >&2; ! grep -q '{RIGHT}' src/Alu.scala")
    project.fix([carry(RIGHT), NOT_HERE, NOT_HERE], job)
    assert "error: src/Alu.scala:3\n" in project.asked(1)


def test_a_hint_goes_to_the_candidate_that_was_at_work(project: Project) -> None:
    found = change("  io.overflow := wide(8)", "  io.overflow := wide(7)")
    job = project.job(ALU, ADDER, lec="false", asks_each=1)
    project.fix([NOT_HERE, found, NOT_HERE], job)
    project.again([NOT_HERE] * 6, hint="Mind the width.")
    assert "CANDIDATE 2 OF 2" in project.asked(0)
    assert "Mind the width." in project.asked(0)
