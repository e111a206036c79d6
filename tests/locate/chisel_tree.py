"""A small design of our own in Chisel, and Verilog diffs of it as a compiler would cause them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "src/main/scala/core/Cache.scala": """\
package core

class Cache(lines: Int) extends Module with HasTags {
  val io = IO(new CacheBundle)
  val merged = ByteLanes.merge(io.old, io.fresh, io.mask)
  val dirtyCount = RegInit(0.U(4.W))
  when(io.write) { dirtyCount := dirtyCount + 1.U }
  val victims = Module(new VictimQueue)
  io.answer := merged
}

class CacheBundle extends Bundle {
  val old = Input(UInt(32.W))
  val fresh = Input(UInt(32.W))
  val mask = Input(UInt(4.W))
  val write = Input(Bool())
  val answer = Output(UInt(32.W))
}
""",
    "src/main/scala/core/Tags.scala": """\
package core

trait HasTags {
  val tagHit = Wire(Bool())
  def sameTag(one: UInt, other: UInt) = one === other
}
""",
    "src/main/scala/core/VictimQueue.scala": """\
package core

class VictimQueue extends Module {
  val io = IO(new Bundle { val full = Output(Bool()) })
  val dirtyCount = RegInit(0.U(4.W))
  io.full := dirtyCount === 9.U
}
""",
    "src/main/scala/util/ByteLanes.scala": """\
package util

object ByteLanes {
  def merge(old: UInt, fresh: UInt, mask: UInt): UInt = {
    val laneBits = Wire(Vec(4, UInt(8.W)))
    for (lane <- 0 until 4) {
      laneBits(lane) := Mux(mask(lane), fresh, old)
    }
    laneBits.asUInt
  }
}
""",
    "src/main/scala/bus/Xbar.scala": """\
package bus

class Xbar(implicit p: Parameters) extends LazyModule {
  val node = NexusNode()
  lazy val module = new Impl
  class Impl extends LazyModuleImp(this) {
    val grantMask = RegInit(0.U(4.W))
    val chosen = PriorityEncoder(grantMask)
  }
}
""",
    "src/main/scala/first/Arbiter.scala": "package first\nclass Arbiter extends Module {\n  val roundRobin = 1\n}\n",
    "src/main/scala/second/Arbiter.scala": "package second\nclass Arbiter extends Module {\n  val fixedOrder = 1\n}\n",
}


def write_tree(folder: Path) -> Path:
    """Write the design into a folder and return that."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def verilog_diff(module: str, before: str, after: str, *context: str) -> str:
    """Return the diff of one line of a Verilog module, with lines around it."""
    lines = [f"--- a/{module}.sv", f"+++ b/{module}.sv", "@@ -40,9 +40,9 @@", *(f" {one}" for one in context)]
    return "".join(f"{line}\n" for line in [*lines, f"-{before}", f"+{after}"])


NAMED = verilog_diff("Cache_3", "  dirtyCount <= dirtyCount + 4'h1;", "  dirtyCount <= dirtyCount - 4'h1;")
IN_CALLEE = verilog_diff(
    "Cache",
    "  wire [7:0] merged_laneBits_2 = io_mask[2] ? io_fresh : io_old;",
    "  wire [7:0] merged_laneBits_2 = io_mask[2] ? io_old : io_fresh;",
)
INNER = verilog_diff("Xbar_1", "  grantMask <= 4'h1;", "  grantMask <= 4'h2;", "wire [1:0] chosen = 2'h0;")
