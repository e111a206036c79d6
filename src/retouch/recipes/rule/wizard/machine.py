"""The transitions of the wizard, a row each: from a state, on an event, under a guard, to a state, with effects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from retouch.recipes.rule.wizard.events import (
    ArtifactKind,
    CancelRound,
    Commit,
    Edited,
    Effect,
    Event,
    Failed,
    FailureKind,
    HintGiven,
    Invoked,
    KeepDraft,
    Key,
    KeyName,
    Named,
    NotEdited,
    NotValid,
    OpenEditor,
    Passed,
    RestoreOriginal,
    Retrying,
    RoundKind,
    StartRound,
    Validate,
)

State: TypeAlias = Literal[
    "IDLE",
    "ANALYZING",
    "REGENERATING",
    "YAML_RESULT",
    "PYTHON_RESULT",
    "HINT_INPUT",
    "ANALYSIS_ERROR",
    "EDITING",
    "VALIDATING",
    "VALIDATION_ERROR",
    "APPROVED",
    "CANCELED",
    "CLOSED",
]
MAX_HINT_CHARS = 500
MANY_FAILED_EDITS = 5
ENDED: frozenset[State] = frozenset({"APPROVED", "CANCELED", "CLOSED"})
ASKING: frozenset[State] = frozenset({"ANALYZING", "REGENERATING"})
VALIDATING: frozenset[State] = frozenset({"VALIDATING"})
RESULTS: frozenset[State] = frozenset({"YAML_RESULT", "PYTHON_RESULT"})
RESULT_OF: dict[ArtifactKind, State] = {"yaml": "YAML_RESULT", "python": "PYTHON_RESULT"}


@dataclass(frozen=True, kw_only=True)
class Wizard:
    """The wizard between two events.

    `round` numbers rounds and edits, so that late news of an earlier one are told from those of the present one. `back`
    is where Esc in the field for a hint leads, `before_edit` where an edit that came to nothing leads. `hash` is that
    of the artifact which passed last. `message` is for the person.
    """

    state: State = "IDLE"
    editor: bool = True
    round: int = 0
    retry: int = 0
    retries: int = 0
    previous_error: str = ""
    hash: str = ""
    by_hand: bool = False
    back: State = "IDLE"
    before_edit: State = "IDLE"
    failure: FailureKind | None = None
    has_output: bool = False
    yaml_left: bool = False
    errors: tuple[str, ...] = ()
    error_line: int | None = None
    failed_edits: int = 0
    name: str = ""
    name_is_valid: bool = False
    name_is_taken: bool = False
    message: str = ""


Move: TypeAlias = tuple[Wizard, tuple[Effect, ...]]
Guard: TypeAlias = Callable[[Wizard], bool]
NO_EDITOR = "No editor was found: set VISUAL or EDITOR."


def step(wizard: Wizard, event: Event) -> Move:
    """Return the wizard after `event`, and what is to be done; an event that means nothing in a state changes nothing.

    Source: the state machine of the rule job's reference.
    """
    if wizard.state in ENDED or _is_late(wizard, event):
        return wizard, ()
    move = _on_key(wizard, event.name) if isinstance(event, Key) else _on_news(wizard, event)
    return move or (wizard, ())


def keys(wizard: Wizard) -> dict[KeyName, str]:
    """Return the keys that mean something now, and what they do; every state that has not ended has Esc."""
    return {
        key: words for (states, key), (words, guard, _) in _KEYS.items() if wizard.state in states and guard(wizard)
    }


def spinning(wizard: Wizard) -> bool:
    """Return whether something is under way that the person waits for."""
    return wizard.state in ASKING or wizard.state == "VALIDATING"


def _is_late(wizard: Wizard, event: Event) -> bool:
    return isinstance(event, Passed | Retrying | Failed | NotValid) and event.round != wizard.round


def _holds(wizard: Wizard, states: frozenset[State], guard: Guard) -> bool:
    return wizard.state in states and guard(wizard)


def _on_key(wizard: Wizard, key: KeyName) -> Move | None:
    for (states, name), (_, guard, act) in _KEYS.items():
        if name == key and _holds(wizard, states, guard):
            return act(replace(wizard, message=""))
    return None


def _on_news(wizard: Wizard, event: Event) -> Move | None:
    for states, kind, act in _NEWS:
        if wizard.state in states and isinstance(event, kind):
            return act(wizard, event)
    return None


def _start(wizard: Wizard, kind: RoundKind, *, state: State, hint: str = "") -> Move:
    begun = replace(wizard, state=state, round=wizard.round + 1, retry=0, retries=0, previous_error="", failure=None)
    begun = replace(begun, message="", errors=(), error_line=None, failed_edits=0, by_hand=False)
    return begun, (StartRound(round=begun.round, kind=kind, hint=hint),)


def _invoked(wizard: Wizard, event: Invoked) -> Move:
    if not event.paths:
        return replace(wizard, message="Select a file first: a rule needs at least one path."), ()
    return _start(wizard, "fresh", state="ANALYZING")


def _passed(wizard: Wizard, event: Passed) -> Move:
    by_hand = wizard.state == "VALIDATING"
    switched = by_hand and wizard.before_edit in RESULTS and RESULT_OF[event.kind] != wizard.before_edit
    message = f"This is {'Python' if event.kind == 'python' else 'a YAML rule'} now: Enter takes it as that."
    done = replace(wizard, state=RESULT_OF[event.kind], hash=event.hash, by_hand=by_hand, has_output=True)
    done = replace(done, failed_edits=0, errors=(), error_line=None, message=message if switched else "")
    return done, (KeepDraft(by_hand=by_hand),)


def _retrying(wizard: Wizard, event: Retrying) -> Move:
    return replace(wizard, retry=event.number, retries=event.most, previous_error=event.error), ()


def _failed(wizard: Wizard, event: Failed) -> Move:
    failed = replace(wizard, state="ANALYSIS_ERROR", failure=event.kind, message=event.message)
    return replace(failed, has_output=event.has_output or wizard.has_output, yaml_left=event.yaml_left), ()


def _named(wizard: Wizard, event: Named) -> Move:
    return replace(wizard, name=event.name, name_is_valid=event.valid, name_is_taken=event.taken, message=""), ()


def _approve(wizard: Wizard) -> Move:
    if not wizard.name_is_valid:
        return replace(wizard, message=f"{wizard.name!r} is no name for a rule: a-z, 0-9 and _, a letter first."), ()
    if wizard.name_is_taken:
        return replace(wizard, message=f"There is a rule called {wizard.name!r}: choose another name."), ()
    return replace(wizard, state="APPROVED"), (Commit(name=wizard.name),)


def _to_hint(wizard: Wizard) -> Move:
    return replace(wizard, state="HINT_INPUT", back=wizard.state), ()


def _hint(wizard: Wizard, event: HintGiven) -> Move:
    text = event.text.strip()
    if not text:
        return replace(wizard, message="A hint needs some words; Esc goes back."), ()
    if len(text) > MAX_HINT_CHARS:
        return replace(wizard, message=f"A hint has at most {MAX_HINT_CHARS} characters; this has {len(text)}."), ()
    return _start(wizard, "hint", state="REGENERATING", hint=text)


def _edit(wizard: Wizard) -> Move:
    if not wizard.editor:
        return replace(wizard, message=NO_EDITOR), ()
    before = wizard.before_edit if wizard.state == "VALIDATION_ERROR" else wizard.state
    return replace(wizard, state="EDITING", before_edit=before), (OpenEditor(line=wizard.error_line),)


def _edited(wizard: Wizard, event: Edited) -> Move:
    checking = replace(wizard, state="VALIDATING", round=wizard.round + 1, message="")
    return checking, (Validate(round=checking.round, text=event.text),)


def _not_edited(wizard: Wizard, event: NotEdited) -> Move:
    state: State = "VALIDATION_ERROR" if wizard.errors else wizard.before_edit
    return replace(wizard, state=state, message=event.reason), ()


def _not_valid(wizard: Wizard, event: NotValid) -> Move:
    failed = wizard.failed_edits + 1
    often = "This did not work several times: r asks the model again." if failed >= MANY_FAILED_EDITS else ""
    errors = tuple(event.errors) or ("The text does not pass.",)
    wrong = replace(wizard, state="VALIDATION_ERROR", errors=errors, error_line=event.line)
    return replace(wrong, failed_edits=failed, message=often), ()


def _discard(wizard: Wizard) -> Move:
    """Go back to what stood before the edit began."""
    back = replace(wizard, state=wizard.before_edit, round=wizard.round + 1, errors=(), error_line=None, failed_edits=0)
    return back, (RestoreOriginal(),)


def _stop(wizard: Wizard) -> Move:
    back, effects = _discard(wizard)
    return back, (CancelRound(), *effects)


def _cancel(wizard: Wizard) -> Move:
    return replace(wizard, state="CANCELED"), (CancelRound(),)


def _leave(state: State) -> Callable[[Wizard], Move]:
    return lambda wizard: (replace(wizard, state=state), ())


def _round(kind: RoundKind, state: State) -> Callable[[Wizard], Move]:
    return lambda wizard: _start(wizard, kind, state=state)


def _always(_wizard: Wizard) -> bool:
    return True


_KEYS: dict[tuple[frozenset[State], KeyName], tuple[str, Guard, Callable[[Wizard], Move]]] = {
    (RESULTS, "enter"): ("approve", lambda one: bool(one.hash), _approve),
    (RESULTS, "h"): ("hint", _always, _to_hint),
    (RESULTS, "e"): ("edit", _always, _edit),
    (RESULTS, "r"): ("regenerate", _always, _round("new", "REGENERATING")),
    (RESULTS, "escape"): ("cancel", _always, _leave("CANCELED")),
    (ASKING, "escape"): ("cancel", _always, _cancel),
    (frozenset({"IDLE"}), "escape"): ("close", _always, _leave("CLOSED")),
    (frozenset({"HINT_INPUT"}), "escape"): ("back", _always, lambda one: (replace(one, state=one.back), ())),
    (frozenset({"ANALYSIS_ERROR"}), "h"): ("hint", lambda one: one.failure != "transport", _to_hint),
    (frozenset({"ANALYSIS_ERROR"}), "e"): ("edit", _always, _edit),
    (frozenset({"ANALYSIS_ERROR"}), "r"): ("retry", _always, _round("fresh", "ANALYZING")),
    (frozenset({"ANALYSIS_ERROR"}), "y"): ("YAML", lambda one: one.yaml_left, _round("yaml", "REGENERATING")),
    (frozenset({"ANALYSIS_ERROR"}), "escape"): ("close", _always, _leave("CLOSED")),
    (frozenset({"EDITING"}), "escape"): ("back", _always, _stop),
    (frozenset({"VALIDATING"}), "escape"): ("back", _always, _stop),
    (frozenset({"VALIDATION_ERROR"}), "e"): ("edit again", _always, _edit),
    (frozenset({"VALIDATION_ERROR"}), "r"): ("regenerate", _always, _round("new", "REGENERATING")),
    (frozenset({"VALIDATION_ERROR"}), "escape"): ("discard", _always, _discard),
}
_NEWS: tuple[tuple[frozenset[State], type[Any], Callable[[Wizard, Any], Move]], ...] = (
    (frozenset({"IDLE"}), Invoked, _invoked),
    (ASKING | VALIDATING, Passed, _passed),
    (ASKING, Retrying, _retrying),
    (ASKING, Failed, _failed),
    (RESULTS, Named, _named),
    (frozenset({"HINT_INPUT"}), HintGiven, _hint),
    (frozenset({"EDITING"}), Edited, _edited),
    (frozenset({"EDITING"}), NotEdited, _not_edited),
    (VALIDATING, NotValid, _not_valid),
)
