package alu

import chisel3._

/** What the unit does with its operands. */
class Adder extends Module {
  val io = IO(new Bundle {
    val left = Input(UInt(8.W))
    val right = Input(UInt(8.W))
    val carryIn = Input(Bool())
    val sum = Output(UInt(8.W))
    val overflow = Output(Bool())
  })

  val wide = Cat(0.U(1.W), io.left) + Cat(0.U(1.W), io.right) + io.carryIn.asUInt
  io.sum := wide(7, 0)
  io.overflow := wide(8)
}

class Alu extends Module {
  val io = IO(new Bundle {
    val op = Input(UInt(2.W))
    val rs1 = Input(UInt(8.W))
    val rs2 = Input(UInt(8.W))
    val out = Output(UInt(8.W))
    val flag = Output(Bool())
  })

  val adder = Module(new Adder)
  val isSub = io.op === 1.U
  adder.io.left := io.rs1
  adder.io.right := Mux(isSub, ~io.rs2, io.rs2)
  adder.io.carryIn := false.B

  io.flag := adder.io.overflow
  when (io.op === 2.U) {
    io.out := io.rs1 & io.rs2
  } .elsewhen (io.op === 3.U) {
    io.out := io.rs1 | io.rs2
  } .otherwise {
    io.out := adder.io.sum
  }
}
