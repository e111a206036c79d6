"""Ways to find the module that a Verilog diff came from; each gives hints, and fusion puts them together."""
