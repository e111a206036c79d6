"""What a ranking is worth when equal scores come in random order."""

from __future__ import annotations

import sys
from itertools import permutations
from pathlib import Path
from statistics import mean

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.hint_cases import Case, worth

ROW = {"true_file": "A.scala", "true_name": "A", "alt_truth": [{"file": "B.scala", "name": "B"}]}
CASE = Case(folder=Path(), row=ROW)


@pytest.mark.parametrize(
    "scores",
    [
        {"A": 0.9, "X": 0.5},
        {"A": 0.5, "X": 0.9, "Y": 0.9},
        {"A": 0.5, "X": 0.5, "Y": 0.5},
        {"A": 0.5, "B": 0.5, "X": 0.5, "Y": 0.7, "Z": 0.1},
        {"X": 0.5, "A": 0.0},
        {},
    ],
)
def test_equal_scores_count_as_in_random_order(scores: dict[str, float]):
    scored = [(score, f"{name}.scala", name) for name, score in scores.items()]
    orders = [sorted(order, key=lambda one: -one[0]) for order in permutations([one for one in scored if one[0] > 0])]
    places = [next((at for at, one in enumerate(order, 1) if one[2] in "AB"), 0) for order in orders]
    tops = [mean(0 < place <= top for place in places) for top in (1, 3, 10)]
    assert pytest.approx([*tops, mean(1 / place if place else 0.0 for place in places)]) == worth(CASE, scored)
