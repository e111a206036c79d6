"""The prompts of the edit recipe: one per file, complete on its own."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from retouch.edits import fence_for
from retouch.engine.types import Prompt
from retouch.recipes.edit.definitions import definitions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch.recipes.edit.source import EditFile, EditJob

FILE_HEADING = "FILE: "
SHOWN_HEADING = "THE FILE THAT YOU ASKED FOR: "
_MOST_NAMES = 60  # of one outline
ONE_CHANGE = "one_change"  # the form of an answer with one change per turn
REQUEST_HEADING = "REQUEST:"


@cache
def text_of(name: str) -> str:
    """Return the prompt text called `name`."""
    return files("retouch.recipes.edit").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8").rstrip()


def plan(job: EditJob) -> Iterable[Prompt]:
    """Return one prompt per file.

    It requests blocks for a large existing file, the whole content for a new one, and either for a small one.
    """
    return [prompt_for(job, file, "whole" if not file.exists else file.form) for file in job.files]


def prompt_for(job: EditJob, file: EditFile, output: str) -> Prompt:
    """Return the prompt of one file that requests the output form `output`, the name of a prompt text."""
    parts = [f"{REQUEST_HEADING}\n{job.request.strip()}"]
    parts += [f"SPECIFICATION:\n{job.spec.strip()}"] if job.spec.strip() else []
    parts += [f"TESTS THAT MUST PASS:\n{_fenced(job.tests)}"] if job.tests.strip() else []
    parts += _other_files(
        "OTHER FILES OF THIS REQUEST",
        [] if job.per_file else [other for other in job.files if other is not file],
        "read_file",
    )
    parts += _other_files("OTHER FILES THAT YOU MAY CHANGE", job.others, "may_touch")
    state = "" if file.exists else " (does not exist yet: write it)"
    parts.append(f"{FILE_HEADING}{file.path}{state}")
    parts += [_fenced(file.text)] if file.exists else []
    parts.append(text_of(output))
    return Prompt(unit=file.path, system=text_of("system"), user="\n\n".join(parts))


def _other_files(heading: str, files: Sequence[EditFile], note: str) -> list[str]:
    """Return the outlines of other files under a heading, with a note on what the model may do with them."""
    lines: list[str] = []
    for file in files:
        names = [
            f"{one.name} ({one.start})" for one in definitions(file.path, file.text) if one.is_top and not one.scope
        ]
        more = [f"{len(names) - _MOST_NAMES} more"] if len(names) > _MOST_NAMES else []
        outline = ", ".join([*names[:_MOST_NAMES], *more])
        size = f"{len(file.text.splitlines())} lines" if file.exists else "does not exist yet"
        lines.append(f"- {file.path}, {size}" + (f": {outline}" if outline else ""))
    return ["\n".join([f"{heading}:", *lines, text_of(note)])] if lines else []


def with_files_shown(job: EditJob, user: str, names: Iterable[str]) -> str:
    """Return a prompt followed by the content of other files that the model requested."""
    known = {file.path: file for file in (*job.files, *job.others) if file.exists}
    parts = [user]
    for name in dict.fromkeys(names):
        shown = _fenced(known[name].text) if name in known else "There is no file of this name here."
        parts.append(f"{SHOWN_HEADING}{name}\n\n{shown}")
    return "\n\n".join(parts)


def opens_session(prompt: Prompt) -> bool:
    """Return whether `prompt` requests one change after the other."""
    return prompt.user.endswith(text_of(ONE_CHANGE))


def _fenced(text: str) -> str:
    fence = fence_for(text)
    return f"{fence}\n{text.removesuffix(chr(10))}\n{fence}"
