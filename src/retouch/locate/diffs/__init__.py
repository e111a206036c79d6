"""Verilog diffs: scanned tolerantly, cleaned of comments and noise, with the names and locators in them."""
