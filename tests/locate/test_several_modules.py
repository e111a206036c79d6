"""A diff of several Verilog modules: each is located alone, and what all of them share gains."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch.locate import Candidate, DiffInfo, SpanIndex, rank
from retouch.locate.fusion.across import across
from retouch.locate.values import Span
from tests.locate.chisel_tree import verilog_diff

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SOURCE = """\
class Reader extends Module { val io = IO(new Bundle { val pointer = Input(UInt(8.W)) })
  val readGray = Gray.encode(io.pointer)
}
class Writer extends Module { val io = IO(new Bundle { val pointer = Input(UInt(8.W)) })
  val writeGray = Gray.encode(io.pointer)
}
object Gray { def encode(pointer: UInt): UInt = pointer ^ (pointer >> 1) }
class Other extends Module { val pointer = 1 }
"""
READ = verilog_diff("Reader", "wire [7:0] readGray = io_pointer ^ 8'h1;", "wire [7:0] readGray = io_pointer & 8'h1;")
WRITE = verilog_diff("Writer", "wire [7:0] writeGray = io_pointer ^ 8'h1;", "wire [7:0] writeGray = io_pointer | 8'h1;")
READ_7 = READ.replace("Reader", "Reader_7")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SpanIndex:
    folder: Path = tmp_path_factory.mktemp("fifo")
    (folder / "Fifo.scala").write_text(SOURCE)
    built = SpanIndex(folder)
    built.build()
    return built


def ranked(text: str, index: SpanIndex) -> dict[str, float]:
    return {one.span.name: one.fused_score for one in rank(DiffInfo.from_text(text), index)}


def test_an_object_that_all_changed_modules_share_gains(index: SpanIndex):
    alone, both = ranked(READ, index), ranked(READ + WRITE, index)
    assert "Reader" == next(iter(alone))
    assert {"Reader", "Writer", "Gray"} == set(list(both)[:3])
    assert alone["Gray"] < both["Gray"]
    assert both["Other"] < both["Gray"]


def test_modules_that_differ_by_their_number_count_as_one(index: SpanIndex):
    diff = DiffInfo.from_text(READ + READ_7)
    assert (diff,) == diff.parts
    assert "Reader" == next(iter(ranked(READ + READ_7, index)))


def test_each_part_has_the_files_and_hunks_of_its_module_only():
    first, second = DiffInfo.from_text(READ + WRITE).parts
    assert (("Reader",), ("Writer",)) == (first.modules, second.modules)
    assert ({"readGray", "io_pointer"}, {"writeGray", "io_pointer"}) == (set(first.weights), set(second.weights))


def test_hunks_of_one_file_are_separated_by_their_modules():
    one_file = (
        "--- a/top.v\n+++ b/top.v\n@@ -1,2 +1,2 @@ module Reader(\n-a <= b;\n+a <= c;\n@@ -9,2 +9,2 @@ module Writer(\n"
    )
    diff = DiffInfo.from_text(f"{one_file}-d <= e;\n+d <= f;\n")
    assert ("Reader", "Writer") == diff.modules
    assert [{"a", "b", "c"}, {"d", "e", "f"}] == [set(part.weights) for part in diff.parts]


def test_a_module_that_the_caller_names_is_not_divided():
    diff = DiffInfo.from_text(READ + WRITE, module="Fifo")
    assert (diff,) == diff.parts


def test_source_locators_decide_without_a_vote(index: SpanIndex):
    lines = [each.replace(";\n", "; // @[Fifo.scala 7:50]\n") for each in (READ, WRITE)]
    assert "Gray" == next(iter(ranked("".join(lines), index)))


def test_a_large_diff_is_located_by_its_eight_largest_modules():
    several = "".join(READ.replace("Reader", f"M{letter}") for letter in "abcdefghij")
    more = READ.replace("Reader", "Largest") + "-  x <= y;\n+  x <= z;\n"
    parts = DiffInfo.from_text(several + more).parts
    assert (8, "Largest") == (len(parts), parts[0].verilog_module)


def ranking(scores: dict[str, float]) -> list[Candidate]:
    def span(name: str) -> Span:
        return Span(file="A.scala", name=name, qualified=name, kind="class", start_line=1, end_line=2, name_line=1)

    return [
        Candidate(module_id=f"A.scala::{name}", span=span(name), scores={}, fused_score=score, sources_hit=1)
        for name, score in sorted(scores.items(), key=lambda item: -item[1])
    ]


RANKINGS = st.lists(st.dictionaries(st.sampled_from("abcdef"), st.floats(0.01, 1), max_size=6), min_size=1, max_size=4)


@given(RANKINGS)
def test_every_candidate_stays_with_a_score_of_at_most_one_best_first(scores: list[dict[str, float]]):
    found = across([ranking(each) for each in scores])
    assert {name for each in scores for name in each} == {one.span.name for one in found}
    values: Sequence[float] = [one.fused_score for one in found]
    assert sorted(values, reverse=True) == values
    assert all(0 < value <= 1 for value in values)


@given(RANKINGS)
def test_the_order_of_the_modules_changes_nothing(scores: list[dict[str, float]]):
    rankings = [ranking(each) for each in scores]
    one, other = ({each.module_id: each.fused_score for each in across(some)} for some in (rankings, rankings[::-1]))
    assert one == other


def test_a_module_whose_inputs_changed_goes_after_the_one_that_feeds_it(tmp_path: Path):
    (tmp_path / "Two.scala").write_text(
        "class Inner extends Module { val io = IO(new Bundle { val mode = Input(Bool()) })\n  val chosen = io.mode\n}\n"
        "class Outer extends Module {\n  val inner = Module(new Inner)\n  inner.io.mode := true.B\n}\n"
    )
    index = SpanIndex(tmp_path)
    index.build()
    inside = verilog_diff("Inner", "  input io_more,", "  input io_mode,") + "-  wire chosen = 1'h1;\n" * 4
    outside = verilog_diff("Outer", "  wire inner_x;", "  wire inner_io_mode;") + "+    .io_mode(inner_io_mode),\n"
    assert "Outer" == next(iter(ranked(inside + outside, index)))
    assert "Inner" == next(iter(ranked(inside.replace("input", "wire") + outside, index)))


def test_a_module_of_its_own_is_not_shared_by_the_one_that_makes_it():
    scores = [{"a": 0.9, "b": 0.5}, {"b": 0.8, "c": 0.4}]
    shared, own = (
        {one.span.name: one.fused_score for one in across([ranking(each) for each in scores], unshared=unshared)}
        for unshared in ((), ("A.scala::b",))
    )
    assert ("b", "a") == (next(iter(shared)), next(iter(own)))
