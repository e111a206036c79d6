"""Narrows the glob of a labelled rule, so that it leaves out the few files whose labelled fields are of another form.

A label `division: 1` says that `at.cup.json` beside `at.1.json` is no such file; it is left out and asked about.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.detecting.layout import by_their_ends
from retouch.recipes.rule.detecting.writing import write_rule
from retouch.recipes.rule.globs.matching import glob_test
from retouch.recipes.rule.globs.parsing import parse_glob

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.recipes.rule.detecting.candidate import RuleCandidate
    from retouch.recipes.rule.detecting.columns import Column
    from retouch.recipes.rule.detecting.labels import Labels

MOST = 0.25  # the share of the files that may be left out; of more, the label is rather one of several forms
LEAST = 8  # files that have the form of the label
_RUNS = re.compile("[0-9]+|[A-Za-z]+")


def narrowed(candidate: RuleCandidate, rows: Sequence[Sequence[str]], labels: Labels) -> RuleCandidate:
    """Return the candidate with a glob of file names that the files with labelled values of another form lack.

    It stays as it is if no layout of the other files tells them apart, and if it has several shapes.
    """
    columns = [one for one in candidate.columns if one.source == "filename" and not one.rest]
    wanted = {name: value for fields in labels.values() for name, value in fields.items()}
    told = [(one, _form(str(wanted[one.name]))) for one in columns if wanted.get(one.name) is not None]
    found = {("/".join(("", *row))): row for row in rows}
    taken = {path: one.values for path in found if (one := apply_rule(candidate.rule, path)).status != "UNMATCHED"}
    others = {path for path, values in taken.items() if any(_differs(path, values, *one) for one in told)}
    alike = [found[path] for path in taken if path not in others]
    if candidate.rule.others or not others or len(others) > MOST * len(taken) or len(alike) < LEAST:
        return candidate
    for finely in (True, False):
        glob = _with_name(candidate.rule.glob.text, by_their_ends(alike, absolute=False, finely=finely).glob)
        fits = glob_test(parse_glob(glob))
        matched = {path for path in taken if fits(path.lstrip("/"), path)}
        if matched == {*taken} - others:
            left = (*candidate.left, *(path for path in taken if path in others))
            rule = write_rule(glob, candidate.columns, name=candidate.rule.name)
            return replace(candidate, rule=rule, left=left, coverage=len(matched) / len(rows))
    return candidate


def _with_name(glob: str, other: str) -> str:
    """Return a glob with the file name of another one."""
    above, slash, _ = glob.rpartition("/")
    return f"{above}{slash}{other.rpartition('/')[2]}"


def _differs(path: str, values: Mapping[str, object], column: Column, form: str) -> bool:
    """Return whether text that is no number is where a labelled number is, or a labelled value goes on after a
    separator, as `V06_MDM` beside the label `V06`.
    """
    value = values.get(column.name)
    if value is None:
        pattern = (column.pattern or "").replace("([0-9]+)", "(.+?)")
        hit = re.search(pattern, path.rpartition("/")[2]) if pattern != column.pattern else None
        return hit is not None and bool(hit[1])
    longer = column.type == "string" and form.isalnum() and _form(str(value)).startswith(form)
    return longer and _form(str(value))[len(form) : len(form) + 1] in {*"_-."}


def _form(text: str) -> str:
    return _RUNS.sub(lambda found: "n" if found[0].isdigit() else "a", text)
