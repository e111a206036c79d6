"""The error tree. Every error says what was seen and carries the next step as its `hint`.

RetouchError
├── Invalid              raised by a recipe's `read`: short for one issue
├── BadInput             a file, option or name that the user gave (exit status 2)
│   ├── BrokenFile       a file of a run folder that cannot be used; it is never overwritten
│   ├── UnknownName      a type, page, endpoint or recipe that is not there
│   └── MissingTool      a compiler, extra or program that was asked for and is not installed
├── FolderBusy           another process writes into this run folder
├── StaleRun             stored prompts belong to an older source
├── EditedByHand         a block on disk that a person changed would be overwritten
├── RecipeBug            a recipe broke its contract
└── ModelError           a model gave no reply
    ├── TransportError   worth another try: 5xx, time-outs, cut streams
    │   └── Throttled    the same, and too much is asked at once: 429, 529
    └── NoRecording      a replay has no reply for this request
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch._lib.json_text import JSON
    from retouch.engine.types import Tier


class RetouchError(Exception):
    """The root of all errors that Retouch raises on purpose; `hint` is the next step."""

    exit_status = 2

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class Invalid(RetouchError):
    """Raised by a recipe's `read` when an answer cannot become a value; the engine turns it into one issue."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        fix: str = "",
        tier: Tier | None = None,
        page: int | None = None,
        line: int | None = None,
        detail: Mapping[str, JSON] | None = None,
    ) -> None:
        super().__init__(message, hint=fix)
        self.code = code
        self.fix = fix
        self.tier = tier
        self.page = page
        self.line = line
        self.detail: Mapping[str, JSON] = detail or {}


class BadInput(RetouchError):
    """Something that the user gave cannot be used."""


class BrokenFile(BadInput):
    """A file of a run folder is damaged; it is left as it is."""


class UnknownName(BadInput):
    """A name that is not known; the message lists what is."""


class MissingTool(BadInput):
    """A program or an extra that was asked for is not installed; the hint is the command that installs it."""


class FolderBusy(RetouchError):
    """Another process writes into this run folder."""


class StaleRun(RetouchError):
    """The stored prompts were computed from another source than the one that is there now."""


class EditedByHand(RetouchError):
    """A block on disk differs from what was last written there."""


class RecipeBug(RetouchError):
    """A recipe broke its contract, such as naming an unknown unit."""


class ModelError(RetouchError):
    """A model gave no reply, and asking again would not help."""


class TransportError(ModelError):
    """A model gave no reply for a passing reason; `retry_after_s` is what the server asked for.

    `again` is False when the server said that asking again would not help for now.
    """

    def __init__(self, message: str, *, hint: str = "", retry_after_s: float | None = None, again: bool = True) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s
        self.again = again


class Throttled(TransportError):
    """A model gave no reply because it is asked too much at once: fewer calls would help."""


class LimitReached(TransportError):
    """A request was not sent: it might have exceeded a limit that the person set."""

    exit_status = 3


class NoRecording(ModelError):
    """A replay holds no reply for this request."""
