"""Mend the Chisel module that a Verilog diff points at: candidates one by one, until one compiles and is equivalent.

from retouch.recipes.chisel import FixJob, Suspect, recipe
"""

from retouch.recipes.chisel.job import recipe
from retouch.recipes.chisel.source import FixJob, SourceText, Suspect

__all__ = ["FixJob", "SourceText", "Suspect", "recipe"]
