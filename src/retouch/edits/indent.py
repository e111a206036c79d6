"""Maps the indentation of a reply to that of a file, if the two differ by one consistent rule."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.edits.values import is_blank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_SAMPLE_LINES = 2000  # lines of a file from which its unit is detected
_WIDTHS = (4, 2, 8, 3)  # possible widths of a tab in columns

Rule = "Callable[[str], str | None]"


def indentation(line: str) -> str:
    """Return the whitespace at the start of the line."""
    return line[: len(line) - len(line.lstrip())]


def unit_of(bodies: Sequence[str]) -> str:
    """Return one level of indentation of this file: a tab, or a number of spaces."""
    steps: Counter[int] = Counter()
    tabs = spaces = above = 0
    for body in bodies[:_SAMPLE_LINES]:
        if is_blank(body):
            continue
        lead = indentation(body)
        tabs += lead.startswith("\t")
        spaces += lead.startswith(" ")
        if "\t" not in lead:
            if len(lead) - above in {2, 3, 4, 8}:
                steps[len(lead) - above] += 1
            above = len(lead)
    if tabs > spaces:
        return "\t"
    return " " * (steps.most_common(1)[0][0] if steps else 4)


@dataclass(frozen=True, kw_only=True, slots=True)
class Indentation:
    """Translates the indentation of lines in a reply to the file's."""

    rule: Callable[[str], str | None]
    is_shift: bool = False  # every line moves by the same whitespace

    def apply(self, line: str) -> str | None:
        """Return the line with the file's indentation. None if the rule does not cover its indentation."""
        if not line or (self.is_shift and is_blank(line)):
            return line  # a whitespace-only line does not move with the other lines
        lead = indentation(line)
        new = self.rule(lead)
        if is_blank(line):
            return new or ""
        return None if new is None else new + line[len(lead) :]


def map_indentation(pairs: Sequence[tuple[str, str]], unit: str) -> tuple[Indentation, bool] | None:
    """Return the rule that translates each reply's indentation to the file's, and whether the difference is small.

    Small differences are one level, a reply without indentation, or tabs instead of spaces. None if no rule matches
    all pairs.
    """
    flush = next((file for reply, file in pairs if not reply), None)
    for rule, is_small, is_shift in _rules(pairs, unit, flush):
        if all(rule(reply) == file for reply, file in pairs):
            return Indentation(rule=rule, is_shift=is_shift), is_small
    return None


def shifted_by(prefix: str) -> Indentation:
    """Return the rule that adds the prefix to every line."""
    return Indentation(rule=lambda lead: prefix + lead, is_shift=True)


def _rules(
    pairs: Sequence[tuple[str, str]], unit: str, flush: str | None
) -> Iterator[tuple[Callable[[str], str | None], bool, bool]]:
    """Yield the rules to try. Each has a flag for a small difference, and one for moving all lines alike."""
    reply, file = pairs[0]
    if file.endswith(reply):
        prefix = file[: len(file) - len(reply)]
        yield (lambda lead: prefix + lead), flush is not None or _is_level(prefix, unit), True
    if reply.endswith(file):
        extra = reply[: len(reply) - len(file)]
        yield (
            (lambda lead: lead[len(extra) :] if lead.startswith(extra) else None),
            _is_level(extra, unit),
            True,
        )
    for width in _WIDTHS:
        for base in ("", flush or ""):
            yield from_tabs(width, base), True, False
            yield to_tabs(width, base), True, False


def _is_level(blanks: str, unit: str) -> bool:
    return blanks in {"", unit, "\t", "    "}


def _columns(lead: str, width: int) -> int:
    return len(lead) + lead.count("\t") * (width - 1)


def from_tabs(width: int, base: str) -> Callable[[str], str | None]:
    """Return the rule that writes spaces for tabs of this width, after the base."""
    return lambda lead: base + " " * _columns(lead, width)


def to_tabs(width: int, base: str) -> Callable[[str], str | None]:
    """Return the rule that writes a tab for this many columns, after the base."""

    def rule(lead: str) -> str | None:
        columns = _columns(lead, width)
        return base + "\t" * (columns // width) + " " * (columns % width)

    return rule
