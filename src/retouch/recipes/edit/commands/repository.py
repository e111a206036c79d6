"""The user's git repository: uncommitted changes before an edit, and a commit after it. git does all of it."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_LIMIT_S = 120.0


def uncommitted(root: Path, paths: Sequence[str]) -> list[str] | None:
    """Return those of the `paths` that have uncommitted changes, or None if `root` is in no git repository."""
    found = _git(root, "status", "--porcelain", "-z", "--", *paths)
    if found is None or found.returncode:
        return None
    return [entry[3:] for entry in found.stdout.split("\0") if len(entry) > 3]


def expect_committable(root: Path, paths: Sequence[str]) -> None:
    """Check before any paid call that `--commit` can commit exactly the change of the run.

    Raises:
        BadInput: this is no git repository, or a file has changes that would be committed too.
    """
    dirty = uncommitted(root, paths)
    if dirty is None:
        raise BadInput(f"{str(root)!r} is in no git repository", hint="Leave out --commit, or run: git init")
    if dirty:
        names = ", ".join(dirty)
        raise BadInput(f"{names} has uncommitted changes, which --commit would include", hint="Commit or stash them.")


def commit(root: Path, paths: Sequence[str], message: str) -> str:
    """Commit the `paths` alone, and return the short name of the commit. If it was made before, return its name.

    Raises:
        BadInput: git refuses, for example because of a hook. The files stay as they are.
    """
    if uncommitted(root, paths) == [] and (made := _last_commit(root, paths)):  # by a command that was interrupted
        return made
    for words in (("add", "--", *paths), ("commit", "--quiet", "-m", message, "--", *paths)):
        done = _git(root, *words)
        if done is None or done.returncode:
            said = "git is not installed" if done is None else (done.stderr or done.stdout).strip()[:500]
            hint = "The files are written. Commit them yourself, or take them back: retouch undo DIR"
            raise BadInput(f"the change was not committed: {said}", hint=hint)
    named = _git(root, "rev-parse", "--short", "HEAD")
    return named.stdout.strip() if named is not None else ""


def _last_commit(root: Path, paths: Sequence[str]) -> str:
    found = _git(root, "log", "-1", "--format=%h", "--", *paths)
    return found.stdout.strip() if found is not None else ""


def _git(root: Path, *words: str) -> subprocess.CompletedProcess[str] | None:
    command = ["git", "-C", str(root), *words]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=_LIMIT_S)
    except (OSError, subprocess.TimeoutExpired):
        return None
