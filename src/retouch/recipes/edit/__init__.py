"""Change large files through FIND/REPLACE blocks: truncation-proof, all or nothing, the original untouched till then.

from retouch.recipes.edit import EditFile, EditJob, recipe
"""

from retouch.recipes.edit.job import EditFile, EditJob, edit_job
from retouch.recipes.edit.recipe import recipe

__all__ = ["EditFile", "EditJob", "edit_job", "recipe"]
