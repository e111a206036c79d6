"""The wizard's states: every row of its table, and that no sequence of events leaves the user without a way out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.recipes.rule.asking.source import MAX_HINT_CHARS
from retouch.recipes.rule.wizard.events import (
    CancelRound,
    Commit,
    Committed,
    Edited,
    Failed,
    HintGiven,
    Invoked,
    Named,
    NotCommitted,
    NotEdited,
    NotValid,
    OpenEditor,
    RestoreOriginal,
    ResumeDraft,
    Retrying,
    RoundPassed,
    StartRound,
    Validate,
)
from retouch.recipes.rule.wizard.machine import keys, step
from retouch.recipes.rule.wizard.states import ENDED, WORKING, Wizard
from tests.recipes.rule.wizard.steps import DOWN, EXHAUSTED, GOOD, START, YAML, after, key, moved

if TYPE_CHECKING:
    from retouch.recipes.rule.wizard.events import Event

NAMES = ("enter", "h", "e", "r", "y", "n", "d", "m", "t", "escape")


def test_a_path_starts_a_round_of_its_own():
    wizard, effects = moved(START)
    assert ("ANALYZING", (StartRound(round=1, kind="fresh"),)) == (wizard.state, effects)
    assert wizard.state in WORKING


def test_without_a_path_the_user_is_asked_to_select_a_file():
    wizard, effects = moved(Invoked(paths=[]))
    assert ("IDLE", ()) == (wizard.state, effects)
    assert "Select a file first" in wizard.message


def test_an_artifact_that_passes_is_shown_with_its_kind():
    wizard, effects = moved(START, YAML)
    assert ("YAML_RESULT", "h1", ()) == (wizard.state, wizard.hash, effects)
    assert "PYTHON_RESULT" == after(START, RoundPassed(round=1, kind="python", hash="h")).state


def test_a_retry_keeps_the_state_and_shows_its_number_and_reason():
    wizard = after(START, Retrying(round=1, number=2, most=3, error="GLOB_MISMATCH: no path fits"))
    assert ("ANALYZING", 2, 3, "GLOB_MISMATCH: no path fits") == (
        wizard.state,
        wizard.retry,
        wizard.retries,
        wizard.previous_error,
    )


def test_esc_cancels_the_request():
    assert ("CANCELED", (CancelRound(),)) == (moved(START, key("escape"))[0].state, moved(START, key("escape"))[1])


def test_a_hint_starts_a_hint_round_and_must_be_of_use():
    wizard, effects = moved(START, YAML, key("h"), HintGiven(text=" the folder is the client "))
    assert "REGENERATING" == wizard.state
    assert (StartRound(round=2, kind="hint", hint="the folder is the client"),) == effects
    assert "HINT_INPUT" == after(START, YAML, key("h"), HintGiven(text="  ")).state
    long = after(START, YAML, key("h"), HintGiven(text="x" * (MAX_HINT_CHARS + 1)))
    assert ("HINT_INPUT", "A hint has at most 500 characters; this has 501.") == (long.state, long.message)


@pytest.mark.parametrize("before", [YAML, RoundPassed(round=1, kind="python", hash="h"), EXHAUSTED])
def test_esc_in_the_field_for_a_hint_leads_back_to_where_it_came_from(before: Event):
    assert after(START, before) == replaced(after(START, before, key("h"), key("escape")))


def replaced(wizard: Wizard) -> Wizard:
    from dataclasses import replace

    return replace(wizard, back="IDLE")


def test_regenerating_a_result_keeps_it_as_rejected_and_retrying_an_error_forgets_it():
    assert (StartRound(round=2, kind="new"),) == moved(START, YAML, key("r"))[1]
    assert ("ANALYZING", (StartRound(round=2, kind="fresh"),)) == (
        after(START, EXHAUSTED, key("r")).state,
        moved(START, EXHAUSTED, key("r"))[1],
    )


def test_no_hint_helps_against_a_model_that_is_down():
    assert {"e", "r", "escape"} == set(keys(after(START, DOWN)))
    assert "ANALYSIS_ERROR" == after(START, DOWN, key("h")).state
    assert "HINT_INPUT" == after(START, EXHAUSTED, key("h")).state


def test_a_rule_is_offered_where_python_failed():
    failed = Failed(round=1, kind="exhausted", message="three times", yaml_left=True)
    assert (StartRound(round=2, kind="yaml"),) == moved(START, failed, key("y"))[1]
    assert "ANALYSIS_ERROR" == after(START, EXHAUSTED, key("y")).state


def test_the_users_text_is_checked_without_the_model():
    wizard, effects = moved(START, YAML, key("e"))
    assert ("EDITING", (OpenEditor(),)) == (wizard.state, effects)
    wizard, effects = moved(Edited(text="glob: x"), wizard=wizard)
    assert ("VALIDATING", (Validate(round=2, text="glob: x"),)) == (wizard.state, effects)
    wizard, effects = moved(RoundPassed(round=2, kind="yaml", hash="h2"), wizard=wizard)
    assert ("YAML_RESULT", "h2", True, ()) == (wizard.state, wizard.hash, wizard.is_manual, effects)


def test_an_edit_that_fails_can_be_edited_again_at_its_line_or_discarded():
    wrong = after(START, YAML, key("e"), Edited(text="x"), NotValid(round=2, errors=["bad glob"], line=3))
    assert ("VALIDATION_ERROR", ("bad glob",)) == (wrong.state, wrong.errors)
    assert (OpenEditor(line=3),) == moved(key("e"), wizard=wrong)[1]
    back, effects = moved(key("escape"), wizard=wrong)
    assert ("YAML_RESULT", "h1", (RestoreOriginal(),)) == (back.state, back.hash, effects)
    assert "REGENERATING" == after(key("r"), wizard=wrong).state


def test_an_edit_that_came_to_nothing_leads_back():
    assert "YAML_RESULT" == after(START, YAML, key("e"), NotEdited(reason="nothing was changed")).state
    assert "ANALYSIS_ERROR" == after(START, EXHAUSTED, key("e"), NotEdited(reason="the editor failed (1)")).state
    wrong = after(START, YAML, key("e"), Edited(text="x"), NotValid(round=2, errors=["bad"]))
    assert "VALIDATION_ERROR" == after(key("e"), NotEdited(reason="nothing was changed"), wizard=wrong).state


def test_many_failed_edits_suggest_the_model():
    wizard = after(START, YAML)
    for number in range(5):
        assert "several times" not in wizard.message
        wizard = after(key("e"), Edited(text="x"), NotValid(round=number + 2, errors=["bad"]), wizard=wizard)
    assert "Press r to ask the model again" in wizard.message


def test_an_edit_from_yaml_to_python_is_reported_before_it_is_accepted():
    wizard = after(START, YAML, key("e"), Edited(text="def"), RoundPassed(round=2, kind="python", hash="p"))
    assert "PYTHON_RESULT" == wizard.state
    assert "This is Python now" in wizard.message


def test_without_an_editor_the_user_learns_how_to_set_one():
    wizard, effects = moved(START, YAML, key("e"), wizard=Wizard(editor=False))
    assert ("YAML_RESULT", ()) == (wizard.state, effects)
    assert "Set VISUAL or EDITOR" in wizard.message


def test_late_news_of_a_round_that_was_given_up_are_not_heard():
    again = after(START, EXHAUSTED, key("r"))
    assert again == after(YAML, wizard=again)
    checking = after(START, YAML, key("e"), Edited(text="x"), key("escape"))
    assert checking == after(RoundPassed(round=2, kind="yaml", hash="late"), wizard=checking)


def test_what_has_ended_hears_nothing():
    approved = after(START, YAML, key("enter"), GOOD, key("enter"), Committed(path="x"))
    assert "APPROVED" == approved.state
    for ended in (after(START, key("escape")), approved):
        assert (ended, ()) == moved(key("r"), wizard=ended)


rounds = st.integers(0, 6)
kinds = st.sampled_from(["yaml", "python"])
events = st.one_of(
    st.sampled_from(NAMES).map(key),
    st.builds(Invoked, paths=st.just(["a"]), draft=st.booleans(), questions=st.booleans(), preview=st.booleans()),
    st.builds(HintGiven, text=st.sampled_from(["", "a hint", "x" * 501]), computes=st.sampled_from(["", "if"])),
    st.builds(RoundPassed, round=rounds, kind=kinds, hash=st.sampled_from(["a", "b"]), questions=st.booleans()),
    st.builds(Retrying, round=rounds, number=st.integers(1, 3), most=st.just(3), error=st.just("E")),
    st.builds(
        Failed,
        round=rounds,
        kind=st.sampled_from(["exhausted", "no_progress", "transport"]),
        message=st.just("m"),
        has_output=st.booleans(),
        yaml_left=st.booleans(),
        earlier_kind=st.none() | kinds,
    ),
    st.builds(Committed, path=st.just("p")),
    st.builds(NotCommitted, reason=st.just("full")),
    st.builds(Edited, text=st.just("text")),
    st.builds(NotEdited, reason=st.just("nothing was changed")),
    st.builds(NotValid, round=rounds, errors=st.just(["bad"]), line=st.none() | st.integers(1, 9)),
    st.builds(Named, name=st.just("n"), valid=st.booleans(), taken=st.booleans()),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(events, max_size=25), st.booleans())
def test_no_sequence_of_events_leaves_the_user_without_a_way_out(happened: list[Any], editor: bool):
    wizard, effects = Wizard(editor=editor), ()
    for event in happened:
        before = wizard
        wizard, effects = step(wizard, event)
        for effect in effects:
            assert not isinstance(effect, Commit) or (before.hash and before.name_is_valid and not before.name_is_taken)
            numbered = isinstance(effect, StartRound | Validate | ResumeDraft)
            assert not numbered or effect.round == wizard.round > before.round
            assert not isinstance(effect, OpenEditor) or editor
    assert wizard.state in ENDED or "escape" in keys(wizard)
    for _ in range(6):
        wizard, _ = step(wizard, key("escape"))
    assert wizard.state in ENDED


@settings(max_examples=100, deadline=None)
@given(st.lists(events, max_size=25))
def test_the_keys_that_are_shown_are_those_that_do_something(happened: list[Any]):
    wizard = after(*happened)
    for name in NAMES:
        assert (name in keys(wizard)) == (step(wizard, key(name)) != (wizard, ()))
