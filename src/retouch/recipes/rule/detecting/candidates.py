"""Infers rules from sample paths, without a model."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.applying.places import locate
from retouch.recipes.rule.detecting.cost import SHARED, spelled_out, tokens_of
from retouch.recipes.rule.detecting.groups import form_of, groups_of
from retouch.recipes.rule.detecting.layout import below_a_directory, by_a_directory, by_their_ends
from retouch.recipes.rule.detecting.noise import noise_kind
from retouch.recipes.rule.globs.matching import glob_test
from retouch.recipes.rule.globs.parsing import parse_glob
from retouch.recipes.rule.language.model import ExtractionRule, Field
from retouch.recipes.rule.language.names import as_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.rule.detecting.columns import Column
    from retouch.recipes.rule.detecting.cost import SHARED, spelled_out, tokens_of
from retouch.recipes.rule.detecting.groups import form_of, groups_of
from retouch.recipes.rule.detecting.layout import Layout

MAX_SAMPLES = 200
MOST_CANDIDATES = 3
PEER = 150.0
MINORITY = 150.0
USUAL_NOISE = 0.25


@dataclass(frozen=True, kw_only=True)
class RuleCandidate:
    """A rule that the samples suggest.

    `columns` are the columns that it was built from. `coverage` is the share of the samples, without noise, from which
    it extracts every field. `questions` are questions that only the user or a model can answer. `noise` are samples
    that are no data by their names, `left` those that the rule does not match. `bits` is the length of the shortest
    description of the samples that uses the rule.
    """

    rule: ExtractionRule
    columns: tuple[Column, ...]
    coverage: float
    questions: tuple[str, ...]
    noise: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    bits: float = 0.0


def detect(paths: Sequence[str], *, name: str = "") -> tuple[RuleCandidate, ...]:
    """Return rules for sample paths, the best first. Without a path, return none.

    If there are more than 200 samples, every n-th is used. The same paths always give the same rules.
    """
    places = list(dict.fromkeys(locate(path).absolute for path in paths if path.strip("/\\.")))
    if not places:
        return ()
    places = places[:: -(-len(places) // MAX_SAMPLES)]
    noise = [place for place in places if noise_kind(place.rpartition("/")[2])]
    if len(noise) * 2 > len(places):
        noise = []
    rows = [place[1:].split("/") for place in places if place not in set(noise)]
    absolute = all(path.startswith(("/", "\\")) for path in paths if path)
    guesses = sorted(_guesses(rows, absolute=absolute), key=lambda one: one.bits)
    found = [_candidate(guess, rows, name, noise) for guess in guesses[:MOST_CANDIDATES]]
    return tuple(sorted(found, key=lambda one: one.bits))


@dataclass(frozen=True, kw_only=True)
class _Guess:
    """A layout, the costs of each path if it is matched and if it is not, and the estimated cost of all."""

    layout: Layout
    spelled: Sequence[float]
    bits: float


def _guesses(rows: Sequence[Sequence[str]], *, absolute: bool) -> Iterator[_Guess]:
    """Yield each layout once, with its cost if it extracts every field from the paths that its glob matches."""
    known = _shared_tokens(rows)
    paths = ["/".join(row) for row in rows]
    spelled = [spelled_out(path, known) for path in paths]
    seen: set[tuple[str, tuple[Column, ...]]] = set()
    for group in groups_of(rows):
        for layout in layouts_of(group, absolute=absolute):
            if (layout.glob, layout.columns) in seen:
                continue
            seen.add((layout.glob, layout.columns))
            fits = glob_test(parse_glob(layout.glob))
            taken = [fits(path, f"/{path}") for path in paths]
            yield _Guess(layout=layout, spelled=spelled, bits=_bits_of(layout, rows, taken, spelled))


def _bits_of(
    layout: Layout, rows: Sequence[Sequence[str]], taken: Sequence[bool], spelled: Sequence[float]
) -> float:
    """Return the cost of all paths.

    To leave out a path costs more if it is like a matched one in its form, and if more are left out than noise explains.
    """
    forms = {form_of(row) for row, one in zip(rows, taken, strict=True) if one}
    rest = zip(rows, taken, spelled, strict=True)
    bits = sum(layout.bits if one else cost + (PEER if form_of(row) in forms else 0) for row, one, cost in rest)
    return bits + MINORITY * max(taken.count(False) - USUAL_NOISE * len(rows), 0)


def _shared_tokens(rows: Sequence[Sequence[str]]) -> frozenset[str]:
    """Return the tokens that several paths have."""
    counts = Counter(token for row in rows for token in set(tokens_of("/".join(row))))
    return frozenset(token for token, number in counts.items() if number >= max(2, SHARED * len(rows)))


def layouts_of(rows: Sequence[Sequence[str]], *, absolute: bool) -> Iterator[Layout]:
    """Yield the layouts of a group of paths."""
    ends, coarse = (by_their_ends(rows, absolute=absolute, finely=finely) for finely in (True, False))
    yield from (one for one in (ends, below_a_directory(rows), by_a_directory(rows), coarse) if one is not None)


def _candidate(guess: _Guess, rows: Sequence[Sequence[str]], name: str, noise: Sequence[str]) -> RuleCandidate:
    layout = guess.layout
    rule = write_rule(layout.glob, layout.columns, name=name)
    complete = 0
    left: list[str] = []
    taken: list[bool] = []
    for row in rows:
        path = "/".join(("", *row))
        status = apply_rule(rule, path).status
        complete += status == "COMPLETE"
        taken.append(status == "COMPLETE")
        if status == "UNMATCHED":
            left.append(path)
    questions = tuple(one.question for one in layout.columns if one.question)
    return RuleCandidate(
        rule=rule,
        columns=layout.columns,
        coverage=complete / len(rows),
        questions=questions,
        noise=tuple(noise),
        left=tuple(left),
        bits=_bits_of(layout, rows, taken, guess.spelled),
    )


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
            nulls=column.nulls,
            normalize=column.normalize,
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
