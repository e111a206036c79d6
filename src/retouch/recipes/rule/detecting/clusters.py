"""Clusters sample paths by shape: those are together that one layout describes shorter than two layouts do.

FlashProfile (OOPSLA 2018) clusters strings in this way, by the cost of the best pattern for each pair of clusters.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.cost import shared_tokens, spelled_out
from retouch.recipes.rule.detecting.cut import kinds_in
from retouch.recipes.rule.detecting.groups import form_of, separators_of
from retouch.recipes.rule.detecting.layout import by_their_ends

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retouch.recipes.rule.detecting.groups import Rows

SHAPE = 150.0  # bits that the text of one more rule costs
FEW_DEPTHS = 2  # files of one form at more depths lie in directories of any depth
_DIGITS = re.compile("[0-9]+")
MOST = 12  # clusters; of more, those of the same depth and extension are one


def clusters_of(rows: Sequence[Sequence[str]], *, absolute: bool) -> list[Rows]:
    """Return the rows in clusters of one shape each, the largest first."""
    depths: dict[object, set[int]] = defaultdict(set)
    for row in rows:
        depths[_name_form(row)].add(len(row))
    clusters = _by(rows, lambda row: (_name_form(row), len(row) if len(depths[_name_form(row)]) <= FEW_DEPTHS else 0))
    if len(clusters) > MOST:
        clusters = _by(rows, lambda row: (len(row), _ending(row)))
    known = shared_tokens(["/".join(row) for row in rows])

    def cost(cluster: Rows) -> float:
        spelled = sum(spelled_out("/".join(row), known) for row in cluster)
        if len(cluster) < 2:
            return spelled
        layouts = (by_their_ends(cluster, absolute=absolute, finely=finely) for finely in (True, False))
        return min(spelled, SHAPE + len(cluster) * min(one.bits for one in layouts))

    costs = {number: cost(cluster) for number, cluster in enumerate(clusters)}
    members = dict(enumerate(clusters))
    gains: dict[tuple[int, int], float] = {pair: _gain(pair, members, costs, cost) for pair in combinations(members, 2)}
    while gains:
        pair = max(gains, key=lambda one: (gains[one], one))
        if gains[pair] <= 0:
            break
        new = max(members) + 1
        members[new] = [*members.pop(pair[0]), *members.pop(pair[1])]
        costs[new] = cost(members[new])
        gains = {one: gain for one, gain in gains.items() if not {*one} & {*pair}}
        for old in [one for one in members if one != new]:
            gains[old, new] = _gain((old, new), members, costs, cost)
    places = {tuple(row): number for number, row in enumerate(rows)}
    found = [sorted(cluster, key=lambda row: places[tuple(row)]) for cluster in members.values()]
    return sorted(found, key=lambda cluster: (-len(cluster), places[tuple(cluster[0])]))


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


def _gain(
    pair: tuple[int, int], members: dict[int, Rows], costs: dict[int, float], cost: Callable[[Rows], float]
) -> float:
    """Return how many bits shorter the description of two clusters is if they are one."""
    first, second = pair
    return costs[first] + costs[second] - cost([*members[first], *members[second]])
