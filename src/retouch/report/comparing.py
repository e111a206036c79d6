"""Two runs next to each other: each unit's states, issues and usage, and the changes between the answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retouch.report.code import code_lines, diff_lines, is_same_text
from retouch.report.run_pages import language_in
from retouch.report.site import render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.report.code import CodeLine
    from retouch.report.run_pages import RunPages, UnitRow


@dataclass(frozen=True, kw_only=True)
class UnitPair:
    """One unit of two runs. `answer` is "same", "different", "only in A" or "only in B"."""

    number: int
    name: str
    a: UnitRow | None
    b: UnitRow | None
    answer: str

    @property
    def differs(self) -> bool:
        """Whether the answers are not the same."""
        return self.answer != "same"


def unit_pairs(a: RunPages, b: RunPages) -> list[UnitPair]:
    """Return every unit of two runs: those that differ first, then in the order of the first run."""
    of_a, of_b = ({row.name: row for row in run.rows} for run in (a, b))
    names = dict.fromkeys([*(unit.unit for unit in a.seen.units), *(unit.unit for unit in b.seen.units)])
    pairs = [
        UnitPair(number=number, name=name, a=of_a.get(name), b=of_b.get(name), answer=_answer(a, b, name))
        for number, name in enumerate(names, 1)
    ]
    return sorted(pairs, key=lambda pair: (not pair.differs, pair.number))


def changes(a: RunPages, b: RunPages, name: str) -> Sequence[CodeLine]:
    """Return the changes from the answer of the first run to that of the second one.

    The whole answer, if only one of the runs has the unit.
    """
    if not (a.has(name) and b.has(name)):
        run = a if a.has(name) else b
        text = run.answer_of(name)
        return code_lines(text, language=language_in(text, run.language_of_unit(name))) if text else ()
    one, other = a.answer_of(name), b.answer_of(name)
    if is_same_text(one, other):
        return ()
    return diff_lines(one, other, language=a.language_of_unit(name))


def _answer(a: RunPages, b: RunPages, name: str) -> str:
    if not b.has(name):
        return "only in A"
    if not a.has(name):
        return "only in B"
    return "same" if is_same_text(a.answer_of(name), b.answer_of(name)) else "different"


MOST_CHANGES = 200  # units whose changes a comparison shows


def compare_page(a: RunPages, b: RunPages, *, links: Any, **values: Any) -> str:
    """Return the page that compares two runs."""
    pairs = unit_pairs(a, b)
    details = [(pair, changes(a, b, pair.name)) for pair in pairs if pair.differs][:MOST_CHANGES]
    title = f"{a.name} and {b.name}"
    common = {"title": title, "here": "Compare", "links": links, "a": a, "b": b}
    return render("compare.html.j2", pairs=pairs, details=details, **common, **values)
