"""A rule or function that passed all checks and is not approved yet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeAlias

from retouch._lib.hashing import text_hash
from retouch.recipes.rule.asking.source import RuleJob  # noqa: TC001 - pydantic reads the annotations
from retouch.recipes.rule.judging.artifact import Kind  # noqa: TC001 - the same

State: TypeAlias = Literal["PENDING", "COMMITTED", "EXPIRED", "MANUAL_EDIT"]
LASTS = timedelta(hours=24)


@dataclass(frozen=True, kw_only=True)
class Draft:
    """One draft. Its `id` has 8 hexadecimal digits.

    `validated` is the hash of the text that passed. `engine` names the sandbox that must run a function, "" for a rule.
    `run` is the run directory that it came from. `project` is the directory of its project, "" for a draft of an
    earlier version. `committed_to` is the file that approval wrote.
    """

    id: str
    state: State
    kind: Kind
    name: str
    text: str
    validated: str
    engine: str
    coverage: float
    created_at: datetime
    job: RuleJob
    run: str = ""
    project: str = ""
    committed_to: str = ""

    def as_of(self, now: datetime) -> Draft:
        """Return the draft in its state at `now`. A draft that waited for a day has expired."""
        waiting = self.state in {"PENDING", "MANUAL_EDIT"}
        return replace(self, state="EXPIRED") if waiting and now - self.created_at >= LASTS else self

    @property
    def unchanged(self) -> bool:
        """Whether the text is still the one that passed."""
        return text_hash(self.text) == self.validated


def now_utc() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)
