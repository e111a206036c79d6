"""The module that a Verilog diff came from: found by its name, by its words, in a helper, inside it, by locators."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from retouch.locate import (
    Candidate,
    DiffInfo,
    FusionConfig,
    HintUnifier,
    LocateError,
    RankOptions,
    SpanIndex,
    default_strategies,
    evidence_lines,
    rank,
    reasons,
)
from retouch.locate.calibration import Curve, calibrated, fitted, margin_of
from retouch.locate.strategies.names import match_names
from retouch.locate.strategies.places import PathResolver
from retouch.locate.strategies.question import LocateQuery
from tests.locate.chisel_tree import IN_CALLEE, INNER, NAMED, verilog_diff, write_tree

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CORE, LIB = "src/main/scala/core", "src/main/scala/util"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SpanIndex:
    built = SpanIndex(write_tree(tmp_path_factory.mktemp("design")))
    built.build()
    return built


def ranked(text: str, index: SpanIndex, options: RankOptions | None = None) -> Sequence[Candidate]:
    return rank(DiffInfo.from_text(text), index, options=options)


def names(candidates: Sequence[Candidate]) -> list[str]:
    return [one.span.qualified for one in candidates]


def test_the_class_of_the_modules_name_is_first_whatever_its_number(index: SpanIndex):
    first = ranked(NAMED, index)[0]
    assert f"{CORE}/Cache.scala::Cache" == first.module_id
    assert 1.0 == first.scores["mf"]


def test_a_value_made_in_a_function_leads_to_the_object_of_it(index: SpanIndex):
    found = ranked(IN_CALLEE, index)
    assert ["ByteLanes", "Cache"] == names(found)[:2]
    assert ["laneBits"] == list(
        LocateQuery(diff=DiffInfo.from_text(IN_CALLEE), index=index).made_here[found[0].module_id]
    )


def test_the_inner_class_that_holds_the_hardware_goes_before_the_outer_one(index: SpanIndex):
    found = ranked(INNER, index)
    assert ["Xbar.Impl", "Xbar"] == names(found)[:2]
    assert found[0].scores["mf"] > found[1].scores["mf"] > 0.8


def test_a_class_that_becomes_a_module_of_its_own_is_far(index: SpanIndex):
    reach = LocateQuery(diff=DiffInfo.from_text(NAMED), index=index).reach
    bundle, queue = (reach[f"{CORE}/{name}"] for name in ("Cache.scala::CacheBundle", "VictimQueue.scala::VictimQueue"))
    assert ("makes", "makes") == (bundle.tie, queue.tie)
    assert pytest.approx(0.25 * bundle.nearness) == queue.nearness


def test_who_gives_a_signals_name_goes_before_who_has_more_of_the_words(index: SpanIndex):
    before, after = (f"  wire merged_laneBits_2 = {one} ? io_answer : dirtyCount;" for one in ("tagHit", "~tagHit"))
    scores = {one.span.name: one.scores for one in ranked(verilog_diff("Cache", before, after), index)}
    assert scores["ByteLanes"]["fg"] < scores["Cache"]["fg"]
    assert scores["ByteLanes"]["nb"] > scores["Cache"]["nb"]


def test_what_a_module_extends_is_near(index: SpanIndex):
    text = verilog_diff("Cache", "  tagHit = one == other;", "  tagHit = one != other;")
    assert "HasTags" == names(ranked(text, index))[0]


def test_namesakes_are_told_apart_by_their_words(index: SpanIndex):
    for word, folder in (("roundRobin", "first"), ("fixedOrder", "second")):
        text = verilog_diff("Arbiter", f"  wire x = {word};", f"  wire x = ~{word};")
        found = ranked(text, index)
        assert f"src/main/scala/{folder}/Arbiter.scala" == found[0].span.file
        assert found[0].scores["mf"] > found[1].scores["mf"]


def test_namesakes_are_told_apart_by_the_whole_verilog_file(index: SpanIndex):
    text = verilog_diff("Arbiter", "  wire x = a;", "  wire x = ~a;")
    rtl = "module Arbiter();\n  wire fixedOrder;\nendmodule\n"
    found = rank(DiffInfo.from_text(text, rtl=rtl), index)
    assert "src/main/scala/second/Arbiter.scala" == found[0].span.file


def test_a_prefix_that_a_flow_adds_is_taken_off(index: SpanIndex):
    text = verilog_diff("soc_7_Cache", "  x <= 1;", "  x <= 2;")
    options = RankOptions(prefixes=("soc_7_",))
    assert 1.0 == ranked(text, index, options)[0].scores["mf"]
    assert not [one for one in ranked(text, index) if one.scores["mf"] == 1.0]


def test_without_a_name_the_words_decide(index: SpanIndex):
    text = verilog_diff("Unknown42", "  grantMask <= 1;", "  grantMask <= 2;")
    found = ranked(text, index)
    assert "Xbar.Impl" == names(found)[0]
    assert {0.0} == {one.scores["nb"] for one in found}


def test_without_a_name_an_object_goes_before_classes_that_have_verilog_modules_of_their_own(index: SpanIndex):
    text = verilog_diff(
        "Wrapper", "-  assign out = dirtyCount & laneBits_0;", "+  assign out = dirtyCount | laneBits_0;"
    )
    assert "ByteLanes" == rank(DiffInfo.from_text(text), index)[0].span.name


def test_nothing_alike_is_no_candidate(tmp_path: Path, index: SpanIndex):
    text = verilog_diff("Zzz", "  qqqq <= 1;", "  qqqq <= 2;")
    assert [] == list(ranked(text, index))
    empty = SpanIndex(tmp_path)
    empty.build()
    assert [] == list(ranked(NAMED, empty))


def test_locators_point_at_the_lines_they_name(index: SpanIndex):
    after = "  merged_laneBits_2 <= io_old; // @[ByteLanes.scala 7:22]"
    found = ranked(verilog_diff("Cache", "  merged_laneBits_2 <= io_fresh; // @[ByteLanes.scala 7:22]", after), index)
    assert "ByteLanes" == names(found)[0]
    assert 1.0 == found[0].scores["sl"]
    caller = found[1]
    assert "Cache" == caller.span.name
    assert 0 < caller.scores["sl"] < 0.7


def test_locators_of_files_that_are_not_there_say_nothing(index: SpanIndex):
    text = verilog_diff("Cache", "  x <= 1; // @[Decoupled.scala 7:22]", "  x <= 2; // @[Decoupled.scala 7:22]")
    assert {0.0} == {one.scores["sl"] for one in ranked(text, index)}


def test_a_locators_path_means_the_files_that_share_most_of_its_end(index: SpanIndex):
    places = PathResolver(index)
    assert ["src/main/scala/core/Cache.scala"] == list(places.files("Cache.scala"))
    assert ["src/main/scala/first/Arbiter.scala"] == list(places.files("code/repo/src/main/scala/first/Arbiter.scala"))
    assert ["src/main/scala/second/Arbiter.scala"] == list(places.files("C:\\x\\second\\Arbiter.scala"))
    assert 2 == len(places.files("Arbiter.scala"))
    assert [] == list(places.files("Queue.scala"))
    preferring = PathResolver(index, ["src/main/scala/second/Arbiter.scala::Arbiter"])
    assert ["src/main/scala/second/Arbiter.scala"] == list(preferring.files("Arbiter.scala"))


def test_a_locator_that_may_mean_two_files_counts_for_both_by_half(index: SpanIndex):
    line = "// @[Arbiter.scala 3:1]"
    diff = DiffInfo.from_text(verilog_diff("Unknown42", f"  x <= 1; {line}", f"  y <= 2; {line}"))
    assert {1.0} == set(LocateQuery(diff=diff, index=index).located.weights.values())


@pytest.mark.parametrize(
    ("verilog", "scala", "score"),
    [
        ("ALU", "alu", 1.0),
        ("Alu", "alumodule", 0.9),
        ("AluImp", "alu", 0.9),
        ("XbarImpl", "xbarmoduleimp", 0.9),
        ("TLXbar", "tlxbar_acancel", 0.8),
        ("Decoder", "encoder", None),
        ("Alu", "fetchunit", 0.0),
    ],
)
def test_names_are_alike_in_steps(verilog: str, scala: str, score: float | None):
    match = match_names([verilog], [scala]).get(scala)
    found = match.score if match else 0.0
    assert found == score if score is not None else 0.35 <= found < 0.75


def test_a_reason_is_given_for_every_strategy_that_hit(index: SpanIndex):
    line = "// @[ByteLanes.scala 7:22]"
    text = verilog_diff("Cache", f"  merged_laneBits_2 <= io_fresh; {line}", f"  merged_laneBits_2 <= io_old; {line}")
    callee, caller = ranked(text, index)[:2]
    assert [
        "locators: ByteLanes.scala:7",
        "words: lanebits, lane, fresh, old",
        "gives the names: laneBits",
        "neighbour: is mentioned by Cache",
    ] == [one for one in reasons(callee) if not one.startswith("name:")]
    assert ["name: same name as Verilog module Cache", "locators in what it uses: ByteLanes"] == reasons(caller)[:2]


def test_the_lines_that_speak_for_a_candidate_come_best_first(index: SpanIndex):
    line = "// @[ByteLanes.scala 7:22]"
    text = verilog_diff("Cache", f"  merged_laneBits_2 <= io_fresh; {line}", f"  merged_laneBits_2 <= io_old; {line}")
    diff = DiffInfo.from_text(text)
    lines = evidence_lines(rank(diff, index)[0], diff, index)
    assert [(7, "locator", 1.0), (5, "gives laneBits", 0.9)] == [(one.line, one.why, one.weight) for one in lines[:2]]
    assert f"{LIB}/ByteLanes.scala" == lines[0].file
    assert sorted((one.weight for one in lines), reverse=True) == [one.weight for one in lines]
    assert len({one.line for one in lines}) == len(lines)


def test_evidence_is_ready_for_json_and_worked_out_when_looked_at(index: SpanIndex):
    hints = [hint for hint in ranked(NAMED, index)[0].all_evidence if hint.source == "module_finder"]
    evidence = hints[0].evidence
    assert {"verilog_module": "Cache", "how": "same name", "fuzzy_ratio": 1.0} == dict(evidence)
    assert 3 == len(evidence)


def test_probabilities_fall_with_the_rank_and_sum_to_one_at_most(index: SpanIndex):
    for text in (NAMED, IN_CALLEE, INNER):
        chances = [one.probability or 0.0 for one in ranked(text, index)]
        assert sorted(chances, reverse=True) == chances
        assert 0.3 < chances[0] <= sum(chances) <= 1.0001


def test_who_stands_out_more_is_surer():
    for curve in fitted().values():
        alone, ahead, close = (curve.chance(margin_of(scores)) for scores in ([0.9], [0.9, 0.2], [0.9, 0.8, 0.8]))
        assert 1 > alone >= ahead > close > 0


def test_equal_candidates_share_their_chance(index: SpanIndex):
    text = verilog_diff("Arbiter", "  wire x = a;", "  wire x = ~a;")
    unifier = HintUnifier(index, default_strategies())
    found = unifier.run_and_aggregate(DiffInfo.from_text(text))
    curve = Curve(base=0.0, margin=0.0, rivals=0.0, elsewhere=1.0)
    chances = [one.probability for one in calibrated(found, {"located": curve, "named": curve, "nameless": curve})]
    assert [0.5, 0.5] == chances[:2]
    assert [] == list(calibrated([]))


def test_the_seeds_formula_can_be_chosen(index: SpanIndex):
    options = RankOptions(fusion=FusionConfig(fusion="max-plus-bonus"))
    for one in ranked(NAMED, index, options):
        expected = min(1.0, max(one.scores.values()) + 0.05 * (one.sources_hit - 1))
        assert pytest.approx(expected) == one.fused_score


def test_asking_twice_gives_the_same(index: SpanIndex):
    one, two = ([(each.module_id, each.fused_score) for each in ranked(IN_CALLEE, index)] for _ in range(2))
    assert one == two


def test_a_missing_rapidfuzz_is_told_with_what_to_install(index: SpanIndex, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    with pytest.raises(LocateError) as caught:
        ranked(NAMED, index)
    assert "retouch[chisel]" in caught.value.hint


def test_classes_of_names_are_told_by_their_form_without_pyslang(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pyslang", None)
    diff = DiffInfo.from_text(
        verilog_diff("Cache", "  x <= a;", "  x <= b;"), rtl="module Cache(input a);\nendmodule\n"
    )
    assert ["x", "a", "b"] == diff.identifiers["signals"]
