"""What a prompt shows: the intent, the evidence first, whole lines, within its budget."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.engine.directory import ir_text, prompts_text
from retouch.recipes.chisel import FixJob, SourceText, Suspect, recipe
from retouch.recipes.chisel.pages import plan, prompt_for
from retouch.recipes.chisel.windows import listings, tokens_of
from tests.recipes.chisel.scenes import ADDER, ALU, COUNTER

if TYPE_CHECKING:
    from tests.recipes.chisel.scenes import Project

LONG = Suspect(
    module_id="Big.scala::Big",
    file="Big.scala",
    name="Big",
    kind="class",
    regions=((11, 900),),
    evidence=(400, 700),
)
LISTED = re.compile(r"^(\*| ) +(\d+) \|(?: (.*))?$")


def big_job(*suspects: Suspect, tokens: int = 6_000, intent: str = "-a\n+b\n") -> FixJob:
    text = "".join(f"  val line_{number} = {number}.U // {'x' * (number % 40)}\n" for number in range(1, 1_001))
    return FixJob(
        case_id="bug",
        module="Big",
        diff=intent,
        intent=intent,
        suspects=suspects or (LONG,),
        files=(SourceText(path="Big.scala", text=text),),
        compile="true",
        prompt_tokens=tokens,
    )


def lines_shown(listing: str) -> list[int]:
    return [int(found[2]) for line in listing.split("\n") if (found := LISTED.match(line))]


def test_a_short_module_is_shown_whole_with_its_evidence_marked(project: Project) -> None:
    (prompt,) = plan(project.job())
    assert "CANDIDATE 1 OF 3\n\nclass Alu, lines 20-43, tier medium\nFILE: Alu.scala\nWHY HERE:\n" in prompt.user
    assert "\n*    33 |   adder.io.carryIn := false.B\n" in prompt.user
    assert "\n     20 | class Alu extends Module {\n" in prompt.user
    assert "class Adder extends" not in prompt.user


def test_the_intent_is_shown_without_comments_that_might_tell(project: Project) -> None:
    (prompt,) = plan(project.job())
    assert "-    adder_io_carryIn = 1'd0;" in prompt.user
    assert "Alu.scala:33:3" in project.diff
    assert "Alu.scala:33:3" not in prompt.user


def test_a_long_module_is_shown_around_its_evidence_alone() -> None:
    (listing,) = listings(big_job(), (LONG,), 100_000)
    shown = lines_shown(listing)
    assert {11, 400, 700} <= set(shown)
    assert {*range(11, 27), *range(385, 416), *range(685, 716)} == set(shown)
    assert 3 == listing.count("        ...") + 1


def test_a_long_module_without_evidence_is_shown_from_its_head() -> None:
    (listing,) = listings(big_job(), (replace(LONG, evidence=()),), 400)
    shown = lines_shown(listing)
    assert list(range(11, 11 + len(shown))) == shown
    assert len(shown) > 10


def test_the_text_of_what_is_instantiated_is_only_named(project: Project) -> None:
    declared = "Alu.scala:6: class Adder extends Module {"
    (prompt,) = plan(project.job(replace(ALU, makes=(declared,))))
    assert f"IT INSTANTIATES:\n  {declared}\nCODE" in prompt.user
    assert "val overflow" not in prompt.user


def test_a_long_diff_leaves_room_for_the_code() -> None:
    job = big_job(tokens=2_000, intent="".join(f"+  assign a{number} = b;\n" for number in range(2_000)))
    (prompt,) = plan(job)
    assert re.search(r"^\.\.\. and \d+ lines more$", prompt.user, re.MULTILINE)
    assert "*   400 |" in prompt.user
    assert tokens_of(prompt.user) < 2_000 + 600


def test_companions_are_shown_together_and_in_their_order() -> None:
    both = replace(LONG, regions=((40, 45), (10, 12)), evidence=())
    (listing,) = listings(big_job(both), (both,), 10_000)
    assert [*range(10, 13), *range(40, 46)] == lines_shown(listing)


def test_the_source_survives_its_trip_through_json(project: Project) -> None:
    import json

    from pydantic import TypeAdapter

    job = project.job(replace(ALU, probability=0.9), ADDER, COUNTER, together=2)
    stored = json.loads(ir_text(recipe, job, {}))["source"]
    again = TypeAdapter(FixJob).validate_python(stored)
    assert job == again
    assert list(prompts_text(list(plan(job)))) == list(prompts_text(list(plan(again))))


@given(
    st.integers(60, 3_000),
    st.lists(st.integers(11, 900), max_size=6, unique=True),
    st.lists(st.tuples(st.integers(1, 990), st.integers(0, 300)), min_size=1, max_size=3),
)
@settings(max_examples=40, deadline=None)
def test_a_listing_keeps_its_budget_and_cuts_no_line(
    tokens: int, evidence: list[int], regions: list[tuple[int, int]]
) -> None:
    spans = tuple((first, min(first + length, 1_000)) for first, length in regions)
    one = replace(LONG, regions=spans, evidence=tuple(sorted(evidence)))
    job = big_job(one)
    (listing,) = listings(job, (one,), tokens)
    lines = [line for line in listing.split("\n") if line.strip() and line.strip() != "..."]
    assert sum(tokens_of(line) for line in lines) <= tokens
    source = job.files[0].lines
    found = [LISTED.match(line) for line in lines]
    assert all(match is not None for match in found)
    shown = [(int(match[2]), match[3] or "") for match in found if match is not None]
    assert [number for number, _ in shown] == sorted({number for number, _ in shown})
    assert all(source[number - 1].rstrip() == text for number, text in shown)
    assert {number for number, _ in shown} <= one.lines
    marked = {int(match[2]) for match in found if match is not None and match[1] == "*"}
    assert marked == set(evidence) & {number for number, _ in shown}
    wanted = [line for line in sorted(evidence) if line in one.lines]
    others = [number for number, _ in shown if number not in {*evidence, *(first for first, _ in spans)}]
    assert not others or set(wanted) <= {number for number, _ in shown}, "evidence goes first"


def test_every_candidate_of_a_prompt_gets_its_share() -> None:
    pair = (LONG, replace(LONG, module_id="Big.scala::Other", name="Other", regions=((910, 990),), evidence=(950,)))
    shown = [lines_shown(listing) for listing in listings(big_job(*pair), pair, 500)]
    assert 400 in shown[0]
    assert 950 in shown[1]
    assert all(len(lines) >= 8 for lines in shown)


def test_the_next_candidate_comes_with_what_was_learned(project: Project) -> None:
    user = prompt_for(project.job(), 1, "TRIED BEFORE, in vain:\n  Alu: nothing").user
    assert user.startswith("TRIED BEFORE, in vain:\n  Alu: nothing\n\nVERILOG CHANGE, in module Alu:\n")
    assert "CANDIDATE 2 OF 3" in user
