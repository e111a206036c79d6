"""Code in a fix that reaches outside of the hardware is refused before it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retouch.recipes.chisel.outside import forbidden_additions
from tests.recipes.chisel.scenes import ALU, RIGHT, Project, carry

if TYPE_CHECKING:
    from pathlib import Path

HARDWARE = """\
package core
import chisel3._
import chisel3.util.{Cat, log2Ceil}
import scala.collection.mutable
import scala.math.max
class System(val io2: Bundle) extends Module { // java.io.File is not used here
  val io = IO(new Bundle { val out = Output(UInt(java.lang.Integer.SIZE.W)); val sys = Input(Bool()) })
  val name = this.getClass.getSimpleName
  val process = Reg(UInt(8.W)); val os = RegInit(0.U); os := process /* sys.exit() */
  io.out := Mux(io.sys, os, 0.U)
}
"""


@pytest.mark.parametrize(
    ("line", "way"),
    [
        ('new java.io.PrintWriter("x")', "java.io.PrintWriter"),
        ("import java.nio.file.{Files => F}", "java.nio.file"),
        ("import java.{io => hidden}", "java"),
        ('java . io . File.createTempFile("a", "b")', "java.io.File.createTempFile"),
        ("_root_.java.lang.System.exit(0)", "java.lang.System.exit"),
        (r"jav\u0061.io.File.separator", "java.io.File.separator"),
        ("`java`.io.File.separator", "java.io.File.separator"),
        ('s"${sys.env("HOME")}"', "sys.env"),
        ("import scala.sys.process._", "import scala.sys.process._"),
        ("import scala.{sys => hidden}", "scala.{sys"),
        ("System.getenv()", "System.getenv"),
        ("Runtime.getRuntime.exec(x)", "Runtime.getRuntime"),
        ('Class.forName("x")', "Class.forName"),
        ("getClass.getClassLoader", "getClass"),
        ('os.write.over(os.pwd / "x", y)', "os.write"),
        ('firrtl.FileUtils.getText("x")', "FileUtils.getText"),
        ("(new ChiselStage).emitVerilog(new Alu)", "ChiselStage"),
        ("new Thread(() => ())", "new Thread"),
        ('io.Source.fromFile("x")', "io.Source"),
        ('reflect.io.File("x").writeAll("y")', "reflect.io"),
        ('util.Properties.envOrElse("x", "y")', "util.Properties"),
        ("import os.{write => w, pwd => p}", "import os.{write"),
        ("import _root_.{os => hidden}", "os =>"),
        ("import System.{getenv => e}", "System.{"),
        ('System getenv "x"', "System getenv"),
        ('Class forName "x"', "Class forName"),
        ("import lang.{Runtime => R}", "Runtime =>"),
        ('classOf[Runtime].getMethod("getRuntime")', "classOf[Runtime"),
        ("import sys.{env => e}", "import sys.{env"),
    ],
)
def test_a_way_out_is_found_in_each_spelling(line: str, way: str) -> None:
    ((kind, names),) = forbidden_additions([HARDWARE], [HARDWARE.replace("  io.out :=", f"  {line}\n  io.out :=")])
    assert "REACHES_OUT" == kind.code
    assert any(way in name for name in names)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("chisel3.assume(false.B)", "OWN_ASSUMPTION"),
        ("import chisel3.{assume => a}", "OWN_ASSUMPTION"),
        ("val a = chisel3.assume", "OWN_ASSUMPTION"),
        ("val a = assume", "OWN_ASSUMPTION"),
        ("Seq(assume).head(false.B)", "OWN_ASSUMPTION"),
        ("assume\n  (false.B)", "OWN_ASSUMPTION"),
        ("assume apply false.B", "OWN_ASSUMPTION"),
        ("import chisel3.ltl.{AssumeProperty => P}", "OWN_ASSUMPTION"),
        ("val property = AssumeProperty", "OWN_ASSUMPTION"),
        ('Intrinsic("circt_verif_" + "assume", false.B)', "OWN_VERILOG"),
        ('class Off extends IntrinsicModule("circt_verif_assume")', "OWN_VERILOG"),
        ("class Alu2 extends ExtModule with HasExtModuleInline", "OWN_VERILOG"),
        (
            'annotate(new ChiselAnnotation { def toFirrtl = BlackBoxInlineAnno(m, "Alu.v", "") })',
            "OWN_VERILOG",
        ),
    ],
)
def test_an_assumption_and_verilog_of_its_own_are_found_in_each_form(line: str, code: str) -> None:
    ((kind, _),) = forbidden_additions([HARDWARE], [HARDWARE.replace("  io.out :=", f"  {line}\n  io.out :=")])
    assert code == kind.code


@pytest.mark.parametrize(
    "line",
    [
        'case _ => sys.error("no such operation")',
        'case _ => scala.sys.error("no such operation")',
        "import scala.jdk.CollectionConverters._",
        "io.sys.valid := true.B",
        "sys.io.in := 3.U; sys.reset := reset",
        'assert(io.sys, "we assume that it is ready, and assume so")',
    ],
)
def test_usual_code_of_a_generator_is_no_way_out(line: str) -> None:
    assert [] == forbidden_additions([HARDWARE], [HARDWARE.replace("  io.out :=", f"  {line}\n  io.out :=")])


def test_hardware_has_no_way_out_and_what_was_there_before_may_stay_and_move() -> None:
    assert [] == forbidden_additions([""], [HARDWARE])
    before = ["import java.io._\nclass A { setInline(x) }\n", "class B\n"]
    assert [] == forbidden_additions(before, [before[1], f"// moved\n{before[0]}"])
    twice = forbidden_additions(before, [before[0], before[0]])
    assert [["java.io._"], ["setInline"]] == [names for _, names in twice]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "code"),
    [
        ('new java.io.PrintWriter("rtl/Alu.v").close()', "REACHES_OUT"),
        ("chisel3.experimental.verification.assume(false.B)", "OWN_ASSUMPTION"),
        ('setInline("Alu.v", "module Alu")', "OWN_VERILOG"),
    ],
)
def test_such_a_fix_does_not_run_and_the_model_is_told(tmp_path: Path, more: str, code: str) -> None:
    project = Project(tmp_path)
    result = project.fix([carry(f"{RIGHT}\n  {more}"), carry(RIGHT)], project.job(ALU))
    assert ("unverified", 2) == (result.status, result.calls)
    assert f"[{code}] the fix " in project.asked(1)
    assert [("Alu", "apply_fail"), ("Alu", "success")] == project.outcomes()
