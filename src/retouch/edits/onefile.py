"""Applies all edits of one file. Each is matched against the original text, and none is written until all succeed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.edits.both_ways import with_settled_indentation
from retouch.edits.elision import elided_pieces, is_placeholder, left_out
from retouch.edits.filelines import BOM, FileLines
from retouch.edits.lineindex import LineIndex, filled
from retouch.edits.locate import LocatedBlock, already_there, locate_exact, locate_loosely, wanted_lines
from retouch.edits.match import Ambiguous, Match, every_span
from retouch.edits.messages import ambiguous, clip, conflict, issue_of, spell_range
from retouch.edits.rewrite import rewritten, span_of
from retouch.edits.splice import Replacement, Splice
from retouch.edits.style import Unmappable
from retouch.edits.values import Edit, EditIssue, Refusal, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.edits.indent import Indentation
    from retouch.edits.values import Code, EditBlock, LineRange, Lines, MatchKind

_FIX_WHITESPACE = "Write both texts with the indentation and the characters of the file, and send all edits again."


@dataclass(frozen=True, kw_only=True, slots=True)
class Missed:
    """An edit whose FIND was not found. Similar places are searched after all edits were processed."""

    block: EditBlock
    find: Lines
    already_at: LineRange | None


class OneFile:
    """One file's text and the blocks for it."""

    def __init__(self, path: str, text: str | None, *, stale: bool, whole_files: bool = False) -> None:
        self.path = path
        self.text = text
        self.stale = stale
        self.whole_files = whole_files
        self.is_deleted = False
        self.moved_to: str | None = None
        self.edits: list[Edit] = []
        self.issues: list[EditIssue] = []
        self.missed: list[Missed] = []
        self.lines = FileLines(text or "")
        self._splice = Splice(self.lines.text)
        self._seen: dict[tuple[Lines, Lines], int] = {}
        self._written: set[str] = set()  # lines that edits of this reply wrote
        self._created_by: int | None = None
        self._moved_lines_by: int | None = None  # the first edit that changes the number of lines
        self._insertions: dict[int, int] = {}  # offset -> edit
        self._shifts: list[Indentation] = []  # how loose matches differ in indentation
        self._exact: list[tuple[EditBlock, Lines, int]] = []
        self._final_newline: bool | None = None
        self.index = LineIndex(self.lines, ())

    def apply(self, blocks: Sequence[EditBlock]) -> None:
        """Match and apply every block. A failure becomes an issue or a `Missed`."""
        texts = [(block, self._in_file_terms(block.find), self._in_file_terms(block.replace)) for block in blocks]
        wanted = [line for block, find, new in texts for line in wanted_lines(block, find, new)]
        self.index = LineIndex(self.lines, wanted)
        for block, find, new in texts:
            try:
                self._take(block, find, new)
            except Refusal as refusal:
                self.issues.append(refusal.issue)
        self._compare_shifts()

    def _compare_shifts(self) -> None:
        """Refuse an exact match if another edit lacks some indentation, and with it this FIND matches elsewhere."""
        for shift in self._shifts[:1]:
            moved = [tuple(map(shift.apply, find)) for _, find, _ in self._exact]
            index = LineIndex(self.lines, [line for lines in moved for line in lines if line])
            for (block, find, start), lines in zip(self._exact, moved, strict=True):
                wanted = tuple(line for line in lines if line is not None)
                if len(wanted) != len(find) or wanted == find:
                    continue
                places = [place for place in index.exact_places(wanted) if place != start]
                if places:
                    found = Ambiguous(starts=sorted([start, *places]), size=len(find))
                    self.issues.append(ambiguous(block, self.path, found))

    def result(self) -> str | None:
        """Return the new text. None if the file is deleted or never existed."""
        if self.is_deleted or (self.text is None and self._created_by is None):
            return None
        text = self.lines.keep_final_state(self._splice.result())
        if self._final_newline is True and text and not text.endswith("\n"):
            return text + self.lines.ending_near(len(self.lines.bodies))
        return text.removesuffix("\n").removesuffix("\r") if self._final_newline is False else text

    def _take(self, block: EditBlock, find: Lines, new: Lines) -> None:
        if block.kind == "delete":
            self._delete(block, find)
        elif self.is_deleted and block.kind not in {"add", "whole"}:
            raise self._refusal(
                "conflict", block, "the file is deleted by another edit of the reply", "Use only one of the two edits."
            )
        elif block.kind == "move":
            self._move(block)
        elif block.kind == "whole" and self.text and not self.is_deleted:
            self._replace_file(block, new)
        elif block.kind == "insert":
            self._insert(block, new)
        elif block.kind in {"add", "whole"} or not find or not (filled(find) or self.text):
            self._create(block, find, new)
        elif self._is_new_change(block, find, new):
            if block.move_to is not None:
                self.moved_to = block.move_to
            if block.every:
                self._replace_every(block, find, new)
            else:
                self._replace(block, find, new)

    def _is_new_change(self, block: EditBlock, find: Lines, new: Lines) -> bool:
        if find == new and block.move_to is None and block.final_newline is None:
            self.issues.append(self._warning("no_change", block, "FIND and REPLACE are the same."))
            return False
        first = self._seen.setdefault((find, new), block.number)
        if first != block.number:
            self.issues.append(self._warning("repeated", block, f"the same block as edit {first}; applied once."))
            return False
        return True

    def _replace(self, block: EditBlock, find: Lines, new: Lines) -> None:
        if (pieces := elided_pieces(find, new, self.index.positions)) is not None:
            self._replace_pieces(block, pieces)
            return
        skipped = left_out(find, new)
        if skipped is not None:
            raise self._refusal(
                "elision",
                block,
                f"REPLACE omits code: {clip(skipped.strip(), 80)!r}.",
                "Write the new lines in full. If little changes, quote less in FIND.",
            )
        located = locate_exact(self.index, block, find, new)
        if located is None and block.lead and (inner := _dedented(block.lead, find, new)):
            find, new = inner
            located = locate_exact(self.index, block, find, new)
        quotes_new_text = located is None and any(line in self._written for line in filled(find))
        if quotes_new_text and self._rewrite_written(block, find, new):
            return
        if located is None and not self.stale:
            located = self._loosely(block, find, new)
        if located is None:
            self._miss(block, find, new)
        elif isinstance(located, Ambiguous):
            raise Refusal(ambiguous(block, self.path, located))
        else:
            self._put(block, located)

    def _replace_pieces(self, block: EditBlock, pieces: Sequence[tuple[Lines, Lines]]) -> None:
        """Replace the lines around placeholders. Each piece must match exactly once, in order."""
        starts: list[int] = []
        for find, _ in pieces:
            places = self.index.exact_places(find)
            if len(places) != 1 or (starts and places[0] <= starts[-1]):
                what = f"FIND omits lines, and {clip(find[0].strip(), 80)!r} and what follows is not at one place."
                fix = "Quote consecutive lines of the file in full, or make two edits."
                raise self._refusal("elision", block, what, fix)
            starts.append(places[0])
        for start, (find, new) in zip(starts, pieces, strict=True):
            match = Match(start=start, stop=start + len(find), tier="elided")
            if find != new:
                self._put(block, LocatedBlock(match=match, find=find, replace=new), is_part=True)
        whole = LocatedBlock(match=_nowhere("elided").match, find=block.find, replace=block.replace)
        self._record(block, whole, "elided", (starts[0] + 1, starts[-1] + len(pieces[-1][0])))

    def _loosely(self, block: EditBlock, find: Lines, new: Lines) -> LocatedBlock | Ambiguous | None:
        if already_there(self.index, find, new):
            return None
        try:
            located = locate_loosely(self.index, find, new)
            if isinstance(located, LocatedBlock):
                located = with_settled_indentation(self.path, self.lines, located)
        except Unmappable as reason:
            raise self._refusal("not_found", block, f"{reason}.", _FIX_WHITESPACE) from None
        if isinstance(located, LocatedBlock):
            text = self._rewritten(block, self.lines, located)
            start, stop = span_of(self.lines, located.match)
            if len(text) > stop - start and self.lines.text.startswith(text, start):
                return None
        return located

    def _put(self, block: EditBlock, located: LocatedBlock, *, is_part: bool = False) -> None:
        match = located.match
        start, stop = span_of(self.lines, match)
        text = self._rewritten(block, self.lines, located)
        if len(text) > stop - start and self.lines.text.startswith(text, start):
            at = spell_range((match.start + 1, match.start + len(located.replace)))
            what = f"the REPLACE text was already at lines {at}; a part of it is now duplicated."
            self.issues.append(self._warning("repeated", block, what))
        if block.kind == "hunk":
            self._check_hunk(block, located)
            if block.final_newline is not None and match.stop == len(self.lines.bodies):
                self._final_newline = block.final_newline
        other = self._splice.add_next_to(Replacement(start=start, stop=stop, text=text, edit=block.number))
        if other is not None:
            raise Refusal(conflict(block, other.edit, self.path, (match.start + 1, match.stop)))
        if match.tier == "indent" and match.indent is not None and match.indent.is_shift:
            self._shifts.append(match.indent)
        elif match.tier == "exact":
            self._exact.append((block, located.find, match.start))
        if not is_part:
            self._record(block, located, match.tier, (match.start + 1, match.stop))

    def _rewrite_written(self, block: EditBlock, find: Lines, new: Lines) -> bool:
        """Apply the block to lines that earlier edits of this reply wrote, if it matches exactly once."""
        running = FileLines(self._splice.result())
        starts = LineIndex(running, find).exact_places(find)
        if len(starts) != 1:
            return False
        match = Match(start=starts[0], stop=starts[0] + len(find), tier="exact")
        located = LocatedBlock(match=match, find=find, replace=new)
        self._splice.rewrite(*span_of(running, match), self._rewritten(block, running, located), block.number)
        self._record(block, located, "chained", (match.start + 1, match.stop))
        return True

    def _rewritten(self, block: EditBlock, lines: FileLines, located: LocatedBlock) -> str:
        try:
            return rewritten(lines, located.match, located.find, located.replace)
        except Unmappable as reason:
            at = spell_range((located.match.start + 1, located.match.stop))
            what = f"FIND is similar to lines {at}, but {reason}."
            raise self._refusal(
                "not_found", block, what, "Write both texts exactly as in the file, including all spaces."
            ) from None

    def _record(self, block: EditBlock, located: LocatedBlock, tier: MatchKind, at: LineRange | None) -> None:
        self._written.update(filled(located.replace))
        self._written.difference_update(located.find)
        if len(located.find) != len(located.replace) and self._moved_lines_by is None:
            self._moved_lines_by = block.number
        self.edits.append(
            Edit(
                number=block.number,
                description=block.description,
                path=self.path,
                find=text_of(located.find),
                replace=text_of(located.replace),
                tier=tier,
                match_lines=at,
                format=block.format,
            )
        )

    def _create(self, block: EditBlock, find: Lines, new: Lines) -> None:
        exists = bool(self.text) and not self.is_deleted
        if exists and block.kind == "add":
            raise self._refusal("exists", block, "the file exists already.", "Change it with FIND, or delete it first.")
        if exists or block.kind == "hunk":
            raise self._refusal("empty_find", block, "FIND is empty.", "Quote the lines after which to insert.")
        if not self._is_new_change(block, find, new):
            return
        if self._created_by is not None:
            raise Refusal(conflict(block, self._created_by, self.path, (1, 1)))
        if self.is_deleted:
            self.is_deleted, self.text, self.lines = False, None, FileLines("")
            self._splice = Splice("")
        self._created_by = block.number
        text = "".join(line + self.lines.eol for line in new)
        start = len(self._splice.text)
        self._splice.add(Replacement(start=start, stop=start, text=text, edit=block.number))
        self._record(block, _nowhere("create", new), "create", None)
        if block.final_newline is not None:
            self._final_newline = block.final_newline

    def _move(self, block: EditBlock) -> None:
        if self.text is None:
            raise self._refusal(
                "no_target", block, "this file does not exist, so it cannot be moved.", "Remove this change."
            )
        self.moved_to = block.move_to
        self._record(block, _nowhere("move"), "move", None)

    def _replace_file(self, block: EditBlock, new: Lines) -> None:
        """Replace the whole text. Lines that stay keep their line endings."""
        bodies = tuple(self.lines.bodies)
        skipped = left_out(bodies, new)
        if skipped is not None:
            what = f"the whole file omits code: {clip(skipped.strip(), 80)!r}."
            raise self._refusal("elision", block, what, "Send only the changes, each with its old and new lines.")
        if not self.whole_files:
            what = "the reply has this file as a whole, but the file exists. It may be only a part of it."
            fix = "Send only the changes. If it is the whole file, allow it: --whole-files (Python: whole_files=True)."
            raise self._refusal("whole_file", block, what, fix)
        if self._is_new_change(block, bodies, new):
            match = Match(start=0, stop=len(bodies), tier="whole_file")
            self._put(block, LocatedBlock(match=match, find=bodies, replace=new))

    def _insert(self, block: EditBlock, new: Lines) -> None:
        """Insert lines after a line number. It is only certain if no edit before has moved the lines."""
        count = len(self.lines.bodies)
        after = count if block.after_line is None else block.after_line
        if self.text is None or not 0 <= after <= count:
            fix = "Use a line number of the file, or quote the lines around the place."
            raise self._refusal("not_found", block, f"the file has {count} lines, not {after}.", fix)
        if self.stale or self._moved_lines_by is not None:
            why = (
                "the file has changed since it was shown" if self.stale else f"edit {self._moved_lines_by} moves lines"
            )
            what = f"the line number {after} is not certain, because {why}."
            raise self._refusal("ambiguous", block, what, "Quote the lines around the place instead.")
        start = self.lines.starts[after] if after < count else len(self.lines.text)
        other = self._insertions.get(start) or getattr(self._splice.overlapping(start, start), "edit", None)
        if other is not None:
            raise Refusal(conflict(block, other, self.path, (max(after, 1), max(after, 1))))
        self._insertions[start] = block.number
        eol = self.lines.ending_near(after)
        text = eol.join(new) + eol
        if after == count and count and not self.lines.ends_with_newline:
            text = eol + eol.join(new)
        self._splice.add(Replacement(start=start, stop=start, text=text, edit=block.number))
        self._record(block, _nowhere("insert", new), "insert", (after + 1, after + 1))

    def _replace_every(self, block: EditBlock, find: Lines, new: Lines) -> None:
        """Replace all places of a text, as a tool call requests."""
        places = every_span(self.lines, find)
        if not places:
            self._miss(block, find, new)
            return
        if block.places is not None and block.places != len(places):
            what = f"it expects {block.places} places, but FIND occurs {len(places)} times."
            raise self._refusal("ambiguous", block, what, "Correct the number, or quote more lines in FIND.")
        if not all(place.at_borders for place in places):
            what = "a place of FIND is inside a longer name or number."
            raise self._refusal("ambiguous", block, what, "Quote the whole lines that change.")
        for place in places:
            other = self._splice.overlapping(place.start, place.stop)
            if other is not None:
                raise Refusal(conflict(block, other.edit, self.path, place.lines))
        for place in places:
            whole_lines = place.is_whole_lines and not new
            stop = place.stop + (len(self.lines.ending_near(place.lines[1] - 1)) if whole_lines else 0)
            text = self.lines.ending_near(place.lines[0] - 1).join(new)
            self._splice.add(Replacement(start=place.start, stop=stop, text=text, edit=block.number))
        at = (places[0].lines[0], places[-1].lines[1])
        self._record(block, LocatedBlock(match=_nowhere("every").match, find=find, replace=new), "every", at)

    def _delete(self, block: EditBlock, find: Lines) -> None:
        if len(self._splice) or self._created_by is not None:
            raise self._refusal(
                "conflict", block, "the file is both deleted and changed.", "Use only one of the two edits."
            )
        if self.text is None:
            raise self._refusal(
                "no_target", block, "this file does not exist, so it cannot be deleted.", "Remove this change."
            )
        if find and find != tuple(self.lines.bodies):
            what = "the deleted lines are not those of the file."
            raise self._refusal("not_found", block, what, "Quote every line of the file, or use another format.")
        self.is_deleted = True
        match = Match(start=0, stop=len(self.lines.bodies), tier="delete")
        at = (1, match.stop) if match.stop else None
        self._record(block, LocatedBlock(match=match, find=(), replace=()), "delete", at)

    def _check_hunk(self, block: EditBlock, located: LocatedBlock) -> None:
        """Refuse a hunk that replaces all lines: it shows neither the original text nor its final newline."""
        whole = located.match.stop - located.match.start == len(self.lines.bodies)
        kept = set(located.find) & set(located.replace)
        if whole and not kept and len(located.find) != len(located.replace) and located.replace:
            raise self._refusal(
                "malformed",
                block,
                "the hunk removes every line of the file and keeps none.",
                "To rewrite a file, use *** Delete File and *** Add File.",
            )

    def _miss(self, block: EditBlock, find: Lines, new: Lines) -> None:
        quoted = next((line for line in find if is_placeholder(line) and line not in self.index.positions), None)
        if quoted is not None:
            raise self._refusal(
                "elision",
                block,
                f"FIND omits lines: {clip(quoted.strip(), 80)!r} is not a line of the file.",
                "Quote consecutive lines of the file in full, or make two edits.",
            )
        self.missed.append(Missed(block=block, find=find, already_at=already_there(self.index, find, new)))

    def _in_file_terms(self, lines: Lines) -> Lines:
        """Return the lines as this file splits them: without its byte order mark, and at CR if CR ends lines."""
        if lines and self.lines.first_offset:
            lines = (lines[0].removeprefix(BOM), *lines[1:])
        if self.lines.eol == "\r":
            lines = tuple(part for line in lines for part in line.split("\r"))
        return lines

    def _refusal(self, code: Code, block: EditBlock, what: str, fix: str) -> Refusal:
        return Refusal(issue_of(code, block, self.path, what, fix))

    def _warning(self, code: Code, block: EditBlock, what: str) -> EditIssue:
        return replace(issue_of(code, block, self.path, what, ""), severity="warning")


def _nowhere(tier: MatchKind, new: Lines = ()) -> LocatedBlock:
    """Return the place of an edit that matches no lines."""
    return LocatedBlock(match=Match(start=0, stop=0, tier=tier), find=(), replace=new)


def _dedented(lead: str, find: Lines, new: Lines) -> tuple[Lines, Lines] | None:
    """Return both strings without the indentation of their markers. None if a line does not have it."""
    if any(line.strip() and not line.startswith(lead) for line in (*find, *new)):
        return None
    return tuple(line.removeprefix(lead) for line in find), tuple(line.removeprefix(lead) for line in new)
