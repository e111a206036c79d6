"""The files of an edit run: every new text, and one patch that shows what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.edits import unified_diff
from retouch.engine.recipe import Block, Unread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.edit.answers import NewText
    from retouch.recipes.edit.source import EditJob

FOLDER = "files/"
PATCH = "changes.diff"


def assemble(job: EditJob, values: Mapping[str, NewText | Unread]) -> Mapping[str, str]:
    """Return each changed file under `files/`, and `changes.diff`; a file whose answer cannot be read is left out."""
    texts = {path: value.text for path, value in values.items() if not isinstance(value, Unread) and value.changed}
    pieces = [_diff(job, path, text) for path, text in texts.items()]
    return {**{FOLDER + path: text for path, text in texts.items()}, PATCH: "".join(pieces)}


def _diff(job: EditJob, path: str, text: str) -> str:
    file = job.file(path)
    return "".join(f"{line}\n" for line in unified_diff(path, file.text if file.exists else None, text))


def blocks(file: str, text: str) -> Sequence[Block]:
    """Return the whole of a changed file as its unit's block; the patch has none."""
    if not file.startswith(FOLDER):
        return ()
    return [Block(unit=file.removeprefix(FOLDER), start=0, end=len(text))]


def heading(job: EditJob) -> Mapping[str, JSON]:
    """Return what the head of `pages.json` says of the job."""
    return {"source": {"request": job.request, "files": [file.path for file in job.files]}}
