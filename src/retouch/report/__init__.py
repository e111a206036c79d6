"""The pages of a run: one self-contained HTML file, a directory of pages, or the pages of the local viewer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._lib.lazy import lazy_attributes

if TYPE_CHECKING:
    from retouch.report.export import report, report_files

__all__ = ["report", "report_files"]

__getattr__ = lazy_attributes(__name__, {"report": ".export", "report_files": ".export"})
