"""The directories that an agent may use, and the paths inside of them."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.edits.inside import DirectoryError, forbidden_part, safe_place
from retouch.engine.ledger import LEDGER
from retouch.engine.stored_files import IR
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

MOST_FILE_BYTES = 16 * 2**20  # of a file that a tool reads
MOST_TEXT = 4 * 2**20  # characters of one argument
RECORDS = frozenset({IR, "prompts.json", "pages.json", "job.json", "fleet.json", "input.jsonl"})
_PARTS: Mapping[str, frozenset[str]] = {
    "fleet.json": frozenset(
        {"plan.json", "command.json", "inputs", "claims", "commits", "status", "aside", "limits", "leased", "bases"}
        | {"out", "log", "trials", "probes", "runs", "fleet.json"}
    ),
    "job.json": frozenset({"job.json", "input.jsonl", ".input.jsonl.new", "keys"}),
    "evaluation.json": frozenset({"evaluation.json", "result.json", "result.svg"}),
}
"""The files and directories of a fleet, a job and an evaluation that are its record, by the file that describes it."""
_TYPICAL = frozenset({"plan.json", "claims", "commits", "limits", "input.jsonl", "result.json"})
_OF_SEVERAL_RUNS = frozenset({"trials.jsonl", "outcomes.json"})
_SEPARATORS = re.compile(r"[/\\]")


@dataclass(frozen=True)
class AllowedRoots:
    """The directories that tools may use. They are fixed when the server starts; no tool can add one."""

    paths: tuple[Path, ...]

    @staticmethod
    def of(given: Sequence[Path]) -> AllowedRoots:
        """Return the roots, resolved.

        Raises:
            BadInput: there is none, one is not a directory, or it belongs to version control.
        """
        if not given:
            raise BadInput("no root directory is given", hint="For example: retouch mcp --root .")
        paths: list[Path] = []
        for one in given:
            whole = one.resolve()
            if not whole.is_dir():
                raise BadInput(f"{str(one)!r} is not a directory", hint="Name a directory that exists.")
            if reason := forbidden_part(whole.as_posix()):
                raise BadInput(f"{str(one)!r} cannot be a root: {reason}", hint="Name the project's directory.")
            paths.append(whole)
        return AllowedRoots(tuple(dict.fromkeys(paths)))

    def named(self, root: str) -> Path:
        """Return the root that an argument names: one of the allowed, or the only one if it is "".

        Raises:
            BadInput: it is not allowed, or it was moved or replaced by a link since the server started.
        """
        known = ", ".join(repr(str(one)) for one in self.paths)
        if not root:
            if len(self.paths) > 1:
                raise BadInput("several roots are allowed: name one", hint=f"Pass root: one of {known}.")
            found = next(iter(self.paths))
        else:
            _expect_text(root, "root", most=4_096)
            found = next((one for one in self.paths if os.path.normpath(root) == str(one)), None)
            if found is None:
                raise BadInput(f"{root!r} is not an allowed root", hint=f"Pass one of {known}.")
        if not found.is_dir() or found.resolve() != found:
            raise BadInput(f"the root {str(found)!r} was moved or replaced", hint="Start the server again.")
        return found

    def place(self, root: str, name: str, *, directory: bool = False) -> Path:
        """Return the path of a file or directory below a root. "." is the root itself, if a directory is expected.

        Raises:
            DirectoryError: it is outside, goes through a symbolic link, or belongs to version control.
            BadInput: it does not exist, or is of another kind.
        """
        top = self.named(root)
        _expect_text(name, "path", most=4_096)
        found = top if directory and name in ("", ".", "./") else safe_place(top, name)
        if not (found.is_dir() if directory else found.is_file()):
            kind = "directory" if directory else "file"
            raise BadInput(f"there is no {kind} {name!r} in {str(top)!r}", hint="Pass a path relative to the root.")
        return found

    def expect_below(self, place: Path) -> Path:
        """Return a resolved path that is one of the roots, or below one.

        Raises:
            DirectoryError: it is not, or a part of it belongs to version control.
        """
        whole = place.resolve()
        for top in self.paths:
            if whole == top:
                return whole
            if whole.is_relative_to(top):
                return safe_place(top, whole.relative_to(top).as_posix())
        raise DirectoryError(f"{str(place)!r} is outside of the allowed roots", hint="Do this yourself.")


def expect_texts(**given: str) -> None:
    """Check the size of text arguments, by their names.

    Raises:
        BadInput: one is too long.
    """
    for name, text in given.items():
        _expect_text(text, name, most=MOST_TEXT)


def _expect_text(text: str, name: str, *, most: int) -> None:
    if len(text) > most:
        raise BadInput(f"{name} has {len(text):,} characters, and {most:,} are allowed", hint="Send smaller pieces.")


def expect_readable(top: Path, names: Iterable[str]) -> None:
    """Check that existing files are regular and not too large to be read.

    Raises:
        BadInput: one is.
    """
    for name in names:
        try:
            status = safe_place(top, name).lstat()
        except (OSError, ValueError, DirectoryError):  # the reader of the file reports why it cannot
            continue
        if not stat.S_ISREG(status.st_mode):
            raise BadInput(f"{name!r} is not a regular file", hint="Name a regular file.")
        if status.st_size > MOST_FILE_BYTES:
            limit = f"{MOST_FILE_BYTES:,} bytes are allowed"
            raise BadInput(f"{name!r} has {status.st_size:,} bytes, and {limit}", hint="Change it yourself.")


def refuse_records(top: Path, names: Iterable[str]) -> None:
    """Check that no file is a part of the record of a run, a fleet, a job or an evaluation.

    A record that an agent could write would not be evidence.

    Raises:
        BadInput: one is.
    """
    places = {name: top.joinpath(*(part for part in _SEPARATORS.split(name) if part)) for name in names}
    for name, place in places.items():
        if _is_record(place, frozenset(places.values())):
            hint = "Edit the generated files of a run, and then: retouch adopt DIR."
            raise BadInput(f"{name!r} is a part of a run's record", hint=hint)


def _is_record(place: Path, written: frozenset[Path]) -> bool:
    """Return whether a file is a part of a record, also of one that is only made by the files `written` together."""
    last, beside = place.name.casefold(), place.parent
    if last.startswith(LEDGER) or last == IR:
        return True
    if _is_run(beside) and (last in RECORDS or last.startswith(".")):
        return True
    if last in _OF_SEVERAL_RUNS and any(_is_run(one) for one in _below(beside)):
        return True
    if any((beside / one).exists() or beside / one in written for one in _TYPICAL & _PARTS.get(last, frozenset())):
        return True
    return _is_part(place, written)


def _is_part(place: Path, written: frozenset[Path]) -> bool:
    """Return whether a directory above holds a fleet, a job or an evaluation, and the file is a part of its record.

    Files that a run of a fleet generated are none: what was changed there is noticed.
    """
    in_run = False
    for here in place.parents:
        in_run = in_run or (here / IR).exists()
        part = place.relative_to(here).parts[0].casefold()
        for head, parts in _PARTS.items():
            if (
                part in parts
                and not (part == "runs" and in_run)
                and (_describes(here / head) or here / head in written)
            ):
                return True
    return False


def _is_run(folder: Path) -> bool:
    return any((folder / one).exists() for one in (LEDGER, *RECORDS))


def _describes(head: Path) -> bool:
    """Return whether a file describes a fleet, a job or an evaluation, and is no file of another program."""
    try:
        return head.is_file() and b'"recipe"' in head.read_bytes()[:MOST_FILE_BYTES]
    except OSError:
        return False


def run_directories(top: Path, *, most: int) -> Iterator[Path]:
    """Yield the run directories below a root, up to three levels deep, at most `most`, without following links."""
    found = 0
    waiting: list[tuple[Path, int]] = [(top, 0)]
    while waiting and found < most:
        here, depth = waiting.pop(0)
        if (here / IR).is_file() and not (here / IR).is_symlink():
            found += 1
            yield here
            continue
        if depth < 3:
            waiting += [(one, depth + 1) for one in _below(here)]


def _below(here: Path) -> list[Path]:
    try:
        with os.scandir(here) as entries:
            names = sorted(one.name for one in entries if one.is_dir(follow_symlinks=False))
    except OSError:
        return []
    return [here / name for name in names if not name.startswith(".") and not forbidden_part(name)]
