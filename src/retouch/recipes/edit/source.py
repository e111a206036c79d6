"""What the edit job works from: a request, and the files as they were shown."""

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
    """One file to change: its path under the project's folder, with `/`, and its text with its own line endings.

    `exists` is False for a file that is to be made. A byte that is not UTF-8 is a lone surrogate in `text`.
    """

    path: str
    text: str
    exists: bool = True

    @property
    def in_blocks(self) -> bool:
        """Whether the file is asked for as FIND/REPLACE blocks: it is there, and large."""
        return self.exists and is_large_file(self.text)

    @property
    def hash(self) -> str:
        """The hash of the text as it was shown."""
        return text_hash(self.text)


@dataclass(frozen=True, kw_only=True)
class EditJob:
    """The source of the edit recipe: what is asked, what else the model should know, and the files.

    `tests` is the text of tests that the result must pass; `check` the person's own command, "" for none.
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
    """Return the job of changing `paths` as `request` says; they are read now, and hashed as they are.

    Raises:
        BadInput: a path lies outside `root`, is not a text file, or names a folder; or nothing is requested.
    """
    if not request.strip():
        raise BadInput("the request is empty", hint="Say what to change: --request TEXT or --request @FILE.")
    files = tuple(_read(root, path) for path in dict.fromkeys(paths))
    return EditJob(request=request, files=files, spec=spec, tests=tests, check=check)


def _read(root: Path, path: Path) -> EditFile:
    place = (root / path).resolve()
    if not place.is_relative_to(root.resolve()):
        raise BadInput(f"{str(path)!r} lies outside {str(root)!r}", hint="Name files inside it, or another --root.")
    name = place.relative_to(root.resolve()).as_posix()
    if reason := forbidden_part(name):
        raise BadInput(f"{name!r} cannot be edited: {reason}", hint="Change this file yourself.")
    if place.is_dir():
        raise BadInput(f"{name!r} is a folder", hint="Name the files to change.")
    if not place.exists():
        return EditFile(path=name, text="", exists=False)
    text = read_text(place)
    if "\0" in text:
        raise BadInput(f"{name!r} is not a text file: it holds a NUL byte", hint="Only text can be edited.")
    return EditFile(path=name, text=text)
