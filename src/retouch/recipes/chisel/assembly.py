"""The output file of a chisel run: one patch."""

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
    """Return `fix.patch`, with paths relative to the workspace. Empty if no answer can be read."""
    fix = values.get(UNIT)
    if fix is None or isinstance(fix, Unread):
        return {}
    lines: list[str] = []
    for path, text in sorted(fix.texts.items()):
        lines += unified_diff(job.in_workspace(path), job.file(path).text, text)
    return {PATCH: "".join(f"{line}\n" for line in lines)}


def blocks(file: str, text: str) -> Sequence[Block]:
    """Return the whole patch as the block of the only unit, so that you can edit and adopt it."""
    return [Block(unit=UNIT, start=0, end=len(text))] if file == PATCH else []


def report(job: FixJob, _values: Mapping[str, Fix | Unread]) -> Iterable[Section]:
    """Return the report sections before the fix: the wanted change, and the candidates."""
    yield Section(title="The Verilog change", text=f"In module {job.module}.", quote=job.intent)
    rows = [(suspect.name, suspect.file, _format_weight(suspect), "; ".join(suspect.why)) for suspect in job.suspects]
    yield Section(title="Candidates, in the order they are tried", heads=("module", "file", "sure", "why"), rows=rows)


def _format_weight(suspect: Suspect) -> str:
    return f"{suspect.weight:.2f}"


def heading(job: FixJob) -> Mapping[str, JSON]:
    """Return the description of the job for the head of `pages.json`."""
    return {"source": {"module": job.module, "candidates": [suspect.module_id for suspect in job.suspects]}}
