"""Turns an endpoint of a document into the recipe's source: its types, named and typed for C#."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._lib.lazy import lazy_attributes

if TYPE_CHECKING:
    from retouch.recipes.csharp.reading.endpoint import ReadingOptions, read_endpoint

__all__ = ["ReadingOptions", "read_endpoint"]

__getattr__ = lazy_attributes(__name__, dict.fromkeys(__all__, ".endpoint"))
