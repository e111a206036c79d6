"""Reads sentences about the devices of a home, if its tools choose them by name, area and domain."""
