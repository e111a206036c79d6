package alu

import chisel3._

/** Counts the steps of the unit, and says when there were enough. */
class StepCounter extends Module {
  val io = IO(new Bundle {
    val step = Input(Bool())
    val clear = Input(Bool())
    val limit = Input(UInt(4.W))
    val count = Output(UInt(4.W))
    val done = Output(Bool())
  })

  val count = RegInit(0.U(4.W))
  when (io.clear) {
    count := 0.U
  } .elsewhen (io.step && count < io.limit) {
    count := count + 1.U
  }
  io.count := count
  io.done := count === io.limit
}
