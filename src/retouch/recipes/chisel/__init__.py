"""Repair the Chisel module that a Verilog diff refers to: try candidates until one compiles and is equivalent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._lib.lazy import lazy_attributes

if TYPE_CHECKING:
    from retouch.recipes.chisel.job import recipe
    from retouch.recipes.chisel.source import FixJob, SourceText, Suspect

__all__ = ["FixJob", "SourceText", "Suspect", "recipe"]

__getattr__ = lazy_attributes(
    __name__, {"recipe": ".job", "FixJob": ".source", "SourceText": ".source", "Suspect": ".source"}
)
