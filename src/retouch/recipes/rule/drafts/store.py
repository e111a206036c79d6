"""Drafts on disk: one file each, written atomically, in the user's data directory.

A draft belongs to the project that it was made in. Only `delete` and `clean` remove drafts. Several processes can read
and write at the same time: a reader skips a draft that is removed meanwhile, and a writer does not touch the temporary
files of other writers.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from retouch._lib.disk import TEMPORARY, write_files
from retouch._lib.hashing import text_hash
from retouch._lib.json_text import json_text
from retouch._lib.redaction import redacted
from retouch.errors import BadInput, BrokenFile, UnknownName
from retouch.recipes.rule.drafts.draft import Draft, now_utc
from retouch.recipes.rule.judging.trial import tried

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pydantic import TypeAdapter

    from retouch.recipes.rule.asking.source import RuleJob
    from retouch.recipes.rule.judging.artifact import Artifact
    from retouch.recipes.rule.judging.trial import Trial

_ID = re.compile(r"[0-9a-f]{8}")
_LEFT_AFTER_S = 600.0
_OF_PROJECTS = ("retouch.toml", "pyproject.toml", ".git", ".hg")


def drafts_folder() -> Path:
    """Return the directory of drafts in the user's data directory."""
    from platformdirs import user_data_path

    return user_data_path("retouch") / "rule-drafts"


def project_of(directory: Path) -> Path:
    """Return the project that `directory` is in: the nearest parent with settings or a repository, or itself."""
    here = directory.resolve()
    places = (here, *here.parents)
    return next((place for place in places if any((place / name).exists() for name in _OF_PROJECTS)), here)


@cache
def _adapter() -> TypeAdapter[Draft]:
    from pydantic import TypeAdapter

    return TypeAdapter(Draft)


class Drafts:
    """The drafts of one project, by default that of the current directory. `folder` is by default the user's.

    A draft of another project can be found by its id, and is listed only with `all_projects`.
    """

    def __init__(self, folder: Path | None = None, *, project: Path | None = None) -> None:
        self.folder = folder or drafts_folder()
        self.project = str(project or project_of(Path.cwd()))

    def every(
        self,
        *,
        now: datetime | None = None,
        all_projects: bool = False,
        on_broken: Callable[[BrokenFile], object] = lambda _: None,
    ) -> list[Draft]:
        """Return the project's readable drafts, the newest first. `on_broken` is called for each unreadable file."""
        found: list[Draft] = []
        for path in sorted(self.folder.glob("*.json")):
            try:
                draft = self._read(path).as_of(now or now_utc())
            except FileNotFoundError:  # removed by another process since
                continue
            except BrokenFile as error:
                on_broken(error)
                continue
            if all_projects or draft.project == self.project:
                found.append(draft)
        return sorted(found, key=lambda draft: (draft.created_at, draft.id), reverse=True)

    def find(self, name: str, *, now: datetime | None = None) -> Draft:
        """Return the draft with this id.

        Raises:
            UnknownName: there is none; the message lists the existing drafts.
            BrokenFile: its file cannot be read.
        """
        path = self.folder / f"{name}.json"
        try:
            if _ID.fullmatch(name):
                return self._read(path).as_of(now or now_utc())
        except FileNotFoundError:
            pass
        known = ", ".join(draft.id for draft in self.every(now=now)) or "none"
        hint = "'retouch rule drafts list' lists them. With --all it lists those of all projects."
        raise UnknownName(f"there is no draft {name!r}; known in this project: {known}", hint=hint)

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
        """Return the draft of an artifact that passed every check. An identical pending draft is returned unchanged."""
        at = now or now_utc()
        trial = tried(job, artifact)
        for draft in self.every(now=at):
            if draft.state == "PENDING" and (draft.text, draft.run) == (artifact.text, run):
                return draft
        return self.keep(self._new(job, artifact, trial, run=run, at=at))

    def _new(self, job: RuleJob, artifact: Artifact, trial: Trial, *, run: str, at: datetime) -> Draft:
        name = artifact.rule.name if artifact.rule is not None else _name_of(job)
        return Draft(
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
            project=self.project,
        )

    def _new_id(self) -> str:
        while (self.folder / f"{(name := secrets.token_hex(4))}.json").exists():
            pass
        return name

    def keep(self, draft: Draft) -> Draft:
        """Write a draft atomically and return it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._sweep()
        write_files(self.folder, {f"{draft.id}.json": json_text(redacted(json.loads(_adapter().dump_json(draft))))})
        return draft

    def _sweep(self) -> None:
        """Remove the temporary files that killed processes left; files that are being written are younger."""
        for left in self.folder.glob(f".*{TEMPORARY}"):
            with suppress(FileNotFoundError):
                if time.time() - left.stat().st_mtime > _LEFT_AFTER_S:
                    left.unlink()

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
        (self.folder / f"{name}.json").unlink(missing_ok=True)  # another process may have removed it

    def clean(self, *, now: datetime | None = None) -> list[str]:
        """Remove the project's drafts that expired or were approved, and return their ids."""
        gone = [draft.id for draft in self.every(now=now) if draft.state in {"EXPIRED", "COMMITTED"}]
        for name in gone:
            (self.folder / f"{name}.json").unlink(missing_ok=True)
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
