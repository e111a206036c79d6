"""Reads a model's reply in any format: the edits, and the parts that look like edits and were not understood.

The reply is read from top to bottom. At each line the parsers of all formats are tried; the one that matches reads
its whole construct. A line that belongs to no construct is prose, unless it looks like a part of an edit.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

from retouch.edits.parse_change import ChangeReader, is_pair_start
from retouch.edits.parse_diff import is_diff_start, read_diff
from retouch.edits.parse_markers import is_marker, is_marker_start, read_marker_block
from retouch.edits.parse_patch import is_patch_line, is_patch_start, read_patch
from retouch.edits.parse_xml import is_tool_tag, is_wrapper_tag, read_tag
from retouch.edits.reply_lines import (
    closes,
    closing_choices,
    closing_line,
    fence_of,
    malformed,
    next_filled,
    path_in_info,
    path_in_label,
)
from retouch.edits.tool_calls import is_call_line, read_json_calls
from retouch.edits.values import EditBlock, EditIssue, Refusal, Remainder, ReplyReading, is_blank
from retouch.text import without_thinking

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_FIRST = frozenset('"<-*#FDRI \t>+~`@{[d')  # the first characters of lines that may start a construct
_CALL = re.compile(r"[ \t]*[\w.:-]+[ \t]*\([ \t]*(?=\{)")
_JSON = re.compile(r"[ \t]*(?=[{\[])")
_DIFF_LANGUAGES = frozenset({"diff", "patch", "udiff"})
_NOT_FILES = frozenset(
    {"bash", "sh", "shell", "zsh", "console", "terminal", "powershell", "cmd", "output", "log", "stdout"}
)
_DIFF_LINE = re.compile(r"(?:@@ -\d+(?:,\d+)? \+\d+|diff --git |(?:---|\+\+\+) [ab]/\S)")
_CALL_TAG = re.compile(
    r"[ \t]*</?(?:antml:)?(?:invoke|parameter|tool_call|function_calls|function=|apply_diff|replace_in_file)\b"
)
_FIX_REST = "Send every edit completely and in one format, or leave this part out."
_FIX_FILE = "Put the whole file in a fence that is longer than any run of backticks inside."
_MOST_SHOWN = 80


def read_reply(reply: str, *, known: Iterable[str] = ()) -> ReplyReading:
    """Return the edits of a reply in order, and the parts that look like edits and were not understood.

    The reply may mix formats. `known` are the paths of files that exist; they help to recognize a path on a line of its
    own. A reply without any edit gives an empty reading. Nothing is matched against a file.

    For example:
        >>> read_reply("FIND:\\n~~~\\na\\n~~~\\nREPLACE WITH:\\n~~~\\nb\\n~~~\\n").edits[0].format
        'change'
    """
    scan, issue = _scanned(reply, known)
    unread = () if issue is None else (remainder_of(issue, reply),)
    return ReplyReading(edits=tuple(scan.found), unread=unread, prose=scan.prose)


def remainder_of(issue: EditIssue, reply: str) -> Remainder:
    """Return the part of the reply that the issue is about."""
    lines = reply.split("\n")
    line = min(max(issue.reply_line or 1, 1), len(lines))
    text = lines[line - 1].strip()
    return Remainder(line=line, text=text[:_MOST_SHOWN] + ("…" if len(text) > _MOST_SHOWN else ""), why=issue.message)


def read_parts(reply: str, *, known: Iterable[str] = ()) -> tuple[list[EditBlock], EditIssue | None]:
    """Return the edits up to the first part that is not understood, and the issue of that part."""
    scan, issue = _scanned(reply, known)
    return scan.found, issue


def _scanned(reply: str, known: Iterable[str]) -> tuple[_Scan, EditIssue | None]:
    if "\0" in reply:
        return _Scan("", frozenset()), EditIssue(
            code="malformed", message="The reply contains a NUL byte.", fix="Send plain text."
        )
    text = _without_reasoning(reply.removeprefix("\ufeff")).replace("\r\n", "\n")
    scan = _Scan(text, frozenset(known))
    try:
        scan.run()
    except Refusal as refusal:
        return scan, refusal.issue
    return scan, None


def _without_reasoning(reply: str) -> str:
    """Return the reply with a leading block of reasoning replaced by blank lines, so that line numbers stay."""
    rest = without_thinking(reply)
    return "\n" * reply.count("\n", 0, len(reply) - len(rest)) + rest


class _Scan:
    """One pass over a reply."""

    def __init__(self, text: str, known: frozenset[str]) -> None:
        self.text = text
        self.lines: Sequence[str] = text.split("\n")
        self.known = known
        self.found: list[EditBlock] = []
        self.changes = ChangeReader(self.lines, self.found, self.known)
        self.fences: list[str] = []  # the markers of the fences around the current line
        self.last_end = -1  # the last line of the construct before
        self._offsets: list[int] | None = None
        self._number = 0  # the current line
        self._edits: list[range] = []  # the lines of the edits

    @property
    def prose(self) -> str:
        """The lines read so far that belong to no edit."""
        inside = {number for lines in self._edits for number in lines}
        return "\n".join(line for number, line in enumerate(self.lines[: self._number]) if number not in inside)

    def run(self) -> None:
        while self._number < len(self.lines):
            line = self.lines[self._number]
            if not line or (line[0] not in _FIRST and "({" not in line):
                self._number += 1
            else:
                self._number = self._step(self._number, line)
        self.changes.finish()

    def _step(self, number: int, line: str) -> int:
        """Read what starts at this line. Return the line after it."""
        after = self._construct(number, line)
        if after is not None:
            self.last_end = after - 1
            self._edits.append(range(number, after))
            return after
        after = self.changes.step(number)
        if after is not None:
            self._edits.append(range(number, after))
            self.last_end = after - 1 if after > number + 1 else self.last_end
            return after
        fence = fence_of(line)
        if fence is not None:
            return self._fence(number, *fence)
        self._refuse_remainder(number, line)
        return number + 1

    def _construct(self, number: int, line: str) -> int | None:
        """Read a construct other than CHANGE blocks and fences. Return the line after it, or None."""
        if is_marker_start(line):
            block, after = read_marker_block(
                self.lines, number, number=len(self.found) + 1, last_end=self.last_end, known=self.known
            )
            return self._take([block], after)
        if is_patch_start(line):
            return self._take(*read_patch(self.lines, number))
        if is_diff_start(self.lines, number):
            return self._diff(number)
        if is_tool_tag(line):
            return self._take(*self._at_offset(number, read_tag(self.text, self._offset(number), number)))
        return self._json(number, line)

    def _take(self, blocks: Sequence[EditBlock], after: int) -> int:
        self.changes.header_line = None
        for block in blocks:
            description = block.description or self.changes.description if self.changes.under_header else ""
            self.found.append(replace(block, number=len(self.found) + 1, description=description))
        return after

    def _diff(self, number: int) -> int:
        """Read a diff up to the end of the fence around it, or without a fence up to the first other line."""
        stop = closing_line(self.lines, number, self.fences[-1]) if self.fences else None
        path = self._label_above(number) if not self.fences else None
        blocks, after = read_diff(
            self.lines,
            number,
            len(self.lines) if stop is None else stop,
            fenced=False,
            path=path,
            known=self.known,
        )
        return self._take(blocks, after)

    def _json(self, number: int, line: str) -> int | None:
        start = _JSON.match(line) or _CALL.match(line)
        if start is None:
            return None
        found = read_json_calls(self.text, self._offset(number) + start.end(), number)
        if found is None:
            return None
        return self._take(*self._at_offset(number, found))

    def _at_offset(self, number: int, found: tuple[list[EditBlock], int]) -> tuple[list[EditBlock], int]:
        """Return the blocks and the line after the construct. More calls on its last line are read, too."""
        blocks, end = found
        blocks = list(blocks)
        line = number + self.text.count("\n", self._offset(number), end)
        stop = self._offset(line) + len(self.lines[line])
        while (rest := self.text[end:stop].strip(" \t,;)")) and rest[0] in "{[<":
            start = self.text.index(rest[0], end)
            more = read_json_calls(self.text, start, line) if rest[0] != "<" else None
            if more is None and rest[0] == "<" and is_tool_tag(rest):
                more = read_tag(self.text, start, line)
            if more is None:
                break
            blocks += more[0]
            end = more[1]
            line = number + self.text.count("\n", self._offset(number), end)
            stop = self._offset(line) + len(self.lines[line])
        return blocks, line + 1

    def _offset(self, number: int) -> int:
        if self._offsets is None:
            self._offsets = list(accumulate((len(line) + 1 for line in self.lines), initial=0))
        return self._offsets[number]

    def _fence(self, number: int, marker: str, info: str) -> int:
        """Read a fence: of edits, of a whole file, or of prose. Return the line after what was read."""
        if self.fences and closes((marker, info), self.fences[-1]):
            self.fences.pop()
            self.changes.outer_fence = self.fences[-1] if self.fences else None
            return number + 1
        closing = closing_line(self.lines, number, marker)
        stop = len(self.lines) if closing is None else closing
        path = path_in_info(info, self.known) or self._label_above(number)
        if any(self._starts_construct(ahead, path) for ahead in range(number + 1, stop)):
            self.fences.append(marker)
            self.changes.outer_fence = marker
            return number + 1
        language = info.partition(" ")[0].lower()
        if stop > number + 1 and (language in _DIFF_LANGUAGES or self._is_diff(number + 1, stop)):
            blocks, after = read_diff(self.lines, number + 1, stop, fenced=True, path=path, known=self.known)
            after = self._take(blocks, after)
            self._edits.append(range(number, after + 1))
            self.last_end = after
            return after + 1
        if path is not None and language not in _NOT_FILES:
            return self._whole_file(number, marker, path)
        for ahead in range(number + 1, stop):
            self._refuse_remainder(ahead, self.lines[ahead])
        return stop + 1

    def _is_diff(self, first: int, stop: int) -> bool:
        below = next_filled(self.lines, first)
        return below < stop and is_diff_start(self.lines, below)

    def _starts_construct(self, number: int, path: str | None) -> bool:
        line = self.lines[number]
        if not line or line[0] not in _FIRST:
            return False
        if is_marker_start(line) or is_patch_start(line) or is_pair_start(self.lines, number) or is_tool_tag(line):
            return True
        if path is not None and path.endswith((".json", ".jsonl")):
            return False
        if line[0] in "{[" and _JSON.match(line):
            return read_json_calls(self.text, self._offset(number), number) is not None
        return False

    def _whole_file(self, number: int, marker: str, path: str) -> int:
        """Read the fence as a whole file. It must be clear which fence line closes it."""
        fences: list[tuple[int, bool]] = []
        for ahead in range(number + 1, len(self.lines)):
            line = self.lines[ahead]
            fence = fence_of(line) if line[:1] in {"`", "~", " "} else None
            if fence is None or fence[0] != marker:
                continue
            if fence[1] and any(bare for _, bare in fences) and self._names_file(ahead, fence[1]):
                break
            fences.append((ahead, not fence[1]))
        choices = closing_choices(fences, start=False, want=False)
        if not choices:
            raise malformed(number, f"the fence with the file {path!r} is never closed", _FIX_FILE)
        if len(choices) > 1 and not self._only_prose_between(fences, choices):
            raise malformed(number, f"it is unclear which fence line ends the file {path!r}", _FIX_FILE)
        end = fences[choices[0]][0]
        block = EditBlock(
            number=0,
            find=(),
            replace=tuple(self.lines[number + 1 : end]),
            path=path,
            kind="whole",
            format="whole_file",
            reply_line=number + 1,
        )
        self._edits.append(range(number, end + 1))
        self.last_end = self._take([block], end)
        return end + 1

    def _only_prose_between(self, fences: list[tuple[int, bool]], choices: list[int]) -> bool:
        """Return whether the first closing line is followed by prose, so that the next fence is another block."""
        first = fences[choices[0]][0]
        below = next((number for number in range(first + 1, len(self.lines)) if not is_blank(self.lines[number])), None)
        inner = any(not bare for place, (_, bare) in enumerate(fences) if place < choices[-1])
        if below is None or inner or first + 1 >= len(self.lines):
            return False
        return is_blank(self.lines[first + 1]) and self.lines[below][:1].isupper() and " " in self.lines[below]

    def _names_file(self, number: int, info: str) -> bool:
        return path_in_info(info, self.known) is not None or self._label_above(number) is not None

    def _label_above(self, number: int) -> str | None:
        """Return the path on the line above, or above one blank line."""
        for above in range(number - 1, max(self.last_end, number - 3), -1):
            line = self.lines[above]
            if not is_blank(line):
                return path_in_label(line, self.known)
        return None

    def _refuse_remainder(self, number: int, line: str) -> None:
        """Raise if a line that belongs to no construct looks like a part of an edit."""
        is_part = (
            is_marker(line)
            or is_patch_line(line)
            or _DIFF_LINE.match(line)
            or is_call_line(line)
            or (_CALL_TAG.match(line) and not is_wrapper_tag(line))
        )
        if is_part:
            what = f"{line.strip()[:_MOST_SHOWN]!r} looks like a part of an edit, but not of one that can be read"
            raise malformed(number, what, _FIX_REST, edit=len(self.found) + 1)
