"""The source of the edit recipe: a request, and the files with their current text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch._lib.disk import read_text
from retouch._lib.hashing import text_hash
from retouch.edits import is_large_file
from retouch.edits.inside import forbidden_part
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class EditFile:
    """One file to change: its path in the project's directory, with `/`, and its text with its own line endings.

    `exists` is False for a new file. A byte that is not UTF-8 is a lone surrogate in `text`.
    """

    path: str
    text: str
    exists: bool = True

    @property
    def in_blocks(self) -> bool:
        """Whether the file is requested as FIND/REPLACE blocks, because it exists and is large."""
        return self.exists and is_large_file(self.text)

    @property
    def hash(self) -> str:
        """The hash of the text in the prompt."""
        return text_hash(self.text)


@dataclass(frozen=True, kw_only=True)
class EditJob:
    """The source of the edit recipe: the request, further information for the model, and the files.

    `tests` is the text of tests that the result must pass. `check` is the user's check command, or "".
    """

    request: str
    files: tuple[EditFile, ...]
    spec: str = ""
    tests: str = ""
    check: str = ""

    def file(self, path: str) -> EditFile:
        """Return the file at `path`."""
        return next(file for file in self.files if file.path == path)


def edit_job(
    root: Path, paths: Sequence[Path], request: str, *, spec: str = "", tests: str = "", check: str = ""
) -> EditJob:
    """Return the source for changing `paths` as requested. The files are read and hashed immediately.

    Raises:
        BadInput: a path is outside of `root`, is a directory, or is not a text file, or the request is empty.
    """
    if not request.strip():
        raise BadInput("the request is empty", hint="Describe the change: --request TEXT or --request @FILE.")
    files = tuple(_read(root, path) for path in dict.fromkeys(paths))
    return EditJob(request=request, files=files, spec=spec, tests=tests, check=check)


def _read(root: Path, path: Path) -> EditFile:
    place = _resolved(root / path)
    if not place.is_relative_to(root.resolve()):
        raise BadInput(f"{str(path)!r} is outside of {str(root)!r}", hint="Give files inside of it, or another --root.")
    name = place.relative_to(root.resolve()).as_posix()
    if reason := forbidden_part(name):
        raise BadInput(f"{name!r} cannot be edited: {reason}", hint="Change this file yourself.")
    if place.is_dir():
        raise BadInput(f"{name!r} is a directory", hint="Give the files to change.")
    if not place.exists():
        return EditFile(path=name, text="", exists=False)
    text = read_text(place)
    if "\0" in text:
        raise BadInput(f"{name!r} is not a text file: it contains a NUL byte", hint="Only text can be edited.")
    return EditFile(path=name, text=text)


def _resolved(path: Path) -> Path:
    """Return the real path.

    Raises:
        BadInput: a symbolic link leads back to itself.
    """
    try:
        place = path.resolve()
    except RuntimeError:  # before Python 3.13
        place = path
    if place.is_symlink():
        raise BadInput(f"Symlink loop: {str(path)!r} leads back to itself", hint="Name the file itself.")
    return place
