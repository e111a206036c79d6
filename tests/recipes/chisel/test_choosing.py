"""A first prompt with signatures: the model chooses the place before it sees code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.recipes.chisel.scenes import NOT_HERE, RIGHT, carry, change

if TYPE_CHECKING:
    from tests.recipes.chisel.scenes import Project

FOUND = change("  io.overflow := wide(8)", "  io.overflow := wide(7)")
WIDE = "grep -qF 'wide[7:7]' build/Adder.v"


def test_the_first_prompt_shows_signatures_and_evidence_and_no_more_code(project: Project) -> None:
    project.fix(["PLACES: 1", carry(RIGHT)], project.job(choose=3))
    assert "1. class Alu, Alu.scala:20-43" in project.asked(0)
    assert "class Alu extends Module {" in project.asked(0)
    assert "   33 |   adder.io.carryIn := false.B" in project.asked(0)
    assert "io.overflow" not in project.asked(0)
    assert "CANDIDATE 1 OF 3" in project.asked(1)
    assert "TRIED BEFORE" not in project.asked(1)


def test_the_place_that_the_model_chose_is_shown_first_and_then_its_next_choice(project: Project) -> None:
    result = project.fix(["PLACES: 3, 2", NOT_HERE, FOUND], project.job(choose=3, lec=WIDE))
    assert ("verified", 3) == (result.status, result.calls)
    assert "CANDIDATE 3 OF 3" in project.asked(1)
    assert "CANDIDATE 2 OF 3" in project.asked(2)
    assert [("StepCounter", "rejected"), ("Adder", "success")] == project.outcomes()


def test_a_wrong_choice_does_not_hide_the_right_place(project: Project) -> None:
    result = project.fix(["PLACES: 3", NOT_HERE, NOT_HERE, FOUND], project.job(choose=3, lec=WIDE))
    assert ("verified", 4) == (result.status, result.calls)


@pytest.mark.slow
@pytest.mark.parametrize("reply", ["I do not know.", "PLACES: 9", "PLACES: none", carry(RIGHT)])
def test_a_reply_without_a_place_leaves_the_order_as_it_was(project: Project, reply: str) -> None:
    result = project.fix([reply, carry(RIGHT)], project.job(choose=3))
    assert ("unverified", 2) == (result.status, result.calls)
    assert "CANDIDATE 1 OF 3" in project.asked(1)


def test_the_run_can_be_validated_and_its_trials_are_those_of_the_code(project: Project) -> None:
    project.fix(["PLACES: 2", FOUND], project.job(choose=2, lec=WIDE))
    assert "verified" == project.validate().status
    assert [("Adder", "success")] == project.outcomes()
