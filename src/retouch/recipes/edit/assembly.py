"""The files of an edit run: every new text, and one patch with all changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.edits import unified_diff
from retouch.engine.recipe import Block, Unread
from retouch.recipes.edit.answers import every_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.edit.answers import NewText
    from retouch.recipes.edit.source import EditJob

FOLDER = "files/"
TOUCHED = "touched/"  # files that have no unit: they were not named, and an answer for another one changes them
PATCH = "changes.diff"


def assemble(job: EditJob, values: Mapping[str, NewText | Unread]) -> Mapping[str, str]:
    """Return each changed file under `files/` or `touched/`, and `changes.diff`.

    A file whose answer cannot be read is omitted.
    """
    known = {path: value for path, value in values.items() if not isinstance(value, Unread)}
    texts = {path: value.text for path, (_, value) in every_text(known).items() if value.changed}
    pieces = [_diff(job, path, text) for path, text in texts.items()]
    files = {(FOLDER if path in known else TOUCHED) + path: text for path, text in texts.items()}
    return {**files, PATCH: "".join(pieces)}


def project_paths(names: Iterable[str]) -> dict[str, str]:
    """Return the files of the project among the files of a run, by their paths in the project."""
    found = {
        name.removeprefix(folder): name for folder in (TOUCHED, FOLDER) for name in names if name.startswith(folder)
    }
    return dict(sorted(found.items()))


def _diff(job: EditJob, path: str, text: str) -> str:
    file = job.file(path)
    return "".join(f"{line}\n" for line in unified_diff(path, file.text if file.exists else None, text))


def blocks(file: str, text: str) -> Sequence[Block]:
    """Return the whole changed file as its unit's block. The patch and touched files have none."""
    if not file.startswith(FOLDER):
        return ()
    return [Block(unit=file.removeprefix(FOLDER), start=0, end=len(text))]


def heading(job: EditJob) -> Mapping[str, JSON]:
    """Return the description of the source at the top of `pages.json`."""
    return {"source": {"request": job.request, "files": [file.path for file in job.files]}}
