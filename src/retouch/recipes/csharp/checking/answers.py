"""Reads the answers of one type: its code, and what is wrong with it in tiers 1 and 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.engine.recipe import Read
from retouch.recipes.csharp.asking.paging import type_named
from retouch.recipes.csharp.checking.declaration import declaration_issues
from retouch.recipes.csharp.checking.enums import enum_issues
from retouch.recipes.csharp.checking.form import form_issues
from retouch.recipes.csharp.checking.members import comment_issues, member_issues, other_member_issues
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

    There is no code when a page is not C# in the form that was asked for; the other pages are then judged for what
    is theirs alone, so that one round of repairs serves them all. An adopted type arrives as one page.
    """
    judged = subject(endpoint, type_named(endpoint, unit), pages)
    broken = list(form_issues(judged))
    issues = list(_schema_issues(judged))
    if broken:
        guilty = {issue.page for issue in broken}
        return Read(None, [*broken, *(issue for issue in issues if _of_another_page(issue, guilty))])
    if judged.declaration is None:
        return Read(None, issues)
    return Read(stitch(judged.pages, name=unit), issues)


def _of_another_page(issue: Issue, broken: set[int | None]) -> bool:
    """Return whether an issue is the fault of its own page, whatever the broken pages turn out to hold."""
    return None not in broken | {issue.page} and issue.page not in broken and issue.code not in _OF_THE_WHOLE_TYPE


def _schema_issues(judged: Subject) -> Iterator[Issue]:
    yield from declaration_issues(judged)
    declared = judged.declaration
    if declared is None or (declared.kind == "enum") != (judged.type.kind == "enum"):
        return
    yield from other_member_issues(judged)
    yield from comment_issues(judged)
    yield from enum_issues(judged) if judged.type.kind == "enum" else member_issues(judged)
