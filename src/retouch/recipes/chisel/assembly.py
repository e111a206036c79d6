"""The file of a chisel run: one patch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.edits import unified_diff
from retouch.engine.recipe import Block, Section, Unread
from retouch.recipes.chisel.source import UNIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.chisel.answers import Fix
    from retouch.recipes.chisel.source import FixJob, Suspect

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


def blocks(file: str, text: str) -> Sequence[Block]:
    """Return the whole of the patch as the block of the one unit, so that a person may mend and adopt it."""
    return [Block(unit=UNIT, start=0, end=len(text))] if file == PATCH else []


def report(job: FixJob, _values: Mapping[str, Fix | Unread]) -> Iterable[Section]:
    """Return what a run's report says before it shows the fix: the wanted change, and where it was looked for."""
    yield Section(title="The Verilog change", text=f"In module {job.module}.", quote=job.intent)
    rows = [(suspect.name, suspect.file, _sure(suspect), "; ".join(suspect.why)) for suspect in job.suspects]
    yield Section(title="Candidates, in the order they are tried", heads=("module", "file", "sure", "why"), rows=rows)


def _sure(suspect: Suspect) -> str:
    return f"{suspect.weight:.2f}"


def heading(job: FixJob) -> Mapping[str, JSON]:
    """Return what the head of `pages.json` says of the job."""
    return {"source": {"module": job.module, "candidates": [suspect.module_id for suspect in job.suspects]}}
