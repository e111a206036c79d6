"""Carries out changes of the fields that need no model, and takes them back."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.errors import BadInput, RetouchError
from retouch.recipes.rule import editing as operations
from retouch.recipes.rule.applying.changed import expect_no_loss, written
from retouch.recipes.rule.language.render import render_rule
from retouch.recipes.rule.wizard import editing
from retouch.recipes.rule.wizard.events import ChangeRefused

if TYPE_CHECKING:
    from retouch.recipes.rule.asking.source import RuleJob
    from retouch.recipes.rule.language.model import ExtractionRule
    from retouch.recipes.rule.wizard.events import ChangeRule, Event
    from retouch.recipes.rule.wizard.session_state import SessionState


async def change(data: SessionState, effect: ChangeRule) -> Event:
    """Change the rule, and check it as an edit is checked. A change that loses a value of a sample is refused."""
    artifact = data.outcome.artifact if data.outcome is not None else None
    if artifact is None or artifact.rule is None:
        return ChangeRefused(round=effect.round, reason="There is no rule to change.")
    before = artifact.rule
    try:
        job, rule = await asyncio.to_thread(changed, data.job, before, effect)
    except RetouchError as error:
        return ChangeRefused(round=effect.round, reason=f"{error.message}. {error.hint}".strip(". ") + ".")
    data.changes.append((artifact.text, data.job))
    _use(data, job)
    return await editing.validate(data, render_rule(rule), effect.round)


async def undo(data: SessionState, number: int) -> Event:
    """Return to the rule and the source before the last change."""
    if not data.changes:
        return ChangeRefused(round=number, reason="There is nothing to undo.")
    text, job = data.changes.pop()
    _use(data, job)
    return await editing.validate(data, text, number)


def _use(data: SessionState, job: RuleJob) -> None:
    """Continue with another source. The run directory belongs to the source of its first request."""
    if job != data.job:
        data.job, data.begun = job, False


def changed(job: RuleJob, rule: ExtractionRule, effect: ChangeRule) -> tuple[RuleJob, ExtractionRule]:
    """Return the source and the rule after an operation, whose text has the form of the option of `rule edit`.

    Raises:
        BadInput: the text does not have its form, or the operation cannot be done, or loses a value.
    """
    if effect.operation == "noise":
        return _with_noise(job, effect.text), rule
    samples = job.samples
    if effect.operation == "shape":
        after = operations.with_shape(rule, effect.text, samples)
    else:
        after = _edited(rule, effect, samples)
    expect_no_loss(rule, after, samples)
    written(after)
    return job, after


def _with_noise(job: RuleJob, path: str) -> RuleJob:
    if path not in job.paths:
        raise BadInput(f"{path!r} is no sample", hint="Put the cursor on its row")
    if len(job.samples) < 2:
        raise BadInput("the last sample cannot be noise", hint="Press Esc")
    return replace(job, noise=(*job.noise, path))


def _edited(rule: ExtractionRule, effect: ChangeRule, samples: tuple[str, ...]) -> ExtractionRule:
    text = effect.text
    if effect.operation == "drop":
        return operations.dropped(rule, text)
    first, mark, second = text.partition("=")
    if not (first and mark and second):
        raise BadInput(f"{text!r} has no text before or after '='", hint="Write it in the form above")
    match effect.operation:
        case "rename":
            return operations.renamed(rule, first, second)
        case "merge":
            return operations.merged(rule, first.split("+"), second)
        case "join":
            new, _, between = second.partition(":")
            return operations.joined(rule, first.split("+"), new, samples, mark=between or "-")
        case "split":
            cut_at, _, names = second.rpartition(":")
            return operations.split(rule, first, cut_at, names.split(","), samples)
        case "retype":
            return operations.retyped(rule, first, second)
        case "constant":
            return operations.with_constant(rule, second, first)
        case _:
            starts = {} if effect.start is None else {first: effect.start}
            return operations.with_example(rule, effect.path, {first: second}, samples, starts=starts)
