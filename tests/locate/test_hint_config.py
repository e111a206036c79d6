"""The configuration of the search: where it is read from, what it changes, and what it refuses."""

from __future__ import annotations

import json
from math import log1p
from typing import TYPE_CHECKING, Any

import pytest

from retouch.locate import DiffInfo, HintConfig, LocateError, SpanIndex, rank
from retouch.locate.strategies.question import LocateQuery
from retouch.locate.strategies.specification import BreadcrumbLocator, IdentifierGrep
from retouch.recipes.chisel.compat import HINT_CONFIG, ModuleCandidate, ModuleHint, ModuleSpan

if TYPE_CHECKING:
    from pathlib import Path

CODE = """class Alu extends Module {
  val sum = io.left + io.right
  val carry = io.left & io.right
}
class Shifter extends Module {
  val shifted = io.left << io.amount
}
"""
DIFF = """--- a/Alu.v
+++ b/Alu.v
@@ -1,2 +1,2 @@
 module Alu(); // @[Alu.scala 1:7]
-  assign sum = io_left - io_right; // @[Alu.scala 2:7]
+  assign sum = io_left + io_right; // @[Alu.scala 2:7]
"""


@pytest.fixture
def index(tmp_path: Path) -> SpanIndex:
    (tmp_path / "Alu.scala").write_text(CODE)
    found = SpanIndex(tmp_path)
    found.build()
    return found


def test_the_specifications_configuration_selects_its_formulas(index: SpanIndex) -> None:
    config = HintConfig.from_mapping(HINT_CONFIG)
    assert ("max-plus-bonus", 0.95, 5) == (config.fusion, config.policy.tier_high, config.policy.top_n_selection)
    first = rank(DiffInfo.from_text(DIFF), index, options=config.rank_options())[0]
    assert ("Alu.scala::Alu", 1.0) == (first.module_id, first.fused_score)


def test_without_keys_everything_is_as_without_a_configuration(index: SpanIndex) -> None:
    diff = DiffInfo.from_text(DIFF)
    assert rank(diff, index) == rank(diff, index, options=HintConfig().rank_options())


def test_a_denser_scale_needs_more_locators_for_the_same_score(index: SpanIndex) -> None:
    query = LocateQuery(diff=DiffInfo.from_text(DIFF), index=index)
    number = len(DiffInfo.from_text(DIFF).locators)
    for scale in (5.0, 50.0):
        scores = BreadcrumbLocator(breadcrumb_scale=scale).scores(query)
        assert min(1.0, log1p(number) / log1p(scale)) == pytest.approx(scores["Alu.scala::Alu"])


def test_locators_far_from_the_change_count_less_and_never_less_than_half() -> None:
    near, far = (BreadcrumbLocator(locality_decay=decay) for decay in (100.0, 1.0))
    assert (1.0, 1 / 1.1, 0.5) == (near.locality(0), pytest.approx(near.locality(10)), far.locality(1000))


def test_weights_of_identifiers_decide_between_their_classes(index: SpanIndex) -> None:
    diff = DiffInfo.from_text("--- a/x.v\n+++ b/x.v\n@@ -1 +1 @@\n-  assign carry = shifted;\n+  assign carry = 0;\n")
    query = LocateQuery(diff=diff, index=index)
    none = dict(IdentifierGrep(identifier_weights={"port": 1.0, "signal": 0.0, "module": 0.0}).scores(query))
    some = IdentifierGrep(top_k_per_identifier=1).scores(query)
    assert {"Alu.scala::Alu", "Alu.scala::Shifter"} == set(some)
    assert not any(none.values())


def test_weights_come_from_files_variables_and_pairs(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("k = 2\n[weights]\nsl = 3\nnb = 1\n")
    (tmp_path / "a.json").write_text(json.dumps({"tier_low": 0.4}))
    config = HintConfig.from_file(tmp_path / "a.toml").with_weights(["nb=2", "fg=0.5"])
    fusion = config.fusion_config
    assert (2, 3, {"mf": 0.5, "nb": 2, "fg": 0.5}) == (fusion.k, fusion.added["sl"], fusion.weights)
    assert 0.4 == HintConfig.from_file(tmp_path / "a.json").tier_low
    variables = {"RETOUCH_HINT_TIER_HIGH": "0.9", "RETOUCH_HINT_IDENTIFIER_WEIGHTS": '{"port": 2}', "PATH": "x"}
    found = HintConfig.from_environment(variables)
    assert (0.9, {"port": 2}) == (found.tier_high, found.identifier_weights)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"tier_hihg": 1}, "unknown key 'tier_hihg'"),
        ({"tier_high": "x"}, "tier_high is 'x'"),
        ({"k": True}, "k is True"),
        ({"locality_decay": 0}, "locality_decay is 0"),
        ({"top_k_per_identifier": 1.5}, "top_k_per_identifier is 1.5"),
        ({"weights": {"zz": 1}}, "weights is"),
        ({"identifier_weights": [1]}, "identifier_weights is"),
        ({"fusion": "x"}, "fusion is 'x'"),
    ],
)
def test_what_is_wrong_is_named(data: dict[str, Any], said: str) -> None:
    with pytest.raises(LocateError, match=said):
        HintConfig.from_mapping(data)


def test_a_broken_file_variable_or_pair_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("k = \n")
    with pytest.raises(LocateError, match="cannot be read"):
        HintConfig.from_file(tmp_path / "a.toml")
    with pytest.raises(LocateError, match="is no JSON value"):
        HintConfig.from_environment({"RETOUCH_HINT_K": "x"})
    with pytest.raises(LocateError, match="'nb' is no weight"):
        HintConfig().with_weights(["nb"])


def test_the_dataclasses_take_the_specifications_arguments() -> None:
    span = ModuleSpan("a/Alu.scala", "Alu", 1, 4, "class")
    hint = ModuleHint("a/Alu.scala::Alu", span, 0.9, "module_finder", {"fuzzy_ratio": 0.88})
    found = ModuleCandidate("a/Alu.scala::Alu", span, {"mf": 0.9}, 0.95, 1, [hint])
    assert ("class", "a/Alu.scala::Alu") == (found.span.span_type, span.module_id)
    named = {"span": span, "scores": {"mf": 0.9}, "fused_score": 0.95, "sources_hit": 1, "all_evidence": [hint]}
    assert found == ModuleCandidate(module_id="a/Alu.scala::Alu", **named)  # type: ignore[arg-type]
