"""The failures of a round, computed from the attempts in the ledger."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.engine.repair import patch_instructions
from retouch.engine.tiers import ValidationResult
from retouch.recipes.rule.asking.pages import without_python
from retouch.recipes.rule.judging.artifact import Heading, without_heading
from retouch.recipes.rule.judging.checks import semantic_issues
from retouch.recipes.rule.judging.reading import read_answer
from retouch.recipes.rule.judging.trial import tried

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.engine.types import Attempt, Issue, Request
    from retouch.recipes.rule.asking.source import RuleJob

MOST_ROWS = 200


@dataclass(frozen=True, kw_only=True)
class FailedAnswer:
    """One answer of a round: its text, the requested form, and the result of its validation."""

    text: str
    requested_form: str
    result: ValidationResult
    request: Request
    readable: bool


def failures_of(job: RuleJob, attempts: Sequence[Attempt]) -> list[FailedAnswer]:
    """Return the answers of a round, oldest first, with the issues of each. Answers that passed are included."""
    found: list[FailedAnswer] = []
    for attempt in attempts:
        if attempt.reply is None:
            continue
        requested_form = asked_form(job, attempt.request)
        text = attempt.reply.text
        if found and patch_instructions() in attempt.request.messages[-1].text:
            text = patched(found[-1].text, text)
        result = validated(job, text, Heading(requested_form=requested_form))
        if any("finish" in issue.detail for issue in attempt.issues):
            result = ValidationResult([_cut_off(issue) for issue in attempt.issues], raw_output=text)
        readable = attempt.readable
        found.append(
            FailedAnswer(
                text=text, requested_form=requested_form, result=result, request=attempt.request, readable=readable
            )
        )
    return found


def asked_form(job: RuleJob, request: Request) -> str:
    """Return the form that a request requires if it differs from the source's form, else ""."""
    return "yaml" if request.messages[0].text == without_python(job).user else ""


def patched(previous: str, reply: str) -> str:
    """Return `previous` with the FIND/REPLACE blocks of a reply applied. If they cannot be applied, return the reply
    itself.
    """
    from retouch.edits.apply import apply_reply

    result = apply_reply(reply, {"answer": previous}, target="answer")
    return reply if result.outcome == "refused" else result.files.get("answer") or reply


def _cut_off(issue: Issue) -> Issue:
    """Return the engine's issue of an incomplete answer as an issue of this recipe."""
    if issue.detail.get("finish") != "length":
        return issue
    return replace(issue, code="OUTPUT_TRUNCATED", fix="Answer more briefly, and completely.")


def validated(job: RuleJob, answer: str, heading: Heading | None = None) -> ValidationResult:
    """Return the result of the three tiers for an answer. A tier runs only if the one before passed.

    `validated` is the artifact and `preview` has a row for each sample, if it can be read. The heading of a stored
    answer is removed unless `heading` is given.
    """
    if heading is None:
        heading, answer = without_heading(answer)
    read = read_answer(job, answer, heading)
    issues, artifact = list(read.issues), read.value
    if artifact is None or any(issue.severity == "error" for issue in issues):
        return ValidationResult(issues, raw_output=answer, parsed=artifact)
    issues += semantic_issues(job, artifact)
    rows = [row.as_json() for row in tried(job, artifact).rows[:MOST_ROWS]]
    return ValidationResult(issues, raw_output=answer, parsed=artifact, validated=artifact, preview=rows)
