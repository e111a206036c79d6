"""What a Verilog diff tells: without comments and noise, with the names of what changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from retouch.locate import BadDiff, DiffInfo, LocateError, find_rtl
from retouch.locate.diffs.comments import split_comments
from retouch.locate.diffs.noise import is_renumbering, renumbered
from retouch.locate.diffs.verilog import assigned, identifiers, named_parts, stem

if TYPE_CHECKING:
    from pathlib import Path


def diff_of(*lines: str, file: str = "Alu.sv", start: int = 1) -> str:
    return "".join(f"{line}\n" for line in (f"--- a/{file}", f"+++ b/{file}", f"@@ -{start},9 +{start},9 @@", *lines))


def test_the_fields_of_the_seed_are_filled():
    diff = DiffInfo.from_text(diff_of("   wire a;", "-  assign io_out = carry_0;", "+  assign io_out = ~carry_0;"))
    assert "Alu.sv" == diff.verilog_file
    assert "Alu" == diff.verilog_module
    assert {2} == diff.changed_lines
    assert {"ports": ["io_out"], "signals": ["carry_0"], "instances": [], "module": ["Alu"]} == diff.identifiers
    assert {2: "  assign io_out = carry_0;"} == diff.removed
    assert {2: "  assign io_out = ~carry_0;"} == diff.added


def test_a_pure_addition_is_changed_where_it_stands_in_the_old_file_as_well():
    diff = DiffInfo.from_text(diff_of(" a", " b", "+  wire x;", "+  wire y;", start=10))
    assert {12, 13} == diff.changed_lines
    diff = DiffInfo.from_text("--- a/A.sv\n+++ b/A.sv\n@@ -10,1 +30,2 @@\n a\n+  wire x;\n")
    assert {11, 31} == diff.changed_lines


def test_comments_leave_neither_words_nor_text_behind_but_their_locators():
    diff = DiffInfo.from_text(
        diff_of("-  x <= 1; // @[Alu.scala 3:4] secretAnswer", "+  x <= 2; /* secretAnswer */ // Rob.scala:5:6")
    )
    assert "secretAnswer" not in diff.unified_diff
    assert {"x"} == set(diff.weights)
    assert ["Alu.scala:3", "Rob.scala:5"] == [str(one) for one, _ in diff.locators]


def test_a_block_comment_over_several_lines_is_no_code():
    diff = DiffInfo.from_text(diff_of("+/* one", "+ two secret", "+*/ wire y;", "-wire x;"))
    assert {"x", "y"} == set(diff.weights)
    assert "secret" not in diff.unified_diff


def test_slashes_in_a_string_begin_no_comment():
    assert ('$display("http://x", a);', "", False) == split_comments('$display("http://x", a);')
    assert ("a;", "// b", False) == split_comments("a; // b")
    assert ("a   b;", "/* c */", False) == split_comments("a /* c */ b;")
    assert ("a;", "/* open", True) == split_comments("a; /* open")
    assert (" b;", " shut ", False) == split_comments(" shut */ b;", inside=True)


def test_a_line_whose_comment_alone_changed_is_no_change():
    text = diff_of("-  x <= 1; // @[Alu.scala 3:4]", "+  x <= 1; // @[Alu.scala 9:4]", "-  y <= 1;", "+  y <= 2;")
    assert {2} == DiffInfo.from_text(text).changed_lines


def test_locators_near_a_change_weigh_less_and_those_of_a_line_share_its_weight():
    diff = DiffInfo.from_text(
        diff_of(
            " a; // A.scala:1:1",
            " b; // A.scala:2:1",
            "-c; // A.scala:3:1, :4:1",
            "+d;",
            " e;",
            " f;",
            " g;",
            " h; // A.scala:9:1",
        )
    )
    assert [("A.scala:1", 0.05), ("A.scala:2", 0.1), ("A.scala:3", 0.5), ("A.scala:4", 0.5)] == [
        (str(one), weight) for one, weight in diff.locators
    ]


def test_names_that_only_got_other_numbers_are_noise():
    assert is_renumbering(["wire _GEN_1 = _T_2 & x_T_3;"], ["wire _GEN_9 = _T_8 & x_T_7;"])
    assert is_renumbering(["reg REG_1;", "x1_bore_2;"], ["x7_bore_9;", "reg REG_2;"])
    assert not is_renumbering(["wire a_1 = b;"], ["wire a_2 = b;"])
    assert not is_renumbering(["wire _GEN_1 = a;"], ["wire _GEN_2 = b;"])


INSERTED = (
    "   wire  near = io_c;",
    "+  wire  _T_8 = ~io_a;",
    "+  wire  isInf = _T_4 & _T_8;",
    "-  wire  _T_11 = ~io_b;",
    "+  wire  _T_12 = ~io_b;",
    "-  assign io_out = _T_11 & _T_4;",
    "+  assign io_out = _T_12 & _T_4;",
    *(f"   wire  other_{at} = io_d;" for at in range(4)),
    "-  wire  _T_20 = io_far;",
    "+  wire  _T_21 = io_far;",
)


def test_lines_that_only_got_other_numbers_because_of_a_change_before_them_are_no_changes():
    text = diff_of(*INSERTED)
    diff = DiffInfo.from_text(text)
    assert ["  wire  _T_8 = ~io_a;", "  wire  isInf = _T_4 & _T_8;"] == list(diff.added.values())
    assert {} == diff.removed
    assert {"io_a", "isInf"} == {name for name, weight in diff.weights.items() if weight == 1}
    assert "io_far" not in diff.weights
    assert text.split("@@ -1,9 +1,9 @@\n")[1] == diff.unified_diff.partition("@@\n")[2]


@pytest.mark.parametrize(
    ("removed", "added", "pairs"),
    [
        (["wire _T_1 = a;", "x = _T_1;"], ["wire _T_2 = a;", "x = _T_2;"], [(0, 0), (1, 1)]),
        (["wire _T_1 = a;", "x = _T_1;"], ["wire _T_2 = a;", "x = _T_3;"], [(0, 0)]),
        (["x = _T_1;"], ["x = _T_2;"], []),
        (["wire _T_1 = a;", "wire _T_2 = a;"], ["wire _T_3 = a;"], [(0, 0)]),
        (["wire a_1 = b;"], ["wire a_2 = b;"], []),
    ],
)
def test_a_generated_name_has_one_other_name_everywhere(
    removed: list[str], added: list[str], pairs: list[tuple[int, int]]
):
    assert pairs == renumbered(removed, added)


def test_a_file_of_noise_is_kept_apart_and_the_others_are_used():
    noise = diff_of("-  wire _GEN_1 = a;", "+  wire _GEN_2 = a;", file="Log.sv")
    real = diff_of("-  wire x = a;", "+  wire x = b;", file="Rob.sv")
    diff = DiffInfo.from_text(noise + real)
    assert "Rob" == diff.verilog_module
    assert ["Log.sv"] == [file.path for file in diff.noise]
    assert "GEN" not in diff.unified_diff


def test_a_diff_of_noise_alone_is_still_used():
    diff = DiffInfo.from_text(diff_of("-  wire x = s ? _GEN_1 : _GEN_2;", "+  wire x = s ? _GEN_2 : _GEN_1;"))
    assert {"x": 1.0, "s": 1.0} == diff.weights


def test_the_module_is_named_in_the_diff_or_else_by_the_file():
    body = ["   wire z;", "-  x;", "+  y;", " endmodule", " module Next("]
    assert "Alu" == DiffInfo.from_text(diff_of(*body)).verilog_module
    assert "Rob" == DiffInfo.from_text(diff_of(" module Rob(", *body, file="Top.v")).verilog_module
    section = diff_of(*body, file="Top.v").replace(" @@\n", " @@ module Lsu(\n")
    assert "Lsu" == DiffInfo.from_text(section).verilog_module
    assert "Mine" == DiffInfo.from_text(diff_of(*body), module="Mine").verilog_module


def test_the_numbers_of_like_modules_are_taken_off():
    assert ("Queue",) == DiffInfo.from_text(diff_of("-x;", file="Queue_12.sv")).modules
    assert ["Queue", "Queue", "_1", "A1"] == [stem(name) for name in ("Queue", "Queue_1_2", "_1", "A1")]


def test_identifiers_are_names_that_somebody_gave():
    assert ["io_a", "b"] == identifiers("assign io_a = 8'hFF & b ? _T_3 : _GEN_4 | $random + `MACRO;")
    assert ["x"] == identifiers('if (x) $display("many words");')


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("  assign io_out = a;", "io_out"),
        ("  wire [3:0] x = a;", "x"),
        ("  reg  [3:0] x;", "x"),
        ("  mem[3] <= a;", "mem"),
        ("  wire signed [3:0] x_T_1 = a == b;", "x_T_1"),
        ("  if (a == b) begin", None),
        ("  end else if (a) begin", None),
        ("  .io_x (a),", None),
    ],
)
def test_what_a_line_gives_a_value_is_found(code: str, name: str | None):
    assert name == assigned(code)


def test_a_condition_stands_for_its_names_and_for_the_next_assignment():
    diff = DiffInfo.from_text(diff_of("-  if (start) begin", "+  if (~start) begin", "     count <= 0;", "   x <= 1;"))
    assert {"start": 0.5, "count": 0.5, "x": 0.15} == diff.targets


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("ridx_incremented_1", ("ridx", "incremented")),
        ("_modified_bytes_T_7", ("modified", "bytes")),
        ("large_", ("large",)),
        ("_GEN_12", ()),
        ("_T_3", ()),
        ("queue_io_enq_valid", ()),
        ("auto_in_a_valid", ()),
    ],
)
def test_a_signals_name_is_taken_apart(name: str, parts: tuple[str, ...]):
    assert parts == named_parts(name)


def test_the_verilog_file_tells_what_names_are_and_where_lines_come_from():
    rtl = (
        "module Alu(input clock, output out);\n  wire carry;\n  assign out = carry; // @[Alu.scala 7:3]\n"
        "  Adder adder (.x(carry)); // @[Alu.scala 9:3]\nendmodule\n"
    )
    text = diff_of("-  assign out = carry;", "+  assign out = ~carry;", start=3)
    diff = DiffInfo.from_text(text, rtl=rtl)
    assert {"ports": ["out"], "signals": ["carry"], "instances": [], "module": ["Alu"]} == diff.identifiers
    assert [("Alu.scala:7", 1.0), ("Alu.scala:9", 0.1)] == [(str(one), weight) for one, weight in diff.locators]
    assert diff.locators == DiffInfo.from_text(text).with_rtl(rtl).locators
    assert () == tuple(DiffInfo.from_text(text, rtl=f"// one line more\n{rtl}").locators)


def test_the_verilog_file_is_found_by_its_name_its_module_or_inside_a_larger_one(tmp_path: Path):
    diff = DiffInfo.from_text(diff_of("-x;", "+y;", file="gen/Alu.sv"))
    assert "" == find_rtl(tmp_path, diff)
    (tmp_path / "Top.v").write_text(
        "module Top;\nendmodule\nmodule Alu(a);\nwire a;\nendmodule\nmodule Alu2;\nendmodule\n"
    )
    assert "module Alu(a);\nwire a;\nendmodule" == find_rtl(tmp_path, diff)
    (tmp_path / "Alu.v").write_text("of the module's name")
    assert "of the module's name" == find_rtl(tmp_path, diff)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "Alu.sv").write_text("of the file's name")
    assert "of the file's name" == find_rtl(tmp_path, diff)
    with pytest.raises(LocateError, match="There is no directory"):
        find_rtl(tmp_path / "nowhere", diff)


@dataclass(frozen=True, kw_only=True)
class Bug:
    """A bug as other programs describe it."""

    file_name: str
    unified_diff: str


def test_a_bugs_description_is_read_from_a_mapping_or_an_object():
    text = "@@ -1,1 +1,1 @@\n-x\n+y\n"
    for bug in ({"diff": text, "file": "Alu_3.sv"}, Bug(file_name="Alu_3.sv", unified_diff=text)):
        diff = DiffInfo.from_bug_info(bug)
        assert ("Alu_3.sv", ("Alu",)) == (diff.verilog_file, diff.modules)
    assert "Rob" == DiffInfo.from_bug_info({"unified_diff": text, "module": "Rob"}).verilog_module


@pytest.mark.parametrize("bug", [{}, {"unified_diff": ""}, {"unified_diff": "words"}, {"unified_diff": 3}])
def test_a_text_without_a_diff_is_refused_with_the_next_step(bug: dict[str, object]):
    with pytest.raises(BadDiff, match="no changed line") as caught:
        DiffInfo.from_bug_info(bug)
    assert "unified diff" in caught.value.hint
