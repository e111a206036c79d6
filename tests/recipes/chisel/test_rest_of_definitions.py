"""Lines of a definition that a prompt left out are shown when the definition is shown again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.chisel.pages import prompt_for
from retouch.recipes.chisel.windows import LONG_LINES
from tests.recipes.chisel.scenes import ADDER, ALU, COUNTER, NOT_HERE, RIGHT, UNKNOWN, carry
from tests.recipes.chisel.test_prompts import LONG, big_job, lines_shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.chisel import FixJob, Suspect
    from retouch.testing import Scripted
    from tests.recipes.chisel.scenes import Project

AGAIN = "NOW WITH LINES THAT WERE LEFT OUT BEFORE"
HAS_FIX = "grep -q 'adder_io_carryIn = isSub;' build/Alu.v"
WRONG_LINE = "    33 |   adder.io.carryIn := false.B"


def narrow(project: Project, *others: Suspect, **more: Any) -> FixJob:
    """Return a job whose first prompt has no room for line 33, which is wrong."""
    first = replace(ALU, evidence=(21,), score=0.9)
    return project.job(first, *others, lec=HAS_FIX, prompt_tokens=500, **more)


def prompts(model: Scripted) -> Sequence[str]:
    return [request.messages[0].text for request in model.requests]


def test_a_definition_that_was_rejected_is_shown_again_with_the_lines_left_out(project: Project) -> None:
    result = project.fix([NOT_HERE, NOT_HERE, carry(RIGHT)], narrow(project, COUNTER))
    first, other, again = prompts(project.model)
    assert [False, False, True] == [WRONG_LINE in one for one in (first, other, again)]
    assert [False, False, True] == [AGAIN in one for one in (first, other, again)]
    assert ("verified", 3) == (result.status, result.calls)
    assert [("Alu", "rejected"), ("StepCounter", "rejected"), ("Alu", "success")] == project.outcomes()


def test_a_wrong_rejection_of_the_lines_left_out_does_not_end_the_definition(project: Project) -> None:
    result = project.fix([*[NOT_HERE] * 4, carry(RIGHT)], narrow(project, COUNTER))
    assert [False, False, True, False, True] == [WRONG_LINE in one for one in prompts(project.model)]
    assert ("verified", 5) == (result.status, result.calls)


@pytest.mark.slow
@pytest.mark.parametrize("mistake", [carry(UNKNOWN), carry(RIGHT).replace("false.B", "falze.B")])
def test_the_lines_stay_after_a_mistake(project: Project, mistake: str) -> None:
    result = project.fix([NOT_HERE, NOT_HERE, mistake, carry(RIGHT)], narrow(project, COUNTER))
    assert ("verified", 4) == (result.status, result.calls)
    assert WRONG_LINE in prompts(project.model)[3]


def test_a_model_that_asks_for_the_same_definition_gets_the_lines_left_out(project: Project) -> None:
    related = (replace(ADDER, sources={ALU.module_id: 1.0}),)
    result = project.fix(["SHOW ALSO: Alu", carry(RIGHT)], narrow(project, related=related))
    assert [False, True] == [WRONG_LINE in one for one in prompts(project.model)]
    assert ("verified", 2) == (result.status, result.calls)


def test_a_definition_that_was_shown_whole_is_shown_as_before(project: Project) -> None:
    result = project.fix([NOT_HERE, NOT_HERE, carry(RIGHT)], project.job(ALU, COUNTER, lec=HAS_FIX))
    assert ("verified", 3) == (result.status, result.calls)
    assert all(AGAIN not in one for one in prompts(project.model))


def test_the_two_views_of_a_long_definition_have_its_lines_between_them() -> None:
    short = replace(LONG, regions=((11, 11 + 2 * LONG_LINES),), evidence=(100,))
    job = big_job(short, tokens=10_000)
    shown, rest = (set(lines_shown(prompt_for(job, 0, rest=rest).user)) for rest in (False, True))
    assert short.lines != shown
    assert short.lines == shown | rest
    assert 11 in rest
