"""The source of the edit recipe: a request, and the files with their current text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from retouch._lib.disk import read_text
from retouch._lib.hashing import text_hash
from retouch._lib.process.trees import scan
from retouch.edits import is_large_file
from retouch.edits.inside import forbidden_part
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from pathspec import GitIgnoreSpec

MOST_OTHERS = 200


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
    def form(self) -> str:
        """The form in which a change of the existing file is requested, the name of a prompt text."""
        return "blocks" if self.in_blocks else "either"

    @property
    def hash(self) -> str:
        """The hash of the text in the prompt."""
        return text_hash(self.text)


@dataclass(frozen=True, kw_only=True)
class EditJob:
    """The source of the edit recipe: the request, further information for the model, and the files.

    With `per_file`, the prompt of a file does not outline the other files.
    `others` are files that a model may ask to read, and change if `may_touch` (patterns as in .gitignore) matches them.
    `tests` is the text of tests that the result must pass. `check` is the user's check command, or "". With
    `fallback_whole_file`, the whole file is requested if its edits cannot be corrected.
    """

    request: str
    files: tuple[EditFile, ...]
    spec: str = ""
    tests: str = ""
    check: str = ""
    fallback_whole_file: bool = False
    others: tuple[EditFile, ...] = ()
    may_touch: tuple[str, ...] = ()
    per_file: bool = False

    def file(self, path: str) -> EditFile:
        """Return the file at `path`. A file that is not known does not exist yet."""
        known = (file for file in (*self.files, *self.others) if file.path == path)
        return next(known, EditFile(path=path, text="", exists=False))

    @property
    def other_texts(self) -> dict[str, str]:
        """The content of the files that edits may name, besides the file of their unit."""
        return {file.path: file.text for file in self.others}

    def allows(self, path: str) -> bool:
        """Return whether an answer for another file may change the file at `path`, which may not exist yet."""
        named = any(file.path == path for file in self.files)
        return not named and bool(self.may_touch) and _patterns(self.may_touch).match_file(path)


def edit_job(
    root: Path,
    paths: Sequence[Path],
    request: str,
    *,
    spec: str = "",
    tests: str = "",
    check: str = "",
    fallback_whole_file: bool = False,
    may_touch: Sequence[str] = (),
) -> EditJob:
    """Return the source for changing `paths` as requested. The files are read and hashed immediately.

    Raises:
        BadInput: a path is outside of `root`, is a directory, or is not a text file, or the request is empty, or
            `may_touch` matches too many files.
    """
    if not request.strip():
        raise BadInput("the request is empty", hint="Describe the change: --request TEXT or --request @FILE.")
    files = tuple(_read(root, path) for path in dict.fromkeys(paths))
    return EditJob(
        request=request,
        files=files,
        spec=spec,
        tests=tests,
        check=check,
        fallback_whole_file=fallback_whole_file,
        others=_matching(root, may_touch, {file.path for file in files}),
        may_touch=tuple(may_touch),
    )


def _matching(root: Path, patterns: Sequence[str], named: AbstractSet[str]) -> tuple[EditFile, ...]:
    """Return the text files below `root` that match the patterns, without ignored ones."""
    paths = [path for path in matching_paths(root, patterns) if path not in named]
    if len(paths) > MOST_OTHERS:
        what = f"--may-touch {' '.join(patterns)} matches {len(paths)} files, and at most {MOST_OTHERS} are possible"
        raise BadInput(what, hint="Give a narrower pattern.")
    texts = {path: read_text(root / path) for path in paths if not forbidden_part(path)}
    return tuple(EditFile(path=path, text=text) for path, text in texts.items() if "\0" not in text)


def matching_paths(root: Path, patterns: Sequence[str]) -> list[str]:
    """Return the files below `root` that match patterns as in .gitignore, sorted, without ignored ones."""
    if not patterns:
        return []
    wanted = _patterns(tuple(patterns))
    return [path for path in sorted(scan(root).files) if wanted.match_file(path)]


@cache
def _patterns(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(patterns)


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
