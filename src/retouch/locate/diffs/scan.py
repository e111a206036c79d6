"""Parses unified diffs tolerantly: incorrect counts, lost spaces, several files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Sign: TypeAlias = Literal["-", "+", " "]

_HUNK = re.compile(r"@@+\s*(?:-(\d+)(?:,(\d+))?)?\s*(?:\+(\d+)(?:,(\d+))?)?\s*@@+ ?(.*)")
_OUTSIDE = ("diff ", "index ", "Index: ", "Only in ", "Binary files ", "new file mode ", "deleted file mode ", "=====")
_NOWHERE = "/dev/null"


@dataclass(frozen=True, kw_only=True)
class HunkLine:
    """One line of a hunk. `old` and `new` are 1-based. For an added line, `old` is the line that follows it."""

    sign: Sign
    old: int
    new: int
    text: str

    @property
    def is_changed(self) -> bool:
        """True if the line was removed or added."""
        return self.sign != " "


@dataclass(frozen=True, kw_only=True)
class Hunk:
    """One hunk. `section` is the text after the second `@@`."""

    section: str
    lines: tuple[HunkLine, ...]


@dataclass(frozen=True, kw_only=True)
class FileDiff:
    """The changes of one file. `path` is the new name without `a/` or `b/`, or empty if the diff has no name."""

    path: str
    hunks: tuple[Hunk, ...]


def scan(text: str) -> tuple[FileDiff, ...]:
    """Return the files of a unified diff that have at least one changed line.

    The start numbers of `@@` lines are used. Their counts are only used if a changed line looks like a file header. An
    empty line is a blank context line. A line without its leading space counts as context. `\\ No newline` marks and
    carriage returns are dropped.
    """
    reading = _Reading()
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if lines and not lines[-1]:
        lines.pop()
    at = 0
    while at < len(lines):
        at += reading.take(lines, at)
    return reading.finished()


class _Reading:
    """The state of one scan."""

    def __init__(self) -> None:
        self.files: list[FileDiff] = []
        self.path = ""
        self.hunks: list[Hunk] = []
        self.section = ""
        self.lines: list[HunkLine] | None = None  # None outside a hunk
        self.old = self.new = 1
        self.old_end = self.new_end = 1  # the end of the hunk, if its counts are correct

    def take(self, lines: Sequence[str], at: int) -> int:
        """Parse the text at `lines[at]`, and return the number of lines consumed."""
        line = lines[at]
        if _may_be_file_header(lines, at) and not self._is_counted(lines, at):
            self._end_file()
            self.path = _path_of(line, lines[at + 1])
            return 2
        if found := _HUNK.match(line):
            self._begin_hunk(found)
        elif line.startswith(_OUTSIDE):
            self._end_hunk()
        elif not line.startswith("\\"):
            self._content(line)
        return 1

    def finished(self) -> tuple[FileDiff, ...]:
        self._end_file()
        return tuple(self.files)

    def _begin_hunk(self, found: re.Match[str]) -> None:
        self._end_hunk()
        old, old_count, new, new_count, self.section = found.groups()
        self.old = max(1, int(old or new or 1))
        self.new = max(1, int(new or old or 1))
        self.old_end = self.old + int(old_count or 1)
        self.new_end = self.new + int(new_count or 1)
        self.lines = []

    def _is_counted(self, lines: Sequence[str], at: int) -> bool:
        """Return whether the hunk's counts require a removed `-- x` and an added `++ y` here."""
        left = (self.old_end - self.old, self.new_end - self.new) if self.lines is not None else (0, 0)
        ends_here = at + 2 >= len(lines) or lines[at + 2].startswith("@@")
        return left == (1, 1) if ends_here else min(left) >= 1

    def _content(self, line: str) -> None:
        if self.lines is None:
            if not line.startswith(("-", "+")) or not line[1:].strip():
                return  # text between files
            self.section, self.lines, self.old, self.new = "", [], 1, 1
        sign: Sign = "-" if line.startswith("-") else "+" if line.startswith("+") else " "
        text = line[1:] if line.startswith(("-", "+", " ")) else line
        self.lines.append(HunkLine(sign=sign, old=self.old, new=self.new, text=text))
        self.old += sign != "+"
        self.new += sign != "-"

    def _end_hunk(self) -> None:
        if self.lines and any(line.is_changed for line in self.lines):
            self.hunks.append(Hunk(section=self.section, lines=tuple(self.lines)))
        self.lines = None

    def _end_file(self) -> None:
        self._end_hunk()
        if self.hunks:
            self.files.append(FileDiff(path=self.path, hunks=tuple(self.hunks)))
        self.path, self.hunks = "", []


def _may_be_file_header(lines: Sequence[str], at: int) -> bool:
    """Return whether the line may be a header. A removed `-- x` and an added `++ y` look like one, too."""
    if not lines[at].startswith("--- ") or at + 1 >= len(lines) or not lines[at + 1].startswith("+++ "):
        return False
    return at + 2 >= len(lines) or lines[at + 2].startswith(("@@", "-", "+"))


def _path_of(old: str, new: str) -> str:
    before, after = (line[4:].split("\t")[0].strip().strip('"') for line in (old, new))
    name = before if after == _NOWHERE else after
    return re.sub(r"^[ab]/", "", name)
