"""Builds the correction of a retry: the issues of the last answer, unambiguously, and the output to return."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from retouch.engine.repair import patch_instructions
from retouch.engine.types import Tier
from retouch.recipes.rule.applying.places import locate
from retouch.recipes.rule.asking.pages import OUTPUT
from retouch.recipes.rule.asking.redactor import PathRedactor
from retouch.recipes.rule.asking.showing import as_data, fenced

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch.engine.tiers import ValidationResult
    from retouch.engine.types import Issue

MAX_OUTPUT_CHARS = 8_192
BLOCKS_FROM_LINES = 60
SHOWN_PATHS = 2
MOST_ISSUES = 12
_NO_REDACTION = PathRedactor({}, "", lambda _text: [])


def build_retry_prompt(
    original_prompt: str,
    validation_history: Sequence[ValidationResult],
    sample_paths: Sequence[str],
    *,
    hint: str = "",
    best: str = "",
    redactor: PathRedactor = _NO_REDACTION,
) -> str:
    """Return the text of the turn that follows `original_prompt`, which itself is not changed.

    The last entry of `validation_history` is shown in full: the answer with numbered lines, and every error. Earlier
    entries get one line each. After a failure of tier 3, two paths are shown segment by segment: failing ones, or the
    first of `sample_paths`. `best` is an earlier answer that got further. `redactor` replaces private text.
    """
    last = validation_history[-1] if validation_history else None
    errors = [] if last is None else last.errors
    parts = ["The last answer cannot be used as it is." if errors else "The answer is to be improved."]
    previous = ((last.raw_output if last is not None else None) or "").encode("utf-8", "replace").decode()
    if previous.strip():
        first = min((issue.line for issue in errors if issue.line), default=1)
        shown = _numbered(redactor.hide(previous), first)
        parts.append(f"<previous_output>\n{shown}\n</previous_output>")
    if errors:
        parts.append("ERRORS\n" + "\n".join(_error(issue, redactor) for issue in errors[:MOST_ISSUES]))
    if any(issue.tier == Tier.SEMANTIC for issue in errors):
        parts.append(_segments(errors, sample_paths, redactor))
    if len(validation_history) > 1:
        parts.append(
            "EARLIER FAILURES, oldest first; do not repeat them\n" + _earlier(validation_history[:-1], redactor)
        )
    if best and best != previous:
        parts.append(f"AN EARLIER ANSWER GOT FURTHER\n{fenced(redactor.hide(best)[:MAX_OUTPUT_CHARS].splitlines())}")
    if hint:
        parts.append(f"WHAT THE PERSON SAYS NOW\n{fenced(redactor.hide(hint).splitlines())}")
    parts.append(_output_request(original_prompt, previous))
    return "\n\n".join(parts)


def in_blocks(previous: str) -> bool:
    """Return whether the correction of `previous` is requested as FIND/REPLACE blocks."""
    return previous.count("\n") >= BLOCKS_FROM_LINES and len(previous) <= MAX_OUTPUT_CHARS


def _output_request(original_prompt: str, previous: str) -> str:
    if in_blocks(previous):
        note = "FIND is copied from the previous output, without the numbers of its lines."
        return f"WHAT TO RETURN\n{patch_instructions()}\n{note}"
    form = next((line for line in original_prompt.splitlines()[::-1] if line.startswith(OUTPUT)), "").removeprefix(
        OUTPUT
    )
    again = f" ({form})" if form else ""
    return f"WHAT TO RETURN\nThe whole answer once more, corrected, in the form that was asked for{again}."


def _numbered(text: str, around: int) -> str:
    """Return the lines of a text with their numbers. If the text is too long, return the lines around `around`."""
    lines = [f"{number:>4} | {line}" for number, line in enumerate(text.splitlines(), 1)]
    if len(text) <= MAX_OUTPUT_CHARS:
        return "\n".join(lines)
    first = last = max(min(around, len(lines)) - 1, 0)
    size = len(lines[first])
    while size < MAX_OUTPUT_CHARS and (first > 0 or last < len(lines) - 1):
        if first > 0:
            first -= 1
            size += len(lines[first]) + 1
        if last < len(lines) - 1:
            last += 1
            size += len(lines[last]) + 1
    shown = "\n".join(lines[first : last + 1])[:MAX_OUTPUT_CHARS]
    return f"     (lines {first + 1} to {last + 1} of {len(lines)})\n{shown}"


def _error(issue: Issue, redactor: PathRedactor) -> str:
    """Return an error as text: code, place, message, snippet, and fix."""
    column = issue.detail.get("column")
    places = (f"line {issue.line}" if issue.line else "", f"column {column}" if column else "", issue.path or "")
    where = ", ".join(part for part in places if part)
    lines = [f"[{issue.code}]{' ' + where if where else ''}: {redactor.hide_in_prose(issue.message)}"]
    snippet = issue.detail.get("snippet")
    if isinstance(snippet, str):
        lines += [f"    {line}" for line in redactor.hide_in_prose(snippet).splitlines()]
    lines += [f"  seen: {_evidence(one, redactor)}" for one in evidence_of(issue)]
    lines += [f"  do: {line}" for line in redactor.hide_in_prose(issue.fix).splitlines()]
    return "\n".join(lines)


def evidence_of(issue: Issue) -> list[Mapping[str, Any]]:
    """Return the samples that show an issue: each with its path and, if known, the field, the reason and an
    explanation.
    """
    found = issue.detail.get("evidence")
    rows: Iterable[object] = found if isinstance(found, list) else ()
    return [cast("Mapping[str, Any]", row) for row in rows if isinstance(row, dict)]


def _evidence(row: Mapping[str, Any], redactor: PathRedactor) -> str:
    details = [as_data(redactor.hide(str(row.get("path", ""))))]
    details += [str(row[key]) for key in ("field", "reason") if row.get(key)]
    return ", ".join(details) + (f": {as_data(redactor.hide(str(row['why'])))}" if row.get("why") else "")


def _segments(errors: Sequence[Issue], sample_paths: Sequence[str], redactor: PathRedactor) -> str:
    """Return two paths, segment by segment, so that nothing must be counted, with the reason of each failing field."""
    why: dict[str, list[str]] = {}
    for issue in errors:
        for row in evidence_of(issue):
            details = ", ".join(str(row[key]) for key in ("field", "reason") if row.get(key))
            why.setdefault(str(row.get("path", "")), []).append(details)
    lines = ["SEGMENTS OF TWO SUCH PATHS" if why else "SEGMENTS OF TWO SAMPLES"]
    for path in list(why or dict.fromkeys(sample_paths))[:SHOWN_PATHS]:
        lines.append(as_data(redactor.hide(path)))
        parts = locate(path).absolute[1:].split("/")
        for number, part in enumerate(reversed(parts), 1):
            lines.append(f"  segment(-{number}) = {as_data(redactor.hide_part(part))}")
        lines += [f"  fails: {details}" for details in dict.fromkeys(why.get(path, ())) if details]
    return "\n".join(lines)


def _earlier(history: Sequence[ValidationResult], redactor: PathRedactor) -> str:
    return "\n".join(f"{number}. {_failure_line(result, redactor)}" for number, result in enumerate(history, 1))


def _failure_line(result: ValidationResult, redactor: PathRedactor) -> str:
    seen = dict.fromkeys(
        f"[{issue.code}]{f' line {issue.line}' if issue.line else ''} {redactor.hide_in_prose(issue.message)}"
        for issue in result.errors[:3]
    )
    return "; ".join(seen)
