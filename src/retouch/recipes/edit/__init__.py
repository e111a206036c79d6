"""Change files with FIND/REPLACE blocks: all changes are applied, or none.

Until all checks pass, the original files are not touched. A truncated reply cannot damage a file.

    from retouch.recipes.edit import EditFile, EditJob, recipe
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._lib.lazy import lazy_attributes

if TYPE_CHECKING:
    from retouch.recipes.edit.job import recipe
    from retouch.recipes.edit.source import EditFile, EditJob, edit_job

__all__ = ["EditFile", "EditJob", "edit_job", "recipe"]

__getattr__ = lazy_attributes(
    __name__, {"recipe": ".job", "EditFile": ".source", "EditJob": ".source", "edit_job": ".source"}
)
