module Adder(
  input clock,
  input reset,
  input [7:0] io_left,
  input [7:0] io_right,
  input io_carryIn,
  output reg [7:0] io_sum,
  output reg io_overflow
);
  reg [8:0] wide;
  always @* begin
    wide = {{{1'd0, io_left} + {1'd0, io_right}} + io_carryIn};  // Alu.scala:15:7
  end
  always @* begin
    io_sum = wide[7:0];  // Alu.scala:16:3
  end
  always @* begin
    io_overflow = wide[8:8];  // Alu.scala:17:3
  end
endmodule
