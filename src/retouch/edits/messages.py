"""The messages of edits that failed, for the model that must correct them and for the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.edits.values import EditIssue, is_blank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.edits.filelines import FileLines
    from retouch.edits.match import Ambiguous
    from retouch.edits.nearest import Window
    from retouch.edits.values import Code, EditBlock, LineRange

_WIDEST = 160  # characters of a line that are shown
_AROUND = 2  # lines shown before and after the first difference
_MOST_PLACES = 20


def issue_of(code: Code, block: EditBlock, path: str | None, what: str, fix: str) -> EditIssue:
    """Return an issue of one edit. The message starts with the edit and the file."""
    return EditIssue(
        code=code,
        message=f"{name_of(block)}{f' in {path!r}' if path else ''}: {what}",
        fix=fix,
        edits=(block.number,),
        path=path,
        reply_line=block.reply_line or None,
    )


def name_of(block: EditBlock) -> str:
    """Return the name of the edit in messages."""
    return f"Edit {block.number}" + (f" ({clip(block.description, 60)})" if block.description else "")


def ambiguous(block: EditBlock, path: str, found: Ambiguous) -> EditIssue:
    """Return the issue of a FIND that matches several places."""
    ranges = tuple((start + 1, start + found.size) for start in found.starts[:_MOST_PLACES])
    places = ", ".join(map(spell_range, ranges))
    more = f" and {len(found.starts) - _MOST_PLACES} more" if len(found.starts) > _MOST_PLACES else ""
    sentences = f"FIND matches {len(found.starts)} places, lines {places}{more}."
    issue = issue_of(
        "ambiguous",
        block,
        path,
        f"{sentences} It must match exactly one.\nFIND was:\n{_head(block.find)}",
        "Quote more lines around the place that you mean, until FIND matches once.",
    )
    return _with_lines(issue, ranges)


def not_found(
    block: EditBlock,
    path: str,
    lines: FileLines,
    *,
    windows: Sequence[Window],
    already_at: LineRange | None,
    other_files: Sequence[str],
    stale: bool,
) -> EditIssue:
    """Return the issue of a FIND that matches nowhere. The message shows similar places, never the whole file."""
    sentences = ["FIND was not found."]
    fix = "Quote the lines of the file exactly as they are, with their indentation, and send all edits again."
    if stale:
        sentences.append("The file has changed since it was shown, so only an exact match counts.")
    if already_at:
        sentences.append(f"The REPLACE text is already at lines {spell_range(already_at)}.")
        fix = "If the change is already made, remove this edit. Otherwise quote other lines. Send all edits again."
    if other_files:
        sentences.append(f"It would match in {', '.join(map(repr, other_files[:3]))}.")
        fix = "Name the file that you mean, and send all edits again."
    if not windows:
        sentences.append(f"No line of the file is similar. FIND was:\n{_head(block.find)}")
    shown = "\n".join(_show(window, block, lines) for window in windows)
    issue = issue_of("not_found", block, path, " ".join(sentences) + (f"\n{shown}" if shown else ""), fix)
    return _with_lines(issue, tuple((window.start + 1, window.stop) for window in windows))


def conflict(block: EditBlock, other: int, path: str, at: LineRange) -> EditIssue:
    """Return the issue of two edits that change the same lines."""
    issue = issue_of(
        "conflict",
        block,
        path,
        f"it overlaps edit {other} at lines {spell_range(at)}; both cannot be applied.",
        f"Combine edits {other} and {block.number}, or quote fewer lines in each. Send all edits again.",
    )
    return EditIssue(
        code="conflict",
        message=issue.message,
        fix=issue.fix,
        edits=(other, block.number),
        path=path,
        lines=(at,),
        reply_line=issue.reply_line,
    )


def spell_range(lines: LineRange) -> str:
    """Return the range as text: `7` or `7-9`."""
    return str(lines[0]) if lines[0] == lines[1] else f"{lines[0]}-{lines[1]}"


def clip(text: str, widest: int = _WIDEST, around: int = 0) -> str:
    """Return the text, or if it is too long, the part around one character."""
    if len(text) <= widest:
        return text
    first = max(0, min(around - widest // 2, len(text) - widest))
    return ("…" if first else "") + text[first : first + widest] + ("…" if first + widest < len(text) else "")


def _with_lines(issue: EditIssue, lines: tuple[LineRange, ...]) -> EditIssue:
    return EditIssue(
        code=issue.code,
        message=issue.message,
        fix=issue.fix,
        edits=issue.edits,
        path=issue.path,
        lines=lines,
        reply_line=issue.reply_line,
    )


def _show(window: Window, block: EditBlock, lines: FileLines) -> str:
    """Return one similar place: how many lines agree, the first difference on both sides, and the lines around it."""
    asked = sum(not is_blank(line) for line in block.find)
    where = spell_range((window.start + 1, window.stop))
    difference = window.first_difference
    if difference is None:
        return f"Lines {where} are as quoted."
    place = window.stop - len(block.find) + difference if window.start == 0 else window.start + difference
    shown = [f"Near lines {where} ({window.equal} of {asked} lines agree); first difference at line {place + 1}:"]
    quoted = block.find[difference]
    there = lines.bodies[place] if 0 <= place < len(lines.bodies) else None
    column = 0 if there is None else _first_difference(quoted, there)
    shown.append(f"  FIND: {visible(clip(quoted, around=column))}")
    shown.append(f"  file: {visible(clip(there, around=column)) if there is not None else '(beyond the end)'}")
    first = max(window.start, place - _AROUND)
    last = min(window.stop, place + _AROUND + 1)
    shown += [f"  {number + 1:>6} | {clip(lines.bodies[number], around=column)}" for number in range(first, last)]
    return "\n".join(shown)


def _first_difference(left: str, right: str) -> int:
    for column, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return column
    return min(len(left), len(right))


def visible(line: str) -> str:
    """Return the line, in quotes if it has outer whitespace or tabs that would be invisible."""
    return repr(line) if line != line.strip() or "\t" in line or not line else line


def _head(lines: Sequence[str]) -> str:
    shown = [f"  {clip(line)}" for line in lines[:6]]
    if len(lines) > 6:
        shown.append(f"  … {len(lines) - 6} more lines")
    return "\n".join(shown)
