module Alu(
  input clock,
  input reset,
  input [1:0] io_op,
  input [7:0] io_rs1,
  input [7:0] io_rs2,
  output reg [7:0] io_out,
  output reg io_flag
);
  reg [7:0] adder_io_left;
  reg [7:0] adder_io_right;
  reg adder_io_carryIn;
  wire [7:0] adder_io_sum;
  wire adder_io_overflow;
  reg isSub;
  Adder adder (.clock(clock), .reset(reset), .io_left(adder_io_left), .io_right(adder_io_right), .io_carryIn(adder_io_carryIn), .io_sum(adder_io_sum), .io_overflow(adder_io_overflow));
  always @* begin
    isSub = {io_op == 1'd1};  // Alu.scala:30:7
  end
  always @* begin
    adder_io_left = io_rs1;  // Alu.scala:31:3
  end
  always @* begin
    adder_io_right = {isSub ? {~io_rs2} : io_rs2};  // Alu.scala:32:3
  end
  always @* begin
    adder_io_carryIn = 1'd0;  // Alu.scala:33:3
  end
  always @* begin
    io_flag = adder_io_overflow;  // Alu.scala:35:3
  end
  always @* begin
    if ({io_op == 2'd2}) begin
      io_out = {io_rs1 & io_rs2};  // Alu.scala:37:5
    end else if ({io_op == 2'd3}) begin
      io_out = {io_rs1 | io_rs2};  // Alu.scala:39:5
    end else begin
      io_out = adder_io_sum;  // Alu.scala:41:5
    end
  end
endmodule
