"""The second door: a reply applied to a folder, all files or none."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from retouch.edits.formats import read_blocks
from retouch.edits.targets import clean_path
from retouch.edits.values import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.edits.values import EditResult

_WORD = re.compile(r"[^\s`'\"*,;()<>\[\]]+")


class FolderError(Exception):
    """A folder cannot take a result, and nothing was written; `hint` is the next step."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def read_files(root: Path, reply: str, *, target: str | None = None) -> dict[str, str]:
    """The texts under the folder that a reply speaks of, by the paths it uses, and the target's.

    Bytes that are not UTF-8 become surrogates, which `apply_to_folder` writes back as they were. Paths that do not
    exist, or lie outside, are left out. Raises `FolderError` for a symbolic link or a file that cannot be read.
    """
    names = {target} if target else set[str]()
    try:
        blocks = read_blocks(reply)
    except Refusal:
        blocks = []
    for block in blocks:
        if block.path is not None:
            names.add(clean_path(block.path))
            if not block.path_is_sure:
                names.update(map(clean_path, _WORD.findall(block.path)))
        if block.move_to is not None:
            names.add(clean_path(block.move_to))
    found: dict[str, str] = {}
    for name in sorted(names):
        text = _read(root, name)
        if text is not None:
            found[name] = text
    return found


def apply_to_folder(result: EditResult, root: Path, *, before: Mapping[str, str] | None = None) -> list[str]:
    """Write an applied result under the folder and return the paths, in order; all of them, or none.

    Every new text lies in a temporary file beside its place, flushed to the disk, before the first rename; when a
    rename fails the ones before it are taken back. Permissions are kept, symbolic links and `..` are refused. With
    `before` (the texts that the result was made from) a file that has changed meanwhile is refused too.
    Raises `FolderError`.
    """
    if result.outcome != "applied":
        raise FolderError("the result is refused; there is nothing to write", hint="Look at its issues.")
    root = root.resolve()
    steps: list[_Step] = []
    made: list[Path] = []
    try:
        for name, text in sorted(result.files.items()):
            _check_unchanged(root, name, before)
            steps.append(_Step.plan(root, name, text))
        for step in steps:
            step.prepare(root, made)
        _commit(steps)
        made.clear()  # the folders are in use now
    except OSError as error:
        raise FolderError(f"nothing was written: {error}", hint="Check permissions and free space.") from error
    finally:
        _clean_up(steps, made)
    return [step.name for step in steps]


def _check_unchanged(root: Path, name: str, before: Mapping[str, str] | None) -> None:
    if before is not None and before.get(name) != _read(root, name):
        raise FolderError(f"{name!r} has changed since it was read", hint="Read it again and apply again.")


@dataclass(kw_only=True)
class _Step:
    """One file on its way: its place, the temporary file beside it, and what was there before."""

    name: str
    place: Path
    text: str | None
    mode: int | None
    temporary: Path
    kept: Path

    @classmethod
    def plan(cls, root: Path, name: str, text: str | None) -> _Step:
        place = _safe_place(root, name)
        mode: int | None = None
        with suppress(FileNotFoundError):
            status = place.lstat()
            if not stat.S_ISREG(status.st_mode):
                raise FolderError(f"{name!r} is not a regular file", hint="Name a file.")
            mode = stat.S_IMODE(status.st_mode)
        if text is None and mode is None:
            raise FolderError(
                f"{name!r} is not there, so it cannot be deleted", hint="Apply against this folder's files."
            )
        beside = f".{place.name[:100]}.{secrets.token_hex(6)}"
        return cls(
            name=name,
            place=place,
            text=text,
            mode=mode,
            temporary=place.with_name(f"{beside}.new"),
            kept=place.with_name(f"{beside}.old"),
        )

    def prepare(self, root: Path, made: list[Path]) -> None:
        """Write the temporary file; folders that have to be made for it are noted in `made`."""
        if self.text is None:
            return
        missing = [folder for folder in self.place.parents if folder.is_relative_to(root) and not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir()
            made.append(folder)
        opened = os.open(self.temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(opened, "wb") as file:
            file.write(_encoded(self.text))
            if self.mode is not None:
                os.fchmod(file.fileno(), self.mode)
            file.flush()
            os.fsync(file.fileno())

    def commit(self) -> None:
        """Put the new text in its place; what was there is kept beside until all are done."""
        if self.mode is not None:
            try:
                os.link(self.place, self.kept)
            except OSError:  # not every file system has hard links
                shutil.copy2(self.place, self.kept)
        if self.text is None:
            self.place.unlink()
        else:
            self.temporary.replace(self.place)

    def take_back(self) -> None:
        """Put back what was there before, as far as this step came."""
        if self.kept.exists():
            self.kept.replace(self.place)
        elif self.mode is None:
            self.place.unlink(missing_ok=True)


def _clean_up(steps: list[_Step], made: list[Path]) -> None:
    """Remove what lies beside the places, and folders that were made for nothing."""
    for step in steps:
        for leftover in (step.temporary, step.kept):
            with suppress(OSError):
                leftover.unlink(missing_ok=True)
    for folder in reversed(made):
        with suppress(OSError):
            folder.rmdir()


def _commit(steps: list[_Step]) -> None:
    done: list[_Step] = []
    try:
        for step in steps:
            done.append(step)
            step.commit()
    except BaseException:
        for step in reversed(done):
            with suppress(OSError):
                step.take_back()
        raise
    for folder in {step.place.parent for step in steps}:
        with suppress(OSError):  # the files are there; some file systems cannot flush a folder
            opened = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)


def _read(root: Path, name: str) -> str | None:
    try:
        place = _safe_place(root.resolve(), name)
    except FolderError as refusal:
        if "symbolic link" in refusal.message:
            raise
        return None
    try:
        if not place.is_file():
            return None
        return place.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise FolderError(f"{name!r} cannot be read: {error}", hint="Check the file's permissions.") from error


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise FolderError(f"the new text cannot be written: {error}", hint="Ask for the edit again.") from error


def _safe_place(root: Path, name: str) -> Path:
    """The path under the folder, no part of which is a symbolic link; the folder itself may have been one."""
    parts = Path(name).parts
    if not parts or Path(name).is_absolute() or ".." in parts or "\0" in name:
        raise FolderError(f"{name!r} does not lie inside {str(root)!r}", hint="Name files relative to the folder.")
    place = root
    for part in parts:
        place = place / part
        if place.is_symlink():
            raise FolderError(
                f"{name!r} goes through the symbolic link {str(place.relative_to(root))!r}",
                hint="Name the file itself.",
            )
    return place
