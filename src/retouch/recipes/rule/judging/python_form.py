"""Reads a Python function and checks it without running it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.engine.recipe import Read
from retouch.engine.types import Tier
from retouch.recipes.rule.asking.redactor import redactor_of
from retouch.recipes.rule.judging.artifact import Artifact
from retouch.recipes.rule.judging.issues import ambiguous, issue, with_place
from retouch.recipes.rule.judging.python_run import FUNCTION
from retouch.sandbox import lint

if TYPE_CHECKING:
    from retouch.engine.types import Issue
    from retouch.recipes.rule.asking.source import RuleJob
    from retouch.recipes.rule.judging.artifact import Heading
    from retouch.recipes.rule.judging.replies import Found
    from retouch.sandbox import CodeFinding

MAX_CHARS = 65_536
_WANTED = "Write 'def extract(path: str) -> dict:' at the top level."
_FIXES = {
    "PYTHON_SYNTAX_ERROR": "Write valid Python.",
    "MISSING_EXTRACT": _WANTED,
    "BAD_SIGNATURE": _WANTED,
    "FORBIDDEN_IMPORT": "Use the modules that were named; do without this one.",
    "FORBIDDEN_CALL": "Do without it: the sandbox has no files, network, processes or evaluation of text.",
    "TOP_LEVEL_SIDE_EFFECT": "Leave only imports, constants and functions at the top level.",
}


def read_python(job: RuleJob, answer: str, found: Found, heading: Heading, *, reveal: bool) -> Read[Artifact]:
    """Return the function of an answer, with the issues of the first tier that fails."""
    if found.others:
        return Read(None, (ambiguous(found.others),))
    lines = answer.splitlines()
    if not found.closed:
        message, fix = "the fenced block is not closed: the reply seems cut off", "Give the whole function again."
        return Read(None, (issue("OUTPUT_TRUNCATED", message, tier=Tier.SYNTAX, line=len(lines), fix=fix),))
    if len(found.text) > MAX_CHARS:
        message = f"the code has {len(found.text):,} characters; {MAX_CHARS:,} are allowed"
        return Read(None, (issue("PYTHON_SYNTAX_ERROR", message, tier=Tier.SYNTAX, fix="Write a shorter function."),))
    issues = [_issue(one, found, lines) for one in lint(found.text, FUNCTION)]
    if issues:
        first = min(one.tier for one in issues)
        return Read(None, [one for one in issues if one.tier == first])
    text = redactor_of(job).reveal(found.text) if reveal else found.text
    before = found.line - 1 + len(text) - len(text.lstrip("\n"))
    code = text.strip("\n") + "\n"
    return Read(Artifact(kind="python", text=code, reported_issue=heading.reported_issue, lines_before=before))


def _issue(finding: CodeFinding, found: Found, lines: list[str]) -> Issue:
    """Return a finding as an issue. Its line is counted in the whole answer."""
    tier = Tier.SYNTAX if finding.code == "PYTHON_SYNTAX_ERROR" else Tier.SCHEMA
    line = finding.line + found.line - 1 if finding.line else None
    fix = _FIXES.get(finding.code, "Do without it.")
    return with_place(issue(finding.code, finding.message, tier=tier, line=line, path=FUNCTION, fix=fix), lines)
