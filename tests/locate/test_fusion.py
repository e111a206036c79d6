"""From scores to one order: by ranks, and by the seed's formula to the letter."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.locate import FusionConfig, Hint, HintStrategy, HintUnifier, Span, SpanIndex
from retouch.locate.fusion.formulas import fused
from retouch.locate.fusion.ranks import mean_ranks

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from random import Random

    from retouch.locate import DiffInfo

MODULES = [f"f.scala::{letter}" for letter in "ABCDEF"]
SCORES = st.dictionaries(
    st.sampled_from(["mf", "sl", "fg", "nb"]),
    st.dictionaries(st.sampled_from(MODULES), st.floats(0, 1), max_size=6),
    max_size=4,
)
SOURCES = {"mf": "module_finder", "sl": "source_locator", "fg": "fuzzy_grep", "nb": "neighbourhood"}
EVEN = FusionConfig(weights={}, added={})


def span(module_id: str, *, lines: int = 10) -> Span:
    file, _, name = module_id.rpartition("::")
    return Span(file=file, name=name, qualified=name, kind="class", start_line=1, end_line=lines, name_line=1)


def hint(module_id: str, score: float, source: str, *, lines: int = 10) -> Hint:
    return Hint(module_id=module_id, span=span(module_id, lines=lines), confidence=score, source=source)


@pytest.fixture
def index(tmp_path: Path) -> SpanIndex:
    return SpanIndex(tmp_path)


class Always(HintStrategy):
    """A strategy that has its hints from the start."""

    def __init__(self, name: str, *hints: Hint) -> None:
        self._name = name
        self._hints = list(hints)

    @property
    def name(self) -> str:
        return self._name

    def generate_hints(self, diff_info: DiffInfo, span_index: SpanIndex, builder: object = None) -> list[Hint]:
        assert (None, None) == (diff_info, span_index) or builder in (None, "the builder")
        return self._hints


def test_equal_scores_share_the_mean_of_their_ranks():
    assert {"a": 1, "b": 2.5, "c": 2.5, "d": 4} == mean_ranks({"d": 0.1, "c": 0.5, "a": 0.9, "b": 0.5})


def test_reciprocal_ranks_are_summed_as_a_share_of_what_can_be_reached():
    scores = {"mf": {"A": 0.9, "B": 0.5}, "fg": {"B": 1.0}}
    assert {"A": pytest.approx(1 / 2 / 1), "B": pytest.approx((1 / 3 + 1 / 2) / 1)} == fused(scores, EVEN)


def test_weights_and_k_change_how_much_a_rank_counts():
    scores = {"mf": {"A": 0.9, "B": 0.5}, "fg": {"B": 1.0}}
    found = fused(scores, FusionConfig(k=0.5, weights={"mf": 3.0}, added={}))
    assert pytest.approx(3 / 1.5 / (4 / 1.5)) == found["A"]
    assert pytest.approx((3 / 2.5 + 1 / 1.5) / (4 / 1.5)) == found["B"]


def test_locators_count_by_their_score_and_not_by_their_rank():
    config = FusionConfig(weights={}, added={"sl": 2.0})
    found = fused({"fg": {"A": 1.0, "B": 0.9}, "sl": {"B": 0.8}}, config)
    assert pytest.approx(0.5 / 2.5) == found["A"]
    assert pytest.approx((1 / 3 + 1.6) / 2.5) == found["B"]


def test_a_strategy_without_a_hint_lowers_the_share_unless_its_score_is_added():
    config = FusionConfig(weights={}, added={"sl": 2.0})
    assert {"A": 1.0} == fused({"mf": {"A": 0.4}, "sl": {}}, config)
    assert {"A": 0.5} == fused({"mf": {"A": 0.4}, "fg": {"A": 0.0}}, config)
    assert {} == fused({}, EVEN)
    assert {} == fused({"mf": {"A": 0.0}}, FusionConfig(fusion="max-plus-bonus"))


@settings(max_examples=150, deadline=None)
@given(SCORES)
def test_the_seeds_formula_is_exact(scores: Mapping[str, Mapping[str, float]]):
    found = fused(scores, FusionConfig(fusion="max-plus-bonus"))
    for module in MODULES:
        hits = [each[module] for each in scores.values() if each.get(module, 0.0) > 0]
        expected = min(1.0, max(hits) + 0.05 * (len(hits) - 1)) if hits else None
        assert expected == found.get(module)


@settings(max_examples=150, deadline=None)
@given(SCORES)
def test_a_fused_score_is_a_share_and_nobody_gains_by_a_worse_score(scores: Mapping[str, Mapping[str, float]]):
    found = fused(scores, FusionConfig())
    assert all(0 < score <= 1 for score in found.values())
    for one in found:
        for other in found:
            if all(each.get(one, 0.0) >= each.get(other, 0.0) for each in scores.values()):
                assert found[one] >= found[other] - 1e-9


@settings(max_examples=60, deadline=None)
@given(SCORES, st.randoms(use_true_random=False))
def test_the_order_of_hints_does_not_matter(scores: Mapping[str, Mapping[str, float]], random: Random):
    hints = [hint(one, score, SOURCES[name]) for name, each in scores.items() for one, score in each.items()]
    unifier = HintUnifier(SpanIndex("."), [])
    expected = [(one.module_id, one.fused_score) for one in unifier.aggregate_evidence(hints)]
    random.shuffle(hints)
    assert expected == [(one.module_id, one.fused_score) for one in unifier.aggregate_evidence(hints)]


def test_a_candidate_holds_all_scores_and_all_evidence(index: SpanIndex):
    hints = [hint("f::A", 0.9, "module_finder"), hint("f::A", 0.4, "fuzzy_grep"), hint("f::B", 1.0, "mine")]
    first, second = HintUnifier(index, [], {"cross_source_bonus": 0.05}).aggregate_evidence(hints)
    assert ("f::B", {"mf": 0.0, "sl": 0.0, "fg": 0.0, "nb": 0.0, "mine": 1.0}) == (first.module_id, first.scores)
    assert ({"mf": 0.9, "sl": 0.0, "fg": 0.4, "nb": 0.0}, 2) == (second.scores, second.sources_hit)
    assert pytest.approx(0.95) == second.fused_score
    assert {"module_finder", "fuzzy_grep"} == {one.source for one in second.all_evidence}


def test_equal_candidates_are_ordered_by_name_then_the_shorter_then_the_id(index: SpanIndex):
    one = [
        hint(f"f::{name}", 1.0, "fuzzy_grep", lines=lines) for name, lines in (("D", 5), ("C", 9), ("B", 9), ("A", 9))
    ]
    named = [*one, hint("f::C", 1e-9, "module_finder")]
    config = FusionConfig(weights={"mf": 0.0})
    found = HintUnifier(index, [], config).aggregate_evidence(named)
    assert ["C", "D", "A", "B"] == [each.span.name for each in found]


def test_strategies_are_run_in_their_order_with_the_builder(index: SpanIndex):
    one, two = hint("f::A", 0.5, "mine"), hint("f::B", 0.6, "yours")
    unifier = HintUnifier(index, [Always("yours", two), Always("mine", one)])
    diff: DiffInfo = None  # type: ignore[assignment]
    assert [two, one] == unifier.run_strategies(diff, "the builder")
    assert {"f::A", "f::B"} == {each.module_id for each in unifier.run_and_aggregate(diff)}


def test_the_surer_of_two_hints_of_a_strategy_counts(index: SpanIndex):
    hints = [hint("f::A", score, "mine") for score in (0.2, 0.7, 0.4)]
    assert [0.7] == [each.scores["mine"] for each in HintUnifier(index, []).aggregate_evidence(hints)]


def test_the_seeds_numbers_choose_the_seeds_formula(index: SpanIndex):
    config = HintUnifier.default_fusion_config()
    assert {"cross_source_bonus": 0.05, "max_score": 1.0} == config
    assert FusionConfig(fusion="max-plus-bonus") == HintUnifier(index, [], config).fusion_config
    lower = HintUnifier(index, [], {**config, "max_score": 0.8}).fusion_config
    assert replace(FusionConfig(fusion="max-plus-bonus"), max_score=0.8) == lower
    assert FusionConfig() == HintUnifier(index, []).fusion_config
