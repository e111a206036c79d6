"""Definitions with the same name: the modules of the design decide between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retouch.locate import DiffInfo, SpanIndex, rank
from retouch.locate.diffs.rtl import design_modules

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "--- a/Core.sv\n+++ b/Core.sv\n@@ -3 +3 @@\n-  assign io_out = 4'h0;\n+  assign io_out = 4'h1;\n"
PORTS = "  val io = IO(Output(UInt(4.W)))\n"


@pytest.fixture
def index(tmp_path: Path) -> SpanIndex:
    """Two cores with the same text, of which each makes a cache of its own, and one more that makes none."""
    for name in ("small", "wide"):
        (tmp_path / "src" / name).mkdir(parents=True)
        cache = f"{name.capitalize()}Cache"
        core = f"class Core extends Module {{\n{PORTS}  val cache = Module(new {cache})\n  io.out := 0.U\n}}\n"
        (tmp_path / "src" / name / "Core.scala").write_text(core)
        (tmp_path / "src" / name / "Cache.scala").write_text(f"class {cache} extends Module {{\n{PORTS}}}\n")
    index = SpanIndex(tmp_path / "src")
    index.build()
    return index


def first(index: SpanIndex, *modules: str) -> tuple[str, float]:
    diff = DiffInfo.from_text(TEXT).with_rtl("", design=frozenset(modules))
    found = rank(diff, index)
    assert [one.fused_score for one in found] == sorted((one.fused_score for one in found), reverse=True)
    return found[0].module_id, found[0].fused_score


@pytest.mark.parametrize("name", ["small", "wide"])
def test_the_namesake_whose_modules_the_design_has_is_first(index: SpanIndex, name: str) -> None:
    assert f"{name}/Core.scala::Core" == first(index, "Core", f"{name.capitalize()}Cache")[0]


def test_without_a_difference_the_order_stays(index: SpanIndex) -> None:
    assert first(index) == first(index, "Core") == first(index, "Core", "SmallCache", "WideCache")


def test_other_candidates_keep_their_places(index: SpanIndex) -> None:
    known, plain = (
        [(one.span.name, one.fused_score) for one in rank(DiffInfo.from_text(TEXT).with_rtl("", design=design), index)]
        for design in (frozenset({"Core", "WideCache"}), frozenset[str]())
    )
    assert plain == known


def test_the_modules_of_a_design_are_read_from_its_files_without_numbers(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "All.v").write_text("module Core_1(\n);\nendmodule\nmodule Queue_12 ();\nendmodule\n")
    (tmp_path / "deep" / "Cache.sv").write_text("// module Not\nmodule Cache(input a);\nendmodule\n")
    (tmp_path / "notes.txt").write_text("module Nothing\n")
    assert {"Core", "Queue", "Cache"} == design_modules(tmp_path)
