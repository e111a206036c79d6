"""Approval: writes a draft into a file that works without a model."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch._lib.disk import read_text, sweep_beside, write_files
from retouch.errors import BadInput
from retouch.recipes.rule.drafts.store import expect_waiting

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.rule.drafts.draft import Draft
    from retouch.recipes.rule.drafts.store import Drafts

ENDINGS = {"yaml": ".yaml", "python": ".py"}
_HEADER = re.compile(r"\A# retouch extractor: (?P<name>\w+)\n# runs in: (?P<engine>\S+)\n\n?")


@dataclass(frozen=True, kw_only=True)
class Extractor:
    """An approved Python function: its code, and the engine (with its version) that must run it."""

    code: str
    engine: str


def approve(drafts: Drafts, draft: Draft, folder: Path, *, force: bool = False) -> Path:
    """Write a draft to `NAME.yaml`, or to `NAME.py` with the engine that must run it. Return the path of the file.

    Raises:
        BadInput: the draft cannot be approved, or a different file is in the way.
    """
    expect_waiting(draft)
    path = folder / f"{draft.name}{ENDINGS[draft.kind]}"
    text = draft.text if draft.kind == "yaml" else with_engine(draft.name, draft.engine, draft.text)
    if path.exists() and not force and read_text(path) != text:
        raise BadInput(f"{str(path)!r} already exists with different content", hint="Overwrite it with --force.")
    folder.mkdir(parents=True, exist_ok=True)
    sweep_beside(path)
    write_files(folder, {path.name: text})
    drafts.keep(replace(draft, state="COMMITTED", committed_to=str(path)))
    return path


def with_engine(name: str, engine: str, code: str) -> str:
    """Return the code with a header that names the engine that must run it."""
    return f"# retouch extractor: {name}\n# runs in: {engine}\n\n{code}"


def read_extractor(text: str) -> Extractor:
    """Return the function of a file that approval wrote.

    Raises:
        BadInput: the file does not name the engine that must run it.
    """
    found = _HEADER.match(text)
    if found is None:
        hint = "Approve the draft with 'retouch rule drafts approve ID -o DIR', and use the file that it writes."
        raise BadInput("the file does not name the engine that its function was checked in", hint=hint)
    return Extractor(code=text[found.end() :], engine=found["engine"])
