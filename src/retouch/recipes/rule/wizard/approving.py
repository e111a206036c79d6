"""Carries out approval: the name of an artifact, and the file that it is written to."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch._lib.disk import read_text
from retouch.errors import RetouchError
from retouch.recipes.rule import rounds
from retouch.recipes.rule.drafts.approval import ENDINGS, approve, with_engine
from retouch.recipes.rule.language.names import NAME
from retouch.recipes.rule.language.render import render_rule
from retouch.recipes.rule.wizard.events import Committed, Named, NotCommitted

if TYPE_CHECKING:
    from retouch.recipes.rule.drafts.draft import Draft
    from retouch.recipes.rule.wizard.events import Event
    from retouch.recipes.rule.wizard.session_state import SessionState

MAX_NAME_CHARS = 100


def checked_name(data: SessionState, name: str | None = None) -> Named:
    """Return the validity of a name, by default the artifact's own."""
    name = name if name is not None else data.name
    valid = NAME.fullmatch(name) is not None and len(name) <= MAX_NAME_CHARS
    return Named(name=name, valid=valid, taken=valid and _is_taken(data, name))


def _is_taken(data: SessionState, name: str) -> bool:
    """Return whether one of your rules has this name, or a file of this name exists with different content."""
    would_be = _file_text(data, name)
    files = [data.setup.output / f"{name}{ending}" for ending in ENDINGS.values()]
    there = [file for file in files if file.exists()]
    if there:
        return any(file.suffix != would_be[0] or read_text(file) != would_be[1] for file in there)
    return any(rule.name == name for rule in data.setup.rules)


def _file_text(data: SessionState, name: str) -> tuple[str, str]:
    """Return the extension and the text of the file that approval would write."""
    artifact = data.outcome.artifact if data.outcome is not None else None
    if data.outcome is None or artifact is None:
        return "", ""
    if artifact.rule is not None:
        return ENDINGS["yaml"], render_rule(replace(artifact.rule, name=name))
    return ENDINGS["python"], with_engine(name, data.outcome.trial.engine, artifact.text)


async def commit(data: SessionState, name: str) -> Event:
    """Write the artifact under `name`. Return the file, or the reason why it was not written."""
    try:
        draft = await _renamed(data, name)
        path = approve(data.drafts, draft, data.setup.output)
    except RetouchError as error:
        return NotCommitted(reason=f"{error.message} {error.hint}".strip())
    except OSError as error:
        return NotCommitted(reason=f"{error.strerror or error}: {error.filename or data.setup.output}")
    return Committed(path=str(path))


async def _renamed(data: SessionState, name: str) -> Draft:
    """Return the draft of the current artifact under another name. A rule with a new name is checked again."""
    outcome = data.outcome
    if outcome is None or outcome.artifact is None:
        raise RetouchError("There is nothing to approve.")
    draft = data.drafts.create(data.job, outcome.artifact, run=str(data.folder.resolve()))
    rule = outcome.artifact.rule
    if draft.name == name:
        return draft
    if rule is None:
        return data.drafts.keep(replace(draft, name=name))
    result = await asyncio.to_thread(rounds.check_edit, data.job, render_rule(replace(rule, name=name)))
    if not result.valid or result.parsed is None:
        raise RetouchError(f"With the name {name!r} the rule does not pass: {result.error_message}")
    return data.drafts.edited(draft, result.parsed)
