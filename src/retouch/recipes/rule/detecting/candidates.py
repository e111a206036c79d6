"""Infers rules from sample paths, without a model."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.applying.places import locate
from retouch.recipes.rule.detecting.layout import below_a_directory, by_a_directory, by_their_ends
from retouch.recipes.rule.globs.parsing import parse_glob
from retouch.recipes.rule.language.model import ExtractionRule, Field
from retouch.recipes.rule.language.names import as_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.columns import Column
    from retouch.recipes.rule.detecting.layout import Layout

MAX_SAMPLES = 200
MAJORITY = 0.85


@dataclass(frozen=True, kw_only=True)
class RuleCandidate:
    """A rule that the samples suggest.

    `columns` are the columns that it was built from. `coverage` is the share of the samples from which it extracts
    every field. `questions` are questions that only the user or a model can answer.
    """

    rule: ExtractionRule
    columns: tuple[Column, ...]
    coverage: float
    questions: tuple[str, ...]


def detect(paths: Sequence[str], *, name: str = "") -> tuple[RuleCandidate, ...]:
    """Return rules for sample paths, the best first. Without a path, return none.

    If there are more than 200 samples, every n-th is used. The same paths always give the same rules.
    """
    places = list(dict.fromkeys(locate(path).absolute for path in paths if path.strip("/\\.")))
    if not places:
        return ()
    rows = [place[1:].split("/") for place in places[:: -(-len(places) // MAX_SAMPLES)]]
    rows = _usual_depth(rows)
    absolute = all(path.startswith(("/", "\\")) for path in paths if path)
    ends, coarse = (by_their_ends(rows, absolute=absolute, finely=finely) for finely in (True, False))
    layouts = [one for one in (ends, below_a_directory(rows), by_a_directory(rows), coarse) if one is not None]
    found = [(_candidate(layout, rows, name), layout.explains_depth) for layout in dict.fromkeys(layouts)]
    return tuple(one for one, _ in sorted(found, key=lambda pair: _merit(*pair), reverse=True))


def _usual_depth(rows: list[list[str]]) -> list[list[str]]:
    """Return the paths of the depth that nearly all have, or all paths if there is no such depth."""
    depth, number = Counter(len(row) for row in rows).most_common(1)[0]
    return [row for row in rows if len(row) == depth] if number >= MAJORITY * len(rows) else rows


def _candidate(layout: Layout, rows: Sequence[Sequence[str]], name: str) -> RuleCandidate:
    rule = write_rule(layout.glob, layout.columns, name=name)
    top = "/" if layout.glob.startswith("/") else ""
    taken = sum(apply_rule(rule, top + "/".join(row)).status == "COMPLETE" for row in rows)
    questions = tuple(one.question for one in layout.columns if one.question)
    return RuleCandidate(rule=rule, columns=layout.columns, coverage=taken / len(rows), questions=questions)


def _merit(candidate: RuleCandidate, explains_depth: bool) -> tuple[bool, int, bool]:
    typed = sum(column.type != "string" for column in candidate.columns)
    return candidate.coverage >= 0.95, typed, explains_depth


def write_rule(glob: str, columns: Sequence[Column], *, name: str = "") -> ExtractionRule:
    """Return the rule of a glob and columns. The columns may have been renamed, retyped or dropped."""
    words = as_name(name) if name else _name_from(glob, columns)
    fields = tuple(
        Field(
            name=column.name,
            source=column.source,
            pattern=column.pattern,
            type=column.type,
            format=column.format,
            optional=column.optional,
        )
        for column in columns
    )
    return ExtractionRule(name=words, glob=parse_glob(glob), fields=fields, tag=words)


def _name_from(glob: str, columns: Sequence[Column]) -> str:
    """Return a name from the longest word of the glob without its extension, or from the first column."""
    stem = glob.rpartition(".")[0] or glob
    words = "".join(char if char.isalpha() else " " for char in stem).split()
    longest = max(words, key=len, default="")
    return as_name(longest) if len(longest) >= 3 else f"by_{columns[0].name}" if columns else "files"
