"""What a run tells while it works, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from retouch.engine.types import issue_to_json

if TYPE_CHECKING:
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.types import Issue, Reply

Kind: TypeAlias = Literal[
    "asked", "waiting", "text", "answered", "failed", "mended", "repairing", "settled", "checking", "batch", "done"
]
Status: TypeAlias = Literal["clean", "issues", "exhausted", "incomplete"]
ISSUE_KEYS = ("code", "tier", "unit", "page", "line", "message", "fix", "severity")


@dataclass(frozen=True, kw_only=True)
class Progress:
    """One thing that happened: `done` of `total` pages have an answer; `text` says more to a person.

    `reply` is what was answered, where that is what happened now; None where an earlier process had it already.
    """

    kind: Kind
    unit: str = ""
    page: int = 0
    text: str = ""
    done: int = 0
    total: int = 0
    reply: Reply | None = None


Watch: TypeAlias = Callable[[Progress], None]


class Tell(Protocol):
    """Tells the watcher of a run, if there is one."""

    def __call__(self, kind: Kind, unit: str = "", page: int = 0, text: str = "", reply: Reply | None = None) -> None:
        """Say that something happened."""
        ...


def told(issue: Issue) -> dict[str, JSON]:
    """Return what the commands tell of an issue, as plain data with stable keys."""
    plain = issue_to_json(issue)
    return {key: plain[key] for key in ISSUE_KEYS}


def unit_state(*, adopted: bool, failing: bool, ended: str, complete: bool) -> str:
    """Return how a unit stands: unanswered, answered, failing, exhausted, disputed or adopted.

    `ended` is "exhausted" or "disputed" when its loop gave up; `complete` says that every page has an answer.
    """
    if adopted:
        return "adopted"
    if failing and ended:
        return ended
    if not complete:
        return "unanswered"
    return "failing" if failing else "answered"


def status_of(states: Iterable[str], *, failing: bool) -> Status:
    """Return how a run stands, from the states of its units and whether any error is left."""
    found = set(states)
    if "exhausted" in found:
        return "exhausted"
    if "unanswered" in found:
        return "incomplete"
    return "issues" if failing else "clean"


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """What one verb came to: `calls` and tokens are those of the replies that came in by it.

    So a reply of a batch counts where it is collected, and one that a killed process left behind does not count again.

    `states` says how each unit stands: unanswered, answered, failing, exhausted, disputed or adopted. `notes` are
    sentences for the person, such as a file that was kept because somebody edited it.
    """

    run: Path
    status: Status
    issues: tuple[Issue, ...] = ()
    states: tuple[tuple[str, str], ...] = ()
    files: tuple[str, ...] = ()
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    notes: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """All tokens, in and out."""
        return self.input_tokens + self.output_tokens

    @property
    def exit_status(self) -> int:
        """0 clean, 1 issues remain, 3 a budget is exhausted."""
        return {"clean": 0, "issues": 1, "incomplete": 1, "exhausted": 3}[self.status]

    def as_json(self) -> dict[str, JSON]:
        """Return the result as plain data with stable keys."""
        return {
            "run": str(self.run),
            "status": self.status,
            "issues": [told(issue) for issue in self.issues],
            "files": list(self.files),
            "calls": self.calls,
            "tokens": self.tokens,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cached_tokens": self.cached_tokens,
            "notes": list(self.notes),
        }
