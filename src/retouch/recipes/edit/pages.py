"""The prompts of the edit recipe: one per file, complete on its own."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from retouch.edits import fence_for
from retouch.engine.types import Prompt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch.recipes.edit.source import EditFile, EditJob

FILE_HEADING = "FILE: "
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
    others = [other.path for other in job.files if other is not file]
    parts += ["OTHER FILES OF THIS REQUEST: " + ", ".join(others)] if others else []
    state = "" if file.exists else " (does not exist yet: write it)"
    parts.append(f"{FILE_HEADING}{file.path}{state}")
    parts += [_fenced(file.text)] if file.exists else []
    parts.append(text_of(output))
    return Prompt(unit=file.path, system=text_of("system"), user="\n\n".join(parts))


def opens_session(prompt: Prompt) -> bool:
    """Return whether `prompt` requests one change after the other."""
    return prompt.user.endswith(text_of(ONE_CHANGE))


def _fenced(text: str) -> str:
    fence = fence_for(text)
    return f"{fence}\n{text.removesuffix(chr(10))}\n{fence}"
