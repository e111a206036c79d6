"""The events and the effects of the wizard's state machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

ArtifactKind: TypeAlias = Literal["yaml", "python"]
FailureKind: TypeAlias = Literal["exhausted", "no_progress", "transport"]
RoundKind: TypeAlias = Literal["new", "fresh", "hint", "yaml"]
KeyName: TypeAlias = Literal[
    "enter", "h", "e", "r", "y", "n", "d", "m", "t", "c", "u", "p", "x", "g", "j", "k", "o", "w", "escape"
]
Operation: TypeAlias = Literal[
    "rename", "merge", "join", "split", "drop", "retype", "piece", "constant", "noise", "shape"
]


@dataclass(frozen=True, kw_only=True)
class Invoked:
    """The wizard was opened for `paths`.

    The flags name the steps before the first request: `draft` (a draft waits for these paths), `questions` (some dates
    are ambiguous), `preview` (the user wants to see the request first).
    """

    paths: Sequence[str]
    draft: bool = False
    questions: bool = False
    preview: bool = False


@dataclass(frozen=True, kw_only=True)
class Key:
    """A key was pressed. Enter in the hint field is `HintGiven` instead."""

    name: KeyName


@dataclass(frozen=True, kw_only=True)
class HintGiven:
    """A hint was entered. `computes` is the word in it that describes a computation, or ""."""

    text: str
    computes: str = ""


@dataclass(frozen=True, kw_only=True)
class ChangeGiven:
    """The text of a change of the fields was entered, about the sample `path`.

    `start` is where a piece of the path starts, if it was marked there.
    """

    text: str
    path: str = ""
    start: int | None = None


@dataclass(frozen=True, kw_only=True)
class ChangeRefused:
    """The change cannot be made, for the given `reason`. The rule stays as it was."""

    round: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class RoundPassed:
    """The artifact of round `round`, or the user's edit, passed all tiers and is a draft.

    `hash` is the hash of the artifact. `questions` is True if some of its dates are ambiguous.
    """

    round: int
    kind: ArtifactKind
    hash: str
    questions: bool = False


@dataclass(frozen=True, kw_only=True)
class Retrying:
    """An answer of round `round` failed and is retried: retry `number` of at most `most`, because of `error`."""

    round: int
    number: int
    most: int
    error: str


@dataclass(frozen=True, kw_only=True)
class Failed:
    """Round `round` ended without an artifact that passes.

    `message` explains why and, for transport, the next step. `has_output`: there is a text to edit. `yaml_left`: Python
    failed, and a rule with fewer fields can still be tried. `earlier_kind`: the kind of an earlier artifact that is
    still valid.
    """

    round: int
    kind: FailureKind
    message: str
    has_output: bool = False
    yaml_left: bool = False
    earlier_kind: ArtifactKind | None = None


@dataclass(frozen=True, kw_only=True)
class Edited:
    """The editor ended normally and the text changed."""

    text: str


@dataclass(frozen=True, kw_only=True)
class NotEdited:
    """The editor changed nothing, failed or was killed. `reason` states which, and where a changed text is saved."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class NotValid:
    """The user's text fails: the errors, worst first, and the line of the first."""

    round: int
    errors: Sequence[str]
    line: int | None = None


@dataclass(frozen=True, kw_only=True)
class Named:
    """The name for the artifact, whether it is valid, and whether it is already used."""

    name: str
    valid: bool = True
    taken: bool = False


@dataclass(frozen=True, kw_only=True)
class Committed:
    """The artifact was written to the file `path`."""

    path: str


@dataclass(frozen=True, kw_only=True)
class NotCommitted:
    """The artifact could not be written, for the given `reason`. It is still a draft."""

    reason: str


Event: TypeAlias = (
    Invoked
    | Key
    | HintGiven
    | ChangeGiven
    | ChangeRefused
    | RoundPassed
    | Retrying
    | Failed
    | Edited
    | NotEdited
    | NotValid
    | Named
    | Committed
    | NotCommitted
)


@dataclass(frozen=True, kw_only=True)
class StartRound:
    """Request an artifact in round `round`.

    `new` reports the current one as rejected, `fresh` does not mention it, `yaml` requests a rule after Python failed.
    Events of earlier rounds are ignored.
    """

    round: int
    kind: RoundKind
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class CancelRound:
    """Stop the work in progress. The ledger keeps the responses that were paid for."""


@dataclass(frozen=True, kw_only=True)
class OpenEditor:
    """Open the user's editor with the last edited text, else the best artifact, else a template."""

    line: int | None = None


@dataclass(frozen=True, kw_only=True)
class Validate:
    """Check the user's text in all tiers, without a model."""

    round: int
    text: str


@dataclass(frozen=True, kw_only=True)
class ChangeRule:
    """Change the fields of the rule by an operation, and check the result in all tiers, without a model."""

    round: int
    operation: Operation
    text: str
    path: str
    start: int | None = None


@dataclass(frozen=True, kw_only=True)
class UndoChange:
    """Take back the last change."""

    round: int


@dataclass(frozen=True, kw_only=True)
class RestoreOriginal:
    """Discard the user's text that did not pass. Its file is kept."""


@dataclass(frozen=True, kw_only=True)
class ResumeDraft:
    """Check the waiting draft as if it were an edit. Later rounds continue in its run."""

    round: int


@dataclass(frozen=True, kw_only=True)
class ChangeSource:
    """Change the source of later rounds: how `dates` are read, the `hint`, and whether `python` is allowed."""

    dates: str = ""
    hint: str = ""
    python: bool = False


@dataclass(frozen=True, kw_only=True)
class SuggestName:
    """Request the artifact's current name as a `Named` event."""


@dataclass(frozen=True, kw_only=True)
class Commit:
    """Write the artifact under its name, with the engine that must run it."""

    name: str


Effect: TypeAlias = (
    StartRound
    | CancelRound
    | OpenEditor
    | Validate
    | ChangeRule
    | UndoChange
    | RestoreOriginal
    | ResumeDraft
    | ChangeSource
    | SuggestName
    | Commit
)
