"""What can be wrong with a rule: one problem, and the error that carries all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.engine.types import Tier
from retouch.errors import BadInput

if TYPE_CHECKING:
    from retouch.engine.types import Severity


class PartError(Exception):
    """What is wrong with a part of a rule (a glob, a regex, a date format), and where in its text.

    `position` counts from 0; `hint` is what to write instead. `code` is the problem that it becomes.
    """

    def __init__(self, code: str, message: str, *, position: int = 0, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.position = position
        self.hint = hint


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing that is wrong with the text of a rule.

    `line` and `column` count from 1 in the text that was given; `path` names the part, as in "extract.date.from";
    `snippet` is up to three lines with a caret; `suggestion` is what to write instead.
    """

    code: str
    message: str
    tier: Tier = Tier.SCHEMA
    severity: Severity = "error"
    line: int = 1
    column: int = 1
    path: str = ""
    snippet: str = ""
    suggestion: str = ""

    def __str__(self) -> str:
        where = f"line {self.line}, column {self.column}" + (f", {self.path}" if self.path else "")
        return f"{where}: [{self.code}] {self.message}"


class InvalidRule(BadInput):
    """The text is no rule; `problems` holds everything that is wrong with it, in the order of its lines."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        errors = [one for one in problems if one.severity == "error"]
        many = f"the rule has {len(errors)} errors:\n" if len(errors) > 1 else ""
        super().__init__(
            many + "\n".join(map(str, errors)),
            hint="\n".join(dict.fromkeys(one.suggestion for one in errors if one.suggestion)),
        )
        self.problems = problems
