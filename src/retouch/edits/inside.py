"""Which places a path may name: those inside a folder, reached without a symbolic link."""

from __future__ import annotations

from pathlib import Path


class FolderError(Exception):
    """A folder cannot take a result, and nothing was written unless the message says so; `hint` is the next step."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class FolderFailure(FolderError):
    """The system failed, not the result: a full disk, a folder that may not be written."""


def safe_place(root: Path, name: str) -> Path:
    """Return the path under the folder, no part of which is a symbolic link; the folder itself may have been one.

    Raises:
        FolderError: it lies outside, or goes through a link.
    """
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
