"""Carries out approval: the name of an artifact, and the file that it is written into."""

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
    from retouch.recipes.rule.wizard.desk import SessionState
    from retouch.recipes.rule.wizard.events import Event

MAX_NAME_CHARS = 100


def named(desk: SessionState, name: str | None = None) -> Named:
    """Return what there is to say of a name, by default the one that the artifact has."""
    name = name if name is not None else desk.name
    valid = NAME.fullmatch(name) is not None and len(name) <= MAX_NAME_CHARS
    return Named(name=name, valid=valid, taken=valid and _is_taken(desk, name))


def _is_taken(desk: SessionState, name: str) -> bool:
    """Whether a rule at hand has this name, or a file of it is there that approval would not write just so."""
    would_be = _file_text(desk, name)
    files = [desk.setup.output / f"{name}{ending}" for ending in ENDINGS.values()]
    there = [file for file in files if file.exists()]
    if there:
        return any(file.suffix != would_be[0] or read_text(file) != would_be[1] for file in there)
    return any(rule.name == name for rule in desk.setup.rules)


def _file_text(desk: SessionState, name: str) -> tuple[str, str]:
    """Return the ending and the text of the file that approval would write."""
    artifact = desk.outcome.artifact if desk.outcome is not None else None
    if desk.outcome is None or artifact is None:
        return "", ""
    if artifact.rule is not None:
        return ENDINGS["yaml"], render_rule(replace(artifact.rule, name=name))
    return ENDINGS["python"], with_engine(name, desk.outcome.trial.engine, artifact.text)


async def commit(desk: SessionState, name: str) -> Event:
    """Return into which file the artifact was written under `name`, or why it was not."""
    try:
        draft = await _renamed(desk, name)
        path = approve(desk.drafts, draft, desk.setup.output)
    except RetouchError as error:
        return NotCommitted(reason=f"{error.message} {error.hint}".strip())
    except OSError as error:
        return NotCommitted(reason=f"{error.strerror or error}: {error.filename or desk.setup.output}")
    return Committed(path=str(path))


async def _renamed(desk: SessionState, name: str) -> Draft:
    """Return the draft of what stands, under another name; a rule that is written anew is checked anew."""
    outcome = desk.outcome
    if outcome is None or outcome.artifact is None:
        raise RetouchError("There is nothing to approve.")
    draft = desk.drafts.create(desk.job, outcome.artifact, run=str(desk.folder.resolve()))
    rule = outcome.artifact.rule
    if draft.name == name:
        return draft
    if rule is None:
        return desk.drafts.keep(replace(draft, name=name))
    result = await asyncio.to_thread(rounds.check_edit, desk.job, render_rule(replace(rule, name=name)))
    if not result.valid or result.parsed is None:
        raise RetouchError(f"With the name {name!r} the rule does not pass: {result.error_message}")
    return desk.drafts.edited(draft, result.parsed)
