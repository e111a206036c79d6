"""Merging an answer into what stands: M1 to M7."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.recipes.policy import Discard, Scenario, ToolCall
from retouch.recipes.policy.making.session.merging import Item, ScenarioCorrection, merge
from tests.recipes.policy.making.scenes import job

if TYPE_CHECKING:
    from retouch.recipes.policy.scenarios.scenario import Expectation, Source

FRAME = job().frame_of("notes")


def scene(path: str, expected: Expectation = "allow", source: Source = "generated", tool: str = "read") -> Scenario:
    call = ToolCall(server="notes", tool=tool, arguments={"path": path})
    return Scenario(request=call, expected=expected, description=path, source=source)


def removed(scenario: Scenario) -> Discard:
    return Discard(scenario=scenario, kind="schema", detail="it breaks the schema")


def corrected(scenario: Scenario, expected: Expectation) -> ScenarioCorrection:
    return ScenarioCorrection(id=scenario.id, expected=expected, reasoning="the text says so", quote="Ask me")


A, B, C = scene("~/a"), scene("~/b"), scene("~/c")
BY_HAND = scene("~/hand", source="handwritten")


def test_m1_handwritten_scenarios_pass_through_whatever_the_input_says():
    answer = [Item(scenario=scene("~/hand", "deny"), replaces=BY_HAND.id)]
    found = merge(FRAME, [BY_HAND], answer, discards=[removed(BY_HAND)], corrections=[corrected(BY_HAND, "deny")])
    assert (BY_HAND,) == found.scenarios
    assert () == found.open


def test_m2_corrections_change_what_is_expected_and_remove_nothing():
    found = merge(FRAME, [A, B], [], corrections=[corrected(A, "escalate"), corrected(C, "deny")])
    changed = replace(A, expected="escalate", reasoning="the text says so", corrected_from="allow")
    assert (changed, B) == found.scenarios
    again = merge(FRAME, found.scenarios, [], corrections=[corrected(A, "deny")])
    assert ("deny", "allow") == (again.scenarios[0].expected, again.scenarios[0].corrected_from)


def test_m3_what_was_discarded_is_removed_and_leaves_a_slot():
    found = merge(FRAME, [A, B], [], discards=[removed(A)])
    assert (B,) == found.scenarios
    assert [A.id] == [one.scenario.id for one in found.open]


def test_m4_an_item_fills_the_slot_it_names_and_one_slot_takes_one_item():
    first, second = Item(scenario=C, replaces=A.id), Item(scenario=scene("~/d"), replaces=A.id)
    found = merge(FRAME, [A, B], [first, second], discards=[removed(A)])
    assert (B, C) == found.scenarios
    assert ((A.id,), ()) == (found.filled, found.open)
    assert [f"{A.id!r} must not be replaced"] == [one.why for one in found.refused]


def test_m4_additions_are_limited():
    answer = [Item(scenario=one) for one in (A, B, C)]
    found = merge(FRAME, [], answer, additions=2)
    assert (A, B) == found.scenarios
    assert [(C.id, "there are enough additions")] == [(one.id, one.why) for one in found.refused]


def test_m5_what_proves_nothing_or_is_there_or_was_discarded_or_contradicts_is_refused():
    bad = scene("~/x")
    answer: list[Any] = [
        Item(scenario=replace(bad, request=ToolCall(server="notes", tool="read", arguments={"nope": 1}))),
        Item(scenario=scene("~/.ssh/key")),
        Item(scenario=replace(A, description="again")),
        Item(scenario=replace(A, expected="deny")),
        Item(scenario=B, replaces=B.id),
    ]
    found = merge(FRAME, [A, B], answer, discards=[removed(B)])
    assert (A,) == found.scenarios
    kinds = ["schema", "structural", "duplicate of", "contradicts", "it was discarded"]
    assert kinds == [next(kind for kind in kinds if one.why.startswith(kind)) for one in found.refused]


def test_m5_a_discarded_call_may_come_back_with_what_is_always_decided():
    always = scene("~/.ssh/key")
    right = replace(always, expected="deny")
    found = merge(FRAME, [always], [Item(scenario=right)], discards=[removed(always)], additions=0)
    assert ((right,), (), (always.id,)) == (found.scenarios, found.open, found.filled)
    assert (right,) == merge(FRAME, found.scenarios, [], discards=[removed(always)]).scenarios


def test_m6_the_order_is_the_old_one_and_then_the_answers():
    found = merge(FRAME, [B, A], [Item(scenario=C), Item(scenario=scene("~/0"))])
    assert ["~/b", "~/a", "~/c", "~/0"] == [one.description for one in found.scenarios]


EXPECTATIONS: st.SearchStrategy[Expectation] = st.sampled_from(["allow", "escalate", "deny"])
SCENES = st.builds(scene, st.sampled_from([f"~/{name}" for name in "abcdef"] + ["~/.ssh/x"]), EXPECTATIONS)


@settings(max_examples=60, deadline=None)
@given(
    server_state=st.lists(SCENES, max_size=5, unique_by=lambda one: one.id),
    gone=st.sets(st.integers(0, 4), max_size=2),
    answer=st.lists(st.tuples(SCENES, st.none() | SCENES.map(lambda one: one.id)), max_size=6),
)
def test_m6_the_same_answer_twice_changes_nothing(
    server_state: list[Scenario], gone: set[int], answer: list[tuple[Scenario, str | None]]
):
    items = [Item(scenario=one, replaces=slot) for one, slot in answer]
    discards = [removed(one) for number, one in enumerate(server_state) if number in gone]
    once = merge(FRAME, [BY_HAND, *server_state], items, discards=discards)
    twice = merge(FRAME, once.scenarios, items, discards=discards, filled=once.filled)
    assert once.open == twice.open
    assert once.scenarios == twice.scenarios
    assert BY_HAND in once.scenarios
    assert len(once.scenarios) == len({one.id for one in once.scenarios})
    kept = [one for one in server_state if one.id not in {found.scenario.id for found in discards}]
    assert kept == [one for one in once.scenarios if one in kept]


def test_m7_slots_that_nothing_fills_stay_open():
    found = merge(FRAME, [A, B], [Item(scenario=C, replaces=A.id)], discards=[removed(A), removed(B)])
    assert [B.id] == [one.scenario.id for one in found.open]
