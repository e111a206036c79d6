"""Clusters sample paths by shape: those are together that one layout describes shorter than two layouts do.

FlashProfile (OOPSLA 2018) clusters strings in this way, by the cost of the best pattern for each pair of clusters.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.cost import spelled_out
from retouch.recipes.rule.detecting.groups import form_of, separators_of
from retouch.recipes.rule.detecting.layout import by_their_ends
from retouch.recipes.rule.detecting.typed import kinds_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from retouch.recipes.rule.detecting.groups import Rows

SHAPE = 150.0  # bits that the text of one more rule costs
FEW_DEPTHS = 2  # files of one form at more depths lie in directories of any depth
_DIGITS = re.compile("[0-9]+")
ENOUGH = 3  # paths of a shape; fewer show values by chance
MOST = 12  # clusters; of more, the small ones of the same depth and extension are one


def clusters_of(rows: Sequence[Sequence[str]], *, absolute: bool) -> list[Rows]:
    """Return the rows in clusters of one shape each, the largest first."""
    depths: dict[object, set[int]] = defaultdict(set)
    for row in rows:
        depths[_name_form(row)].add(len(row))
    clusters = _by(rows, lambda row: (_name_form(row), len(row) if len(depths[_name_form(row)]) <= FEW_DEPTHS else 0))
    if len(clusters) > MOST:
        small = [row for cluster in clusters if len(cluster) < ENOUGH for row in cluster]
        clusters = [cluster for cluster in clusters if len(cluster) >= ENOUGH]
        clusters += _by(small, lambda row: (len(row), _ending(row)))
    members = {number: _described(cluster, absolute=absolute) for number, cluster in enumerate(clusters)}
    pairs = combinations(members, 2)
    joins: dict[tuple[int, int], _Cluster] = {pair: _join(pair, members, absolute=absolute) for pair in pairs}
    while joins:
        pair = max(joins, key=lambda one: (_gain(one, members, joins), one))
        if _gain(pair, members, joins) <= 0:
            break
        new = max(members) + 1
        both = joins[pair]
        members = {one: cluster for one, cluster in members.items() if one not in pair}
        joins = {one: cluster for one, cluster in joins.items() if not {*one} & {*pair}}
        members[new] = both
        joins |= {(old, new): _join((old, new), members, absolute=absolute) for old in members if old != new}
    places = {tuple(row): number for number, row in enumerate(rows)}
    found = [sorted(one.rows, key=lambda row: places[tuple(row)]) for one in members.values()]
    return sorted(found, key=lambda cluster: (-len(cluster), places[tuple(cluster[0])]))


@dataclass(frozen=True)
class _Cluster:
    """Rows, the length of their description, and the numbers of values and of typed ones in each of them."""

    rows: Rows
    cost: float
    values: int = 0
    typed: int = 0


def _described(rows: Rows, *, absolute: bool) -> _Cluster:
    spelled = sum(spelled_out("/".join(row), ()) for row in rows)
    if len(rows) < 2:
        return _Cluster(rows, spelled)
    fine, coarse = (by_their_ends(rows, absolute=absolute, finely=finely) for finely in (True, False))
    kinds = [one.slot.kind for one in fine.columns if one.slot is not None and one.slot.kind != "ending"]
    cost = min(spelled, SHAPE + len(rows) * min(fine.bits, coarse.bits))
    return _Cluster(rows, cost, len(kinds), sum(map(bool, kinds)))


def _join(pair: tuple[int, int], members: Mapping[int, _Cluster], *, absolute: bool) -> _Cluster:
    return _described([row for one in pair for row in members[one].rows], absolute=absolute)


def _gain(pair: tuple[int, int], members: Mapping[int, _Cluster], joins: Mapping[tuple[int, int], _Cluster]) -> float:
    """Return how many bits shorter the description of two clusters is if they are one, or -1 if values are lost then.

    A value that is cut too finely can be merged later, but one that is not cut is lost.
    """
    both, ones = joins[pair], [members[one] for one in pair]
    if any(len(one.rows) >= ENOUGH and (one.values > both.values or one.typed > both.typed) for one in ones):
        return -1.0
    return sum(one.cost for one in ones) - both.cost


def _name_form(row: Sequence[str]) -> tuple[object, ...]:
    return _ending(row), separators_of(row[-1]), kinds_in(row[-1])


def _ending(row: Sequence[str]) -> str:
    """Return the extension with a sign for each number, as in the `f#` of `f084`."""
    return _DIGITS.sub("#", form_of(row)[1])


def _by(rows: Sequence[Sequence[str]], key: Callable[[Sequence[str]], object]) -> list[Rows]:
    found: dict[object, Rows] = defaultdict(list)
    for row in rows:
        found[key(row)].append([*row])
    return [*found.values()]
