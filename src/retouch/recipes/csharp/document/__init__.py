"""The OpenAPI document: its files, its nodes, its operations and their bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._lib.lazy import lazy_attributes

if TYPE_CHECKING:
    from retouch.recipes.csharp.document.document import load_document

__all__ = ["load_document"]

__getattr__ = lazy_attributes(__name__, {"load_document": ".document"})
