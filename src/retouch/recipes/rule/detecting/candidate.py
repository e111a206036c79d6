"""A rule that sample paths suggest, made from a guess."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.detecting.across import times_of_directories
from retouch.recipes.rule.detecting.groups import path_of
from retouch.recipes.rule.detecting.guesses import PEER, bits_of
from retouch.recipes.rule.detecting.labels import labelled
from retouch.recipes.rule.detecting.naming import with_unique_names
from retouch.recipes.rule.detecting.opening import opened
from retouch.recipes.rule.detecting.specificity import Specificity
from retouch.recipes.rule.detecting.writing import write_rule
from retouch.recipes.rule.globs.matching import glob_test
from retouch.recipes.rule.globs.parsing import escaped, parse_glob

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.detecting.assumptions import Assumption
    from retouch.recipes.rule.detecting.columns import Column
    from retouch.recipes.rule.detecting.guesses import Guess
    from retouch.recipes.rule.language.model import ExtractionRule


@dataclass(frozen=True, kw_only=True)
class RuleCandidate:
    """A rule that the samples suggest.

    - `columns`: the columns that the rule was built from, and `others` those of the rules of further shapes.
    - `coverage`: the share of the samples, without noise, from which it extracts every field.
    - `questions`: what only the user or a model can answer about its values, for example which number is the month.
    - `assumptions`: what the samples cannot show.
    - `noise`: samples that are no data by their names. `left`: samples that it does not match.
    - `specificity`: which part of the paths it explains, and what else it matches.
    - `unlabelled`: fields of an example that were not found, by path and name.
    - `bits`: the length of the shortest description of the samples that uses the rule. `own_bits`: that of those which
      it matches.
    """

    rule: ExtractionRule
    columns: tuple[Column, ...]
    coverage: float
    questions: tuple[str, ...]
    assumptions: tuple[Assumption, ...] = ()
    others: tuple[tuple[Column, ...], ...] = ()
    noise: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    specificity: Specificity = Specificity(explained=0.0, near_misses=1.0)
    unlabelled: tuple[str, ...] = ()
    bits: float = 0.0
    own_bits: float = 0.0

    @property
    def shapes(self) -> tuple[ExtractionRule, ...]:
        """The rules of all shapes, the main one first."""
        return (replace(self.rule, others=()), *self.rule.others)


def candidate_of(
    guess: Guess,
    rows: Sequence[Sequence[str]],
    name: str,
    noise: Sequence[str],
    labels: Mapping[str, Mapping[str, JSON]],
) -> RuleCandidate:
    """Return the rule of a guess, with the names and types that `labels` give its columns, and what it matches."""
    layout = guess.layout
    glob, columns, unlabelled = layout.glob, layout.columns, tuple[str, ...]()
    for path, wanted in labels.items():
        columns, missing = labelled(columns, guess, path, wanted)
        if all(wanted[one] is None for one in missing):
            glob, columns = opened(glob, columns, path[1:].split("/"), wanted)
        unlabelled += tuple(f"{path}: {one}" for one in missing)
    columns = with_unique_names(columns)
    columns = columns if labels else (*columns, *times_of_directories(columns))
    rule = write_rule(_of_one_kind(_without_hidden(glob, noise), noise, guess.group), columns, name=name)
    taken: dict[str, str] = {}
    for row in rows:
        path = path_of(row)
        taken[path] = apply_rule(rule, path).status
    matched = [path for path, status in taken.items() if status == "COMPLETE"]
    left = tuple(path for path, status in taken.items() if status == "UNMATCHED")
    costs = zip(taken.values(), guess.spelled, strict=True)
    own = sum(layout.bits if status == "COMPLETE" else cost for status, cost in costs if status != "UNMATCHED")
    bits = bits_of(layout, rows, [status == "COMPLETE" for status in taken.values()], guess.spelled)
    misread = PEER * _misread(rule, columns, guess.group)
    return RuleCandidate(
        rule=rule,
        columns=columns,
        coverage=len(matched) / len(rows),
        questions=tuple(one.question for one in columns if one.question),
        noise=tuple(noise),
        left=left,
        unlabelled=unlabelled,
        bits=bits + misread,
        own_bits=own + misread,
    )


def with_rules(
    candidate: RuleCandidate,
    others: Sequence[ExtractionRule],
    columns: Sequence[tuple[Column, ...]],
    rows: Sequence[Sequence[str]],
) -> RuleCandidate:
    """Return a candidate with the rules of further shapes and their columns, and what it matches of all rows then."""
    rule = replace(candidate.rule, others=tuple(others))
    statuses = {path: apply_rule(rule, path).status for path in map(path_of, rows)}
    return replace(
        candidate,
        rule=rule,
        others=tuple(columns),
        left=tuple(path for path, status in statuses.items() if status == "UNMATCHED"),
        coverage=sum(status == "COMPLETE" for status in statuses.values()) / len(rows),
    )


def _without_hidden(glob: str, noise: Sequence[str]) -> str:
    """Return the glob, without names that begin with a point, if there are such among the noise that it matches."""
    above, slash, name = glob.rpartition("/")
    fits = glob_test(parse_glob(glob))
    hidden = any(fits(one.lstrip("/"), one) for one in noise if "/." in one)
    return f"{above}{slash}[!.]{name}" if hidden and name.startswith("*") else glob


def _of_one_kind(glob: str, noise: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return the glob with the extension that all rows have, if one of any kind would take noise."""
    endings = {row[-1].rpartition(".")[2] for row in rows}
    if not glob.endswith(".*") or len(endings) > 1:
        return glob
    fits = glob_test(parse_glob(glob))
    return f"{glob[:-1]}{escaped(min(endings))}" if any(fits(one.lstrip("/"), one) for one in noise) else glob


def _misread(rule: ExtractionRule, columns: Sequence[Column], group: Sequence[Sequence[str]]) -> int:
    """Return for how many paths the patterns give another text than the one that the path was cut into."""
    texts = [one for one in columns if one.pieces and one.type == "string" and not one.nulls and one.normalize is None]
    wrong = 0
    for number, row in enumerate(group):
        values = apply_rule(rule, path_of(row)).values
        wrong += any(one.name in values and values[one.name] != one.values[number] for one in texts)
    return wrong
