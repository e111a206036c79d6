"""What an answer becomes: texts, a refusal, or issues; and what `faulty` does to one."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.engine.options import RunOptions
from retouch.engine.verbs import generate
from retouch.errors import Invalid
from retouch.recipes.chisel import FixJob, SourceText, recipe
from retouch.recipes.chisel.answers import adopted, marked, read
from retouch.recipes.chisel.assembly import assemble
from retouch.recipes.chisel.faults import faults
from retouch.testing import faulty, scripted
from tests.recipes.chisel.scenes import ADDER, ALU, COUNTER, OLD, RIGHT, carry, change

if TYPE_CHECKING:
    from tests.recipes.chisel.scenes import Project


def codes(job: FixJob, answer: str) -> list[str]:
    found = read(job, "fix", (answer,))
    assert found.value is None
    assert {1} == {issue.tier for issue in found.issues}
    return [issue.code for issue in found.issues if issue.severity == "error"]


def test_edits_become_new_texts_and_the_modules_they_touch(project: Project) -> None:
    found = read(project.job(), "fix", (carry(RIGHT),)).value
    assert found is not None
    assert {"Alu.scala"} == set(found.texts)
    before = (project.root / "src/Alu.scala").read_text()
    assert before.replace(OLD, RIGHT) == found.texts["Alu.scala"]
    assert (("Alu.scala::Alu",), 0) == (found.touched, found.place)


def test_lines_outside_of_the_candidate_may_be_changed_when_they_are_meant(project: Project) -> None:
    found = read(project.job(), "fix", (change("import chisel3._", "import chisel3._\nimport chisel3.util._"),)).value
    assert found is not None
    assert "import chisel3._\nimport chisel3.util._\n" in found.texts["Alu.scala"]
    assert () == found.touched


def test_a_file_that_was_not_shown_is_never_changed(project: Project) -> None:
    answer = change("  val count = RegInit(0.U(4.W))", "  val count = RegInit(1.U(4.W))", file="Counter.scala")
    assert codes(project.job(), answer)


@pytest.mark.parametrize(
    "reply",
    [
        "NOT HERE: the counter is elsewhere.",
        "**NOT HERE:** the counter is elsewhere.",
        "<think>hm</think>\nNOT HERE - the counter is elsewhere.",
    ],
)
def test_a_model_may_say_that_the_change_is_not_here(project: Project, reply: str) -> None:
    with pytest.raises(Invalid, match=r"does not belong to the code shown: the counter is elsewhere\."):
        read(project.job(), "fix", (reply,))


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("", "NO_BLOCKS"),
        ("Change the carry to isSub.", "NO_BLOCKS"),
        (change("  adder.io.carryIn := nothing", "x"), "NOT_FOUND"),
        (change("    val", "    var"), "NOT_FOUND"),
        (change("  })", "  })"), "NO_CHANGE"),
        ("CHANGE 1: x\nFILE: Alu.scala\nFIND:\n```\nx\n```\n", "MALFORMED"),
        (change(f"  {OLD}", RIGHT, file="../Alu.scala"), "PATH"),
    ],
)
def test_what_cannot_be_applied_is_told_by_its_code(project: Project, answer: str, code: str) -> None:
    assert code in codes(project.job(), answer)


def test_the_mark_of_an_answer_says_whose_it_is(project: Project) -> None:
    assert "reply" == marked(project.job(), 0, "reply")
    answer = change("  io.overflow := wide(8)", "  io.overflow := false.B")
    found = read(project.job(), "fix", (marked(project.job(), 1, answer),)).value
    assert found is not None
    assert (("Alu.scala::Adder",), 1) == (found.touched, found.place)
    assert codes(project.job(ALU, COUNTER), marked(project.job(), 1, answer))


def test_line_endings_of_a_file_are_kept(project: Project) -> None:
    job = project.job()
    text = job.files[0].text.replace("\n", "\r\n")
    crlf = replace(job, files=(SourceText(path="Alu.scala", text=text), job.files[1]))
    found = read(crlf, "fix", (carry(RIGHT),)).value
    assert found is not None
    assert text.replace(OLD, RIGHT) == found.texts["Alu.scala"]


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_a_persons_patch_says_what_the_answers_patch_says(data: st.DataObject) -> None:
    lines = [f"  val line{number} = {number}.U" for number in range(30)]
    text = "\n".join(lines) + "\n"
    suspect = replace(ALU, regions=((1, 30),), evidence=())
    job = FixJob(
        case_id="bug",
        module="M",
        diff="",
        intent="",
        suspects=(suspect,),
        files=(SourceText(path="Alu.scala", text=text),),
        compile="true",
        inside="src",
    )
    chosen = data.draw(st.lists(st.integers(0, 29), min_size=1, max_size=4, unique=True))
    answer = "".join(change(lines[number], f"{lines[number]} // {number}") for number in chosen)
    first = read(job, "fix", (answer,)).value
    assert first is not None
    patch = assemble(job, {"fix": first})["fix.patch"]
    again = read(job, "fix", (adopted(job, "fix", patch),)).value
    assert again is not None
    assert first.texts == again.texts


@pytest.mark.parametrize("name", sorted(faults))
def test_every_fault_spoils_an_answer_that_was_right(name: str) -> None:
    line = f"  val more = Mux(io.op(0), {RIGHT.partition(':= ')[2]}, false.B)\n  adder.io.carryIn := more"
    answer = change(f"  {OLD}", line)
    spoiled = faults[name](answer, Random(1))
    assert answer != spoiled
    assert "prose" == faults[name]("prose", Random(1)) or name == "wrong_place"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_no_fault_ever_passes_for_a_fix(project: Project, seed: int) -> None:
    before = project.tree()
    right = scripted(lambda _request: carry(RIGHT))
    model = faulty(right, rate=1.0, seed=seed, heal=0.5, faults=faults)
    job = project.job(ALU, ADDER, lec="grep -q 'adder_io_carryIn = isSub;' build/Alu.v")
    way = RunOptions(workspace=str(project.root), check_timeout_s=300)
    result = asyncio.run(generate(recipe, job, project.run, model, way))
    assert result.status in {"verified", "exhausted", "issues"}
    assert ("verified" == result.status) == ("success" in [outcome for _, outcome in project.outcomes()])
    assert before == project.tree()
