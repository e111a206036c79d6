"""Transitions of the wizard on keys: one row per set of states and key, with a guard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from retouch.recipes.rule.wizard.events import (
    CancelRound,
    ChangeSource,
    Commit,
    KeyName,
    OpenEditor,
    Operation,
    RestoreOriginal,
    ResumeDraft,
    RoundKind,
    SuggestName,
    UndoChange,
)
from retouch.recipes.rule.wizard.states import ASKING, RESULT_OF, RESULTS, Move, State, Wizard, onward, started

Guard: TypeAlias = Callable[[Wizard], bool]
Act: TypeAlias = Callable[[Wizard], Move]
NO_EDITOR = "No editor was found. Set VISUAL or EDITOR."


def _approve(wizard: Wizard) -> Move:
    if not wizard.name_is_valid:
        return replace(
            wizard, message=f"{wizard.name!r} is not a valid name. Use a-z, 0-9 and _, starting with a letter."
        ), ()
    if wizard.name_is_taken:
        return replace(wizard, message=f"A rule named {wizard.name!r} already exists. Choose another name."), ()
    return replace(wizard, state="APPROVING"), (Commit(name=wizard.name),)


def _to(state: State) -> Act:
    """Return the transition to a field or question from which Esc returns."""
    return lambda wizard: (replace(wizard, state=state, back=wizard.state), ())


def _to_name(wizard: Wizard) -> Move:
    return replace(wizard, state="NAME_INPUT", back=wizard.state), (SuggestName(),)


def _back(wizard: Wizard) -> Move:
    return replace(wizard, state=wizard.back), ()


def _edit(wizard: Wizard) -> Move:
    if not wizard.editor:
        return replace(wizard, message=NO_EDITOR), ()
    before = wizard.before_edit if wizard.state == "VALIDATION_ERROR" else wizard.state
    return replace(wizard, state="EDITING", before_edit=before), (OpenEditor(line=wizard.error_line),)


def _discard(wizard: Wizard) -> Move:
    """Return to the artifact before the edit."""
    back = replace(wizard, state=wizard.before_edit, round=wizard.round + 1, errors=(), error_line=None, failed_edits=0)
    return back, (RestoreOriginal(),)


def _stop(wizard: Wizard) -> Move:
    back, effects = _discard(wizard)
    return back, (CancelRound(), *effects)


def _stop_approving(wizard: Wizard) -> Move:
    return replace(wizard, state="NAME_INPUT"), (CancelRound(),)


def _cancel(wizard: Wizard) -> Move:
    return replace(wizard, state="CANCELED"), (CancelRound(),)


def _leave(state: State) -> Act:
    return lambda wizard: (replace(wizard, state=state), ())


def _round(kind: RoundKind, state: State) -> Act:
    return lambda wizard: onward(wizard) if wizard.gates else started(wizard, kind, state=state)


def _resume_draft(wizard: Wizard) -> Move:
    checking = replace(wizard, state="VALIDATING", round=wizard.round + 1, before_edit="DRAFT_FOUND")
    return checking, (ResumeDraft(round=checking.round),)


def _read_dates(answer: str) -> Act:
    """Return the transition for an answered question: continue before the first request, or start a new round from a
    result.
    """

    def act(wizard: Wizard) -> Move:
        answered = replace(wizard, questions=False)
        begun, effects = onward(answered) if wizard.back == "IDLE" else _again(answered)
        return begun, (ChangeSource(dates=answer), *effects)

    return act


def _again(wizard: Wizard) -> Move:
    return started(wizard, "fresh", state="REGENERATING")


def _leave_dates(wizard: Wizard) -> Move:
    return onward(wizard) if wizard.back == "IDLE" else _back(wizard)


def _leave_question(wizard: Wizard) -> Move:
    return (replace(wizard, state="CLOSED"), ()) if wizard.back == "IDLE" else _back(wizard)


def _use_python(wizard: Wizard) -> Move:
    begun, effects = _again(wizard)
    return begun, (ChangeSource(hint=wizard.hint, python=True), *effects)


def _without_python(wizard: Wizard) -> Move:
    return started(wizard, "hint", state="REGENERATING", hint=wizard.hint)


def _keep_earlier(wizard: Wizard) -> Move:
    kept = replace(wizard, state=RESULT_OF[wizard.earlier_kind or "yaml"], earlier_kind=None, failure=None)
    return kept, ()


def _enter_change(operation: Operation) -> Act:
    return lambda wizard: (replace(wizard, state="CHANGE_INPUT", operation=operation, change_text=""), ())


def _undo(wizard: Wizard) -> Move:
    checking = replace(wizard, state="VALIDATING", round=wizard.round + 1, before_edit=wizard.state)
    return replace(checking, changes=wizard.changes - 1), (UndoChange(round=checking.round),)


def _always(_wizard: Wizard) -> bool:
    return True


def _can_hint(wizard: Wizard) -> bool:
    return wizard.failure != "transport"


_DRAFT: frozenset[State] = frozenset({"DRAFT_FOUND"})
_QUESTION: frozenset[State] = frozenset({"QUESTION"})
_PREVIEW: frozenset[State] = frozenset({"PREVIEW"})
_NAME: frozenset[State] = frozenset({"NAME_INPUT"})
_PROPOSED: frozenset[State] = frozenset({"PYTHON_PROPOSED"})
_ERROR: frozenset[State] = frozenset({"ANALYSIS_ERROR"})
_WRONG: frozenset[State] = frozenset({"VALIDATION_ERROR"})
_MENU: frozenset[State] = frozenset({"CHANGE_MENU"})
_RULE: frozenset[State] = frozenset({"YAML_RESULT"})
_EDIT: frozenset[State] = frozenset({"EDITING", "VALIDATING"})

KEYS: dict[tuple[frozenset[State], KeyName], tuple[str, Guard, Act]] = {
    (frozenset({"IDLE"}), "escape"): ("close", _always, _leave("CLOSED")),
    (_DRAFT, "enter"): ("resume", _always, _resume_draft),
    (_DRAFT, "n"): ("start again", _always, onward),
    (_DRAFT, "escape"): ("close", _always, _leave("CLOSED")),
    (_QUESTION, "d"): ("day first", _always, _read_dates("day-first")),
    (_QUESTION, "m"): ("month first", _always, _read_dates("month-first")),
    (_QUESTION, "t"): ("leave as text", _always, _leave_dates),
    (_QUESTION, "escape"): ("back", _always, _leave_question),
    (_PREVIEW, "enter"): ("send it", _always, onward),
    (_PREVIEW, "escape"): ("close", _always, _leave("CLOSED")),
    (RESULTS, "enter"): ("approve", lambda one: bool(one.hash), _to_name),
    (RESULTS, "h"): ("hint", _always, _to("HINT_INPUT")),
    (RESULTS, "e"): ("edit", _always, _edit),
    (RESULTS, "r"): ("regenerate", _always, _round("new", "REGENERATING")),
    (RESULTS, "d"): ("dates", lambda one: one.questions, _to("QUESTION")),
    (_RULE, "c"): ("change", _always, _to("CHANGE_MENU")),
    (_RULE, "u"): ("undo", lambda one: one.changes > 0, _undo),
    (_MENU, "n"): ("rename", _always, _enter_change("rename")),
    (_MENU, "g"): ("merge", _always, _enter_change("merge")),
    (_MENU, "j"): ("join", _always, _enter_change("join")),
    (_MENU, "p"): ("split", _always, _enter_change("split")),
    (_MENU, "x"): ("drop", _always, _enter_change("drop")),
    (_MENU, "t"): ("retype", _always, _enter_change("retype")),
    (_MENU, "c"): ("select a piece", _always, _enter_change("piece")),
    (_MENU, "k"): ("constant", _always, _enter_change("constant")),
    (_MENU, "o"): ("noise", _always, _enter_change("noise")),
    (_MENU, "w"): ("another shape", _always, _enter_change("shape")),
    (_MENU, "escape"): ("back", _always, _back),
    (frozenset({"CHANGE_INPUT"}), "escape"): ("back", _always, _back),
    (RESULTS, "escape"): ("cancel", _always, _leave("CANCELED")),
    (ASKING, "escape"): ("cancel", _always, _cancel),
    (_NAME, "enter"): ("write it", _always, _approve),
    (_NAME, "escape"): ("back", _always, _back),
    (frozenset({"APPROVING"}), "escape"): ("back", _always, _stop_approving),
    (frozenset({"HINT_INPUT"}), "escape"): ("back", _always, _back),
    (_PROPOSED, "y"): ("use Python", _always, _use_python),
    (_PROPOSED, "n"): ("stay with YAML", _always, _without_python),
    (_PROPOSED, "escape"): ("back", _always, _leave("HINT_INPUT")),
    (_ERROR, "enter"): ("keep the earlier one", lambda one: one.earlier_kind is not None, _keep_earlier),
    (_ERROR, "h"): ("hint", _can_hint, _to("HINT_INPUT")),
    (_ERROR, "e"): ("edit", _always, _edit),
    (_ERROR, "r"): ("retry", _always, _round("fresh", "ANALYZING")),
    (_ERROR, "y"): ("YAML", lambda one: one.yaml_left, _round("yaml", "REGENERATING")),
    (_ERROR, "escape"): ("close", _always, _leave("CLOSED")),
    (_EDIT, "escape"): ("back", _always, _stop),
    (_WRONG, "e"): ("edit again", _always, _edit),
    (_WRONG, "r"): ("regenerate", _always, _round("new", "REGENERATING")),
    (_WRONG, "escape"): ("discard", _always, _discard),
}
