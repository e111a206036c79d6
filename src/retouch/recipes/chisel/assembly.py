"""The file of a chisel run: one patch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.edits import unified_diff
from retouch.engine.recipe import Unread
from retouch.recipes.chisel.source import UNIT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.engine.core import JSON
    from retouch.recipes.chisel.answers import Fix
    from retouch.recipes.chisel.source import FixJob

PATCH = "fix.patch"


def assemble(job: FixJob, values: Mapping[str, Fix | Unread]) -> Mapping[str, str]:
    """Return `fix.patch`, with paths as they are in the workspace; no file when no answer can be read."""
    fix = values.get(UNIT)
    if fix is None or isinstance(fix, Unread):
        return {}
    lines: list[str] = []
    for path, text in sorted(fix.texts.items()):
        lines += unified_diff(job.in_workspace(path), job.file(path).text, text)
    return {PATCH: "".join(f"{line}\n" for line in lines)}


def heading(job: FixJob) -> Mapping[str, JSON]:
    """Return what the head of `pages.json` says of the job."""
    return {"source": {"module": job.module, "candidates": [suspect.module_id for suspect in job.suspects]}}
