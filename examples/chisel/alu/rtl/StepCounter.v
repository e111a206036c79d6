module StepCounter(
  input clock,
  input reset,
  input io_step,
  input io_clear,
  input [3:0] io_limit,
  output reg [3:0] io_count,
  output reg io_done
);
  reg [3:0] count;
  always @(posedge clock) begin
    if (reset) count <= 4'd0;
    else begin
      if (io_clear) begin
        count <= 1'd0;  // Counter.scala:17:5
      end else if ({io_step && {count < io_limit}}) begin
        count <= {count + 1'd1};  // Counter.scala:19:5
      end
    end
  end
  always @(posedge clock) begin
    if (reset) count <= 4'd0;
    else begin
      if (io_clear) begin
        count <= 1'd0;  // Counter.scala:17:5
      end else if ({io_step && {count < io_limit}}) begin
        count <= {count + 1'd1};  // Counter.scala:19:5
      end
    end
  end
  always @* begin
    io_count = count;  // Counter.scala:21:3
  end
  always @* begin
    io_done = {count == io_limit};  // Counter.scala:22:3
  end
endmodule
