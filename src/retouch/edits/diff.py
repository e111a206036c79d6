"""Writes a unified diff of strings, without the quadratic search of the standard library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.edits.align import differences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.edits.align import Stretch

_CONTEXT = 3


def unified_diff(path: str, before: str | None, after: str | None) -> Iterator[str]:
    """Yield the lines of a unified diff, without line endings. None is a file that does not exist.

    A carriage return at the end of a line is preserved. A missing final newline is marked as in other tools.
    """
    old, new = _lines(before), _lines(after)
    stretches = differences(old, new)
    if not stretches and (before is None) == (after is None):
        return
    yield f"--- {f'a/{path}' if before is not None else '/dev/null'}"
    yield f"+++ {f'b/{path}' if after is not None else '/dev/null'}"
    for hunk in _hunks(stretches):
        yield from _hunk(old, new, hunk)


def _lines(text: str | None) -> list[str]:
    """Return lines with their final newline, so that a missing one is a difference."""
    if not text:
        return []
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop()
    return lines if last == "\n" else [*lines, last[:-1]]


def _hunks(stretches: Sequence[Stretch]) -> Iterator[list[Stretch]]:
    hunk: list[Stretch] = []
    for stretch in stretches:
        if hunk and stretch[0] - hunk[-1][1] > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(stretch)
    if hunk:
        yield hunk


def _hunk(old: Sequence[str], new: Sequence[str], hunk: list[Stretch]) -> Iterator[str]:
    lead = min(_CONTEXT, hunk[0][0])
    tail = min(_CONTEXT, len(old) - hunk[-1][1])
    low, new_low = hunk[0][0] - lead, hunk[0][2] - lead
    high, new_high = hunk[-1][1] + tail, hunk[-1][3] + tail
    yield f"@@ -{_range(low, high)} +{_range(new_low, new_high)} @@"
    done = low
    for start, stop, new_start, new_stop in hunk:
        yield from _signed(" ", old[done:start])
        yield from _signed("-", old[start:stop])
        yield from _signed("+", new[new_start:new_stop])
        done = stop
    yield from _signed(" ", old[done:high])


def _signed(sign: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if line.endswith("\n"):
            yield sign + line[:-1]
        else:
            yield sign + line
            yield "\\ No newline at end of file"


def _range(low: int, high: int) -> str:
    return f"{low + 1 if high > low else low},{high - low}"
