"""Which lines of the candidates a prompt shows: those with evidence first, then those around, within a budget."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch.recipes.chisel.source import FixJob, SourceText, Suspect

LONG_LINES = 120  # a longer definition is shown around its evidence alone
AROUND_LINES = 15
GAP = "        ..."
CHARS_PER_TOKEN = 2.5  # dense Verilog has no more; a reply carries the true count


def tokens_of(text: str) -> int:
    """Return about how many tokens `text` has, rather too many than too few."""
    return ceil(len(text) / CHARS_PER_TOKEN)


def listings(job: FixJob, suspects: Sequence[Suspect], budget_tokens: int) -> list[str]:
    """Return the numbered lines of each candidate that fit the budget together, whole lines only.

    A line of evidence has a star in front. What is nearest to evidence goes first, the first candidate before the
    others; where lines are left out stands `...`.
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
    """Return the lines that may be shown, most wanted first: evidence and declarations, then their neighbours."""
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
