"""Selects the lines of the candidates for a prompt: lines with evidence first, then lines around, within a budget."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch.recipes.chisel.source import FixJob, SourceText, Suspect

LONG_LINES = 120  # only the lines around the evidence of a longer definition are shown
AROUND_LINES = 15
GAP = "        ..."
CHARS_PER_TOKEN = 2.5  # a low value for dense Verilog; a reply contains the true count


def tokens_of(text: str) -> int:
    """Return an estimate of the number of tokens of `text`. It is rather too high than too low."""
    return ceil(len(text) / CHARS_PER_TOKEN)


def listings(job: FixJob, suspects: Sequence[Suspect], budget_tokens: int) -> list[str]:
    """Return for each candidate its numbered lines within the shared budget, whole lines only.

    A line of evidence has a star in front. Lines nearest to evidence are preferred, in the order of the candidates.
    `...` marks omitted lines.
    """
    left = budget_tokens
    shown: list[str] = []
    for place, suspect in enumerate(suspects):
        file = job.file(suspect.file)
        share = left // (len(suspects) - place)
        chosen: set[int] = set()
        for line in _by_nearness(suspect):
            cost = tokens_of(_listed(file, suspect, line)) + 1
            if cost > share:
                break
            share -= cost
            left -= cost
            chosen.add(line)
        shown.append("\n".join(_with_gaps(file, suspect, sorted(chosen))))
    return shown


def _by_nearness(suspect: Suspect) -> list[int]:
    """Return the lines that may be shown, most relevant first: evidence and declarations, then their neighbours."""
    heads = [first for first, _ in suspect.regions]
    marks = sorted({*suspect.evidence, *heads} & suspect.lines) or heads
    nearness = {line: min(abs(line - mark) for mark in marks) for line in suspect.lines}
    limit = AROUND_LINES if len(suspect.lines) > LONG_LINES and suspect.evidence else len(suspect.lines)
    wanted = [line for line, distance in nearness.items() if distance <= limit]
    return sorted(wanted, key=lambda line: (nearness[line], line))


def _with_gaps(file: SourceText, suspect: Suspect, lines: Iterable[int]) -> list[str]:
    listed: list[str] = []
    ends = {last for _, last in suspect.regions}
    expected = {first for first, _ in suspect.regions}
    for line in lines:
        if line not in expected:
            listed.append(GAP)
        listed.append(_listed(file, suspect, line))
        expected = {line + 1, *(first for first, _ in suspect.regions if line in ends)}
    return listed


def _listed(file: SourceText, suspect: Suspect, line: int) -> str:
    text = file.lines[line - 1] if line <= len(file.lines) else ""
    mark = "*" if line in suspect.evidence else " "
    return f"{mark} {line:5} | {text}".rstrip()
