"""Carries out edits: the hand-over to an editor, and the checks of what a person wrote, without a model."""

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
from retouch.recipes.rule.wizard.editor import put_down
from retouch.recipes.rule.wizard.events import Edited, NotEdited, NotValid, RoundPassed

if TYPE_CHECKING:
    from retouch.engine.types import Issue
    from retouch.engine.validation import ValidationResult
    from retouch.recipes.rule.drafts.draft import Draft
    from retouch.recipes.rule.rounds import RoundResult
    from retouch.recipes.rule.wizard.desk import SessionState
    from retouch.recipes.rule.wizard.editor import Editor
    from retouch.recipes.rule.wizard.events import Event

MOST_ERRORS = 5


async def edit(desk: SessionState, editor: Editor, line: int | None) -> Event:
    """Return whether a person changed the text; a text that was changed is kept, however the editor ended."""
    before = desk.text
    desk.folder.mkdir(parents=True, exist_ok=True)
    file = put_down(desk.folder, before, ENDINGS[kind_of(before)])
    draft = desk.outcome.draft if desk.outcome is not None else None
    if draft is not None and draft.state != "PENDING":
        draft = None
    if draft is not None:
        desk.drafts.being_edited(draft)
    try:
        wrong = await editor(file, line)
    finally:
        if draft is not None:
            desk.drafts.keep(draft)
        after = _read(file)
        if after == before:
            file.unlink(missing_ok=True)
    if after == before:
        return NotEdited(reason=wrong or "Nothing was changed.")
    if wrong:
        return NotEdited(reason=f"{wrong} Your text is kept in {str(file)!r}.")
    desk.written = after
    return Edited(text=after)


def _read(file: Path) -> str:
    try:
        return decoded(file.read_bytes())
    except FileNotFoundError:
        return ""
    except RetouchError:  # no UTF-8: the checks say which byte
        return file.read_bytes().decode("utf-8", "surrogateescape")


async def validate(desk: SessionState, text: str, number: int) -> Event:
    """Return what the checks say of a text; one that passes stands as the answer and is a draft."""
    result = await asyncio.to_thread(rounds.check_edit, desk.job, text)
    if not result.valid:
        desk.problem = result
        return not_valid(number, result)
    try:
        outcome = await _stands_now(desk, text, result)
    except RetouchError as error:
        return NotValid(round=number, errors=[f"{error.message} {error.hint}".strip()])
    return _passed(desk, outcome, number)


async def take_up(desk: SessionState, number: int) -> Event:
    """Return what the checks say of the draft that waited; later rounds go on in the run that it came from."""
    draft = desk.waiting
    if draft is None:
        return NotValid(round=number, errors=["There is no draft any more."])
    desk.job = draft.job
    if draft.run and (Path(draft.run) / IR).exists():
        desk.move_to(Path(draft.run))
        desk.begun = rounds.job_of(desk.folder) == draft.job
    desk.written = draft.text
    result = await asyncio.to_thread(rounds.check_edit, draft.job, draft.text)
    if result.valid and result.parsed is not None:
        desk.drafts.edited(draft, result.parsed)
    return await validate(desk, draft.text, number)


async def _stands_now(desk: SessionState, text: str, result: ValidationResult) -> RoundResult:
    if desk.begun:
        return await rounds.take_edit(desk.folder, text, options=desk.setup.options)
    run = str(desk.folder.resolve())
    draft: Draft = desk.drafts.create(desk.job, result.parsed, run=run)
    return rounds.RoundResult(
        ending="passed", job=desk.job, folder=desk.folder, result=result, context=RetryContext(), draft=draft
    )


def _passed(desk: SessionState, outcome: RoundResult, number: int) -> Event:
    if outcome.draft is None:
        return NotValid(round=number, errors=[outcome.error or "The text could not be taken."])
    desk.outcome, desk.written, desk.problem = outcome, "", None
    draft = outcome.draft
    return RoundPassed(round=number, kind=draft.kind, hash=draft.validated, questions=bool(outcome.questions))


def not_valid(number: int, result: ValidationResult) -> NotValid:
    """Return what the machine is told of a text that does not pass: at most five errors, syntax first."""
    worst = worst_first(result)
    lines = [issue.line for issue in worst if issue.line]
    return NotValid(round=number, errors=[_words(issue) for issue in worst], line=lines[0] if lines else None)


def worst_first(result: ValidationResult) -> list[Issue]:
    """Return at most five errors of a text: those of the earliest tier first, by line."""
    return sorted(result.errors, key=lambda issue: (issue.tier, issue.line or 0))[:MOST_ERRORS]


def _words(issue: Issue) -> str:
    return f"line {issue.line}: {issue.message}" if issue.line else issue.message
