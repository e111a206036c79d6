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
    "whole_file",  # a whole file would replace an existing one
    "syntax",  # a file that parsed would not parse any more
    "bidi",  # a bidirectional control character that is new in the file
    "repeated",  # a warning only: a duplicate block
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
    "elided",  # FIND and REPLACE leave out the same lines with "..."
    "whole_line",  # FIND ends or starts inside a line, and REPLACE has the whole line
    "insert",  # at a line number that a tool call gives
    "every",  # several places, as a tool call requests
    "create",
    "delete",
    "move",
    "whole_file",
]
Format = Literal["change", "search_replace", "apply_patch", "unified_diff", "tool_call", "xml", "whole_file"]
Lines = tuple[str, ...]
LineRange = tuple[int, int]  # first and last line, counted from 1


@dataclass(frozen=True, kw_only=True, slots=True)
class EditBlock:
    """One change as parsed from a reply, before it is matched. Lines have no line ending.

    `kind` "whole" replaces or creates a file, "move" only renames it, and "insert" adds lines after `after_line`.
    """

    number: int
    find: Lines
    replace: Lines
    description: str = ""
    path: str | None = None
    path_is_sure: bool = True  # False for a line above the block, which may be prose
    kind: Literal["edit", "add", "delete", "hunk", "move", "insert", "whole"] = "edit"
    move_to: str | None = None
    anchor: str | None = None  # a patch: the match is after this line
    outer_anchors: Lines = ()  # a patch: lines above `anchor`, outer ones first
    at_end: bool = False  # apply-patch: the match ends the file
    line_hint: int | None = None  # unified diff: the line that the hunk claims, from 1; it only breaks a tie
    final_newline: bool | None = None  # unified diff: the new state of the file's final newline, if it changes
    after_line: int | None = None  # an insertion: 0 inserts before the first line
    every: bool = False  # a tool call: replace every place of FIND
    places: int | None = None  # a tool call: how many places it expects
    lead: str = ""  # the indentation of the markers, which the texts may have, too
    format: Format = "change"
    reply_line: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Remainder:
    """A part of a reply that looks like an edit and was not understood: its line (from 1), first words, reason."""

    line: int
    text: str
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplyReading:
    """The edits of a reply in order, each with its `format`, and the parts that were not understood.

    If `unread` is not empty, the reply must not be applied. `prose` has the lines around the edits, up to the first
    part that was not understood.
    """

    edits: tuple[EditBlock, ...] = ()
    unread: tuple[Remainder, ...] = ()
    prose: str = ""


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
    format: Format = "change"


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
    """The result of applying a reply to files: all edits, or none.

    `files` only has changes: it maps a path to the new text, or None for a deleted file. It is empty if refused.
    `unread` names the parts of the reply that were not understood. If there is one, the reply is refused.
    """

    outcome: Outcome
    error: Code | None = None
    files: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
    edits: tuple[Edit, ...] = ()
    issues: tuple[EditIssue, ...] = ()
    unread: tuple[Remainder, ...] = ()


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
