"""What happens to the wizard, and what it wants done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

ArtifactKind: TypeAlias = Literal["yaml", "python"]
FailureKind: TypeAlias = Literal["exhausted", "no_progress", "transport"]
RoundKind: TypeAlias = Literal["new", "fresh", "hint", "yaml"]
KeyName: TypeAlias = Literal["enter", "h", "e", "r", "y", "n", "d", "m", "t", "escape"]


@dataclass(frozen=True, kw_only=True)
class Invoked:
    """Somebody asks for a rule for `paths`.

    Before anything is asked of a model: `draft` says that one of these paths waits, `questions` that only a person can
    read some dates, `preview` that the person wants to see first what leaves the machine.
    """

    paths: Sequence[str]
    draft: bool = False
    questions: bool = False
    preview: bool = False


@dataclass(frozen=True, kw_only=True)
class Key:
    """A key was pressed; Enter in the field for a hint is `HintGiven`."""

    name: KeyName


@dataclass(frozen=True, kw_only=True)
class HintGiven:
    """A hint was typed and entered; `computes` is the word in it that speaks of a computation, "" for none."""

    text: str
    computes: str = ""


@dataclass(frozen=True, kw_only=True)
class RoundPassed:
    """What round `round` made, or what a person wrote in it, passed all tiers and is a draft.

    `hash` is that of the artifact. `questions` says that some dates in it can be read in two ways.
    """

    round: int
    kind: ArtifactKind
    hash: str
    questions: bool = False


@dataclass(frozen=True, kw_only=True)
class Retrying:
    """An answer of round `round` failed and is asked again: retry `number` of at most `most`, because of `error`."""

    round: int
    number: int
    most: int
    error: str


@dataclass(frozen=True, kw_only=True)
class Failed:
    """Round `round` ended without an artifact that passes.

    `message` says why and, for transport, what to do. `has_output` says that something can be edited; `yaml_left` that
    Python failed and a rule with fewer fields could still be tried; `stands` the kind of an earlier artifact that
    passes and still stands.
    """

    round: int
    kind: FailureKind
    message: str
    has_output: bool = False
    yaml_left: bool = False
    stands: ArtifactKind | None = None


@dataclass(frozen=True, kw_only=True)
class Edited:
    """The editor ended well and the text is another."""

    text: str


@dataclass(frozen=True, kw_only=True)
class NotEdited:
    """The editor changed nothing, failed or was killed; `reason` says which, and where a changed text is kept."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class NotValid:
    """What a person wrote fails: the errors, worst first, and the line of the first."""

    round: int
    errors: Sequence[str]
    line: int | None = None


@dataclass(frozen=True, kw_only=True)
class Named:
    """The name under which the artifact is to be kept: whether it is valid, and whether another has it already."""

    name: str
    valid: bool = True
    taken: bool = False


@dataclass(frozen=True, kw_only=True)
class Committed:
    """The artifact is written into the file `path`."""

    path: str


@dataclass(frozen=True, kw_only=True)
class NotCommitted:
    """The artifact could not be written; `reason` says why. It is a draft still."""

    reason: str


Event: TypeAlias = (
    Invoked
    | Key
    | HintGiven
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
    """Ask for an artifact: `new` keeps what failed as rejected by the person, `fresh` forgets it, `yaml` asks for a
    rule where Python failed. What round `round` reports counts; what an earlier one still reports does not.
    """

    round: int
    kind: RoundKind
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class CancelRound:
    """Stop what is under way; the ledger keeps what was paid for."""


@dataclass(frozen=True, kw_only=True)
class OpenEditor:
    """Hand the artifact over to the person's editor: the text last written, else the best so far, else a template."""

    line: int | None = None


@dataclass(frozen=True, kw_only=True)
class Validate:
    """Check what a person wrote, by all tiers, without a model."""

    round: int
    text: str


@dataclass(frozen=True, kw_only=True)
class RestoreOriginal:
    """Put away what a person wrote and did not get right; the text is kept aside."""


@dataclass(frozen=True, kw_only=True)
class TakeUpDraft:
    """Check the draft that waits for these paths as if it were an edit; rounds go on in its run."""

    round: int


@dataclass(frozen=True, kw_only=True)
class ChangeJob:
    """Ask otherwise from now on: `dates` says how to read them, `hint` what was said, `python` that it may help."""

    dates: str = ""
    hint: str = ""
    python: bool = False


@dataclass(frozen=True, kw_only=True)
class SuggestName:
    """Say by `Named` which name the artifact has now."""


@dataclass(frozen=True, kw_only=True)
class Commit:
    """Write the artifact under its name, with the engine that must run it."""

    name: str


Effect: TypeAlias = (
    StartRound | CancelRound | OpenEditor | Validate | RestoreOriginal | TakeUpDraft | ChangeJob | SuggestName | Commit
)
