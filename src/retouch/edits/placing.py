"""Replaces several files together: all of them, or none.

File systems cannot rename several files atomically. Therefore a journal in the directory lists all steps before the
first one, and every new and old text is on disk in the file's directory before the first rename. If the process is
killed, whoever finds the journal rolls its steps back, unless all were done or one of the files was changed since.
Until then, and between the first and the last rename, some files are new and some are old, but each of them is
complete.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import IO, TYPE_CHECKING, Any

from retouch.edits.inside import JOURNAL, DirectoryFailure, safe_place

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence
    from pathlib import Path

PREPARED, DONE = "prepared", "done"
_TOKEN = re.compile("[0-9a-f]{12}")
_CANNOT_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EACCES}


@dataclass(frozen=True, kw_only=True)
class FileStep:
    """One file to replace: its path, its new bytes (None deletes it), and its old mode (None for a new file).

    `token` is part of the names of the temporary files. `digest` is the SHA-256 of the new bytes.
    """

    name: str
    place: Path
    token: str
    mode: int | None
    digest: str | None
    data: bytes | None = None

    @property
    def temporary(self) -> Path:
        """The path of the new bytes before the rename."""
        return self._temporary_path("new")

    @property
    def kept(self) -> Path:
        """The path of the old file until all steps are done."""
        return self._temporary_path("old")

    def _temporary_path(self, suffix: str) -> Path:
        return self.place.with_name(f".{self.place.name[:100]}.{self.token}.{suffix}")

    def prepare(self) -> None:
        """Write the new bytes and a copy of the old file to the temporary paths."""
        if self.data is not None:
            opened = os.open(self.temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            with os.fdopen(opened, "wb") as file:
                file.write(self.data)
                if self.mode is not None:
                    os.fchmod(file.fileno(), self.mode)
                _flush(file)
        if self.mode is not None:
            try:
                os.link(self.place, self.kept)
            except OSError:  # some file systems have no hard links
                shutil.copy2(self.place, self.kept)
                with self.kept.open("rb+") as file:
                    _flush(file)

    def commit(self) -> None:
        """Rename the new bytes to the file's path."""
        if self.digest is None:
            self.place.unlink()
        else:
            self.temporary.replace(self.place)

    def is_taken(self) -> bool:
        """Return whether the step was done and the file has its new content."""
        return not self.temporary.exists() and _digest(self.place) == self.digest

    def was_changed_since(self) -> bool:
        """Return whether the file was changed after the step was done."""
        was_taken = not self.temporary.exists() and (self.place if self.mode is None else self.kept).exists()
        return self.digest is not None and was_taken and _digest(self.place) != self.digest

    def is_begun(self) -> bool:
        """Return whether the step was done, whatever happened to the file since."""
        return not self.temporary.exists() and (self.mode is None or self.kept.exists())

    def keep_changed_file(self) -> None:
        """Keep a file that was changed after the step was done, under another name."""
        if self.was_changed_since():
            with suppress(OSError):
                self.place.replace(self.place.with_name(f"{self.place.name}.changed-during-check"))

    def take_back(self) -> None:
        """Restore the old file."""
        if self.mode is None:
            self.place.unlink(missing_ok=True)
        else:
            self.kept.replace(self.place)

    def clean_up(self) -> None:
        """Remove the temporary files."""
        self.temporary.unlink(missing_ok=True)
        self.kept.unlink(missing_ok=True)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All steps in a directory, and the directories to create for them, outer ones first.

    The steps of a `trial` are always rolled back: by `tried_out`, or by whoever finds the journal of a killed process.
    """

    root: Path
    steps: Sequence[FileStep]
    folders: Sequence[Path]
    trial: bool = False

    @property
    def journal(self) -> Path:
        """The path of the journal, which is written before the first step."""
        return self.root / JOURNAL

    def carry_out(self) -> None:
        """Do all steps, or none.

        Raises:
            OSError: a step failed. The steps before it were rolled back.
            DirectoryFailure: rolling back failed, too. The message names the files.
        """
        phase = ""
        with self.journal.open("x", encoding="utf-8", errors="surrogateescape") as file:
            try:
                file.write(self._text())
                _flush(file)
                _sync({self.root})
                for folder in self.folders:
                    folder.mkdir()
                for step in self.steps:
                    step.prepare()
                _sync(self._touched())
                file.write(f"{PREPARED}\n")
                _flush(file)
                phase = PREPARED
                for step in self.steps:
                    step.commit()
                _sync(self._touched())
            except BaseException:
                self._take_back([step for step in self.steps if phase == PREPARED and step.is_taken()])
                raise
            if self.trial:
                return
            with suppress(OSError):
                file.write(f"{DONE}\n")
                file.flush()
        self._end()

    @contextmanager
    def tried_out(self) -> Generator[None]:
        """Do all steps of a trial, and roll them back on exit.

        Raises:
            OSError: a step failed.
            DirectoryFailure: a file cannot be restored.
        """
        self.carry_out()
        try:
            yield
        finally:
            self._take_back([step for step in self.steps if step.is_begun()])

    def take_back(self, phase: str) -> list[str]:
        """Roll back the steps that a killed process did up to `phase`. Return the restored files in order.

        Raises:
            DirectoryFailure: a file cannot be restored. The next process that finds the journal tries again.
        """
        if self.trial:
            begun = [step for step in self.steps if phase == PREPARED and step.is_begun()]
            for step in begun:
                step.keep_changed_file()
            self._take_back(begun)
            return [step.name for step in begun]
        taken = [step for step in self.steps if phase == PREPARED and step.is_taken()]
        if len(taken) == len(self.steps) or any(step.was_changed_since() for step in self.steps):
            taken = []
        self._take_back(taken)
        return [step.name for step in taken]

    def _take_back(self, taken: Sequence[FileStep]) -> None:
        for step in reversed(taken):
            try:
                step.take_back()
            except OSError as error:
                message = f"{step.name!r} has its new text, other files have their old text: {error}"
                hint = "Fix the cause in the message, then run the command again. It restores the old text first."
                raise DirectoryFailure(message, hint=hint) from error
        self._end()
        for folder in reversed(self.folders):
            with suppress(OSError):  # it is in use
                folder.rmdir()

    def _text(self) -> str:
        steps = [[step.name, step.token, step.mode, step.digest] for step in self.steps]
        folders = [folder.relative_to(self.root).as_posix() for folder in self.folders]
        return json.dumps({"steps": steps, "folders": folders} | ({"trial": True} if self.trial else {})) + "\n"

    def _touched(self) -> set[Path]:
        return {self.root, *(step.place.parent for step in self.steps)}

    def _end(self) -> None:
        with suppress(OSError):  # the journal is removed last, so that the next process can remove files that remain
            for step in self.steps:
                step.clean_up()
            self.journal.unlink()


def take_back_interrupted(root: Path) -> list[str]:
    """Roll back the unfinished steps of a killed process in the directory. Return the names of the restored files.

    The caller must hold the lock of the directory.

    Raises:
        DirectoryFailure: a file cannot be restored.
        DirectoryError: the journal names a file outside.
    """
    root = root.resolve()
    journal = root / JOURNAL
    try:
        first, *phases = journal.read_text("utf-8", "surrogateescape").split("\n")
    except FileNotFoundError:
        return []
    try:
        journal_data = json.loads(first)
        steps = [_step_from_journal(root, *one) for one in journal_data["steps"]]
        folders = [safe_place(root, name) for name in journal_data["folders"]]
    except (ValueError, KeyError, TypeError):
        journal.unlink()  # the process was killed while it wrote the journal, which is before any step
        return []
    plan = Plan(root=root, steps=steps, folders=folders, trial=bool(journal_data.get("trial")))
    return plan.take_back(next((phase for phase in reversed(phases) if phase in {PREPARED, DONE}), ""))


def _step_from_journal(root: Path, name: str, token: str, mode: int | None, digest: str | None) -> FileStep:
    if not _TOKEN.fullmatch(token):
        raise ValueError(token)
    return FileStep(name=name, place=safe_place(root, name), token=token, mode=mode, digest=digest)


def digest_of(data: bytes | None) -> str | None:
    """Return the SHA-256 of a file's bytes. None for no file."""
    return None if data is None else sha256(data).hexdigest()


def _digest(place: Path) -> str | None:
    return digest_of(place.read_bytes()) if place.is_file() else None


def _sync(folders: Iterable[Path]) -> None:
    for folder in folders:
        try:
            opened = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)
        except OSError as error:  # some file systems cannot flush a directory
            if error.errno not in _CANNOT_SYNC:
                raise


def _flush(file: IO[Any]) -> None:
    file.flush()
    os.fsync(file.fileno())
