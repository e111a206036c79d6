"""The repairs of this recipe: a further turn, or YAML if Python failed three times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.engine.repair import FollowUp, Instead
from retouch.engine.tiers import ValidationResult
from retouch.engine.types import Message
from retouch.recipes.rule.asking.pages import without_python
from retouch.recipes.rule.asking.redactor import redactor_of
from retouch.recipes.rule.asking.turns import build_retry_prompt, in_blocks
from retouch.recipes.rule.judging.artifact import Heading, without_heading
from retouch.recipes.rule.judging.checks import LOW_COVERAGE
from retouch.recipes.rule.repairing.failures import asked_form, failures_of, patched

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.engine.repair import Repair, RepairContext
    from retouch.engine.types import Attempt, Issue
    from retouch.recipes.rule.asking.source import RuleJob

PYTHON_TRIES = 3
YAML_ONLY = "YAML_ONLY"  # the code of the user's request for YAML after Python failed


@dataclass(frozen=True, kw_only=True)
class Retry(FollowUp):
    """A further turn after the last exchange that could be read, or after the original prompt.

    The turn contains the failing answer itself, so that it is complete even if its exchange could not be read.
    """

    job: RuleJob
    earlier: tuple[Attempt, ...] = ()
    reported_issue: str = ""

    def conversation(self, context: RepairContext) -> tuple[str, tuple[Message, ...]]:
        """Return the earlier messages, byte for byte, and the new turn."""
        system, messages = self._prefix(context)
        return system, (*messages, Message(role="user", text=self._turn(context, messages[0].text)))

    def _prefix(self, context: RepairContext) -> tuple[str, tuple[Message, ...]]:
        answered = [attempt for attempt in context.attempts if attempt.reply is not None]
        committed = [attempt for attempt in answered if attempt.readable]
        if committed:
            last = committed[-1]
            answer_text = last.reply.text if last.reply is not None else ""
            return last.request.system, (*last.request.messages, Message(role="assistant", text=answer_text))
        if answered:
            return answered[-1].request.system, answered[-1].request.messages[:1]
        return context.prompt.system, (Message(role="user", text=context.prompt.user),)

    def _turn(self, context: RepairContext, prompt: str) -> str:
        failures = failures_of(self.job, context.attempts)
        history = [failure.result for failure in failures]
        current = without_heading(context.answer or "")[1]
        if not history or not history[-1].errors:
            before = [] if not history else history[:-1]
            history = [*before, ValidationResult(context.issues, raw_output=self._previous(context.answer))]
        best = current if any(failure.text == current for failure in failures) else ""  # only an answer of this round
        return build_retry_prompt(
            prompt, history, self.job.samples, hint=context.hint, best=best, redactor=redactor_of(self.job)
        )

    def _previous(self, current: str | None) -> str:
        """Return the answer that the turn corrects."""
        found = failures_of(self.job, self.earlier)
        return found[-1].text if found else without_heading(current or "")[1]

    def fold(self, answer: str | None, reply: str) -> str:
        """Return the new answer: the reply, or the previous answer with the reply's blocks applied."""
        previous = self._previous(answer)
        text = patched(previous, reply) if in_blocks(previous) else reply
        heading, _ = without_heading(answer or "")
        requested_form = asked_form(self.job, self.earlier[-1].request) if self.earlier else ""
        return Heading(
            requested_form=requested_form, reported_issue=self.reported_issue or heading.reported_issue
        ).before(text)


def repair(job: RuleJob, _unit: str, issues: Sequence[Issue], attempts: Sequence[Attempt]) -> Repair | None:
    """Return the next repair, or None if the model repeated an answer in this round.

    The request switches to YAML if the user wants it after Python failed, or if the model failed at Python three times.
    """
    answered = tuple(attempt for attempt in attempts if attempt.reply is not None)
    if repeats(answered):
        return None
    if any(issue.code == YAML_ONLY for issue in issues) or _failed_at_python(job, answered):
        return Instead(prompt=without_python(job), merge=_as_yaml)
    reported_issue = LOW_COVERAGE if any(issue.code == LOW_COVERAGE for issue in issues) else ""
    return Retry(job=job, earlier=answered, reported_issue=reported_issue)


def repeats(answered: Sequence[Attempt]) -> bool:
    """Return whether the last complete answer was given before."""
    texts = [one.reply.text for one in answered if one.reply is not None and one.reply.finish == "end"]
    return len(texts) > 1 and texts[-1] in texts[:-1]


def _failed_at_python(job: RuleJob, answered: Sequence[Attempt]) -> bool:
    if job.form not in {"python", "either"} or len(answered) < PYTHON_TRIES:
        return False
    return not any(asked_form(job, attempt.request) for attempt in answered)


def _as_yaml(_standing: str | None, reply: str) -> str:
    return Heading(requested_form="yaml").before(reply)
