"""The output file of a chisel run: one patch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.edits import unified_diff
from retouch.engine.recipe import Block, CodeText, Section, Unread
from retouch.recipes.chisel.checking import NOT_PROVED
from retouch.recipes.chisel.pages import group_shown, named
from retouch.recipes.chisel.source import UNIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.types import Attempt, Issue
    from retouch.recipes.chisel.answers import Fix
    from retouch.recipes.chisel.source import FixJob, Suspect

PATCH = "fix.patch"
MARK = "# retouch: "
_MOST_EVIDENCE = 12  # lines of one candidate


def assemble(job: FixJob, values: Mapping[str, Fix | Unread]) -> Mapping[str, str]:
    """Return `fix.patch`, with paths relative to the workspace. Empty if no answer can be read."""
    fix = values.get(UNIT)
    if fix is None or isinstance(fix, Unread):
        return {}
    lines: list[str] = []
    for path, text in sorted(fix.texts.items()):
        lines += unified_diff(job.in_workspace(path), job.file(path).text, text)
    return {PATCH: "".join(f"{line}\n" for line in lines)}


def mark(job: FixJob, files: Mapping[str, str], issues: Mapping[str, Sequence[Issue] | None]) -> Mapping[str, str]:
    """Return the patch with a first line about its proof, which programs that apply patches skip."""
    found = issues.get(UNIT)
    errors = [issue for issue in found or () if issue.is_error]
    if errors or found is None:
        line = f"NOT PROVED: {errors[0].message if errors else 'not checked yet'}"
    elif job.lec and job.lec_shows == "proved":
        line = f"proved by: {job.lec}"
    else:
        line = f"NOT PROVED: {NOT_PROVED[job.lec_shows if job.lec else 'compiled']}"
    return {name: f"{MARK}{' '.join(line.split())}\n{text}" for name, text in files.items() if text}


def verdict(job: FixJob, issues: Sequence[Issue], attempts: Sequence[Attempt], checked: bool) -> str:
    """Return the candidate of the last attempt, and what the commands found, as text."""
    place = group_shown(job, attempts[-1]) if attempts else len(job.groups)
    where = named(job.groups[place]) if place < len(job.groups) else "the fix"
    errors = [issue for issue in issues if issue.is_error]
    if errors:
        return f"{where}: [{errors[0].code}] {errors[0].message.splitlines()[0]}"
    if not checked:
        return f"{where}: the edits match"
    shown = NOT_PROVED[job.lec_shows] or "compiled and proved"
    return f"{where}: {shown if job.lec else NOT_PROVED['compiled']}"


def blocks(file: str, text: str) -> Sequence[Block]:
    """Return the whole patch as the block of the only unit, so that you can edit and adopt it."""
    return [Block(unit=UNIT, start=0, end=len(text))] if file == PATCH else []


def report(job: FixJob, values: Mapping[str, Fix | Unread]) -> Iterable[Section]:
    """Return the sections of the report: the wanted change, the candidates with their evidence, and the fix."""
    change = CodeText(title=f"module {job.module}", text=job.intent, language="diff")
    patch = "".join(assemble(job, values).values())
    fix = (CodeText(title=PATCH, text=patch, language="diff"),) if patch else ()
    yield Section(title="The Verilog change", text=f"In module {job.module}.", code=(change, *fix))
    rows = [(one.name, one.file, _format_weight(one), "\n".join(one.why), _evidence(job, one)) for one in job.suspects]
    heads = ("module", "file", "sure", "why", "evidence")
    yield Section(title="Candidates, in the order they are tried", heads=heads, rows=rows)


def tried(job: FixJob, folder: Path) -> Iterable[Section]:
    """Return the section of the report about the answers, with the proof of each. Empty before the first answer."""
    from retouch.recipes.chisel.trials import trial_rows

    rows = list(trial_rows(job, folder))
    heads = ("answer", "module", "outcome", "shown", "what the commands printed, or the model wrote")
    return [Section(title="Trials", heads=heads, rows=rows)] if rows else []


def _evidence(job: FixJob, suspect: Suspect) -> str:
    """Return the lines of a candidate that the diff refers to, with their numbers."""
    lines = job.file(suspect.file).text.splitlines()
    shown = [f"{number}: {lines[number - 1].strip()}" for number in suspect.evidence if 0 < number <= len(lines)]
    more = len(shown) - _MOST_EVIDENCE
    return "\n".join([*shown[:_MOST_EVIDENCE], *([f"and {more} more"] if more > 0 else [])])


def _format_weight(suspect: Suspect) -> str:
    return f"{suspect.weight:.2f}"


def heading(job: FixJob) -> Mapping[str, JSON]:
    """Return the description of the job for the head of `pages.json`."""
    return {"source": {"module": job.module, "candidates": [suspect.module_id for suspect in job.suspects]}}
