"""Reads the answers of one type: its code, and what is wrong with it in tiers 1 and 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.engine.recipe import Read
from retouch.recipes.csharp.checks_enum import enum_issues
from retouch.recipes.csharp.checks_form import form_issues
from retouch.recipes.csharp.checks_members import comment_issues, member_issues, other_member_issues
from retouch.recipes.csharp.checks_type import declaration_issues
from retouch.recipes.csharp.code import CsCode, Piece
from retouch.recipes.csharp.judging import Subject, subject
from retouch.recipes.csharp.paging import type_named
from retouch.recipes.csharp.stitch import stitch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.engine.core import Issue
    from retouch.recipes.csharp.ir import Endpoint

__all__ = ["CsCode", "Piece", "read"]


def read(endpoint: Endpoint, unit: str, pages: Sequence[str]) -> Read[CsCode]:
    """Return the code of the type `unit` from its pages, with the issues of tiers 1 and 2.

    There is no code when a page is not C# in the form that was asked for. An adopted type arrives as one page.
    """
    judged = subject(endpoint, type_named(endpoint, unit), pages)
    broken = list(form_issues(judged))
    if broken:
        return Read(None, broken)
    issues = list(_schema_issues(judged))
    if judged.declaration is None:
        return Read(None, issues)
    return Read(stitch(judged.pages, name=unit), issues)


def _schema_issues(judged: Subject) -> Iterator[Issue]:
    yield from declaration_issues(judged)
    declared = judged.declaration
    if declared is None or (declared.kind == "enum") != (judged.type.kind == "enum"):
        return
    yield from other_member_issues(judged)
    yield from comment_issues(judged)
    yield from enum_issues(judged) if judged.type.kind == "enum" else member_issues(judged)
