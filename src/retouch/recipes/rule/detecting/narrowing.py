"""Narrows the glob of a labelled rule, so that it leaves out the few files of another kind than the labelled one.

A label `division: 1` says that `at.cup.json` beside `at.1.json` is no such file; it is left out and asked about. So are
the few files that differ from nearly all others in a word that no label has, such as `camt.052` beside `camt.053`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.detecting.endings import PACKINGS
from retouch.recipes.rule.detecting.groups import path_of
from retouch.recipes.rule.detecting.layout import by_their_ends
from retouch.recipes.rule.detecting.writing import write_rule
from retouch.recipes.rule.globs.matching import glob_test
from retouch.recipes.rule.globs.parsing import parse_glob

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from retouch.recipes.rule.detecting.candidate import RuleCandidate
    from retouch.recipes.rule.detecting.columns import Column
    from retouch.recipes.rule.detecting.labels import Labels

MOST = 0.25  # the share of the files that may be left out; of more, the label is rather one of several forms
UNUSUAL = 0.15  # the share of the files that may differ from the others in a word without a label
LEAST = 8  # files that have the form of the label
_RUNS = re.compile("[0-9]+|[A-Za-z]+")


def narrowed(candidate: RuleCandidate, rows: Sequence[Sequence[str]], labels: Labels) -> RuleCandidate:
    """Return the candidate with a glob of file names that the files with labelled values of another form lack.

    It stays as it is if no layout of the other files tells them apart, and if it has several shapes.
    """
    if candidate.rule.others:
        return candidate
    candidate = _of_usual_words(candidate, rows, labels) if labels else candidate
    columns = [one for one in candidate.columns if one.source == "filename" and not one.rest]
    wanted = {name: value for fields in labels.values() for name, value in fields.items()}
    told = [(one, runs_of(str(wanted[one.name]))) for one in columns if wanted.get(one.name) is not None]
    told = told if labels else [(one, "") for one in columns if not one.optional]
    found = {path_of(row): row for row in rows}
    taken = {path: one.values for path in found if (one := apply_rule(candidate.rule, path)).status != "UNMATCHED"}
    others = {path for path, values in taken.items() if any(_differs(path, values, *one) for one in told)}
    alike = [found[path] for path in taken if path not in others]
    if not others or len(others) > MOST * len(taken) or len(alike) < LEAST:
        return candidate
    return without(candidate, [*taken], others, rows, globs_like(candidate.rule.glob.text, -1, alike))


def without(
    candidate: RuleCandidate,
    taken: Sequence[str],
    others: Collection[str],
    rows: Sequence[Sequence[str]],
    globs: Iterable[str],
) -> RuleCandidate:
    """Return the candidate with the first of the globs that takes all of its paths without the others, or itself."""
    for glob in globs:
        fits = glob_test(parse_glob(glob))
        matched = {path for path in taken if fits(path.lstrip("/"), path)}
        if matched == {*taken} - {*others}:
            left = (*candidate.left, *(path for path in taken if path in others))
            rule = write_rule(glob, candidate.columns, name=candidate.rule.name)
            return replace(candidate, rule=rule, left=left, coverage=len(matched) / len(rows))
    return candidate


def globs_like(glob: str, at: int, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a glob with the segment `at` that the layouts of rows have there."""
    for finely in (True, False):
        other = by_their_ends(rows, absolute=False, finely=finely).glob.split("/")
        segments = glob.split("/")
        if -at <= min(len(segments), len(other)) and "**" not in (segments[at], other[at]):
            segments[at] = other[at]
            yield "/".join(segments)


def _of_usual_words(candidate: RuleCandidate, rows: Sequence[Sequence[str]], labels: Labels) -> RuleCandidate:
    """Return the candidate without the files that differ from nearly all others, and the labelled ones, in a word that
    no label has.
    """
    found = {path_of(row): row for row in rows}
    values = {path: one.values for path in found if (one := apply_rule(candidate.rule, path)).status != "UNMATCHED"}
    taken = [*values]
    names = {name for fields in labels.values() for name in fields}
    given = {name for fields in labels.values() for name, value in fields.items() if value is not None}
    for column in candidate.columns:
        place = -1 if column.source == "filename" else column.source
        if column.name in names or column.rest or column.optional or not column.pieces or not isinstance(place, int):
            continue
        words = {path: _word_of(column, found[path][place]) for path in taken}
        usual = {words.get(path) for path in labels}
        others = [path for path in taken if words[path] not in usual]
        lacking = all(any(values[path].get(name) is None for name in given) for path in others)
        most = (MOST if lacking else UNUSUAL) * len(taken)
        if len(usual) > 1 or not others or len(others) > most or len(taken) < LEAST:
            continue
        alike = [found[path] for path in taken if path not in others]
        candidate = without(candidate, taken, others, rows, globs_like(candidate.rule.glob.text, place, alike))
        taken = [path for path in taken if path not in candidate.left]
    return candidate


def _word_of(column: Column, text: str) -> str | None:
    found = re.search(column.pattern or "^(.+)$", text, re.DOTALL)
    return None if found is None else found[1]


def _differs(path: str, values: Mapping[str, object], column: Column, form: str) -> bool:
    """Return whether a required labelled value is missing, text that is no number is where a labelled number is, or a
    labelled value goes on after a separator, as `V06_MDM` beside the label `V06`.
    """
    value = values.get(column.name)
    if value is None and not column.optional:
        return True
    if value is None:
        pattern = (column.pattern or "").replace("([0-9]+)", "(.+?)")
        hit = re.search(pattern, path.rpartition("/")[2]) if pattern != column.pattern else None
        return hit is not None and bool(hit[1])
    if column.slot is not None and column.slot.kind == "ending" and str(value).rpartition(".")[2] in PACKINGS:
        return False  # as `tar.bz2` beside `conda`
    longer = column.type == "string" and form.isalnum() and value is not None and runs_of(str(value)).startswith(form)
    return longer and runs_of(str(value))[len(form) : len(form) + 1] in {*"_-."}


def runs_of(text: str) -> str:
    """Return a text with one letter for each number and each word, for example "a_n" for `V_06`."""
    return _RUNS.sub(lambda found: "n" if found[0].isdigit() else "a", text)
