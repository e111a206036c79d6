"""Problems of a rule, and the error that carries all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.engine.types import Tier
from retouch.errors import BadInput

if TYPE_CHECKING:
    from retouch.engine.types import Severity


class PartError(Exception):
    """A problem of a part of a rule (a glob, a regex, a date format), with its position in the text of the part.

    `position` counts from 0. `hint` is the correction. `code` is the code of the resulting problem.
    """

    def __init__(self, code: str, message: str, *, position: int = 0, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.position = position
        self.hint = hint


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One problem of the text of a rule.

    `line` and `column` count from 1 in the given text. `path` names the part, for example "extract.date.from".
    `snippet` is up to three lines with a caret. `suggestion` is the correction.
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
    """The text is not a valid rule. `problems` holds all problems, ordered by line."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        errors = [one for one in problems if one.severity == "error"]
        many = f"the rule has {len(errors)} errors:\n" if len(errors) > 1 else ""
        super().__init__(
            many + "\n".join(map(str, errors)),
            hint="\n".join(dict.fromkeys(one.suggestion for one in errors if one.suggestion)),
        )
        self.problems = problems
