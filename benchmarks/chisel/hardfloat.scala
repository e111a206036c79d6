// The modules that are elaborated, in half precision.
package bench

import chisel3._
import hardfloat._

class Recoded extends RawModule {
  val io = IO(new Bundle {
    val in = Input(UInt(16.W))
    val out = Output(UInt(17.W))
    val back = Output(UInt(16.W))
    val kinds = Output(UInt(10.W))
  })
  io.out := recFNFromFN(5, 11, io.in)
  io.back := fNFromRecFN(5, 11, io.out)
  io.kinds := classifyRecFN(5, 11, io.out)
}

object Tops {
  def of(name: String): () => RawModule = name match {
    case "AddRecFN" => () => new AddRecFN(5, 11)
    case "CompareRecFN" => () => new CompareRecFN(5, 11)
    case "DivSqrtRecFN_small" => () => new DivSqrtRecFN_small(5, 11, 0)
    case "INToRecFN" => () => new INToRecFN(16, 5, 11)
    case "MulAddRecFN" => () => new MulAddRecFN(5, 11)
    case "MulRecFN" => () => new MulRecFN(5, 11)
    case "RecFNToIN" => () => new RecFNToIN(5, 11, 16)
    case "RecFNToRecFN" => () => new RecFNToRecFN(8, 24, 5, 11)
    case "Recoded" => () => new Recoded
  }
}
