"""Finds the few files of another kind that are called like the data, with a further word: `_MDM` after `KTLX_V06`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.detecting.groups import path_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retouch.recipes.rule.detecting.candidate import RuleCandidate
    from retouch.recipes.rule.detecting.columns import Column

MANY = 20  # samples; of fewer, it is chance that few have an end
FEW = 0.1  # the share of the samples that have it


def without_few_ends(
    best: RuleCandidate, rows: Sequence[Sequence[str]], infer: Callable[[list[Sequence[str]]], RuleCandidate]
) -> RuleCandidate:
    """Return the candidate that `infer` gives for the rows without those that have an end which only few have, if it
    takes all others and none of these. An end that varies is a field, and so is a packing.
    """
    ends = [one for one in best.columns if _is_of_few(one)]
    if best.rule.others or not ends:
        return best
    taken = {path_of(row): apply_rule(best.rule, path_of(row)).values for row in rows}
    others = [path for path, values in taken.items() if any(values.get(one.name) is not None for one in ends)]
    found = infer([row for row in rows if path_of(row) not in others])
    statuses = {path: apply_rule(found.rule, path).status for path in taken}
    left = tuple(path for path, status in statuses.items() if status == "UNMATCHED")
    if set(left) != {*best.left, *others}:
        return best
    return replace(found, left=left, coverage=sum(one == "COMPLETE" for one in statuses.values()) / len(rows))


def _is_of_few(column: Column) -> bool:
    slot = column.slot
    if slot is None or not slot.optional or slot.kind or column.source != "filename" or len(slot.values) < MANY:
        return False
    found = [value for value in slot.values if value]
    last = column.at == len(column.pieces) - 1
    return last and found[0].isalpha() and len({*found}) == 1 and len(found) <= FEW * len(slot.values)
