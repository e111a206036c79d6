"""Logic without names: the operations that are left in Verilog lead to the definition whose lines have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch.locate import DiffInfo, SpanIndex, rank, reasons
from retouch.locate.diffs.operations import operations
from retouch.locate.languages.operations import line_operations
from tests.locate.chisel_tree import verilog_diff

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """\
object Clip {
  def apply(exponent: UInt, bias: Int) = Mux(exponent < 3.U, 0.U, exponent - ((BigInt(1) << bias) + 1).U)
}
object Classes {
  def apply(sign: Bool, isNaN: Bool, isZero: Bool) =
    (!sign && isNaN) ## (!sign && isZero) ## (sign && isZero) ## (sign && isNaN && !isZero)
}
class Unit extends Module {
  val io = IO(new Bundle { val difference = Output(UInt(8.W)) })
  io.difference := Mux(io.difference < 3.U, 0.U, io.difference - 1.U)
}
"""
MINUS = verilog_diff(
    "Top", "  wire [4:0] _T_81 = _T_67 - 5'h11;", "  wire [4:0] _T_81 = _T_67 - 5'hf;", "wire _T_8 = _T_6 < 5'h3;"
)
AND = verilog_diff("Top", "  wire  _T_122 = _T_121 | _T_65;", "  wire  _T_122 = _T_121 & _T_65;", "wire _T_5 = ~_T_7;")


@pytest.fixture
def index(tmp_path: Path) -> SpanIndex:
    (tmp_path / "Numbers.scala").write_text(SOURCE)
    built = SpanIndex(tmp_path)
    built.build()
    return built


def first(text: str, index: SpanIndex) -> str:
    return rank(DiffInfo.from_text(text), index)[0].span.name


def test_without_any_name_the_object_with_the_operations_is_first(index: SpanIndex):
    assert ["Clip", "Classes"] == [first(text, index) for text in (MINUS, AND)]
    told = reasons(rank(DiffInfo.from_text(MINUS), index)[0])
    assert any(one.startswith("operations: ") and "-" in one for one in told)
    assert not any(one.startswith("words: ") for one in told)


def test_a_source_that_changed_is_read_again(index: SpanIndex, tmp_path: Path):
    assert "Clip" == first(MINUS, index)
    (tmp_path / "Numbers.scala").write_text(SOURCE.replace("Clip", "Clamp"))
    index.build()
    assert "Clamp" == first(MINUS, index)


def test_with_the_modules_name_operations_do_not_count(index: SpanIndex):
    found = rank(DiffInfo.from_text(MINUS.replace("Top", "Unit")), index)
    assert "Unit" == found[0].span.name
    assert not any("operations" in hint.evidence for one in found for hint in one.all_evidence)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("  assign a = b && !c;", ["&", "~"]),
        ("  end else if (|b & ^c) begin", ["?", "any", "&", "parity"]),
        ("  x <= -8'sh3 >>> {{2'd0}, y[3:0]};", ["signed", "negative", "#3", "constant", ">>", "{", "slice"]),
        ("  wire z = $signed(a) < 4'b1_0;", ["signed", "<", "#2", "constant"]),
        ("  wire z = 4'b12 + 3'h_;", ["#1", "constant", "+"]),
        ("  input [3:0] a,", []),
        ("  wire [3:0] a;", []),
    ],
)
def test_operations_of_verilog(code: str, expected: list[str]):
    assert expected == operations(code)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("a && !b || c =/= d", ["&", "~", "|", "!="]),
        ("x(width - 1, 0) // + 1", ["slice"]),
        ('printf("a + b"); y === "h1f".U', ["==", "#31", "constant"]),
        ('z := "b12".U + "h".U', ["+"]),
        ("Cat(a.orR, (BigInt(1) << n).U, -3.S)", ["{", "any", "!=", "constant", "-", "#3", "constant", "signed"]),
        ("val n = PriorityEncoder(x)", ["?", "bit", "bit"]),
        ("val w = width + 1", []),
    ],
)
def test_operations_of_chisel(code: str, expected: list[str]):
    assert expected == [word for line in line_operations(code) for word in line]


@given(st.text(alphabet="ab01'hxdzs\"+-<>(){}[]_.,:= US/*\n", max_size=60))
def test_any_text_has_operations_that_are_words_without_spaces(text: str):
    found = [*operations(f"  x = {text}"), *(word for line in line_operations(text) for word in line)]
    assert all(word and " " not in word for word in found)
