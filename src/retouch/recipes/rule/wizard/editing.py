"""Carries out edits: opens an editor, and checks the user's text without a model."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from retouch.engine.directory import IR
from retouch.errors import RetouchError
from retouch.recipes.rule import rounds
from retouch.recipes.rule.asking.context import RetryContext
from retouch.recipes.rule.drafts.approval import ENDINGS
from retouch.recipes.rule.judging.artifact import kind_of
from retouch.recipes.rule.language.load import decoded
from retouch.recipes.rule.wizard.editor import write_for_editing
from retouch.recipes.rule.wizard.events import Edited, NotEdited, NotValid, RoundPassed

if TYPE_CHECKING:
    from retouch.engine.tiers import ValidationResult
    from retouch.engine.types import Issue
    from retouch.recipes.rule.drafts.draft import Draft
    from retouch.recipes.rule.rounds import RoundResult
    from retouch.recipes.rule.wizard.editor import Editor
    from retouch.recipes.rule.wizard.events import Event
    from retouch.recipes.rule.wizard.session_state import SessionState

MOST_ERRORS = 5


async def edit(data: SessionState, editor: Editor, line: int | None) -> Event:
    """Open the editor and return whether the text changed. A changed text is saved even if the editor failed."""
    before = data.text
    data.folder.mkdir(parents=True, exist_ok=True)
    file = write_for_editing(data.folder, before, ENDINGS[kind_of(before)])
    draft = data.outcome.draft if data.outcome is not None else None
    if draft is not None and draft.state != "PENDING":
        draft = None
    if draft is not None:
        data.drafts.being_edited(draft)
    try:
        wrong = await editor(file, line)
    finally:
        if draft is not None:
            data.drafts.keep(draft)
        after = _read(file)
        if after == before:
            file.unlink(missing_ok=True)
    if after == before:
        return NotEdited(reason=wrong or "Nothing was changed.")
    if wrong:
        return NotEdited(reason=f"{wrong} Your text is saved in {str(file)!r}.")
    data.written = after
    return Edited(text=after)


def _read(file: Path) -> str:
    try:
        return decoded(file.read_bytes())
    except FileNotFoundError:
        return ""
    except RetouchError:  # not UTF-8: the checks report the byte
        return file.read_bytes().decode("utf-8", "surrogateescape")


async def validate(data: SessionState, text: str, number: int) -> Event:
    """Check a text. If it passes, it becomes the current answer and a draft."""
    result = await asyncio.to_thread(rounds.check_edit, data.job, text)
    if not result.valid:
        data.problem = result
        return not_valid(number, result)
    try:
        outcome = await _accepted(data, text, result)
    except RetouchError as error:
        return NotValid(round=number, errors=[f"{error.message} {error.hint}".strip()])
    return _passed(data, outcome, number)


async def resume_draft(data: SessionState, number: int) -> Event:
    """Check the waiting draft. Later rounds continue in the run that it came from."""
    draft = data.waiting
    if draft is None:
        return NotValid(round=number, errors=["The draft no longer exists."])
    data.job = draft.job
    if draft.run and (Path(draft.run) / IR).exists():
        data.move_to(Path(draft.run))
        data.begun = rounds.job_of(data.folder) == draft.job
    data.written = draft.text
    result = await asyncio.to_thread(rounds.check_edit, draft.job, draft.text)
    if result.valid and result.parsed is not None:
        data.drafts.edited(draft, result.parsed)
    return await validate(data, draft.text, number)


async def _accepted(data: SessionState, text: str, result: ValidationResult) -> RoundResult:
    if data.begun:
        return await rounds.take_edit(data.folder, text, options=data.setup.options)
    run = str(data.folder.resolve())
    draft: Draft = data.drafts.create(data.job, result.parsed, run=run)
    return rounds.RoundResult(
        ending="passed", job=data.job, folder=data.folder, result=result, context=RetryContext(), draft=draft
    )


def _passed(data: SessionState, outcome: RoundResult, number: int) -> Event:
    if outcome.draft is None:
        return NotValid(round=number, errors=[outcome.error or "The text could not be accepted."])
    data.outcome, data.written, data.problem = outcome, "", None
    draft = outcome.draft
    return RoundPassed(round=number, kind=draft.kind, hash=draft.validated, questions=bool(outcome.questions))


def not_valid(number: int, result: ValidationResult) -> NotValid:
    """Return the event for a text that does not pass: at most five errors, syntax errors first."""
    worst = worst_first(result)
    lines = [issue.line for issue in worst if issue.line]
    return NotValid(round=number, errors=[_error_line(issue) for issue in worst], line=lines[0] if lines else None)


def worst_first(result: ValidationResult) -> list[Issue]:
    """Return at most five errors of a text: the earliest tier first, then by line."""
    return sorted(result.errors, key=lambda issue: (issue.tier, issue.line or 0))[:MOST_ERRORS]


def _error_line(issue: Issue) -> str:
    return f"line {issue.line}: {issue.message}" if issue.line else issue.message
