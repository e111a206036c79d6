"""Automatic fixes, without a call, that follow with certainty from the page's text and the listed members.

Every step is tried on every page and kept only if the type has fewer issues with it, so steps can be simple.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from retouch.engine.judge import badness
from retouch.engine.types import Tier
from retouch.recipes.csharp.asking.paging import type_named
from retouch.recipes.csharp.checking.answers import read
from retouch.recipes.csharp.checking.form import CODE_LINE, form_issues
from retouch.recipes.csharp.checking.subject import Subject, form_of
from retouch.recipes.csharp.fixes.members import with_fixed_members
from retouch.recipes.csharp.fixes.spelling import respelled, with_plain_members
from retouch.recipes.csharp.parsing.bidi import with_bidi_escaped
from retouch.recipes.csharp.parsing.outline import BEGIN_FIELDS, END_FIELDS
from retouch.recipes.csharp.parsing.page import normalised, outline
from retouch.text import code_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retouch.engine.types import Issue
    from retouch.recipes.csharp.ir import CsType, Endpoint
    from retouch.recipes.csharp.parsing.outline import Form, Outline

    Step: TypeAlias = Callable[[str, Form, CsType], str]

_MARKER_LINE = re.compile(r"^[ \t]*//[/!]*[ \t]*\[SCHMITH:(?:BEGIN|END)[^\n]*(?:\n|\Z)", re.MULTILINE | re.IGNORECASE)
_BARE_MEMBER = re.compile(
    r"^(?P<member>[ \t]*@?[A-Za-z_]\w*(?:[ \t]*=[ \t]*-?\w+)?)[ \t]*(?P<rest>//[^\n]*)?$", re.MULTILINE
)


def fix_pages(endpoint: Endpoint, unit: str, pages: Sequence[str], _issues: Sequence[Issue]) -> Sequence[str] | None:
    """Return the pages of a type with automatic fixes, or None if no fix improves them."""
    type_ = type_named(endpoint, unit)
    fixed = list(pages)
    issues = before = read(endpoint, unit, fixed).issues
    for step in _PLAIN_STEPS if endpoint.style == "plain" else _STEPS:
        for index in _affected_pages(issues, len(fixed)):
            text = step(normalised(fixed[index]), form_of(type_, index + 1), type_)
            if text == fixed[index]:
                continue
            trial = [*fixed[:index], text, *fixed[index + 1 :]]
            found = read(endpoint, unit, trial).issues
            if _progress(found) < _progress(issues):
                fixed, issues = trial, found
    return fixed if badness(issues) < badness(before) else None


def form_errors(endpoint: Endpoint, unit: str, page: int, text: str) -> Sequence[Issue]:
    """Return the errors of the form of one page alone, () if an automatic fix leaves fewer of them."""
    type_ = type_named(endpoint, unit)
    form = form_of(type_, page)
    found = _form_issues_of(endpoint, type_, form, text)
    if not found:
        return ()
    fixed, before = text, _progress(found)
    for step in _PLAIN_STEPS if endpoint.style == "plain" else _STEPS:
        fixed = step(normalised(fixed), form, type_)
        if _progress(_form_issues_of(endpoint, type_, form, fixed)) < before:
            return ()
    return [replace(issue, page=page) for issue in found]


def _form_issues_of(endpoint: Endpoint, type_: CsType, form: Form, text: str) -> list[Issue]:
    return list(form_issues(Subject(endpoint=endpoint, type=type_, pages=[outline(normalised(text), form)])))


def _affected_pages(issues: Sequence[Issue], count: int) -> list[int]:
    """Return the indexes of the pages with issues, or all if an issue refers to the whole type."""
    pages = {issue.page for issue in issues}
    return list(range(count)) if None in pages else sorted(page - 1 for page in pages if page is not None)


def _progress(issues: Sequence[Issue]) -> tuple[tuple[int, int, int], ...]:
    """Return the sort key of a state: the badness of its syntax, then of everything.

    Syntax comes first, because a page that parses shows more issues than one that does not.
    """
    return badness(issue for issue in issues if issue.tier == Tier.SYNTAX), badness(issues)


def _without_fence(text: str, _form: Form, _type: CsType) -> str:
    return code_in(text, languages=("csharp", "cs", "c#"))


def _without_prose(text: str, _form: Form, _type: CsType) -> str:
    """Drop lines before the first and after the last line that looks like code."""
    lines = text.split("\n")
    code = [index for index, line in enumerate(lines) if line.strip() and CODE_LINE.match(line)]
    return "\n".join(lines[code[0] : code[-1] + 1]) + "\n" if code else text


def _without_markers(text: str, _form: Form, _type: CsType) -> str:
    return _MARKER_LINE.sub("", text)


def _without_head(text: str, form: Form, _type: CsType) -> str:
    """Drop using and namespace lines, and the braces of a namespace around the type."""
    page = outline(text, form)
    data = page.data
    for stray in reversed(page.stray):
        if stray.kind in ("using_directive", "file_scoped_namespace_declaration"):
            data = data[: stray.start] + data[stray.end :].lstrip(b" \t").removeprefix(b"\n")
        elif stray.kind == "namespace_declaration":
            inside = data[data.index(b"{", stray.start) + 1 : data.rindex(b"}", stray.start, stray.end)]
            data = data[: stray.start] + inside + data[stray.end :]
    return data.decode().lstrip("\n")


def _with_escapes(text: str, form: Form, _type: CsType) -> str:
    return with_bidi_escaped(text, form)


def _with_commas(text: str, form: Form, type_: CsType) -> str:
    if type_.kind != "enum":
        return text
    page = outline(text, form)
    if page.fault is not None:
        return _BARE_MEMBER.sub(_with_comma, text)
    data = page.data
    for member in reversed([member for part in page.types for member in part.members if not member.comma]):
        data = data[: member.end] + b"," + data[member.end :]
    return data.decode()


def _with_comma(match: re.Match[str]) -> str:
    return f"{match['member']},{' ' + match['rest'] if match['rest'] else ''}"


def _members_of_declaration(text: str, form: Form, type_: CsType) -> str:
    """Return only the members if a page of members was answered with the whole declaration."""
    whole = outline(text, "type")
    if form == "type" or whole.fault or [declared.name for declared in whole.types] != [type_.name]:
        return text
    declared = whole.types[0]
    return _marked(whole.data[declared.body_start : declared.body_end].decode())


def _with_marks(text: str, form: Form, _type: CsType) -> str:
    """Add the missing marks of a page of members."""
    if form == "type":
        return text
    inside = "\n".join(line for line in text.split("\n") if line.strip() not in (BEGIN_FIELDS, END_FIELDS))
    return _marked(inside)


def _marked(members: str) -> str:
    return f"{BEGIN_FIELDS}\n{members.strip(chr(10))}\n{END_FIELDS}\n"


def _with_last_brace(text: str, form: Form, _type: CsType) -> str:
    """Close a type whose last brace is missing, or drop one extra brace at the end."""
    if form != "type" or outline(text, form).fault is None:
        return text
    closed = text.rstrip() + "\n}\n"
    if _is_whole(outline(closed, form)):
        return closed
    before, brace, after = text.rpartition("}")
    return before + after if brace and _is_whole(outline(before + after, form)) else text


def _is_whole(page: Outline) -> bool:
    return page.fault is None and len(page.types) == 1 and not page.stray


_STEPS: tuple[Step, ...] = (
    _without_fence,
    _without_prose,
    _without_markers,
    _without_head,
    _with_escapes,
    _members_of_declaration,
    _with_commas,
    _with_marks,
    _with_last_brace,
    respelled,
    with_fixed_members,
)
_PLAIN_STEPS = (*_STEPS[:-2], with_plain_members)
