"""Builds the issues of the one unit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.engine.types import Issue, Tier
from retouch.recipes.rule.asking.source import UNIT
from retouch.recipes.rule.language.notes import shortened, snippet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.errors import Problem


MOST_EVIDENCE = 4  # samples that show an issue


def issue(
    code: str, message: str, *, tier: Tier = Tier.SCHEMA, line: int | None = None, path: str | None = None, fix: str
) -> Issue:
    """Return an issue of the one unit. Its message is cut at 300 characters."""
    detail: dict[str, JSON] = {"short": short_of(code, tier, line, path)}
    return Issue(
        code=code, message=shortened(message), tier=tier, unit=UNIT, line=line, path=path, detail=detail, fix=fix
    )


def short_of(code: str, tier: Tier, line: int | None, path: str | None) -> str:
    """Return the short description of a failure of tier 1 or 2 for the status line."""
    if tier == Tier.SYNTAX:
        return f"syntax error (line {line})" if line else code.lower().replace("_", " ")
    return f"schema error ({path or 'root'})"


def with_place(found: Issue, lines: Sequence[str]) -> Issue:
    """Return an issue with the lines around its own line."""
    if found.line is None:
        return found
    return replace(found, detail={**found.detail, "column": 1, "snippet": snippet(lines, found.line, 1)})


def issue_of(problem: Problem) -> Issue:
    """Return a problem of a text as an issue, with its column and the lines around it."""
    found = issue(
        problem.code,
        problem.message,
        tier=problem.tier,
        line=problem.line,
        path=problem.path or None,
        fix=problem.suggestion,
    )
    detail: dict[str, JSON] = {**found.detail, "column": problem.column}
    if problem.snippet:
        detail["snippet"] = problem.snippet
    return replace(found, severity=problem.severity, detail=detail)


def ambiguous(others: int) -> Issue:
    """Return the issue of a reply with several different answers."""
    message = f"the reply holds {others + 1} answers that differ"
    return issue("AMBIGUOUS_OUTPUT", message, tier=Tier.SYNTAX, fix="Give one answer, in one block.")
