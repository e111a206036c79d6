"""The user's decisions before, between and after rounds: drafts, dates, Python, a name."""

from __future__ import annotations

from retouch.recipes.rule.wizard.events import (
    CancelRound,
    ChangeSource,
    Commit,
    Committed,
    Failed,
    HintGiven,
    Invoked,
    Named,
    NotCommitted,
    NotValid,
    ResumeDraft,
    RoundPassed,
    StartRound,
    SuggestName,
)
from retouch.recipes.rule.wizard.machine import keys
from tests.recipes.rule.wizard.steps import EXHAUSTED, GOOD, START, YAML, after, key, moved


def test_enter_asks_for_a_name_and_approves_under_a_valid_free_one_only():
    question, effects = moved(START, YAML, key("enter"))
    assert ("NAME_INPUT", (SuggestName(),)) == (question.state, effects)
    wizard, effects = moved(GOOD, key("enter"), wizard=question)
    assert ("APPROVING", (Commit(name="missions"),)) == (wizard.state, effects)
    unnamed = after(key("enter"), wizard=question)
    assert "NAME_INPUT" == unnamed.state
    assert "is not a valid name" in unnamed.message
    taken = after(Named(name="missions", taken=True), key("enter"), wizard=question)
    assert "A rule named 'missions'" in taken.message
    assert "YAML_RESULT" == after(key("escape"), wizard=question).state


def test_what_is_written_is_approved_and_what_could_not_be_written_is_not():
    approving = after(START, YAML, key("enter"), GOOD, key("enter"))
    done = after(Committed(path="rules/missions.yaml"), wizard=approving)
    assert ("APPROVED", "rules/missions.yaml") == (done.state, done.path)
    failed = after(NotCommitted(reason="the disk is full"), wizard=approving)
    assert ("NAME_INPUT", "the disk is full") == (failed.state, failed.message)
    stopped, effects = moved(key("escape"), wizard=approving)
    assert ("NAME_INPUT", (CancelRound(),)) == (stopped.state, effects)


def test_before_anything_is_sent_come_the_draft_the_dates_and_what_would_be_sent():
    every = Invoked(paths=["a"], draft=True, questions=True, preview=True)
    found = after(every)
    assert "DRAFT_FOUND" == found.state
    question = after(key("n"), wizard=found)
    assert "QUESTION" == question.state
    seen, effects = moved(key("d"), wizard=question)
    assert ("PREVIEW", (ChangeSource(dates="day-first"),)) == (seen.state, effects)
    assert ("ANALYZING", (StartRound(round=1, kind="fresh"),)) == (
        after(key("enter"), wizard=seen).state,
        moved(key("enter"), wizard=seen)[1],
    )
    assert "PREVIEW" == after(key("t"), wizard=question).state
    for gate in (found, question, seen):
        assert "CLOSED" == after(key("escape"), wizard=gate).state


def test_a_draft_is_checked_again_before_it_is_shown():
    found = after(Invoked(paths=["a"], draft=True, preview=True))
    wizard, effects = moved(key("enter"), wizard=found)
    assert ("VALIDATING", (ResumeDraft(round=1),)) == (wizard.state, effects)
    taken = after(YAML, wizard=wizard)
    assert ("YAML_RESULT", False) == (taken.state, taken.is_manual)
    wrong = after(NotValid(round=1, errors=["old"]), wizard=wizard)
    assert "PREVIEW" == after(key("r"), wizard=wrong).state
    assert "DRAFT_FOUND" == after(key("escape"), wizard=wrong).state


def test_dates_of_a_result_that_only_a_person_can_read_are_asked_about():
    result = after(START, RoundPassed(round=1, kind="yaml", hash="h", questions=True))
    assert "d" in keys(result)
    assert "d" not in keys(after(START, YAML))
    question = after(key("d"), wizard=result)
    wizard, effects = moved(key("m"), wizard=question)
    assert "REGENERATING" == wizard.state
    assert (ChangeSource(dates="month-first"), StartRound(round=2, kind="fresh")) == effects
    assert "YAML_RESULT" == after(key("t"), wizard=question).state == after(key("escape"), wizard=question).state


def test_a_hint_that_computes_is_a_proposal_and_nothing_is_decided_by_a_word():
    proposed = after(START, YAML, key("h"), HintGiven(text="convert it", computes="convert"))
    assert ("PYTHON_PROPOSED", "convert") == (proposed.state, proposed.computes)
    assert (ChangeSource(hint="convert it", python=True), StartRound(round=2, kind="fresh")) == moved(
        key("y"), wizard=proposed
    )[1]
    assert (StartRound(round=2, kind="hint", hint="convert it"),) == moved(key("n"), wizard=proposed)[1]
    assert "HINT_INPUT" == after(key("escape"), wizard=proposed).state


def test_what_passed_before_a_round_that_failed_can_be_kept():
    failed = after(START, YAML, key("r"), Failed(round=2, kind="no_progress", message="the same", earlier_kind="yaml"))
    assert "keep the earlier one" == keys(failed)["enter"]
    assert ("YAML_RESULT", "h1") == (after(key("enter"), wizard=failed).state, failed.hash)
    assert "enter" not in keys(after(START, EXHAUSTED))
