"""Reads sentences about an attribute of things: that it is changed, set to some values, or only to some values."""
