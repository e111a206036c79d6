"""The values of this package: a change as parsed from a reply, an applied edit, and issues."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Outcome = Literal["applied", "refused"]
Code = Literal[
    "ambiguous",
    "not_found",
    "malformed",
    "no_blocks",
    "truncated",
    "empty_find",
    "no_change",
    "conflict",
    "elision",
    "no_target",
    "path",
    "exists",
    "executable",  # a file that runs commands without being started
    "bidi",  # a bidirectional control character that is new in the file
    "repeated",  # a warning only: the same block twice
]
MatchKind = Literal[
    "exact",
    "chained",  # exact, in the text that an earlier edit of the same reply wrote
    "inline",
    "first_line",  # the indentation of the first line is missing
    "trailing_ws",
    "indent",
    "quotes",
    "edge_blank",  # FIND has a blank line at an edge that is not in the file
    "line_numbers",  # FIND has the line numbers of a listing
    "create",
    "delete",
]
Lines = tuple[str, ...]
LineRange = tuple[int, int]  # first and last line, counted from 1


@dataclass(frozen=True, kw_only=True, slots=True)
class EditBlock:
    """One change as parsed from a reply, before it is matched. Lines have no line ending."""

    number: int
    find: Lines
    replace: Lines
    description: str = ""
    path: str | None = None
    path_is_sure: bool = True  # False for a line above the block, which may be prose
    kind: Literal["edit", "add", "delete", "hunk"] = "edit"
    move_to: str | None = None
    anchor: str | None = None  # apply-patch: the match is after this line
    at_end: bool = False  # apply-patch: the match ends the file
    reply_line: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """One applied edit: the matched text, its place, and the kind of match. `match_lines` is None for a new file."""

    number: int
    description: str
    path: str
    find: str
    replace: str
    tier: MatchKind
    match_lines: LineRange | None


@dataclass(frozen=True, kw_only=True, slots=True)
class EditIssue:
    """An issue of a reply or of one of its edits. `message` is for the model and the user."""

    code: Code
    message: str
    fix: str = ""
    severity: Literal["error", "warning"] = "error"
    edits: tuple[int, ...] = ()  # numbers of the edits concerned, from 1
    path: str | None = None
    lines: tuple[LineRange, ...] = ()  # places in the file that the message refers to
    reply_line: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class EditResult:
    """The result of applying a reply to texts: all edits, or none.

    `files` only has changes: it maps a path to the new text, or None for a deleted file. It is empty if refused.
    """

    outcome: Outcome
    error: Code | None = None
    files: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
    edits: tuple[Edit, ...] = ()
    issues: tuple[EditIssue, ...] = ()


class Refusal(Exception):
    """Raised inside this package with the issue that refuses one edit or the whole reply."""

    def __init__(self, issue: EditIssue) -> None:
        super().__init__(issue.message)
        self.issue = issue


def text_of(lines: Lines) -> str:
    r"""Return the lines as text that `lines_of` can split again: no final newline, unless the last line is blank."""
    text = "\n".join(lines)
    return text + "\n" if lines and not lines[-1] else text


def lines_of(text: str) -> Lines:
    r"""Return the lines of a block's text, with or without a final newline. "" has no line."""
    if not text:
        return ()
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return tuple(line.removesuffix("\r") for line in lines)


def is_blank(line: str) -> bool:
    """Return whether the line has no visible character."""
    return not line or line.isspace()


def visible_characters(lines: Lines) -> int:
    """Return the number of characters in the lines that are not whitespace."""
    return sum(len("".join(line.split())) for line in lines)
