"""Several files put in their places together: all of them, or what was there before.

There is no rename of several files. So a journal in the folder names all steps before the first is taken, and every new
text and every old one lies beside its place, on disk, before the first rename. Who finds the journal of a process that
was killed takes its steps back, unless all were taken or somebody has changed such a file since. Until then, as between
the first rename and the last, some files are new and some old, each of them whole: no file system offers more.
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
    """One file on its way: its place, its new bytes (None deletes it), and its mode before, None when it is new.

    `token` is part of the names beside the place; `digest` is the SHA-256 of the new bytes.
    """

    name: str
    place: Path
    token: str
    mode: int | None
    digest: str | None
    data: bytes | None = None

    @property
    def temporary(self) -> Path:
        """Where the new bytes lie until they are put in their place."""
        return self._beside("new")

    @property
    def kept(self) -> Path:
        """Where the old file lies until all new ones are in their places."""
        return self._beside("old")

    def _beside(self, suffix: str) -> Path:
        return self.place.with_name(f".{self.place.name[:100]}.{self.token}.{suffix}")

    def prepare(self) -> None:
        """Put the new bytes and the old file beside the place."""
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
            except OSError:  # not every file system has hard links
                shutil.copy2(self.place, self.kept)
                with self.kept.open("rb+") as file:
                    _flush(file)

    def commit(self) -> None:
        """Put the new bytes in their place."""
        if self.digest is None:
            self.place.unlink()
        else:
            self.temporary.replace(self.place)

    def is_taken(self) -> bool:
        """Return whether the place holds what it was to hold, and not only by chance."""
        return not self.temporary.exists() and _digest(self.place) == self.digest

    def is_strange(self) -> bool:
        """Return whether somebody has changed the file after the step was taken."""
        was_taken = not self.temporary.exists() and (self.place if self.mode is None else self.kept).exists()
        return self.digest is not None and was_taken and _digest(self.place) != self.digest

    def is_begun(self) -> bool:
        """Return whether the place was given its new bytes, whatever became of them since."""
        return not self.temporary.exists() and (self.mode is None or self.kept.exists())

    def keep_strange(self) -> None:
        """Keep a file that somebody has changed after the step was taken, under another name."""
        if self.is_strange():
            with suppress(OSError):
                self.place.replace(self.place.with_name(f"{self.place.name}.changed-during-check"))

    def take_back(self) -> None:
        """Put back what was there before."""
        if self.mode is None:
            self.place.unlink(missing_ok=True)
        else:
            self.kept.replace(self.place)

    def clean_up(self) -> None:
        """Remove what lies beside the place."""
        self.temporary.unlink(missing_ok=True)
        self.kept.unlink(missing_ok=True)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All steps in a folder, and the folders that have to be made for them, outer ones first.

    Those of a `trial` are taken back in any case: by `tried_out`, or by who finds the journal of a killed process.
    """

    root: Path
    steps: Sequence[FileStep]
    folders: Sequence[Path]
    trial: bool = False

    @property
    def journal(self) -> Path:
        """Where the plan is written before the first step."""
        return self.root / JOURNAL

    def carry_out(self) -> None:
        """Take all steps, or none.

        Raises:
            OSError: a step cannot be taken; those before it were taken back.
            DirectoryFailure: not even that was possible; the message names the files.
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
        """Take all steps of a trial, and take them back at the end; the files are then what they were before.

        Raises:
            OSError: a step cannot be taken; DirectoryFailure: a file cannot be put back.
        """
        self.carry_out()
        try:
            yield
        finally:
            self._take_back([step for step in self.steps if step.is_begun()])

    def take_back(self, phase: str) -> list[str]:
        """Take back what a killed process began and brought as far as `phase`; return what was put back, in order.

        Raises:
            DirectoryFailure: a file cannot be put back; the next one that looks at the journal tries again.
        """
        if self.trial:
            begun = [step for step in self.steps if phase == PREPARED and step.is_begun()]
            for step in begun:
                step.keep_strange()
            self._take_back(begun)
            return [step.name for step in begun]
        taken = [step for step in self.steps if phase == PREPARED and step.is_taken()]
        if len(taken) == len(self.steps) or any(step.is_strange() for step in self.steps):
            taken = []
        self._take_back(taken)
        return [step.name for step in taken]

    def _take_back(self, taken: Sequence[FileStep]) -> None:
        for step in reversed(taken):
            try:
                step.take_back()
            except OSError as error:
                message = f"{step.name!r} holds its new text, other files their old one: {error}"
                hint = "Mend what the message says and give the command again: it puts back the old text first."
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
        with suppress(OSError):  # the journal is the last to go: what stays is removed by the next one that finds it
            for step in self.steps:
                step.clean_up()
            self.journal.unlink()


def take_back_interrupted(root: Path) -> list[str]:
    """Take back what a killed process left half done in the folder; return the names of the files put back.

    To be called by one who holds the folder.

    Raises:
        DirectoryFailure: a file cannot be put back.
        DirectoryError: the journal names a file outside.
    """
    root = root.resolve()
    journal = root / JOURNAL
    try:
        first, *phases = journal.read_text("utf-8", "surrogateescape").split("\n")
    except FileNotFoundError:
        return []
    try:
        told = json.loads(first)
        steps = [_told(root, *one) for one in told["steps"]]
        folders = [safe_place(root, name) for name in told["folders"]]
    except (ValueError, KeyError, TypeError):
        journal.unlink()  # its writer was killed before it had written the journal, and so before any step
        return []
    plan = Plan(root=root, steps=steps, folders=folders, trial=bool(told.get("trial")))
    return plan.take_back(next((phase for phase in reversed(phases) if phase in {PREPARED, DONE}), ""))


def _told(root: Path, name: str, token: str, mode: int | None, digest: str | None) -> FileStep:
    if not _TOKEN.fullmatch(token):
        raise ValueError(token)
    return FileStep(name=name, place=safe_place(root, name), token=token, mode=mode, digest=digest)


def digest_of(data: bytes | None) -> str | None:
    """Return the SHA-256 of a file's bytes, None for no file."""
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
        except OSError as error:  # some file systems cannot flush a folder
            if error.errno not in _CANNOT_SYNC:
                raise


def _flush(file: IO[Any]) -> None:
    file.flush()
    os.fsync(file.fileno())
