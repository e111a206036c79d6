"""The states of the wizard, and its data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from retouch.recipes.rule.wizard.events import ArtifactKind, Effect, FailureKind, Operation, RoundKind, StartRound

State: TypeAlias = Literal[
    "IDLE",
    "DRAFT_FOUND",
    "QUESTION",
    "PREVIEW",
    "ANALYZING",
    "REGENERATING",
    "YAML_RESULT",
    "PYTHON_RESULT",
    "NAME_INPUT",
    "HINT_INPUT",
    "CHANGE_MENU",
    "CHANGE_INPUT",
    "PYTHON_PROPOSED",
    "ANALYSIS_ERROR",
    "EDITING",
    "VALIDATING",
    "VALIDATION_ERROR",
    "APPROVING",
    "APPROVED",
    "CANCELED",
    "CLOSED",
]
ENDED: frozenset[State] = frozenset({"APPROVED", "CANCELED", "CLOSED"})
ASKING: frozenset[State] = frozenset({"ANALYZING", "REGENERATING"})
WORKING: frozenset[State] = frozenset({"ANALYZING", "REGENERATING", "VALIDATING", "APPROVING"})
RESULTS: frozenset[State] = frozenset({"YAML_RESULT", "PYTHON_RESULT"})
RESULT_OF: dict[ArtifactKind, State] = {"yaml": "YAML_RESULT", "python": "PYTHON_RESULT"}


@dataclass(frozen=True, kw_only=True)
class Wizard:
    """The wizard between two events.

    - `gates`: the states to pass before the first request.
    - `round`: numbers rounds and edits, so that late events of an earlier one can be ignored.
    - `back`: the state that Esc in a field returns to. `before_edit`: the same for an edit that is discarded.
    - `hash`: the hash of the last artifact that passed. `is_manual`: the user wrote it.
    - `earlier_kind`: the kind of an earlier artifact that is still valid after a failed round; `why` is the reason of
      the failure.
    - `operation`: the change of the fields that is being entered, and `change_text` its last text.
    - `changes`: how many changes can be undone.
    - `message`: the message for the user.
    """

    state: State = "IDLE"
    gates: tuple[State, ...] = ()
    editor: bool = True
    round: int = 0
    retry: int = 0
    retries: int = 0
    previous_error: str = ""
    hash: str = ""
    is_manual: bool = False
    questions: bool = False
    back: State = "IDLE"
    before_edit: State = "IDLE"
    failure: FailureKind | None = None
    why: str = ""
    has_output: bool = False
    yaml_left: bool = False
    earlier_kind: ArtifactKind | None = None
    errors: tuple[str, ...] = ()
    error_line: int | None = None
    failed_edits: int = 0
    hint: str = ""
    computes: str = ""
    operation: Operation = "rename"
    change_text: str = ""
    changes: int = 0
    name: str = ""
    name_is_valid: bool = False
    name_is_taken: bool = False
    path: str = ""
    message: str = ""


Move: TypeAlias = tuple[Wizard, tuple[Effect, ...]]


def started(wizard: Wizard, kind: RoundKind, *, state: State, hint: str = "") -> Move:
    """Return the wizard in a new round, without the failures of earlier rounds."""
    begun = replace(wizard, state=state, round=wizard.round + 1, retry=0, retries=0, previous_error="", failure=None)
    begun = replace(begun, message="", errors=(), error_line=None, failed_edits=0, is_manual=False, earlier_kind=None)
    return begun, (StartRound(round=begun.round, kind=kind, hint=hint),)


def onward(wizard: Wizard) -> Move:
    """Return the wizard at its next gate, or in its first round after the last gate."""
    if wizard.gates:
        return replace(wizard, state=wizard.gates[0], gates=wizard.gates[1:], message=""), ()
    return started(wizard, "fresh", state="ANALYZING")
