"""The error tree. Every error describes what was found and has the next step as its `hint`.

RetouchError
├── Invalid              raised by a recipe's `read`: short for one issue
├── BadInput             a file, option or name that the user gave (exit status 2)
│   ├── BrokenFile       a file of a run directory that cannot be used; it is never overwritten
│   ├── UnknownName      a type, page, endpoint or recipe that does not exist
│   ├── MissingTool      a compiler, extra or program that is required and not installed
│   │   └── sandbox.Unavailable
│   └── edits.DirectoryError, locate.LocateError, YamlError
├── FolderBusy           another process writes into this run directory
├── StaleRun             the stored prompts belong to an older source
├── EditedByHand         a manual edit on disk would be overwritten (exit status 1)
├── CannotJudge          a check that an option asked for cannot judge anything (exit status 1)
├── RecipeBug            a recipe broke its contract, or one of its own functions raised
└── ModelError           a model gave no reply
    ├── TransportError   worth another try: 5xx, time-outs, cut streams
    │   ├── Throttled    the same, and there are too many requests at once: 429, 529
    │   └── LimitReached a limit of the user would be exceeded
    ├── OutputCapTooLarge   the server allows fewer output tokens; the engine asks again with its limit
    └── NoRecording      a replay has no reply for this request

`except retouch.RetouchError` catches everything that Retouch raises on purpose. Invalid arguments of a function, such
as an unknown name where Python code chooses from a fixed list, are `ValueError` and `TypeError` as everywhere in
Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch._lib.json_text import JSON


class RetouchError(Exception):
    """The root of all errors that Retouch raises on purpose; `hint` is the next step."""

    exit_status = 2

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message

    @property
    def on_one_line(self) -> str:
        """The message and the next step as sentences."""
        end = "" if self.message.endswith((".", "?", "!")) else "."
        return f"{self.message}{end} {self.hint}" if self.hint else self.message


class Invalid(RetouchError):
    """Raised by a recipe's `read` if an answer cannot become a value; the engine turns it into one issue.

    `tier` is 1, 2 or 3; None means 1.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        fix: str = "",
        tier: int | None = None,
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
    """A file of a run directory is damaged; it is left as it is."""


class DamagedRun(BrokenFile):
    """A run directory can be read, but a part of it was changed outside of Retouch; nothing is built on it."""


class UnknownName(BadInput):
    """A name that is not known; the message lists the known ones."""


class MissingTool(BadInput):
    """A program or an extra that is required is not installed; the hint is the command that installs it."""


class FolderBusy(RetouchError):
    """Another process writes into this run directory."""


class StaleRun(RetouchError):
    """The stored prompts were computed from another source than the present one."""


class EditedByHand(RetouchError):
    """A file on disk is missing, or differs from what was last written there, and would be overwritten."""

    exit_status = 1


class CannotJudge(RetouchError):
    """A check that an option requested cannot judge anything here, so no model is called."""

    exit_status = 1


class RecipeBug(RetouchError):
    """A recipe broke its contract, for example by naming an unknown unit, or one of its functions raised."""


class ModelError(RetouchError):
    """A model returned no reply, and another request would not help."""


class OutputCapTooLarge(ModelError):
    """A server does not allow as many output tokens as the request asks for; `limits` are the numbers that it names."""

    def __init__(self, message: str, *, hint: str = "", limits: Sequence[int] = ()) -> None:
        super().__init__(message, hint=hint)
        self.limits = tuple(limits)

    def below(self, cap: int) -> int:
        """Return the largest cap below `cap` that the server may allow: one that it names, else half of `cap`."""
        return max((one for one in self.limits if 0 < one < cap), default=cap // 2)


class TransportError(ModelError):
    """A model returned no reply for a transient reason; `retry_after_s` is the wait that the server requested.

    `again` is False if the server stated that a retry would not help for now. `heals` is False for a failure that may
    be the server's habit: a few identical ones in a row end the tries. `received` is the `Reply` as far as it had been
    received, and perhaps paid for, None if nothing had.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        retry_after_s: float | None = None,
        again: bool = True,
        heals: bool = True,
        received: object = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s
        self.again = again
        self.heals = heals
        self.received = received


class Throttled(TransportError):
    """A model returned no reply because it gets too many requests at once: fewer calls would help."""


class LimitReached(TransportError):
    """A request was not sent: it might have exceeded a limit that the user set."""

    exit_status = 3


class NoRecording(ModelError):
    """A replay holds no reply for this request."""
