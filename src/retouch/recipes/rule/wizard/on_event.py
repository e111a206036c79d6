"""Transitions of the wizard on events other than keys: one row per set of states and type of event."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from retouch.recipes.rule.asking.source import MAX_HINT_CHARS
from retouch.recipes.rule.wizard.events import (
    ChangeGiven,
    ChangeRefused,
    ChangeRule,
    Committed,
    Edited,
    Failed,
    HintGiven,
    Invoked,
    Named,
    NotCommitted,
    NotEdited,
    NotValid,
    Retrying,
    RoundPassed,
    Validate,
)
from retouch.recipes.rule.wizard.states import ASKING, RESULT_OF, RESULTS, Move, State, Wizard, onward, started

if TYPE_CHECKING:
    from collections.abc import Callable

MANY_FAILED_EDITS = 5
VALIDATING: frozenset[State] = frozenset({"VALIDATING"})


def _invoked(wizard: Wizard, event: Invoked) -> Move:
    if not event.paths:
        return replace(wizard, message="Select a file first: a rule needs at least one path."), ()
    wanted: tuple[tuple[bool, State], ...] = (
        (event.draft, "DRAFT_FOUND"),
        (event.questions, "QUESTION"),
        (event.preview, "PREVIEW"),
    )
    return onward(replace(wizard, gates=tuple(state for is_wanted, state in wanted if is_wanted)))


def _passed(wizard: Wizard, event: RoundPassed) -> Move:
    is_manual = wizard.state == "VALIDATING" and wizard.before_edit != "DRAFT_FOUND"
    switched = is_manual and wizard.before_edit in RESULTS and RESULT_OF[event.kind] != wizard.before_edit
    message = f"This is {'Python' if event.kind == 'python' else 'a YAML rule'} now. Press Enter to accept it."
    done = replace(wizard, state=RESULT_OF[event.kind], hash=event.hash, is_manual=is_manual, has_output=True, gates=())
    done = replace(done, questions=event.questions, earlier_kind=None, failed_edits=0, errors=(), error_line=None)
    return replace(done, message=message if switched else ""), ()


def _retrying(wizard: Wizard, event: Retrying) -> Move:
    return replace(wizard, retry=event.number, retries=event.most, previous_error=event.error), ()


def _failed(wizard: Wizard, event: Failed) -> Move:
    failed = replace(
        wizard, state="ANALYSIS_ERROR", failure=event.kind, why=event.message, earlier_kind=event.earlier_kind
    )
    return replace(failed, has_output=event.has_output or wizard.has_output, yaml_left=event.yaml_left), ()


def _name_checked(wizard: Wizard, event: Named) -> Move:
    return replace(wizard, name=event.name, name_is_valid=event.valid, name_is_taken=event.taken, message=""), ()


def _hint(wizard: Wizard, event: HintGiven) -> Move:
    text = event.text.strip()
    if not text:
        return replace(wizard, message="Enter a hint, or press Esc to go back."), ()
    if len(text) > MAX_HINT_CHARS:
        return replace(wizard, message=f"A hint has at most {MAX_HINT_CHARS} characters; this has {len(text)}."), ()
    given = replace(wizard, hint=text, computes=event.computes)
    if event.computes:
        return replace(given, state="PYTHON_PROPOSED", message=""), ()
    return started(given, "hint", state="REGENERATING", hint=text)


def _change_given(wizard: Wizard, event: ChangeGiven) -> Move:
    checking = replace(wizard, state="VALIDATING", round=wizard.round + 1, before_edit=wizard.back, message="")
    effect = ChangeRule(round=checking.round, operation=wizard.operation, text=event.text.strip(), path=event.path)
    effect = replace(effect, start=event.start)
    return replace(checking, changes=wizard.changes + 1, change_text=effect.text), (effect,)


def _change_refused(wizard: Wizard, event: ChangeRefused) -> Move:
    kept = replace(wizard, changes=max(wizard.changes - 1, 0), message=event.reason, state="CHANGE_INPUT")
    return kept, ()


def _edited(wizard: Wizard, event: Edited) -> Move:
    checking = replace(wizard, state="VALIDATING", round=wizard.round + 1, message="")
    return checking, (Validate(round=checking.round, text=event.text),)


def _not_edited(wizard: Wizard, event: NotEdited) -> Move:
    state: State = "VALIDATION_ERROR" if wizard.errors else wizard.before_edit
    return replace(wizard, state=state, message=event.reason), ()


def _not_valid(wizard: Wizard, event: NotValid) -> Move:
    failed = wizard.failed_edits + 1
    often = "This failed several times. Press r to ask the model again." if failed >= MANY_FAILED_EDITS else ""
    errors = tuple(event.errors) or ("The text does not pass.",)
    wrong = replace(wizard, state="VALIDATION_ERROR", errors=errors, error_line=event.line)
    return replace(wrong, failed_edits=failed, message=often), ()


def _committed(wizard: Wizard, event: Committed) -> Move:
    return replace(wizard, state="APPROVED", path=event.path, message=""), ()


def _not_committed(wizard: Wizard, event: NotCommitted) -> Move:
    return replace(wizard, state="NAME_INPUT", message=event.reason), ()


TRANSITIONS: tuple[tuple[frozenset[State], type[Any], Callable[[Wizard, Any], Move]], ...] = (
    (frozenset({"IDLE"}), Invoked, _invoked),
    (ASKING | VALIDATING, RoundPassed, _passed),
    (ASKING, Retrying, _retrying),
    (ASKING, Failed, _failed),
    (frozenset({"NAME_INPUT"}), Named, _name_checked),
    (frozenset({"HINT_INPUT"}), HintGiven, _hint),
    (frozenset({"CHANGE_INPUT"}), ChangeGiven, _change_given),
    (VALIDATING, ChangeRefused, _change_refused),
    (frozenset({"EDITING"}), Edited, _edited),
    (frozenset({"EDITING"}), NotEdited, _not_edited),
    (VALIDATING, NotValid, _not_valid),
    (frozenset({"APPROVING"}), Committed, _committed),
    (frozenset({"APPROVING"}), NotCommitted, _not_committed),
)
