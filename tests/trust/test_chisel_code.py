"""Ways to write code in a Chisel fix that decides its own verdict. Each must be refused before it runs."""

from __future__ import annotations

import pytest

from retouch.recipes.chisel.outside import forbidden_additions

HARDWARE = """\
package core
import chisel3._
class Alu extends Module {
  val io = IO(new Bundle { val out = Output(UInt(8.W)) })
  io.out := 0.U
}
"""
QUOTES = '"""'


def codes(before: str, after: str) -> list[str]:
    """Return the codes of what `after` has and `before` does not."""
    return [kind.code for kind, _ in forbidden_additions([before], [after])]


def with_line(line: str) -> str:
    return HARDWARE.replace("  io.out :=", f"  {line}\n  io.out :=")


@pytest.mark.parametrize(
    "line",
    [
        'new  PrintWriter("rtl/Alu.v")',
        'new\tFile("rtl/Alu.v").delete()',
        'new\n    FileWriter("x")',
        'new BufferedWriter(w).write("x")',
        'Files.write(Paths.get("rtl/Alu.v"), bytes)',
        'Source.fromFile("rtl/Alu.v").mkString',
        'import chisel3.util._, os._; write.over(pwd / "x", "y")',
        "import chisel3.util._, io.{Source => S}",
        "import chisel3._, sys.{env => e}",
        "import\tos._",
        "import scala._; val a = 1",
        "import lang.{System => S}",
        "import lang.System as S",
        "import scala.util.Properties._",
        "import util.{Properties => P}",
        'Properties.setProp("user.dir", "rtl")',
        'tools.nsc.io.File("rtl/Alu.v").writeAll("x")',
        'xml.XML.save("rtl/Alu.v", node)',
        'logger.Logger.setOutput("lec.sh")',
        'import logger.{Logger => L}; L.setOutput("lec.sh")',
        'IO.write(file("lec.sh"), "exit 0")',
        'Process("sh lec.sh").!',
        '"cp build/Alu.v rtl/wanted.v".!',
        'Seq("cp", "a", "b").!!',
        '"cp a b" #&& "cp b c" !',
        "chisel3.Driver.execute(args, () => new Alu)",
        "ChiselMain.main(args)",
        "import circt.stage.{FirtoolOption => F}",
        "val now = System.currentTimeMillis",
        "val now = System.nanoTime() % 2",
        "val luck = scala.util.Random.nextBoolean()",
        "val luck = new scala.util.Random().nextInt(2)",
        "val luck = Math.random() < 0.5",
        "val luck = math.random < 0.5",
        "val luck = (new Object).hashCode % 2",
        "object Later extends Thread { override def run() = () }",
        "classOf[Alu].getResourceAsStream(name)",
        "ModuleLayer.boot()",
        "StackWalker.getInstance",
        "class Own extends ClassLoader",
        "import scala.quoted.*",
        "import $ivy.`com.lihaoyi::os-lib:0.9.1`",
        "import $file.helper",
        "//> using dep com.lihaoyi::os-lib:0.9.1",
        "//> using options -Xplugin:own.jar",
        'os.list(os.FilePath("x"))',
        "import os as o",
        "classOf[Alu].getProtectionDomain.getCodeSource.getLocation.openStream()",
        "val own = classOf[Alu]; own.getProtectionDomain",
        "new Throwable().getStackTrace.last.getClassName",
        "val luck = (1 to 9).par.map(i => next(i)).head",
        "collection.parallel.immutable.ParSeq(1, 2)",
        "val p = xs.par\n  p.foreach(add)",
        "lazy val p = own.lanes(0).par",
        "xs.par.foreach(add)",
        "for (x <- xs.par) add(x)",
        "import lanes.par; par.foreach(add)",
        "import lanes._; par.foreach(add)",
        "val p = xs par",
        "def each(all: scala.collection.GenSeq[Int]) = all.foreach(add)",
        "lanes.asJava.parallelStream.forEach(add)",
        "java.util.Arrays.parallelSetAll(order, next)",
        'val here = Integer.getInteger("cores", 1)',
        'val here = java.lang.Boolean.getBoolean("ci")',
        "import scala.util.{Random => R}; val luck = R.nextInt(2)",
        "val dice = Random; val luck = dice.nextInt(2)",
        "val luck = Random.self.nextInt(2)",
        "val luck = this.toString.last == '1'",
        "val luck = s\"$this\".last == '1'",
        "val luck = (new Lane).toString.last == '1'",
        "val now = Deadline.now",
        "val luck = (new Object).toString.last == '1'",
        "val luck = s\"${new AnyRef {}}\".last == '1'",
        "val luck = Array(1).toString.last == '1'",
        "val now = scala.compat.Platform.currentTime",
        "object Now extends App; val odd = Now.executionStart % 2 == 0",
        "val kept = new scala.ref.WeakReference(new Alu).get.isDefined",
        "override def finalize() = late()",
        'val here = util.Properties.userDir == "/build"',
        "val here = Properties.isWin",
        "try deep(0) catch { case _: StackOverflowError => wrong() }",
    ],
)
def test_a_way_out_of_the_hardware_is_refused(line: str) -> None:
    assert ["REACHES_OUT"] == codes(HARDWARE, with_line(line))


@pytest.mark.parametrize(
    "package",
    [
        "package scala.sys",
        "package scala\npackage tools",
        "package java.lang",
        "package chisel3.core",
        "package firrtl",
    ],
)
def test_code_inside_of_a_library_package_is_refused(package: str) -> None:
    assert ["REACHES_OUT"] == codes(HARDWARE, HARDWARE.replace("package core", package))


@pytest.mark.parametrize(
    "line",
    [
        "annotate(new ChiselAnnotation { def toFirrtl = own })",
        "import chisel3.experimental.{annotate => a}",
        "case class Own(x: Int) extends NoTargetAnnotation with CustomFileEmission",
        "class Own extends firrtl.Transform",
        "import firrtl.ir._",
        'addAttribute(out, "init = 1\'h1")',
        'out.addAttribute(firrtl.AttributeAnnotation(target, "allconst"))',
        'loadMemoryFromFile(mem, "mem.hex")',
        'loadMemoryFromFileInline(mem, "mem.hex")',
        'val mem = SRAM(8, UInt(8.W), 1, 1, 0, MemoryFile("mem.hex"))',
        "val wire = Wire(Analog(8.W))",
        "attach(a, b)",
        'Map("X" -> RawParam("1); assign out = 1; x #(.y(1"))',
        "Builder.pushCommand(DefInvalid(here, out.ref))",
        'implicit val here = SourceLine("a]\\n    x <= y", 1, 1)',
        "import chisel3.util.{HasBlackBoxInline => H}",
        "import chisel3.{BlackBox as B}",
        'override def desiredName = "Core"',
        'override val desiredName: String = "Core"',
        'forceName(inner, "Core")',
        "chisel3.internal.Builder.annotations += own",
        'own.put("assign io_out = 8\'h0;")',
        'Module(new Text("module Alu(output x); endmodule"))',
    ],
)
def test_verilog_that_does_not_come_from_the_hardware_is_refused(line: str) -> None:
    assert ["OWN_VERILOG"] == codes(HARDWARE, with_line(line))


@pytest.mark.parametrize(
    "line",
    [
        "import chisel3.experimental.verification.{assume => _, _}",
        "verification\n    .assume(false.B)",
        "import chisel3.ltl.{AssumeProperty as P}",
        "val right = ModuleChoice(new Wrong)(Seq(Platform.FPGA -> new Right))",
        'when(PlusArgsTest("right")) { io.out := 1.U }',
        'val right = PlusArgsValue(UInt(8.W), "right=%d")',
        "probe.forceInitial(out, 1.U)",
        "stop()",
        "chisel3.stop(0)",
    ],
)
def test_what_limits_a_proof_to_some_runs_is_refused(line: str) -> None:
    assert ["OWN_ASSUMPTION"] == codes(HARDWARE, with_line(line))


@pytest.mark.parametrize(
    "line",
    [
        'val a = "\\u0022 + /* "; java.io.File.separator; val b = " */ "',  # Scala 2.13 reads the escape in the string
        "// \\u000a java.io.File.separator",  # Scala 2.12 reads it first
        "val a = 1 // all is well\r  java.io.File.separator",
        "val `/*` = 1; java.io.File.separator; val `*/` = 2",
        'val `"` = 1; val c = "/*"; java.io.File.separator; val d = "*/"; val `\\"` = 2',
        'val a = raw"\\" + " /*" + java.io.File.separator + "*/"',  # Scala 2.12
        'val a = s" $" /* "; java.io.File.separator; val b = " */ "',  # Scala 2.13.6
        "val a = <a>/*</a>; java.io.File.separator; val b = <b>*/</b>",
        "val a = '''; val q = ' \"'; val b = \"/*\"; java.io.File.separator; val c = \"*/\"",
        f"val a = s{QUOTES}${{ java.io.File.separator }}{QUOTES}",
        "ja\\uuu0076a.io.File.separator",
        "`java`./* here */`io`\n    .File.separator",
    ],
)
def test_code_that_looks_like_a_comment_or_a_text_is_refused(line: str) -> None:
    assert ["REACHES_OUT"] == codes(HARDWARE, with_line(line))


GENERATOR = (
    HARDWARE
    + """\
object Main extends App {
  val out = new java.io.PrintWriter(new java.io.File("build/Alu.txt"))
  (new ChiselStage).emitVerilog(new Alu, Array("--target-dir", "build"))
}
"""
)


@pytest.mark.parametrize(("old", "new"), [("build/Alu.txt", "lec.sh"), ('"build")', '"rtl")')])
def test_a_way_out_that_was_there_before_must_not_lead_elsewhere(old: str, new: str) -> None:
    assert ["REACHES_OUT"] == codes(GENERATOR, GENERATOR.replace(old, new))


def test_a_way_out_that_was_there_before_may_move_and_be_indented() -> None:
    lines = GENERATOR.splitlines(keepends=True)
    assert [] == codes(GENERATOR, "".join([*lines[6:], *lines[:6]]))
    assert [] == codes(GENERATOR, GENERATOR.replace("\n  ", "\n      "))


@pytest.mark.parametrize(
    "line",
    [
        "val stopped = io.stop; val force = Wire(Bool()); val thread = Reg(UInt(2.W))",
        "val last = queue.io.deq; last.ready := !io.stop && io.out =/= 0.U",
        'printf("a < b /* c */ \\u00e9 %d", io.out)',
        'assert(io.out === 0.U, s"$name: no assumption") // assume nothing, BlackBox or not',
        "val files = Reg(Vec(4, UInt(8.W))); files(0) := source.bits",
        "val timer = RegInit(0.U(8.W)); val random = LFSR(16); dontTouch(timer)",
        "class Table extends Bundle { override def hashCode: Int = 3 }",
        "import scala.util.Random; val seeded = new Random(42)",
        "x.attached := y.annotated; val transform = Wire(UInt()); val stage = new Stage",
        "val par = io.par; val parity = io.bits.par.asUInt; val name = inner.desiredName",
        "lane.par := io.in.par ^ lane.par; val odd = io.par.reduce(_ ^ _); val all = Cat(lane.par, data)",
        "val bits = Integer.parseInt(text, 2); val digits = i.toString.length; suggestName(i.toString)",
        'val seeded = new Random(42); val luck = seeded.nextInt(3); require(ok, s"$this is too wide")',
        "val table = new Object { val width = 3 }; object Platform { val width = 8 }",
        "mem.io.write(0) := 1.U; io.write := IO(Input(Bool()))",
    ],
)
def test_hardware_with_such_names_is_not_refused(line: str) -> None:
    assert [] == codes(HARDWARE, with_line(line))
