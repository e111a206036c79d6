"""Tier 1: checks that each page is C# of the requested form and nothing else. Issues refer to that page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.engine.types import Issue, Tier
from retouch.recipes.csharp.parsing.bidi import first_bidi_control
from retouch.recipes.csharp.parsing.outline import BEGIN_FIELDS, END_FIELDS
from retouch.recipes.csharp.writing.blocks import MARKER_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.csharp.checking.subject import Subject
    from retouch.recipes.csharp.parsing.outline import Outline, Stray

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
CODE_LINE = re.compile(
    r"\s*(?:[\[\]{}/*#]|(?:public|internal|private|using|namespace|class|enum|record|sealed)\b"
    r"|@?\w+ *(?:= *-?\w+)? *,? *(?://.*)?$)"
)
_STRING_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*')

_ANSWER_WITH_CODE = "Answer with the C# code of this page and nothing else."
_HEAD = ("using_directive", "namespace_declaration", "file_scoped_namespace_declaration")
_MARKS_FIX = f"Put the members of this page between one line {BEGIN_FIELDS!r} and one line {END_FIELDS!r}."


def form_issues(subject: Subject) -> Iterator[Issue]:
    """Yield the issues of the form of each page."""
    for number, page in enumerate(subject.pages, 1):
        yield from _page_issues(subject, number, page)


def _page_issues(subject: Subject, number: int, page: Outline) -> Iterator[Issue]:
    text = page.data.decode()
    if not text.strip():
        yield _structural(subject, number, None, "The page is empty.", _ANSWER_WITH_CODE)
        return
    artifacts = list(_artifacts(subject, number, page, text))
    yield from artifacts
    if page.fault is not None:
        if not artifacts:
            yield _broken(subject, number, page.fault, text)
        return
    if page.form != "type":
        yield from _fragment_issues(subject, number, page)
    yield from _comma_issues(subject, number, page)


def _artifacts(subject: Subject, number: int, page: Outline, text: str) -> Iterator[Issue]:
    fence = _FENCE.search(text)
    if fence:
        line = text.count("\n", 0, fence.start()) + 1
        yield _artifact(subject, number, line, "The code stands in a markdown fence.", _ANSWER_WITH_CODE)
        return
    marker = MARKER_TEXT.search(text)
    if marker:
        line = text.count("\n", 0, marker.start()) + 1
        fix = "Leave the SCHMITH markers out: they are added when the file is put together."
        yield _artifact(subject, number, line, "The page holds a SCHMITH marker.", fix)
    if hidden := first_bidi_control(text):
        message = f"The page holds the bidirectional control character {hidden[1]}."
        fix = "Write it as an escape in a plain string literal, and leave it out anywhere else."
        yield _artifact(subject, number, hidden[0], message, fix)
    for stray in page.stray:
        if stray.kind in _HEAD:
            fix = "Leave namespace and using lines out: they are added when the file is put together."
            yield _artifact(subject, number, stray.line, f"The page holds {stray.text!r}.", fix)
        elif page.fault is None and stray.kind != "}" and not stray.kind.startswith("preproc_"):
            message = f"{stray.text!r} stands outside of the code that was asked for."
            yield _artifact(subject, number, stray.line, message, _ANSWER_WITH_CODE)
    prose = _prose_line(text) if page.fault is not None else None
    if prose is not None:
        message = f"The page holds text that is no code: {text.splitlines()[prose - 1].strip()[:80]!r}."
        yield _artifact(subject, number, prose, message, _ANSWER_WITH_CODE)


def _prose_line(text: str) -> int | None:
    """Return the number of the first or last non-blank line if it is prose and not code, else None."""
    lines = text.splitlines()
    written = [index for index, line in enumerate(lines) if line.strip()]
    for index in (written[0], written[-1]) if written else ():
        if not CODE_LINE.match(lines[index]) and len(lines[index].split()) > 2:
            return index + 1
    return None


def _fragment_issues(subject: Subject, number: int, page: Outline) -> Iterator[Issue]:
    closing = next((stray for stray in page.stray if stray.kind == "}"), None)
    if closing is not None or not page.types:
        line = closing.line if closing else None
        fix = "Balance the braces: this page holds whole members and no closing brace of the type."
        yield _structural(subject, number, line, "A brace closes more than this page opens.", fix)
        return
    body = page.types[0]
    nested = next((other for other in body.others if other.declares_type), None)
    if nested is not None:
        message = f"The page declares a type: {nested.text!r}; members alone were asked for."
        yield _structural(subject, number, nested.line, message, _MARKS_FIX)
    texts = [mark.text for mark in page.marks]
    if texts != [BEGIN_FIELDS, END_FIELDS]:
        message = f"The page needs the marks {BEGIN_FIELDS} and {END_FIELDS}, once each; it has {texts}."
        yield _structural(subject, number, None, message, _MARKS_FIX)
        return
    begin, end = page.marks
    outside = [each.line for each in (*body.properties, *body.members) if not begin.end <= each.start < end.start]
    if outside:
        yield _structural(subject, number, outside[0], "A member stands outside of the marks.", _MARKS_FIX)


def _comma_issues(subject: Subject, number: int, page: Outline) -> Iterator[Issue]:
    last = number == len(subject.pages)
    for part in page.types:
        for index, member in enumerate(part.members):
            if not member.comma and not (last and index == len(part.members) - 1):
                message = f"The enum member {member.name!r} is not followed by a comma."
                yield _structural(subject, number, member.line, message, "End every member with a comma.")


def _broken(subject: Subject, number: int, fault: Stray, text: str) -> Issue:
    if fault.kind == "missing":
        message = f"The code cannot be parsed: {fault.text!r} is missing."
    else:
        message = f"The code cannot be parsed near {fault.text!r}."
    code = _STRING_OR_COMMENT.sub("", text)
    balance = code.count("{") - code.count("}")
    if balance:
        message += f" It has {abs(balance)} {'{' if balance > 0 else '}'} too many."
    return _structural(subject, number, fault.line, message, "Write complete, balanced C# for this page.")


def _structural(subject: Subject, page: int, line: int | None, message: str, fix: str) -> Issue:
    return subject.issue("STRUCTURAL", message, page=page, line=line, fix=fix, tier=Tier.SYNTAX)


def _artifact(subject: Subject, page: int, line: int, message: str, fix: str) -> Issue:
    return subject.issue("ARTIFACT", message, page=page, line=line, fix=fix, tier=Tier.SYNTAX)
