"""Edits over several definitions: the model asks to see others, and changes all of them with one answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.locate import DiffInfo, SpanIndex, TrialLedger, rank
from retouch.recipes.chisel.building import Wanted, fix_job, ordered
from tests.recipes.chisel.scenes import ADDER, ALU, COMPILER, COUNTER, NOT_HERE, RIGHT, UNKNOWN, carry, change

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.chisel import FixJob
    from tests.recipes.chisel.scenes import Project

STEP = change("    count := count + 1.U", "    count := count + 2.U", file="Counter.scala").replace(
    "CHANGE 1", "CHANGE 2"
)
BOTH = "grep -qF 'carryIn = isSub' build/Alu.v && ! grep -qE 'count \\+ 4.d1|count \\+ 1' build/StepCounter.v"
MORE = "SHOW ALSO: StepCounter"


def small(project: Project, **more: Any) -> FixJob:
    """Return a job with one candidate and two related definitions."""
    related = tuple(replace(one, sources={ALU.module_id: 1.0}) for one in (ADDER, COUNTER))
    return project.job(ALU, related=related, lec=BOTH, **more)


def test_an_answer_may_change_what_the_model_asked_to_see(project: Project) -> None:
    result = project.fix([MORE, carry(RIGHT) + STEP], small(project))
    assert ("verified", 2) == (result.status, result.calls)
    assert "SHOW ALSO: their names" in project.asked(0)
    assert "class StepCounter" not in project.asked(0).partition("SHOW ALSO")[0]
    assert "ALSO SHOWN, as you asked: Counter.scala::StepCounter" in project.asked(1)
    assert "count := count + 1.U" in project.asked(1)
    assert {"+++ b/src/Alu.scala", "+++ b/src/Counter.scala"} <= set(project.patch.splitlines())
    assert {("Alu", "success"), ("StepCounter", "success")} <= set(project.outcomes())
    assert "verified" == project.validate().status


def test_half_of_such_a_change_is_not_verified(project: Project) -> None:
    result = project.fix([MORE, carry(RIGHT), NOT_HERE, NOT_HERE], small(project))
    assert "exhausted" == result.status
    assert ("Alu", "lec_fail") in project.outcomes()


def test_what_was_shown_stays_when_the_code_does_not_compile(project: Project) -> None:
    result = project.fix([MORE, carry(UNKNOWN) + STEP, carry(RIGHT) + STEP], small(project))
    assert ("verified", 3) == (result.status, result.calls)


@pytest.mark.slow
def test_what_was_shown_stays_when_an_edit_does_not_match(project: Project) -> None:
    wrong = STEP.replace("count + 1.U", "counter + 1.U")
    result = project.fix([MORE, carry(RIGHT) + wrong, carry(RIGHT) + STEP], small(project))
    assert ("verified", 3) == (result.status, result.calls)
    assert "ALSO SHOWN" in project.asked(2)


def test_the_model_may_ask_twice_and_then_has_to_answer(project: Project) -> None:
    asks = ["SHOW ALSO: Adder", MORE, "SHOW ALSO: Alu"]
    result = project.fix([*asks, carry(RIGHT) + STEP], small(project))
    assert ("verified", 4) == (result.status, result.calls)
    assert "ALSO SHOWN, as you asked: Alu.scala::Adder, Counter.scala::StepCounter" in project.asked(2)


def test_a_model_that_only_asks_comes_to_an_end(project: Project) -> None:
    result = project.fix([MORE] * 20, small(project))
    assert "exhausted" == result.status
    assert result.calls <= 7


def test_an_unknown_name_is_said(project: Project) -> None:
    result = project.fix(["SHOW ALSO: Flags, `StepCounter`", carry(RIGHT) + STEP], small(project))
    assert ("verified", 2) == (result.status, result.calls)
    assert "no definition called Flags" in project.asked(1)


def test_a_job_without_related_definitions_has_the_prompt_that_it_had(project: Project) -> None:
    project.fix([carry(RIGHT)])
    assert "SHOW ALSO" not in project.asked(0)


def test_a_bundle_and_its_users_are_related(tmp_path: Path) -> None:
    (tmp_path / "Req.scala").write_text("class Req extends Bundle {\n  val tag = UInt(4.W)\n}\n")
    (tmp_path / "Use.scala").write_text(
        "class Sender extends Module {\n  val io = IO(Output(new Req))\n  io.tag := 0.U\n}\n"
        "class Receiver extends Module {\n  val io = IO(Input(new Req))\n}\n"
        "class Other extends Module {\n  val io = IO(Input(Bool()))\n}\n"
    )
    index = SpanIndex(tmp_path)
    index.build()
    text = "--- a/Sender.sv\n+++ b/Sender.sv\n@@ -3 +3 @@\n-  assign io_tag = 4'h0;\n+  assign io_tag = 4'h1;\n"
    diff = DiffInfo.from_text(text)
    wanted = Wanted(compile=COMPILER, most=1)
    chosen, _ = ordered(diff, rank(diff, index), index, TrialLedger(tmp_path / "trials.jsonl"), wanted)
    job = fix_job(text, diff, chosen, index, wanted)
    assert ["Use.scala::Sender"] == [one.module_id for one in job.suspects]
    found = {one.module_id: one.why for one in job.related}
    assert {"Req.scala::Req": ("Sender uses it",), "Use.scala::Receiver": ("it uses Req",)} == found
    assert {"Req.scala", "Use.scala"} == {one.path for one in job.files}
