// The modules that are elaborated.
package bench

import chisel3._
import fpga._
import fpga.periferals._

object Tops {
  def of(name: String): () => RawModule = name match {
    case "MachineTimer" => () => new MachineTimer
    case "DMemDecoder" => () => new DMemDecoder(Seq((BigInt(0), BigInt(256)), (BigInt(256), BigInt(256))))
    case "IMemDecoder" => () => new IMemDecoder(Seq((BigInt(0), BigInt(256)), (BigInt(256), BigInt(256))))
    case "Gpio" => () => new Gpio
    case "InterruptController" => () => new InterruptController
    case "Uart" => () => new fpga.periferals.Uart(10000, 1000)
    case "Sdc" => () => new Sdc
    case "PHT" => () => new PHT(16)
  }
}
