"""Converts scores to ranks. Equal scores get the mean of their ranks."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def mean_ranks(scores: Mapping[str, float]) -> dict[str, float]:
    """Return the rank of each key, 1 for the highest score. Keys with equal scores get the mean of their ranks."""
    found: dict[str, float] = {}
    ordered = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    for _, group in groupby(ordered, key=lambda item: item[1]):
        keys = [key for key, _ in group]
        rank = len(found) + (len(keys) + 1) / 2
        found.update(dict.fromkeys(keys, rank))
    return found
