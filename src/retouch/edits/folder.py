"""Applies a reply to a directory: all files or none."""

from __future__ import annotations

import re
import secrets
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from retouch.edits.bidi import BIDI_FIX, bidi_message, new_bidi_control
from retouch.edits.executable import executable_surfaces
from retouch.edits.formats import read_blocks
from retouch.edits.holding import alone_in
from retouch.edits.inside import JOURNAL, DirectoryError, DirectoryFailure, safe_place
from retouch.edits.placing import FileStep, Plan, digest_of, take_back_interrupted
from retouch.edits.targets import clean_path
from retouch.edits.values import Refusal

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence
    from pathlib import Path

    from retouch.edits.values import EditResult

_WORD = re.compile(r"[^\s`'\"*,;()<>\[\]]+")


def read_files(root: Path, reply: str, *, target: str | None = None) -> dict[str, str]:
    """Return the content of the files that a reply refers to, by the paths it uses, and the target's content.

    Bytes that are not UTF-8 become surrogates, which `apply_to_folder` writes back as they were. Paths that do not
    exist or are outside the directory are omitted.

    Raises:
        DirectoryError: a path is a symbolic link or a file that cannot be read.
    """
    names = {target} if target else set[str]()
    try:
        blocks = read_blocks(reply)
    except Refusal:
        blocks = []
    top = str(root.resolve())
    for block in blocks:
        if block.path is not None:
            names.add(clean_path(block.path, top))
            if not block.path_is_sure:
                names.update(clean_path(word) for word in _WORD.findall(block.path))
        if block.move_to is not None:
            names.add(clean_path(block.move_to, top))
    found: dict[str, str] = {}
    for name in sorted(names):
        text = _read(root, name)
        if text is not None:
            found[name] = text
    return found


def apply_to_folder(
    result: EditResult, root: Path, *, before: Mapping[str, str] | None = None, allow_executable: Sequence[str] = ()
) -> list[str]:
    """Write an applied result to the directory, all files or none. Return the paths in order.

    If a file cannot be written, the files before it are rolled back. If the process is killed, the next process that
    writes to the directory rolls back (see `take_back`). At any moment each file is either old or new, never partial.
    Permissions are preserved. Symbolic links and `..` are refused. With `before` (the content that the result was made
    from), a file that has changed since is refused. Files that run commands without being started (see
    `executable_surfaces`) are refused unless a pattern of `allow_executable` matches them.

    Raises:
        DirectoryError: the result is refused.
        DirectoryFailure: the files cannot be written.
    """
    if result.outcome != "applied":
        raise DirectoryError("the result is a refusal, so there is nothing to write", hint="See its issues.")
    for surface in executable_surfaces(sorted(result.files), allowed=allow_executable):
        hint = "Allow it if you have read the change: --allow-executable PATTERN (in Python: allow_executable=[...])."
        raise DirectoryError(f"{surface.path!r} is not written: {surface.runs}", hint=hint)
    root = root.resolve()
    try:
        with alone_in(root):
            take_back_interrupted(root)
            for name in sorted(result.files):
                _check_unchanged(root, name, before)
            steps = [_step(root, name, text) for name, text in sorted(result.files.items())]
            Plan(root=root, steps=steps, folders=_missing(root, steps)).carry_out()
    except OSError as error:
        raise DirectoryFailure(f"nothing was written: {error}", hint="Check permissions and free space.") from error
    return [step.name for step in steps]


def take_back(root: Path) -> list[str]:
    """Restore the old content of files that a killed process was replacing. Return their names in order.

    Nothing is restored if the process had replaced all files, or if one of them was changed since. Its temporary files
    are removed. Call this before you read the files for a new result.

    Raises:
        DirectoryError: a file cannot be restored.
    """
    root = root.resolve()
    if not (root / JOURNAL).exists():
        return []
    try:
        with alone_in(root):
            return sorted(take_back_interrupted(root))
    except OSError as error:
        hint = "Check permissions and free space."
        raise DirectoryFailure(f"an interrupted change cannot be rolled back: {error}", hint=hint) from error


@contextmanager
def tried_in_folder(root: Path, changes: Mapping[str, bytes]) -> Generator[None]:
    """Write new bytes of files to a directory while the context is open. They are restored on exit.

    If the process is killed, the next process that writes to the directory restores them (see `take_back`). Only one
    process at a time can do this in a directory.

    Raises:
        DirectoryError: a path is outside, goes through a link, or is not a regular file.
        DirectoryFailure: the files cannot be written or restored.
    """
    root = root.resolve()
    try:
        with alone_in(root):
            take_back_interrupted(root)
            steps = [_step_of(root, name, data) for name, data in sorted(changes.items())]
            with Plan(root=root, steps=steps, folders=_missing(root, steps), trial=True).tried_out():
                yield
    except OSError as error:
        raise DirectoryFailure(f"the files cannot be tried in place: {error}", hint="Check permissions.") from error


def _check_unchanged(root: Path, name: str, before: Mapping[str, str] | None) -> None:
    if before is not None and before.get(name) != _read(root, name):
        raise DirectoryError(
            f"{name!r} has changed since it was read", hint="Read the file again, then apply the edits again."
        )


def _step(root: Path, name: str, text: str | None) -> FileStep:
    step = _step_of(root, name, None if text is None else _encoded(text))
    if text is not None and (found := new_bidi_control(text, _read(root, name))) is not None:
        raise DirectoryError(bidi_message(name, *found), hint=BIDI_FIX)
    return step


def _step_of(root: Path, name: str, data: bytes | None) -> FileStep:
    place = safe_place(root, name)
    mode: int | None = None
    with suppress(FileNotFoundError):
        status = place.lstat()
        if not stat.S_ISREG(status.st_mode):
            raise DirectoryError(f"{name!r} is not a regular file", hint="Pass a regular file.")
        mode = stat.S_IMODE(status.st_mode)
    if data is None and mode is None:
        raise DirectoryError(
            f"{name!r} does not exist, so it cannot be deleted",
            hint="Apply the result to the directory whose files it was made for.",
        )
    return FileStep(name=name, place=place, token=secrets.token_hex(6), mode=mode, digest=digest_of(data), data=data)


def _missing(root: Path, steps: Iterable[FileStep]) -> list[Path]:
    """Return the directories to create, outer ones first."""
    above = {folder for step in steps if step.data is not None for folder in step.place.parents}
    return sorted(folder for folder in above if folder.is_relative_to(root) and not folder.exists())


def _read(root: Path, name: str) -> str | None:
    try:
        place = safe_place(root.resolve(), name)
    except DirectoryError as refusal:
        if "symbolic link" in refusal.message:
            raise
        return None
    try:
        if not place.is_file():
            return None
        return place.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise DirectoryFailure(f"{name!r} cannot be read: {error}", hint="Check the file's permissions.") from error


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise DirectoryError(f"the new text cannot be written: {error}", hint="Request the edit again.") from error
