"""Parses unified diffs, of git and of models that do not count: a hunk is placed by its lines, not by its numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from retouch.edits.reply_lines import hunk_lines, malformed
from retouch.edits.values import EditBlock, is_blank

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from retouch.edits.values import Lines, Refusal

_GIT = re.compile(r'diff --git (?:"?a/)?(.+?)"? "?b/(.+?)"?$')
_OLD = re.compile(r"--- (\S.*?)[ \t]*$")
_NEW = re.compile(r"\+\+\+ (\S.*?)[ \t]*$")
_HUNK = re.compile(
    r"@@(?:[ \t]+-(\d+)(?:,(\d+))?[ \t]+\+(\d+)(?:,(\d+))?[ \t]*(?:@@)?|[ \t]*\.{3}[ \t]*@@)?[ \t]*(.*?)[ \t]*$"
)
_ABOUT_FILE = re.compile(
    r"(?:index [0-9a-f]+\.\.|similarity index|dissimilarity index|Index: |={20,}$|deleted file mode)"
)
_MODE = re.compile(r"(?:old|new) mode \d+$")
_RENAME = re.compile(r"rename (from|to) (\S.*?)[ \t]*$")
_UNREADABLE = re.compile(r"(?:Binary files .* differ$|GIT binary patch$|copy (?:from|to) )")
_DATE = re.compile(r"\t.*$|[ ]+\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*$")
_NO_NEWLINE = "\\ No newline"
_FIX = (
    "Send the whole diff again: --- a/path, +++ b/path, then each hunk after a line @@ with every line marked by a "
    "space, a minus or a plus."
)
_NOWHERE = "/dev/null"


def is_diff_start(lines: Sequence[str], number: int) -> bool:
    """Return whether a unified diff starts at this line, with or without its file headers."""
    line = lines[number]
    if line.startswith("--- "):
        return number + 1 < len(lines) and _NEW.match(lines[number + 1]) is not None
    if line.startswith("@@"):
        return _is_hunk(lines, number)
    return _GIT.match(line) is not None or (
        line.startswith("Index: ") and any(one.startswith("--- ") for one in lines[number + 1 : number + 4])
    )


def _is_hunk(lines: Sequence[str], number: int) -> bool:
    """Return whether a line with @@ is followed by lines of a hunk or by another line with @@."""
    after = lines[number + 1] if number + 1 < len(lines) else ""
    return _HUNK.match(lines[number]) is not None and (after[:1] in {" ", "+", "-"} or after.startswith("@@"))


def read_diff(
    lines: Sequence[str], number: int, stop: int, *, fenced: bool, path: str | None = None, known: Collection[str] = ()
) -> tuple[list[EditBlock], int]:
    """Return the hunks of the diff from line `number` on as blocks (not numbered), and the line after it.

    In a fence every line up to `stop` belongs to the diff. Otherwise it ends at the first line that cannot be its own.
    `path` is used for hunks without file headers.

    Raises:
        Refusal: (malformed) a line is not understood.
    """
    reading = _Diff(
        lines=lines, number=number, stop=stop, fenced=fenced, known=known, section=_Section(old=path, new=path)
    )
    reading.read()
    return reading.found, reading.number


@dataclass
class _Section:
    """The part of a diff about one file."""

    old: str | None = None
    new: str | None = None
    line: int = 0
    renamed: bool = False
    is_new: bool = False
    has_header: bool = False
    mode_changed: bool = False
    hunks: int = 0


@dataclass
class _Diff:
    """One pass over the lines of a diff."""

    lines: Sequence[str]
    number: int
    stop: int
    fenced: bool
    known: Collection[str]
    section: _Section
    found: list[EditBlock] = field(default_factory=list[EditBlock])

    def read(self) -> None:
        while self.number < self.stop:
            line = self.lines[self.number]
            if is_blank(line):
                if not self.fenced and not self._goes_on():
                    break
                self.number += 1
            elif not self._line(line):
                if self.fenced:
                    raise self._malformed(f"{line.strip()[:60]!r} is not a line of a diff")
                break
        self._finish()

    def _goes_on(self) -> bool:
        ahead = self.number
        while ahead < self.stop and is_blank(self.lines[ahead]):
            ahead += 1
        return ahead < self.stop and is_diff_start(self.lines, ahead)

    def _line(self, line: str) -> bool:
        """Read one header line or a hunk. Return False if the line is neither."""
        if match := _GIT.match(line):
            self._finish()
            self.section = _Section(old=match[1], new=match[2], line=self.number, has_header=True)
        elif line.startswith("--- ") and is_diff_start(self.lines, self.number):
            self._names(line)
            self.number += 1
        elif line.startswith("@@"):
            self._hunk()
            return True
        elif _UNREADABLE.match(line):
            raise self._malformed(f"{line.strip()[:60]!r} cannot be applied")
        elif not self._about_file(line):
            return self._hunk_without_header(line)
        self.number += 1
        return True

    def _about_file(self, line: str) -> bool:
        if match := _RENAME.match(line):
            self.section.renamed = True
            if match[1] == "from":
                self.section.old = match[2]
            else:
                self.section.new = match[2]
            return True
        self.section.is_new = self.section.is_new or line.startswith("new file mode")
        self.section.mode_changed = self.section.mode_changed or _MODE.match(line) is not None
        if line.startswith("deleted file mode"):
            self.section.new = _NOWHERE
        return bool(_ABOUT_FILE.match(line) or _MODE.match(line) or line.startswith("new file mode"))

    def _hunk_without_header(self, line: str) -> bool:
        if self.section.hunks or not self.fenced or line[0] not in " +-":
            return False
        self._hunk(with_header=False)
        return True

    def _names(self, line: str) -> None:
        """Start a section by its two header lines, unless a git header has started it."""
        old, new = _OLD.match(line), _NEW.match(self.lines[self.number + 1])
        if self.section.hunks or not self.section.has_header:
            self._finish()
            self.section = _Section(line=self.number, has_header=True)
        if old and new:
            names = [_DATE.sub("", one[1]).strip().strip('"') for one in (old, new)]
            if all(name[:2] in {"a/", "b/"} or name == _NOWHERE for name in names):
                names = [name if name == _NOWHERE else name[2:] for name in names]
            self.section.old, self.section.new = names

    def _finish(self) -> None:
        section = self.section
        if not section.has_header or section.hunks:
            return
        if section.renamed and section.old and section.new:
            self.found.append(replace(self._block((), ()), kind="move", move_to=section.new))
        elif section.is_new and section.new:
            self.found.append(replace(self._block((), ()), kind="add"))
        elif section.new == _NOWHERE:
            self.found.append(replace(self._block((), ()), kind="delete"))
        else:
            what = "a change of the file mode cannot be applied" if section.mode_changed else "the diff has no hunk"
            raise malformed(section.line, what, _FIX)

    def _hunk(self, *, with_header: bool = True) -> None:
        start = self.number
        match = _HUNK.match(self.lines[start]) if with_header else None
        self.number += with_header
        outer: list[str] = []
        while match is not None and self._line_here().startswith("@@") and _is_hunk(self.lines, self.number):
            outer.append(match[5])
            match = _HUNK.match(self._line_here())
            self.number += 1
        taken = self._counted(match) or self._uncounted()
        if not any(line[:1] in {"+", "-"} for line in taken):
            self.number = start
            raise self._malformed("the hunk changes nothing")
        signed = [line or " " for line in taken if not line.startswith("\\")]
        find = tuple(line[1:] for line in signed if line[0] != "+")
        new = tuple(line[1:] for line in signed if line[0] != "-")
        self.section.hunks += 1
        self._add_hunk(find, new, _final_newline(taken), match, tuple(one for one in outer if one), start)

    def _add_hunk(
        self, find: Lines, new: Lines, final: bool | None, match: re.Match[str] | None, outer: Lines, start: int
    ) -> None:
        section = self.section
        block = self._block(find, new)
        self.number, after = start, self.number
        if section.old == _NOWHERE:
            if find or section.hunks > 1:
                raise self._malformed("a new file has lines that are not added")
            block = replace(block, kind="add", final_newline=final)
        elif section.new == _NOWHERE:
            if new or section.hunks > 1:
                raise self._malformed("a deleted file has lines that stay")
            block = replace(block, kind="delete")
        else:
            block = replace(
                block,
                kind="hunk",
                move_to=section.new if section.renamed and section.new != section.old else None,
                anchor=(match[5] if match is not None else "") or None,
                outer_anchors=outer,
                line_hint=int(match[1]) if match is not None and match[1] else None,
                final_newline=final,
                reply_line=start + 1,
            )
        self.number = after
        self.found.append(block)

    def _counted(self, match: re.Match[str] | None) -> list[str] | None:
        """Return the lines of a hunk whose header has the right counts, or None."""
        if match is None or not match[1]:
            return None
        old_left, new_left = int(match[2] or 1), int(match[4] or 1)
        ahead = self.number
        while (old_left or new_left) and ahead < self.stop:
            sign = self.lines[ahead][:1] or " "
            if sign not in " +-" or sign == "\\":
                if sign == "\\":
                    ahead += 1
                    continue
                return None
            old_left -= sign != "+"
            new_left -= sign != "-"
            ahead += 1
        if old_left or new_left:
            return None
        while ahead < self.stop and self.lines[ahead].startswith("\\"):
            ahead += 1
        after = self.lines[ahead] if ahead < self.stop else ""
        if (
            after[:1] in {" ", "+", "-"}
            and not is_blank(after)
            and not is_diff_start(self.lines, ahead)
            and after != "-- "
        ):
            return None
        taken = list(self.lines[self.number : ahead])
        self.number = ahead
        return taken

    def _uncounted(self) -> list[str]:
        """Return the lines up to the next header, or up to a line that is not marked."""
        start = self.number
        while self.number < self.stop:
            line = self.lines[self.number]
            if line[:1] not in {"", " ", "+", "-", "\\"} or line == "-- ":
                break
            if line.startswith("--- ") and is_diff_start(self.lines, self.number):
                break
            self.number += 1
        return hunk_lines(self.lines[start : self.number])

    def _line_here(self) -> str:
        return self.lines[self.number] if self.number < self.stop else ""

    def _block(self, find: Lines, new: Lines) -> EditBlock:
        section = self.section
        path = section.new if section.old in {None, _NOWHERE} or self._is_better(section) else section.old
        return EditBlock(
            number=0, find=find, replace=new, path=path, format="unified_diff", reply_line=section.line + 1
        )

    def _is_better(self, section: _Section) -> bool:
        """Return whether the new name is the file's: the old one is a copy such as `a.py.orig`."""
        return (
            not section.renamed
            and section.new not in {None, _NOWHERE, section.old}
            and (section.new in self.known or section.old not in self.known)
        )

    def _malformed(self, what: str) -> Refusal:
        return malformed(min(self.number, len(self.lines) - 1), what, _FIX)


def _final_newline(taken: Sequence[str]) -> bool | None:
    """Return whether the new text ends with a newline, if the hunk changes that."""
    old_has = new_has = True
    for above, line in pairwise(taken):
        if line.startswith(_NO_NEWLINE):
            old_has = old_has and above[:1] == "+"
            new_has = new_has and above[:1] == "-"
    return new_has if old_has != new_has else None
