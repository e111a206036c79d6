"""Reads a model's answer for one file: the new text of the file."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch._lib.hashing import text_hash
from retouch.edits import read_reply
from retouch.edits.bidi import BIDI_FIX, bidi_message, new_bidi_control
from retouch.edits.elision import left_out
from retouch.engine.recipe import Read
from retouch.engine.types import Issue, Tier
from retouch.recipes.edit.language import syntax_issue
from retouch.recipes.edit.session import BLOCKS, EDITS, SHOW, applied, prose_of, read_session
from retouch.text import fenced_blocks, without_thinking

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.edits import EditIssue
    from retouch.recipes.edit.session import EditSession
    from retouch.recipes.edit.source import EditFile, EditJob
    from retouch.text import Fenced

WHOLE = "ANSWER: the whole file\n"  # marks the answer to a request for the whole file
EXACT = "ANSWER: this text, as a person wrote it"  # the rest of the line is the hash of the text
_NO_CHANGES = re.compile(r"\A\W*NO CHANGES NEEDED\W*\Z", re.IGNORECASE)
_NO_CHANGES_LINE = re.compile(r"^\W*NO CHANGES NEEDED\W*$", re.IGNORECASE | re.MULTILINE)
_FORM_CODES = frozenset(
    {"malformed", "no_blocks", "truncated", "elision", "empty_find"}
)  # issue codes about the form of the reply
_COMMANDS = frozenset({"bash", "sh", "shell", "zsh", "console", "terminal", "powershell", "output", "text", "log"})
FILE_REQUESTED = "FILE_REQUESTED"
NO_UTF8 = re.compile("[\udc80-\udcff]+")  # bytes, as Python reads them
_FIX_FENCE = "Reply with the file alone, in one fence that is longer than any run of backticks inside."
_ALL_AGAIN = re.compile(r"(?:,? and send|\.? ?Send) all edits again(?=\.)")
# Lines that only an edit has, in any format. `=======` is not among them: it also underlines headings.
_EDIT_MARK = re.compile(
    r"^[ \t]*(?:<{5,9}[ \t]*(?:SEARCH|ORIGINAL|HEAD|CURRENT)\b|>{5,9}[ \t]*(?:REPLACE|UPDATED)\b"
    r"|\*\*\* (?:Begin Patch|End Patch|Update File:|Add File:|Delete File:)|@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@"
    r"|(?:FIND|REPLACE WITH|SEARCH):[ \t]*$|</?(?:apply_diff|replace_in_file|diff|search|replace)>[ \t]*$)",
    re.MULTILINE,
)


@dataclass(frozen=True, kw_only=True)
class NewText:
    """The new text of one file, and the number of edits (None for a whole file).

    `by_user` is whether the user wrote it, and no model. `others` are further files that the answer changes.
    """

    path: str
    text: str
    changed: bool
    edits: int | None
    by_user: bool = False
    others: tuple[NewText, ...] = ()


def every_text(values: Mapping[str, NewText]) -> dict[str, tuple[str, NewText]]:
    """Return the unit and the new text of each file of the `values`, by path. The first of two strings counts."""
    found: dict[str, tuple[str, NewText]] = {unit: (unit, value) for unit, value in values.items()}
    for unit, value in values.items():
        for other in value.others:
            found.setdefault(other.path, (unit, other))
    return found


def requested_files(answer: str) -> list[str]:
    """Return the files that a reply requests, in order."""
    return list(dict.fromkeys(found[1].strip() for found in SHOW.finditer(prose_of(read_reply(answer)))))


def read(job: EditJob, unit: str, pages: Sequence[str]) -> Read[NewText]:
    """Return the new text of the file `unit`, with the issues of its answer (tier 1) and of applying it (tier 2).

    The form of the answer decides how it is read, not the form that its prompt requested. An answer with edits is never
    read as a file.
    """
    file = job.file(unit)
    answer = "".join(pages)
    if is_unchanged(answer):
        return Read(NewText(path=unit, text=file.text, changed=False, edits=0))
    if answer.startswith(EXACT):
        return _exact(file, answer)
    if (job.others or (len(job.files) > 1 and not job.per_file)) and (names := requested_files(answer)):
        return Read(None, [_request_for(file, names)])
    session = edits_in(file, answer)
    return _from_whole(file, answer) if session is None else _from_edits(job, file, session)


def _request_for(file: EditFile, names: Sequence[str]) -> Issue:
    message = f"the reply asks to see {', '.join(map(repr, names))} first"
    return _whole_issue(file, FILE_REQUESTED, message, "Read the files below, then answer the request.")


def is_unchanged(answer: str) -> bool:
    """Return whether the answer is that the file needs no change: this line alone, in a fence, or between prose."""
    reply = without_thinking(answer)
    if _NO_CHANGES.match(reply):
        return True
    if answer.startswith((EDITS, BLOCKS, EXACT)) or not _NO_CHANGES_LINE.search(reply) or _EDIT_MARK.search(reply):
        return False
    return all(_NO_CHANGES.match(block.text) for block in fenced_blocks(reply)) and not read_reply(reply).edits


def edits_in(file: EditFile, answer: str) -> EditSession | None:
    """Return the edits of an answer, or None if it can only be the whole file.

    A large file that exists is never read as a whole, unless the whole was requested (`WHOLE`).
    """
    if answer.startswith((EDITS, BLOCKS)):
        return read_session(file, answer)
    reply = answer.removeprefix(WHOLE)
    session = read_session(file, reply)
    is_empty = not (session.blocks or session.dropped or session.unread) and not _EDIT_MARK.search(
        without_thinking(reply)
    )
    if is_empty or session.whole_text(file) is not None or _quotes_own_marks(file, reply):
        session = None
    if session is None and file.in_blocks and not answer.startswith(WHOLE):
        return read_session(file, "")
    return session


def exact_answer(_job: EditJob, _unit: str, text: str) -> str:
    """Return the user's text of a file in the form of an answer."""
    return f"{EXACT} {text_hash(text)}\n{text}"


def _exact(file: EditFile, answer: str) -> Read[NewText]:
    """Read the user's own text. Only a heading with the text's hash proves that the user wrote it."""
    heading, _, text = answer.partition("\n")
    return _whole(file, text, by_user=heading == f"{EXACT} {text_hash(text)}")


def _quotes_own_marks(file: EditFile, reply: str) -> bool:
    """Return whether the reply is one fenced block, and each edit mark in it is a line of the file too."""
    blocks = fenced_blocks(without_thinking(reply), nested=True)
    if len(blocks) != 1 or not blocks[0].closed:
        return False
    own = set(file.text.splitlines())
    marked = [line for line in reply.splitlines() if _EDIT_MARK.match(line)]
    return bool(marked) and all(line in own for line in marked)


def _from_edits(job: EditJob, file: EditFile, session: EditSession) -> Read[NewText]:
    result = applied(file, session, job.other_texts)
    issues = [_issue(file, issue) for issue in result.issues]
    if result.outcome == "refused":
        return Read(None, issues)
    texts = {file.path: file.text, **result.files}
    refused = [path for path, text in texts.items() if text is None or (path != file.path and not job.allows(path))]
    if refused:
        message = f"the answer for {file.path!r} changes, adds, moves or deletes {refused[0]!r}, which is not allowed"
        return Read(None, [_whole_issue(file, "MALFORMED", message, "Change the text of the named file alone.")])
    if session.more:
        issues.append(_more_to_come(file, len(session.blocks)))
    new = [_edited(job, path, text, len(result.edits)) for path, text in texts.items() if text is not None]
    issues += [replace(one, unit=file.path) for text in new for one in syntax_issue(job.file(text.path), text.text)]
    return Read(replace(new[0], others=tuple(new[1:])), issues)


def _edited(job: EditJob, path: str, text: str, edits: int) -> NewText:
    return NewText(path=path, text=text, changed=text != job.file(path).text, edits=edits)


def _issue(file: EditFile, issue: EditIssue) -> Issue:
    return Issue(
        code=issue.code.upper(),
        message=issue.message,
        tier=Tier.SYNTAX if issue.code in _FORM_CODES else Tier.SCHEMA,
        unit=file.path,
        page=1,
        severity=issue.severity,
        fix=_ALL_AGAIN.sub("", issue.fix),
        detail={"edits": list(issue.edits)} if issue.edits else {},
    )


def _more_to_come(file: EditFile, count: int) -> Issue:
    message = f"{count} change(s) of {file.path!r} have arrived, and more follow"
    fix = "Send the next change."
    return Issue(code="MORE_TO_COME", message=message, tier=Tier.SYNTAX, unit=file.path, page=1, fix=fix)


def _from_whole(file: EditFile, answer: str) -> Read[NewText]:
    """Read a whole file from one fenced block. Text outside of a fence is not part of the file.

    Next to it there may be commands, and an empty block. Any other block may be the rest of the file, if a fence in the
    file has closed the outer one.
    """
    reply = without_thinking(answer.removeprefix(WHOLE))
    named = read_session(file, reply).whole_text(file)
    if named is not None:
        return _whole(file, _with_file_endings(file, _with_final_newline(file, named)))
    blocks = fenced_blocks(reply, nested=True)
    longest = max(blocks, key=lambda block: len(block.text), default=None)
    if longest is None or not longest.closed:
        problem = "is not one closed fenced block" if blocks else "holds no fenced block"
        return Read(None, [_whole_issue(file, "MALFORMED", f"the answer for {file.path!r} {problem}", _FIX_FENCE)])
    if not all(block is longest or _is_beside_file(reply, longest, block) for block in blocks):
        message = f"the answer for {file.path!r} holds {len(blocks)} fenced blocks, and one must be the whole file"
        return Read(None, [_whole_issue(file, "MALFORMED", message, _FIX_FENCE)])
    return _whole(file, _with_file_endings(file, _with_final_newline(file, longest.text)))


def _is_beside_file(reply: str, file: Fenced, other: Fenced) -> bool:
    """Return whether another block is certainly no part of the file: commands, or an empty block right after it."""
    if not other.closed:
        return False
    if other.language in _COMMANDS and file.language not in _COMMANDS:
        return True
    return other.start > file.end and not reply[file.end : other.end].strip("`~ \t\r\n")


def _whole(file: EditFile, text: str, *, by_user: bool = False) -> Read[NewText]:
    issues = [*_elided(file, text), *_bidi(file, text), *syntax_issue(file, text)]
    changed = text != file.text
    return Read(NewText(path=file.path, text=text, changed=changed, edits=None, by_user=by_user), issues)


def _with_final_newline(file: EditFile, body: str) -> str:
    """Return the content with a final newline, unless the file had none."""
    had_none = file.exists and bool(file.text) and not file.text.endswith(("\n", "\r"))
    return body if had_none or not body else body + "\n"


def _with_file_endings(file: EditFile, text: str) -> str:
    """Return `text` with the line endings, the byte order mark and the bytes that are not UTF-8 of the file.

    If its line endings are mixed, each line keeps its own. A new line gets that of the line above.
    """
    mark = "\ufeff" if file.text.startswith("\ufeff") else ""
    old = file.text.removeprefix("\ufeff")
    plain = _with_own_bytes(old, text.replace("\r\n", "\n").removeprefix("\ufeff"))
    if "\r" in old and "\n" not in old:
        return mark + plain.replace("\n", "\r")
    if "\r\n" not in old:
        return mark + plain
    if old.count("\r\n") == old.count("\n"):
        return mark + plain.replace("\n", "\r\n")
    return mark + _with_own_endings(old, plain)


def _with_own_endings(old: str, plain: str) -> str:
    from difflib import SequenceMatcher

    before, after = old.split("\n"), plain.split("\n")
    returns = ["\r" if line.endswith("\r") else "" for line in before]
    found: list[str] = []
    matcher = SequenceMatcher(None, [line.removesuffix("\r") for line in before], after, autojunk=False)
    for _, first, last, start, stop in matcher.get_opcodes():
        known = returns[first:last]
        above = [found[-1]] if found else returns[:1]
        found += (known + (known[-1:] or above) * (stop - start))[: stop - start]
    found[-1] = ""  # after the last line break there is no other
    return "\n".join(line + end for line, end in zip(after, found, strict=True))


def _with_own_bytes(old: str, plain: str) -> str:
    """Return the text with the bytes of lines that only differ because a byte that is not UTF-8 cannot be sent."""
    unsendable = [line for line in old.splitlines() if NO_UTF8.search(line)]
    for line in dict.fromkeys(unsendable):
        shown = NO_UTF8.sub("[?\ufffd]+", re.escape(line))
        plain = re.sub(rf"^{shown}$", lambda _found, line=line: line, plain, flags=re.MULTILINE)
    return plain


def _bidi(file: EditFile, text: str) -> list[Issue]:
    found = new_bidi_control(text, file.text)
    return [] if found is None else [_whole_issue(file, "BIDI", bidi_message(file.path, *found), BIDI_FIX)]


def _elided(file: EditFile, text: str) -> list[Issue]:
    """Return the issue of a placeholder for omitted code, if there is a new one."""
    placeholder = left_out(tuple(file.text.splitlines()), tuple(text.splitlines()))
    if placeholder is None:
        return []
    message = f"line {placeholder.strip()!r} of {file.path!r} replaces code that was left out"
    return [_whole_issue(file, "ELISION", message, "Write every line; never 'rest unchanged'.")]


def _whole_issue(file: EditFile, code: str, message: str, fix: str) -> Issue:
    return Issue(code=code, message=message, tier=Tier.SYNTAX, unit=file.path, page=1, fix=fix)
