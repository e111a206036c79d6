"""Drafts on disk: one file each, written atomically."""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from retouch._lib.disk import sweep, write_files
from retouch._lib.hashing import text_hash
from retouch._lib.json_text import json_text
from retouch._lib.redaction import redacted
from retouch.errors import BadInput, BrokenFile, UnknownName
from retouch.recipes.rule.drafts.draft import MOST, Draft, now_utc
from retouch.recipes.rule.judging.trial import tried

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from pydantic import TypeAdapter

    from retouch.recipes.rule.asking.source import RuleJob
    from retouch.recipes.rule.judging.artifact import Artifact

_ID = re.compile(r"[0-9a-f]{8}")


def drafts_folder() -> Path:
    """Return the directory of drafts in the user's data directory."""
    from platformdirs import user_data_path

    return user_data_path("retouch") / "rule-drafts"


@cache
def _adapter() -> TypeAdapter[Draft]:
    from pydantic import TypeAdapter

    return TypeAdapter(Draft)


class Drafts:
    """The drafts of one directory, by default the user's."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or drafts_folder()

    def every(self, *, now: datetime | None = None) -> list[Draft]:
        """Return all readable drafts in their current state, the newest first."""
        found: list[Draft] = []
        for path in self.folder.glob("*.json"):
            try:
                found.append(self._read(path).as_of(now or now_utc()))
            except BrokenFile:
                continue
        return sorted(found, key=lambda draft: draft.created_at, reverse=True)

    def find(self, name: str, *, now: datetime | None = None) -> Draft:
        """Return the draft with this id.

        Raises:
            UnknownName: there is none; the message lists the existing drafts.
            BrokenFile: its file cannot be read.
        """
        path = self.folder / f"{name}.json"
        if not _ID.fullmatch(name) or not path.is_file():
            known = ", ".join(draft.id for draft in self.every(now=now)) or "none"
            raise UnknownName(f"there is no draft {name!r}; known: {known}", hint="'retouch rule drafts' lists them.")
        return self._read(path).as_of(now or now_utc())

    def _read(self, path: Path) -> Draft:
        from pydantic import ValidationError

        try:
            return _adapter().validate_json(path.read_bytes())
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the file"
            hint = f"Remove it with 'retouch rule drafts delete {path.stem}'."
            raise BrokenFile(f"{str(path)!r} is not a valid draft: {where}: {first['msg']}", hint=hint) from error

    def create(self, job: RuleJob, artifact: Artifact, *, run: str = "", now: datetime | None = None) -> Draft:
        """Return the draft of an artifact that passed every check. An identical pending draft is returned unchanged.

        If there are more than ten drafts, the oldest are deleted.
        """
        at = now or now_utc()
        for draft in self.every(now=at):
            if draft.state == "PENDING" and (draft.text, draft.run) == (artifact.text, run):
                return draft
        trial = tried(job, artifact)
        name = artifact.rule.name if artifact.rule is not None else _name_of(job)
        draft = Draft(
            id=self._new_id(),
            state="PENDING",
            kind=artifact.kind,
            name=name,
            text=artifact.text,
            validated=text_hash(artifact.text),
            engine=trial.engine,
            coverage=trial.coverage,
            created_at=at,
            job=job,
            run=run,
        )
        self.keep(draft)
        for old in self.every(now=at)[MOST:]:
            self.delete(old.id)
        return draft

    def _new_id(self) -> str:
        while (self.folder / f"{(name := secrets.token_hex(4))}.json").exists():
            pass
        return name

    def keep(self, draft: Draft) -> Draft:
        """Write a draft atomically and return it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        sweep(self.folder)
        write_files(self.folder, {f"{draft.id}.json": json_text(redacted(json.loads(_adapter().dump_json(draft))))})
        return draft

    def edited(self, draft: Draft, artifact: Artifact) -> Draft:
        """Return the draft with the user's text, which passed every check. It waits for approval again."""
        trial = tried(draft.job, artifact)
        name = artifact.rule.name if artifact.rule is not None else draft.name
        changed = replace(draft, kind=artifact.kind, name=name, text=artifact.text, validated=text_hash(artifact.text))
        return self.keep(replace(changed, engine=trial.engine, coverage=trial.coverage, state="PENDING"))

    def being_edited(self, draft: Draft) -> Draft:
        """Return the draft, marked as being edited by the user."""
        return self.keep(replace(draft, state="MANUAL_EDIT"))

    def delete(self, name: str) -> None:
        """Remove the draft with this id.

        Raises:
            UnknownName: there is none.
        """
        if not _ID.fullmatch(name) or not (self.folder / f"{name}.json").is_file():
            self.find(name)
        (self.folder / f"{name}.json").unlink(missing_ok=True)

    def clean(self, *, now: datetime | None = None) -> list[str]:
        """Remove drafts that expired or were approved, and return their ids."""
        gone = [draft.id for draft in self.every(now=now) if draft.state in {"EXPIRED", "COMMITTED"}]
        for name in gone:
            self.delete(name)
        return gone


def _name_of(job: RuleJob) -> str:
    from retouch.recipes.rule.asking.table import table_of

    return table_of(job).candidate.rule.name


def expect_waiting(draft: Draft) -> None:
    """Check that a draft can be approved.

    Raises:
        BadInput: it expired, was approved before, or its text is not the one that passed.
    """
    if draft.state == "EXPIRED":
        hint = f"Run it again: its answers are still in {draft.run!r}." if draft.run else "Generate the rule again."
        raise BadInput(f"the draft {draft.id!r} has expired: it waited for more than a day", hint=hint)
    if draft.state == "COMMITTED":
        raise BadInput(f"the draft {draft.id!r} was already approved", hint=f"It is in {draft.committed_to!r}.")
    if draft.state == "MANUAL_EDIT" or not draft.unchanged:
        hint = f"Check it with 'retouch rule drafts validate {draft.id}'."
        raise BadInput(f"the text of the draft {draft.id!r} is not the one that passed the checks", hint=hint)
