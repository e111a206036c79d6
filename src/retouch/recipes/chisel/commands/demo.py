"""The example of `retouch demo`: a unit that adds and does not subtract, with scripted answers."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

from retouch.commands import RecipeDemo
from retouch.locate import open_index
from retouch.locate.diffs.info import DiffInfo
from retouch.locate.ranking import rank
from retouch.recipes.chisel.building import Wanted, fix_job
from retouch.testing import scripted

if TYPE_CHECKING:
    from pathlib import Path

_SCALA = """\
package alu

import chisel3._

class Adder extends Module {
  val io = IO(new Bundle {
    val left = Input(UInt(8.W))
    val right = Input(UInt(8.W))
    val carryIn = Input(Bool())
    val sum = Output(UInt(8.W))
  })
  io.sum := io.left + io.right + io.carryIn.asUInt
}

class Alu extends Module {
  val io = IO(new Bundle {
    val op = Input(UInt(2.W))
    val rs1 = Input(UInt(8.W))
    val rs2 = Input(UInt(8.W))
    val out = Output(UInt(8.W))
  })
  val adder = Module(new Adder)
  val isSub = io.op === 1.U
  adder.io.left := io.rs1
  adder.io.right := Mux(isSub, ~io.rs2, io.rs2)
  adder.io.carryIn := false.B
  io.out := adder.io.sum
}
"""
_DIFF = """\
--- a/Alu.v
+++ b/Alu.v
@@ -24,5 +24,5 @@
   end
   always @* begin
-    adder_io_carryIn = 1'd0;  // Alu.scala:26:3
+    adder_io_carryIn = isSub;  // Alu.scala:26:3
   end
   always @* begin
"""
_COMPILER = """\
# Not a Scala compiler: it reports names that the file does not declare, so that the example needs no installation.
import pathlib, re, sys
text = pathlib.Path("src/Alu.scala").read_text()
known = set(re.findall(r"(?:val|class|object|package) (\\w+)", text)) | {"io", "true", "false", "Mux"}
for number, line in enumerate(text.splitlines(), 1):
    for name in re.findall(r":= (\\w+)", line):
        if name not in known:
            sys.exit(f"src/Alu.scala:{number}:23: error: not found: value {name}\\n    {line}")
pathlib.Path("build").mkdir(exist_ok=True)
pathlib.Path("build/Alu.v").write_text("// compiled\\n")
"""
_OLD = "  adder.io.carryIn := false.B"
_ANSWERS = ("  adder.io.carryIn := isSubtraction", "  adder.io.carryIn := isSub")


def _answer(line: str) -> str:
    return f"CHANGE 1: drive the carry\nFIND:\n```\n{_OLD}\n```\nREPLACE WITH:\n```\n{line}\n```\n"


def demo(folder: Path) -> RecipeDemo:
    """Return the fix of a small design in `folder`. The first answer does not compile. Nothing is proved."""
    unit = folder / "alu"
    (unit / "src").mkdir(parents=True, exist_ok=True)
    (unit / "src" / "Alu.scala").write_text(_SCALA, encoding="utf-8")
    (unit / "compile.py").write_text(_COMPILER, encoding="utf-8")
    (folder / "wanted.diff").write_text(_DIFF, encoding="utf-8")
    diff, index = DiffInfo.from_text(_DIFF), open_index(unit / "src", cache=folder / "index.json")
    wanted = Wanted(compile=f"{shlex.quote(sys.executable)} compile.py", inside="src", most=3)
    return RecipeDemo(
        source=fix_job(_DIFF, diff, rank(diff, index), index, wanted),
        about="a Verilog diff and Chisel sources -> a patch that compiles",
        try_it=(
            f"retouch generate chisel --diff {folder / 'wanted.diff'} --source {unit / 'src'} --workspace {unit} "
            f"--compile '{wanted.compile}' --model anthropic:claude-haiku-4-5"
        ),
        model=scripted([_answer(line) for line in _ANSWERS]),
        options={"workspace": str(unit)},
    )
