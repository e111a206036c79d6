"""A run directory as one self-contained HTML file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._lib.lazy import lazy_attributes

if TYPE_CHECKING:
    from retouch.report.page import report

__all__ = ["report"]

__getattr__ = lazy_attributes(__name__, {"report": ".page"})
