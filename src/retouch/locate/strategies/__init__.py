"""Strategies that find the module of a Verilog diff. Each gives hints, which are then fused."""
