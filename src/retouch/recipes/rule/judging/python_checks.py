"""Issues of running a function: one for each kind of failure, with the paths that show it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.engine.types import Tier
from retouch.recipes.rule.judging.issues import MOST_EVIDENCE, issue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.types import Issue
    from retouch.recipes.rule.judging.rows import Row, Trial

SELDOM = 0.2  # if at most this share of the samples fails, it is a warning
_FIXES = {
    "RUNTIME_ERROR": "Let no path raise an exception: test what is there before it is used.",
    "TIMEOUT": "Do less for each path; mind loops and patterns that repeat repetitions.",
    "MEMORY": "Keep less in memory.",
    "NOT_SERIALIZABLE": "Return text, whole numbers, true, false, None and lists of these; a date as ISO text.",
    "OUTPUT_TOO_LARGE": "Return only the values of the path.",
    "UNSUPPORTED_PYTHON": "Say it without this feature, in plain functions, loops and comprehensions.",
    "NOT_A_DICT": "Return a dictionary for every path, an empty one when there is nothing.",
    "BAD_FIELD_NAME": "Use lower-case letters, digits and underscores, a letter first.",
    "NON_DETERMINISTIC": "Let the values depend on the path alone: no state, time or chance.",
    "PYTHON_SYNTAX_ERROR": "Write Python that the sandbox reads.",
    "MISSING_EXTRACT": "Write 'def extract(path: str) -> dict:' at the top level.",
}
_TIERS = {
    "PYTHON_SYNTAX_ERROR": Tier.SYNTAX,
    "UNSUPPORTED_PYTHON": Tier.SCHEMA,
    "MISSING_EXTRACT": Tier.SCHEMA,
}
_SHORT = {"RUNTIME_ERROR": "execution error", "TIMEOUT": "took too long", "MEMORY": "took too much memory"}


def failures(trial: Trial, *, lines_before: int = 0) -> list[Issue]:
    """Return the issues of a function's failures on samples, by code. If only a few samples raise an exception, warn.

    Lines are counted in the answer, which has `lines_before` lines before the code.
    """
    by_code: dict[str, list[Row]] = {}
    for row in trial.rows:
        if row.failure is not None:
            by_code.setdefault(row.failure[0], []).append(row)
    found = [_issue(code, rows, len(trial.rows), lines_before) for code, rows in by_code.items()]
    if trial.changing:
        message = f"a second call gave something else for {len(trial.changing)} of {len(trial.rows)} paths"
        evidence: list[JSON] = [{"path": path} for path in trial.changing[:MOST_EVIDENCE]]
        found.append(_function_issue("NON_DETERMINISTIC", message, None, evidence))
    return found


def _issue(code: str, rows: Sequence[Row], whole: int, lines_before: int) -> Issue:
    evidence: list[JSON] = []
    for row in rows[:MOST_EVIDENCE]:
        message = row.failure[1] if row.failure is not None else ""
        evidence.append({"path": row.path, "reason": code, "why": message})
    line = next((row.failure[2] for row in rows if row.failure is not None), None)
    line = line + lines_before if line else None
    found = _function_issue(code, f"the function fails on {len(rows)} of {whole} paths", line, evidence)
    seldom = code == "RUNTIME_ERROR" and len(rows) <= SELDOM * whole
    return replace(found, severity="warning") if seldom else found


def _function_issue(code: str, message: str, line: int | None, evidence: list[JSON]) -> Issue:
    tier = _TIERS.get(code, Tier.SEMANTIC)
    found = issue(code, message, tier=tier, line=line, path="extract", fix=_FIXES[code])
    short = _SHORT.get(code, code.lower().replace("_", " "))
    return replace(found, detail={"short": short, "evidence": evidence})
