"""A run folder as one HTML file that stands by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._faces import lazily

if TYPE_CHECKING:
    from retouch.report.page import report

__all__ = ["report"]

__getattr__ = lazily(__name__, {"report": ".page"})
