"""Reads a model's answer for one file: the new text of the file."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.edits import apply_reply
from retouch.edits.bidi import BIDI_FIX, bidi_message, new_bidi_control
from retouch.edits.elision import left_out
from retouch.engine.recipe import Read
from retouch.engine.types import Issue, Tier
from retouch.recipes.edit.language import syntax_issue
from retouch.text import code_in, fenced_blocks, without_thinking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.edits import EditIssue
    from retouch.recipes.edit.source import EditFile, EditJob

WHOLE = "ANSWER: the whole file\n"  # marks an answer in another form than its prompt requested
BLOCKS = "ANSWER: FIND/REPLACE blocks\n"
EXACT = "ANSWER: this text, as a person wrote it\n"
_NO_CHANGES = re.compile(r"\A\W*NO CHANGES NEEDED\W*\Z", re.IGNORECASE)
_MORE = re.compile(r"^[ \t*_#>-]*MORE CHANGES:[ \t]*(yes|no)\b.*$", re.IGNORECASE | re.MULTILINE)
_FORM_CODES = frozenset(
    {"malformed", "no_blocks", "truncated", "elision", "empty_find"}
)  # issue codes about the form of the reply
LEAST_KEPT = 0.5  # a whole file that shrinks below half of its size gets a warning


@dataclass(frozen=True, kw_only=True)
class NewText:
    """The new text of one file, and the number of edits (None for a whole file).

    `by_user` is whether the user wrote it, and no model.
    """

    path: str
    text: str
    changed: bool
    edits: int | None
    by_user: bool = False


def read(job: EditJob, unit: str, pages: Sequence[str]) -> Read[NewText]:
    """Return the new text of the file `unit`, with the issues of its answer (tier 1) and of applying it (tier 2)."""
    file = job.file(unit)
    answer = "".join(pages)
    if _NO_CHANGES.match(without_thinking(answer)):
        return Read(NewText(path=unit, text=file.text, changed=False, edits=0))
    if answer.startswith(EXACT):
        return _whole(file, answer.removeprefix(EXACT))
    in_blocks = answer.startswith(BLOCKS) or (file.in_blocks and not answer.startswith(WHOLE))
    return _from_blocks(file, answer.removeprefix(BLOCKS)) if in_blocks else _from_whole(file, answer)


def exact_answer(_job: EditJob, _unit: str, text: str) -> str:
    """Return the user's text of a file in the form of an answer."""
    return EXACT + text


def _from_blocks(file: EditFile, answer: str) -> Read[NewText]:
    more = [found[1].lower() for found in _MORE.finditer(answer)]
    result = apply_reply(_MORE.sub("", answer), {file.path: file.text}, target=file.path)
    issues = [_issue(file, issue) for issue in result.issues]
    if result.outcome == "refused":
        return Read(None, issues)
    text = result.files.get(file.path, file.text) or ""
    value = NewText(path=file.path, text=text, changed=text != file.text, edits=len(result.edits))
    if more and more[-1] == "yes":
        issues.append(_more_to_come(file, len(more)))
    return Read(value, [*issues, *syntax_issue(file, text)])


def _issue(file: EditFile, issue: EditIssue) -> Issue:
    return Issue(
        code=issue.code.upper(),
        message=issue.message,
        tier=Tier.SYNTAX if issue.code in _FORM_CODES else Tier.SCHEMA,
        unit=file.path,
        page=1,
        severity=issue.severity,
        fix=issue.fix,
        detail={"edits": list(issue.edits)} if issue.edits else {},
    )


def _more_to_come(file: EditFile, count: int) -> Issue:
    message = f"{count} change(s) of {file.path!r} have arrived, and more follow"
    fix = "Send the next change."
    return Issue(code="MORE_TO_COME", message=message, tier=Tier.SYNTAX, unit=file.path, page=1, fix=fix)


def _from_whole(file: EditFile, answer: str) -> Read[NewText]:
    """Read a whole file from one fenced block. Text outside of a fence is not part of the file."""
    reply = without_thinking(answer.removeprefix(WHOLE))
    blocks = fenced_blocks(reply)
    if not blocks or not max(blocks, key=lambda block: len(block.text)).closed:
        problem = "is not one closed fenced block" if blocks else "holds no fenced block"
        issue = _whole_issue(file, "MALFORMED", f"the answer for {file.path!r} {problem}", "Fence the whole file.")
        return Read(None, [issue])
    return _whole(file, _with_file_endings(file, _with_final_newline(file, code_in(reply))))


def _whole(file: EditFile, text: str) -> Read[NewText]:
    issues = [*_elided(file, text), *_bidi(file, text), *syntax_issue(file, text)]
    return Read(NewText(path=file.path, text=text, changed=text != file.text, edits=None), issues)


def _with_final_newline(file: EditFile, body: str) -> str:
    """Return the content with a final newline, unless the file had none."""
    had_none = file.exists and bool(file.text) and not file.text.endswith(("\n", "\r"))
    return body if had_none or not body else body + "\n"


def _with_file_endings(file: EditFile, text: str) -> str:
    """Return `text` with the line endings and the byte order mark of the file."""
    plain = text.replace("\r\n", "\n").removeprefix("\ufeff")
    if file.text.count("\r\n") * 2 > file.text.count("\n"):
        plain = plain.replace("\n", "\r\n")
    return "\ufeff" + plain if file.text.startswith("\ufeff") else plain


def _bidi(file: EditFile, text: str) -> list[Issue]:
    found = new_bidi_control(text, file.text)
    return [] if found is None else [_whole_issue(file, "BIDI", bidi_message(file.path, *found), BIDI_FIX)]


def _elided(file: EditFile, text: str) -> list[Issue]:
    """Return the issues of a shortened file: new placeholders, or less than half of its text."""
    placeholder = left_out(tuple(file.text.splitlines()), tuple(text.splitlines()))
    if placeholder is not None:
        message = f"line {placeholder.strip()!r} of {file.path!r} stands for code that was left out"
        return [_whole_issue(file, "ELISION", message, "Write every line; never 'rest unchanged'.")]
    if len(text) < LEAST_KEPT * len(file.text):
        message = f"{file.path!r} would shrink from {len(file.text)} to {len(text)} characters"
        issue = _whole_issue(file, "SHRUNK", message, "See whether all that is gone was meant to go.")
        why = "most of a file was removed, and no check knows whether that was requested"
        return [replace(issue, severity="warning", detail={"not_run": why, "next": "Read changes.diff"})]
    return []


def _whole_issue(file: EditFile, code: str, message: str, fix: str) -> Issue:
    return Issue(code=code, message=message, tier=Tier.SYNTAX, unit=file.path, page=1, fix=fix)
