"""Reads the answers of one type: its code, and the issues of tiers 1 and 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.engine.recipe import Read
from retouch.recipes.csharp.asking.paging import type_named
from retouch.recipes.csharp.checking.declaration import declaration_issues
from retouch.recipes.csharp.checking.enums import enum_issues
from retouch.recipes.csharp.checking.form import form_issues
from retouch.recipes.csharp.checking.members import (
    comment_issues,
    member_issues,
    other_member_issues,
    unknown_name_issues,
)
from retouch.recipes.csharp.checking.subject import Subject, subject
from retouch.recipes.csharp.writing.code import CsCode, Piece
from retouch.recipes.csharp.writing.stitch import stitch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.engine.types import Issue
    from retouch.recipes.csharp.ir import Endpoint

__all__ = ["CsCode", "Piece", "read"]

_OF_THE_WHOLE_TYPE = frozenset({"PRIMARY_KEY", "ALTERNATE_KEY", "MISSING_CLASS", "DUPLICATE_FIELD", "UNDECLARED_TYPE"})


def read(endpoint: Endpoint, unit: str, pages: Sequence[str]) -> Read[CsCode]:
    """Return the code of the type `unit` from its pages, with the issues of tiers 1 and 2.

    If a page is not valid C# of the requested form, there is no code. The other pages are then still checked for issues
    that depend on them alone, so that one round of repairs fixes all pages. An adopted type has a single page.
    """
    checked = subject(endpoint, type_named(endpoint, unit), pages)
    broken = list(form_issues(checked))
    issues = list(_schema_issues(checked))
    if broken:
        broken_pages = {issue.page for issue in broken}
        return Read(None, [*broken, *(issue for issue in issues if _of_another_page(issue, broken_pages))])
    if checked.declaration is None:
        return Read(None, issues)
    return Read(stitch(checked.pages, name=unit), issues)


def _of_another_page(issue: Issue, broken: set[int | None]) -> bool:
    """Return whether an issue depends only on its own page and not on the broken pages."""
    return None not in broken | {issue.page} and issue.page not in broken and issue.code not in _OF_THE_WHOLE_TYPE


def _schema_issues(checked: Subject) -> Iterator[Issue]:
    if checked.endpoint.style == "plain":
        from retouch.recipes.csharp.checking.plain import plain_issues

        yield from plain_issues(checked)
        return
    yield from declaration_issues(checked)
    declared = checked.declaration
    if declared is None or (declared.kind == "enum") != (checked.type.kind == "enum"):
        return
    yield from other_member_issues(checked)
    yield from comment_issues(checked)
    yield from unknown_name_issues(checked)
    yield from enum_issues(checked) if checked.type.kind == "enum" else member_issues(checked)
