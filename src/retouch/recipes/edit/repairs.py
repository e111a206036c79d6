"""Repairs of a file: a correction, a smaller request, the next change, or finally the whole file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.engine.repair import Correction, FollowUp, Instead
from retouch.recipes.edit.answers import BLOCKS, WHOLE
from retouch.recipes.edit.pages import ONE_CHANGE, prompt_for, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.engine.repair import Repair
    from retouch.engine.types import Attempt, Issue
    from retouch.recipes.edit.source import EditFile, EditJob

MOST_CORRECTIONS = 3
WHOLE_UP_TO_CHARS = 60_000  # about 15,000 tokens; a larger file would be truncated again
REMINDERS = (
    "Nothing was written: send all edits of this file again, each in the form that the prompt asks for.",
    "FIND must be copied exactly from the file as it is shown below, and match it exactly once.",
)


def repair(job: EditJob, unit: str, issues: Sequence[Issue], attempts: Sequence[Attempt]) -> Repair | None:
    """Return the next repair of the file `unit`, or None if there is none left.

    If the reply was truncated, request less: one change per turn, or blocks instead of an existing whole file. If more
    changes follow, request the next one. Otherwise send corrections, three at most, then request the whole file if it
    is short enough for one answer.
    """
    file = job.file(unit)
    codes = {issue.code for issue in issues}
    if "MORE_TO_COME" in codes:
        return FollowUp(merge=_appended, turn=text_of("next_change"))
    if _cut_off(issues):
        return _smaller(job, file, attempts)
    if sum(attempt.why == "correction" for attempt in attempts) < MOST_CORRECTIONS:
        return Correction(noun="file", reminders=REMINDERS)
    fits = len(file.text) <= WHOLE_UP_TO_CHARS
    was_sent = any(attempt.why == "instead" for attempt in attempts)
    return Instead(prompt=prompt_for(job, file, "whole"), merge=_as_whole) if fits and not was_sent else None


def _cut_off(issues: Sequence[Issue]) -> bool:
    return any(issue.detail.get("finish") == "length" for issue in issues)


def _smaller(job: EditJob, file: EditFile, attempts: Sequence[Attempt]) -> Repair:
    if not file.exists:
        return Correction(noun="file")  # the engine raises the cap; a new file cannot be requested as edits
    wants_blocks = file.in_blocks or any(attempt.why == "instead" for attempt in attempts)
    form = ONE_CHANGE if wants_blocks else "blocks"
    return Instead(prompt=prompt_for(job, file, form), merge=_as_blocks)


def _as_blocks(_current: str | None, reply: str) -> str:
    return BLOCKS + reply


def _as_whole(_current: str | None, reply: str) -> str:
    return WHOLE + reply


def _appended(current: str | None, reply: str) -> str:
    return f"{current or BLOCKS}\n{reply}"
