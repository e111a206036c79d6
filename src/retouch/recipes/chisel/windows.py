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


def listings(job: FixJob, suspects: Sequence[Suspect], budget_tokens: int, *, rest: bool = False) -> list[str]:
    """Return for each candidate its numbered lines within the shared budget, whole lines only.

    A line of evidence has a star in front. Lines nearest to evidence are preferred, in the order of the candidates.
    With `rest`, the lines that are omitted without it are preferred to all other lines. `...` marks omitted lines.
    """
    chosen = _chosen(job, suspects, budget_tokens, [_by_nearness(suspect) for suspect in suspects])
    if rest:
        orders = [_unseen_first(suspect, seen) for suspect, seen in zip(suspects, chosen, strict=True)]
        chosen = _chosen(job, suspects, budget_tokens, orders)
    return [
        "\n".join(_with_gaps(job.file(suspect.file), suspect, sorted(lines)))
        for suspect, lines in zip(suspects, chosen, strict=True)
    ]


def leaves_out(job: FixJob, suspects: Sequence[Suspect], budget_tokens: int) -> bool:
    """Return whether the listings of the candidates leave lines out, for the budget or far from all evidence."""
    chosen = _chosen(job, suspects, budget_tokens, [_by_nearness(suspect) for suspect in suspects])
    return any(suspect.lines != lines for suspect, lines in zip(suspects, chosen, strict=True))


def _chosen(
    job: FixJob, suspects: Sequence[Suspect], budget_tokens: int, orders: Sequence[Sequence[int]]
) -> list[set[int]]:
    """Return for each candidate the first lines of its order within its share of the budget."""
    left = budget_tokens
    found: list[set[int]] = []
    for place, (suspect, order) in enumerate(zip(suspects, orders, strict=True)):
        file = job.file(suspect.file)
        share = left // (len(suspects) - place)
        chosen: set[int] = set()
        for line in order:
            cost = tokens_of(_listed(file, suspect, line)) + 1
            if cost > share:
                break
            share -= cost
            left -= cost
            chosen.add(line)
        found.append(chosen)
    return found


def _by_nearness(suspect: Suspect) -> list[int]:
    """Return the lines that may be shown, most relevant first: evidence and declarations, then their neighbours."""
    nearness = _nearness(suspect)
    limit = AROUND_LINES if len(suspect.lines) > LONG_LINES and suspect.evidence else len(suspect.lines)
    wanted = [line for line, distance in nearness.items() if distance <= limit]
    return sorted(wanted, key=lambda line: (nearness[line], line))


def _unseen_first(suspect: Suspect, seen: set[int]) -> list[int]:
    """Return all lines: the declarations, then what is not in `seen`, then the rest, nearest to evidence first."""
    nearness = _nearness(suspect)
    heads = {first for first, _ in suspect.regions}
    return sorted(suspect.lines, key=lambda line: (line not in heads, line in seen, nearness[line], line))


def _nearness(suspect: Suspect) -> dict[int, int]:
    """Return for each line its distance from the nearest evidence or declaration."""
    heads = [first for first, _ in suspect.regions]
    marks = sorted({*suspect.evidence, *heads} & suspect.lines) or heads
    return {line: min(abs(line - mark) for mark in marks) for line in suspect.lines}


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
