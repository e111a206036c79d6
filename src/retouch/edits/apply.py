"""Applies a reply to files in memory: every edit of every file, or none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.edits.bidi import BIDI_FIX, bidi_message, new_bidi_control
from retouch.edits.lineindex import LineIndex
from retouch.edits.messages import issue_of, not_found
from retouch.edits.nearest import nearest_windows
from retouch.edits.onefile import OneFile
from retouch.edits.reader import read_parts, remainder_of
from retouch.edits.stop import cut_reason
from retouch.edits.targets import TargetFinder
from retouch.edits.values import EditIssue, EditResult, Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.edits.values import Code, EditBlock

NO_BLOCKS = EditIssue(
    code="no_blocks",
    message="The reply contains no edit block.",
    fix="Write each change as FIND and REPLACE WITH, each followed by a fenced block.",
)


def apply_reply(
    reply: str,
    files: Mapping[str, str],
    *,
    target: str | None = None,
    stop_reason: str | None = None,
    shown_sha256: Mapping[str, str] | None = None,
    whole_files: bool = False,
    root: str | None = None,
) -> EditResult:
    """Return the files after applying all edits of the reply, or a refusal with the issues.

    `files` maps paths to their content, with line endings. Bytes that are not UTF-8 may be surrogates
    (`surrogateescape`). `target` is the file of blocks that name none. If `stop_reason` indicates a truncated reply,
    the whole reply is refused. `shown_sha256` maps paths to the hash of the text (as UTF-8) that the model was shown.
    If a file has changed since, or was never shown, only exact matches count. A whole file in the reply only replaces
    an existing one if `whole_files` is True. `root` is the directory's own path: tool calls name files by absolute
    paths, which are made relative to it. Nothing is written to disk.
    """
    cut = cut_reason(stop_reason)
    if cut:
        issue = EditIssue(
            code="truncated",
            message=f"The reply is incomplete: {cut} (stop reason {stop_reason!r}). None of it is applied.",
            fix="Request less at a time: one change per reply.",
        )
        return _refused([issue])
    blocks, issue = read_parts(reply, known=files)
    if issue is not None:
        return replace(_refused([issue]), unread=(remainder_of(issue, reply),))
    if not blocks:
        return _refused([NO_BLOCKS])
    return apply_blocks(blocks, files, target=target, shown_sha256=shown_sha256, whole_files=whole_files, root=root)


def apply_blocks(
    blocks: Sequence[EditBlock],
    files: Mapping[str, str],
    *,
    target: str | None = None,
    shown_sha256: Mapping[str, str] | None = None,
    whole_files: bool = False,
    root: str | None = None,
) -> EditResult:
    """Return the files after applying parsed blocks. See `apply_reply`."""
    issues: list[EditIssue] = []
    by_path: dict[str, list[EditBlock]] = {}
    targets = TargetFinder(files, target, root)
    for block in blocks:
        try:
            path = targets.file_of(block)
            by_path.setdefault(path, []).append(targets.with_clean_move(block))
        except Refusal as refusal:
            issues.append(refusal.issue)
    worked = [
        _apply_to_file(path, some, files, shown_sha256, whole_files=whole_files) for path, some in by_path.items()
    ]
    for one in worked:
        issues += one.issues
    for one in worked:
        issues += _explain(one, files)
    issues += _misplaced_moves(worked, files)
    issues.sort(key=lambda issue: issue.edits[-1:] or (0,))
    if any(issue.severity == "error" for issue in issues):
        return _refused(issues)
    return _applied(worked, issues)


def text_sha256(text: str) -> str:
    """Return the hash for `shown_sha256`: the SHA-256 of the text's bytes, as hex digits."""
    from hashlib import sha256

    try:
        content = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        content = text.encode("utf-8", "surrogatepass")
    return sha256(content).hexdigest()


def _apply_to_file(
    path: str,
    blocks: list[EditBlock],
    files: Mapping[str, str],
    shown: Mapping[str, str] | None,
    *,
    whole_files: bool,
) -> OneFile:
    text = files.get(path)
    stale = shown is not None and text is not None and shown.get(path) != text_sha256(text)
    one = OneFile(path, text, stale=stale, whole_files=whole_files)
    if text and "\0" in text:
        what, fix = "the file contains NUL bytes, so it is not a text file.", "Change text files only."
        one.issues += [issue_of("no_target", block, path, what, fix) for block in blocks]
    else:
        one.apply(blocks)
    return one


def _explain(one: OneFile, files: Mapping[str, str]) -> list[EditIssue]:
    """Return the issues of edits that were not found, with the most similar places."""
    if not one.missed:
        return []
    finds = {missed.block.number: missed.find for missed in one.missed}
    windows = nearest_windows(one.index, finds)
    elsewhere = _other_files_with_match(one, files)
    return [
        not_found(
            missed.block,
            one.path,
            one.lines,
            windows=windows[missed.block.number],
            already_at=missed.already_at,
            other_files=elsewhere.get(missed.block.number, []),
            stale=one.stale,
        )
        for missed in one.missed
    ]


def _other_files_with_match(one: OneFile, files: Mapping[str, str]) -> dict[int, list[str]]:
    """Return for each edit that was not found the other files with exactly one exact match."""
    found: dict[int, list[str]] = {}
    wanted = [line for missed in one.missed for line in missed.find]
    for path, text in files.items():
        if path == one.path or "\0" in text:
            continue
        other = OneFile(path, text, stale=False)
        index = LineIndex(other.lines, wanted)
        for missed in one.missed:
            if len(index.exact_places(missed.find)) == 1:
                found.setdefault(missed.block.number, []).append(path)
    return found


def _misplaced_moves(worked: Sequence[OneFile], files: Mapping[str, str]) -> list[EditIssue]:
    issues: list[EditIssue] = []
    taken = set(files) | {one.path for one in worked}
    for one in worked:
        if one.moved_to is None:
            continue
        goal = one.moved_to
        if goal in taken:
            issues.append(
                EditIssue(
                    code="exists",
                    message=f"{one.path!r} cannot be moved to {goal!r}: that file exists already.",
                    fix="Choose a path that does not exist, or change the existing file.",
                    edits=tuple(edit.number for edit in one.edits[:1]),
                    path=one.path,
                )
            )
        taken.add(goal)
    return issues


def _applied(worked: Sequence[OneFile], issues: list[EditIssue]) -> EditResult:
    changed: dict[str, str | None] = {}
    for one in worked:
        text = one.result()
        if one.moved_to is not None:
            changed[one.path] = None
            changed[one.moved_to] = text
        elif text != one.text or (one.is_deleted and one.text is not None):
            changed[one.path] = text
    edits = tuple(sorted((edit for one in worked for edit in one.edits), key=lambda edit: edit.number))
    if not changed:
        issue = EditIssue(
            code="no_change",
            message="No edit changes its file.",
            fix="Send edits that change something.",
            edits=tuple(edit.number for edit in edits),
        )
        return _refused([*issues, issue])
    if hidden := _bidi_issues(worked, changed):
        return _refused([*issues, *hidden])
    return EditResult(outcome="applied", files=changed, edits=edits, issues=tuple(issues))


def _bidi_issues(worked: Sequence[OneFile], changed: Mapping[str, str | None]) -> list[EditIssue]:
    """Return an issue for each file that gets a bidirectional control character that it did not have."""
    issues: list[EditIssue] = []
    for one in worked:
        path = one.moved_to or one.path
        text = changed.get(path)
        found = None if text is None else new_bidi_control(text, one.text)
        if found is not None:
            numbers = tuple(edit.number for edit in one.edits)
            issues.append(
                EditIssue(code="bidi", message=bidi_message(path, *found), fix=BIDI_FIX, edits=numbers, path=path)
            )
    return issues


def _refused(issues: Sequence[EditIssue]) -> EditResult:
    error: Code | None = next((issue.code for issue in issues if issue.severity == "error"), None)
    return EditResult(outcome="refused", error=error, issues=tuple(issues))
