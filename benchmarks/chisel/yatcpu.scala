// The modules that are elaborated: the four processors of the course, and peripherals.
package bench

import chisel3._

object Tops {
  def of(name: String): () => RawModule = name match {
    case "ThreeStage" => () => new riscv.core.threestage.CPU
    case "Stall" => () => new riscv.core.fivestage_stall.CPU
    case "Forward" => () => new riscv.core.fivestage_forward.CPU
    case "Final" => () => new riscv.core.fivestage_final.CPU
    case "Timer" => () => new peripheral.Timer
  }
}
