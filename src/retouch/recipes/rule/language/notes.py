"""Collects the problems of a rule while it is read, each with its place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from retouch.engine.types import Tier
from retouch.recipes.rule.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.engine.types import Severity
    from retouch.recipes.rule.errors import PartError
    from retouch.recipes.rule.language.yaml_nodes import YamlNode

MAX_MESSAGE_CHARS: Final = 300


class Placed(Protocol):
    """Anything that has a position in a text."""

    @property
    def line(self) -> int:
        """Counts from 1."""
        ...

    @property
    def column(self) -> int:
        """Counts from 1."""
        ...


@dataclass(kw_only=True)
class Notes:
    """The problems of one text, whose `lines` are used for snippets.

    `first_line` is the number of lines before the part that is read.
    """

    lines: Sequence[str]
    first_line: int = 0
    problems: list[Problem] = field(default_factory=list[Problem])

    def add(
        self,
        code: str,
        message: str,
        at: Placed,
        *,
        path: str = "",
        suggestion: str = "",
        severity: Severity = "error",
        tier: Tier = Tier.SCHEMA,
        offset: int = 0,
    ) -> None:
        """Add a problem that starts `offset` characters after `at`."""
        line = at.line + self.first_line
        column = at.column + offset
        problem = Problem(
            code=code,
            message=shortened(message),
            tier=tier,
            severity=severity,
            line=line,
            column=column,
            path=path,
            snippet=snippet(self.lines, line, column),
            suggestion=suggestion,
        )
        self.problems.append(problem)

    def part(self, error: PartError, node: YamlNode, *, path: str, severity: Severity = "error") -> None:
        """Add a problem inside of a scalar's text."""
        exact = (
            node.style in {"", "'"} and "'" not in node.text[: error.position]
        )  # else the text differs from its source
        offset = error.position + (node.style == "'") if exact else 0
        self.add(error.code, error.message, node, path=path, suggestion=error.hint, severity=severity, offset=offset)

    def has_errors(self) -> bool:
        """Return whether any problem is an error."""
        return any(one.severity == "error" for one in self.problems)


def shortened(message: str) -> str:
    """Return a message of at most 300 characters."""
    return message if len(message) <= MAX_MESSAGE_CHARS else f"{message[: MAX_MESSAGE_CHARS - 1]}…"


def snippet(lines: Sequence[str], line: int, column: int) -> str:
    """Return a line with the one before and the one after it, numbered, and a caret under the column."""
    shown: list[str] = []
    for number in range(max(line - 1, 1), min(line + 1, len(lines)) + 1):
        text = lines[number - 1].replace("\t", " ")[:160]
        shown.append(f"{number:>4} | {text}")
        if number == line:
            shown.append(f"     | {' ' * (min(column, 161) - 1)}^")
    return "\n".join(shown)
